//! Peak memory of this process during a step: in total, and by kind.

use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time between two samples: the system has a peak only of all kinds together.
const INTERVAL: Duration = Duration::from_millis(3);

/// The kinds of memory that are sampled: own pages, and pages of mapped files.
const KINDS: [&str; 2] = ["RssAnon:", "RssFile:"];

/// Sampled peaks.
#[derive(Default)]
pub(crate) struct Peaks(Arc<[AtomicU64; 2]>);

impl Peaks {
    /// Starts the thread that samples.
    pub(crate) fn watch() -> std::io::Result<Self> {
        let peaks = Self::default();
        let sampled = Arc::clone(&peaks.0);
        std::thread::Builder::new().name("peaks".to_owned()).spawn(move || {
            while Arc::strong_count(&sampled) > 1 {
                sample(&sampled);
                std::thread::sleep(INTERVAL);
            }
        })?;
        Ok(peaks)
    }

    /// Begins a step.
    pub(crate) fn reset(&self) {
        // Without support by the system, the peak is that of the process so far.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        self.0.iter().for_each(|peak| peak.store(0, Ordering::Relaxed));
        sample(&self.0);
    }

    /// Returns the peaks since the step began, in bytes: of all kinds together (exact), of own pages and of pages of files
    /// (sampled); and what is held now.
    pub(crate) fn most(&self) -> Value {
        sample(&self.0);
        let [anon, file] = [0, 1].map(|kind: usize| self.0[kind].load(Ordering::Relaxed));
        let text = status();
        json!({ "rss": bytes(&text, "VmHWM:"), "anon": anon, "file": file, "after": bytes(&text, "VmRSS:") })
    }
}

fn sample(peaks: &[AtomicU64; 2]) {
    let text = status();
    for (peak, kind) in peaks.iter().zip(KINDS) {
        peak.fetch_max(bytes(&text, kind), Ordering::Relaxed);
    }
}

fn status() -> String {
    std::fs::read_to_string("/proc/self/status").unwrap_or_default()
}

/// Returns a line of the status in bytes; 0 if it is missing.
fn bytes(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) << 10
}

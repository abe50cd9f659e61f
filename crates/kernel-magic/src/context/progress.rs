//! The progress bar of a load or an export: shown after 0.3 s, updated at most ten times a second, replaced by the last line.

use crate::display::{Output, Sink};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_core::LoadProgress;
use trace_view::format::{bytes, grouped};
use trace_view::{Bundle, HTML};

/// Delay before the bar is shown.
const DELAY: Duration = Duration::from_millis(300);
/// Minimum time between updates.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// A progress bar: one display id, updated in place.
pub struct Progress {
    out: Arc<dyn Sink>,
    id: String,
    /// `run 2 of 3 · `; empty for one run.
    run: String,
    start: Instant,
    /// The time of the last update; `None` before the bar is shown.
    drawn: Option<Instant>,
    enabled: bool,
}

impl Progress {
    /// Starts the clock.
    pub fn new(out: &Arc<dyn Sink>, enabled: bool) -> Self {
        Self {
            out: Arc::clone(out),
            id: uuid::Uuid::new_v4().to_string(),
            run: String::new(),
            start: Instant::now(),
            drawn: None,
            enabled,
        }
    }

    /// Says which run of several is loaded from now on.
    pub(crate) fn begin_run(&mut self, number: usize, all: usize) {
        self.run = format!("run {number} of {all} · ");
    }

    /// Draws the progress of a load if an update is due.
    pub fn report(&mut self, progress: &LoadProgress) {
        let run = self.run.clone();
        self.draw_if_due(|elapsed| {
            let (percent, text) = bar(progress, elapsed);
            (percent, format!("{run}{text}"))
        });
    }

    /// Draws a percentage and a text, which depend on the time since the start, if an update is due.
    pub fn draw_if_due(&mut self, bar: impl FnOnce(Duration) -> (f64, String)) {
        let now = Instant::now();
        let due = match self.drawn {
            None => now - self.start >= DELAY,
            Some(drawn) => now - drawn >= UPDATE_INTERVAL,
        };
        if self.enabled && due {
            let (percent, text) = bar(now - self.start);
            self.draw(bundle(percent, text));
            self.drawn = Some(now);
        }
    }

    /// Replaces the bar by `last`; returns whether the line is shown, which it is not without a bar, nor at a terminal, where the bar is
    /// removed.
    pub fn end(&mut self, last: &str) -> bool {
        let shown = self.drawn.is_some();
        if shown {
            self.draw(Bundle::text(last));
        }
        shown && !self.out.ends_process()
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn draw(&self, bundle: Bundle) {
        let id = self.id.clone();
        self.out.emit(match self.drawn {
            None => Output::Display { bundle, id: Some(id) },
            Some(_) => Output::Update { bundle, id },
        });
    }
}

/// `loading rank0.json.gz · 1 of 4 ranks · 25 %, 12.5 MiB of 50 MiB · 31.2 MiB/s · 12,345 events · 0.4 s`
fn bar(progress: &LoadProgress, elapsed: Duration) -> (f64, String) {
    let total = progress.bytes_total.max(1);
    let percent = (100.0 * progress.bytes_read as f64 / total as f64).clamp(0.0, 100.0);
    let file = progress.file.rsplit('/').next().unwrap_or_default();
    let seconds = elapsed.as_secs_f64();
    let mut text = format!("loading {file}");
    if progress.files_total > 1 {
        text.push_str(&format!(" · {} of {} ranks", progress.files_done, progress.files_total));
    }
    text.push_str(&format!(
        " · {percent:.0} %, {} of {} · {}/s · {} events · {seconds:.1} s",
        bytes(progress.bytes_read),
        bytes(progress.bytes_total),
        bytes((progress.bytes_read as f64 / seconds.max(0.001)) as u64),
        grouped(progress.events),
    ));
    (percent, text)
}

/// Returns a bar with its text.
fn bundle(percent: f64, text: String) -> Bundle {
    let html = format!(
        "<progress max=\"100\" value=\"{percent:.0}\" style=\"width:16em\"></progress> {}",
        html_escape::encode_text(&text)
    );
    Bundle::text(text).with(HTML, html.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A sink that records outputs, and whether its process ends with the work.
    #[derive(Default)]
    struct RecordingSink(std::sync::Mutex<Vec<Output>>, bool);

    impl Sink for RecordingSink {
        fn emit(&self, output: Output) {
            self.0.lock().unwrap().push(output);
        }

        fn input(&self, _: &str, _: bool) -> Result<String, crate::Failure> {
            Err(crate::Failure::new("Test", "no input"))
        }

        fn interrupted(&self) -> bool {
            false
        }

        fn ends_process(&self) -> bool {
            self.1
        }
    }

    #[test]
    fn bar_waits_updates_rarely_and_ends_as_the_last_line() {
        let sink = Arc::new(RecordingSink::default());
        let out: Arc<dyn Sink> = sink.clone();
        let mut progress = Progress::new(&out, true);
        let half = LoadProgress { bytes_read: 1, bytes_total: 2, ..LoadProgress::default() };
        progress.report(&half);
        assert!(sink.0.lock().unwrap().is_empty(), "too early");
        progress.start -= DELAY;
        progress.report(&half);
        progress.report(&half);
        assert_eq!(sink.0.lock().unwrap().len(), 1, "too often");
        progress.drawn = progress.drawn.map(|drawn| drawn - UPDATE_INTERVAL);
        progress.report(&half);
        assert!(progress.end("done"));
        let outputs = sink.0.lock().unwrap();
        let [
            Output::Display { id: Some(first), .. },
            Output::Update { id: second, .. },
            Output::Update { bundle, id: last },
        ] = outputs.as_slice()
        else {
            panic!("{outputs:?}")
        };
        assert!(first == second && first == last);
        assert_eq!(bundle.plain(), "done");
    }

    #[test]
    fn last_line_of_a_bar_at_a_terminal_is_left_to_the_command() {
        let sink = Arc::new(RecordingSink(std::sync::Mutex::default(), true));
        let out: Arc<dyn Sink> = sink.clone();
        let mut progress = Progress::new(&out, true);
        progress.start -= DELAY;
        progress.report(&LoadProgress::default());
        assert!(!progress.end("done"));
        assert_eq!(sink.0.lock().unwrap().len(), 2, "the bar, and its end");
    }

    #[test]
    fn short_or_disabled_work_shows_no_bar() {
        let sink = Arc::new(RecordingSink::default());
        let out: Arc<dyn Sink> = sink.clone();
        assert!(!Progress::new(&out, true).end("done"));
        let mut off = Progress::new(&out, false);
        off.start -= DELAY;
        off.report(&LoadProgress::default());
        assert!(!off.end("done"));
        assert!(sink.0.lock().unwrap().is_empty());
    }

    #[test]
    fn bar_shows_file_ranks_bytes_rate_and_events() {
        let progress = LoadProgress {
            bytes_read: 45 << 20,
            bytes_total: 180 << 20,
            events: 12_345,
            files_done: 1,
            files_total: 4,
            files_from_cache: 0,
            file: "runs/a/<rank>.json".to_owned(),
        };
        let (percent, text) = bar(&progress, Duration::from_millis(1500));
        let bundle = bundle(percent, text);
        assert_eq!(
            bundle.plain(),
            "loading <rank>.json · 1 of 4 ranks · 25 %, 45 MiB of 180 MiB · 30 MiB/s · 12,345 events · 1.5 s"
        );
        let html = bundle.data.get(HTML).and_then(|html| html.as_str()).unwrap_or_default();
        assert!(html.contains("<progress max=\"100\" value=\"25\"") && html.contains("&lt;rank&gt;"), "{html}");
    }
}

//! The log: lines on standard error, which Jupyter shows in its terminal and never in the notebook, or in a file.
//!
//! `TRACEBOOK_LOG` says how much: `off` (the default), `error`, `warn` (what went wrong), `info` (start and end), `debug`
//! (one line per request: its type, its id, how long it took), `trace`; `cells` is `info` and the timeline of each Rust cell (see
//! `timeline`). `TRACEBOOK_LOG_FILE` names a file to append
//! to, which only the user can read. What stands in cells, and what they answer, is in no line.

use crate::timeline;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, Once};
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing::warn;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// How much is logged.
const LEVEL: &str = "TRACEBOOK_LOG";

/// The level that logs the timeline of each Rust cell.
const CELLS: &str = "cells";

/// The file to append to.
const FILE: &str = "TRACEBOOK_LOG_FILE";

/// Starts the log as the environment says; later calls do nothing.
pub(crate) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let asked = std::env::var(LEVEL).unwrap_or_default();
        let file = std::env::var_os(FILE).filter(|file| !file.is_empty()).map(PathBuf::from);
        let opened = file.as_ref().map(|file| {
            OpenOptions::new().append(true).create(true).mode(0o600).open(file).map_err(|error| (file, error))
        });
        let (to, refused) = match opened {
            Some(Ok(file)) => (Some(file), None),
            Some(Err(refused)) => (None, Some(refused)),
            None => (None, None),
        };
        // Our own lines only: rust-analyzer's crates have much to tell.
        let mut filter = Targets::new().with_target("tracebook", level(&asked).unwrap_or(LevelFilter::WARN));
        if wants_cells() {
            filter = filter.with_target("tracebook::cells", LevelFilter::DEBUG);
            timeline::start();
        }
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(Out(to)));
        // Where another log was started first, it is used.
        let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
        if level(&asked).is_none() {
            warn!("invalid {LEVEL}={asked:?}: expected off, error, warn, info, cells, debug or trace");
        }
        if let Some((file, error)) = refused {
            warn!("cannot log to {} ({error}); standard error it is", file.display());
        }
    });
}

/// Whether the timeline of each Rust cell is to be logged.
pub(crate) fn wants_cells() -> bool {
    std::env::var(LEVEL).is_ok_and(|asked| asked.trim() == CELLS)
}

fn level(asked: &str) -> Option<LevelFilter> {
    match asked.trim() {
        "" => Some(LevelFilter::OFF),
        CELLS => Some(LevelFilter::INFO),
        asked => asked.parse().ok(),
    }
}

/// A file, or standard error. A terminal that is gone is no reason to stop.
struct Out(Option<File>);

impl Write for Out {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let _ = match &mut self.0 {
            Some(file) => file.write_all(line),
            None => std::io::stderr().lock().write_all(line),
        };
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A time as the log shows it.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        assert_eq!(level(""), Some(LevelFilter::OFF));
        assert_eq!(level("debug"), Some(LevelFilter::DEBUG));
        assert_eq!(level("OFF"), Some(LevelFilter::OFF));
        assert_eq!(level("cells"), Some(LevelFilter::INFO));
        assert_eq!(level("loud"), None);
    }
}

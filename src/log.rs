//! The log: lines in a file or on standard error, which Jupyter shows in its terminal and never in the notebook.
//!
//! `TRACEBOOK_LOG` sets the level: `off` (the default), `error`, `warn`, `info` (start and end), `debug` (one line per request: its
//! type, its id, its duration), `trace`; `cells` is `info` with the timeline of each Rust cell (see `timeline`).
//! `TRACEBOOK_LOG_FILE` names a file to append to, which only the user can read. No line contains text or output of cells.

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

/// The variable with the level.
const LEVEL: &str = "TRACEBOOK_LOG";

/// The level that logs the timeline of each Rust cell.
const CELLS: &str = "cells";

/// The variable with the file to append to.
const FILE: &str = "TRACEBOOK_LOG_FILE";

/// Starts the log that the environment configures; later calls do nothing.
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
        // Our own lines only: rust-analyzer's crates log much.
        let mut filter = Targets::new().with_target("tracebook", level(&asked).unwrap_or(LevelFilter::WARN));
        if wants_cells() {
            filter = filter.with_target("tracebook::cells", LevelFilter::DEBUG);
            timeline::start();
        }
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(Out(to)));
        // A log that was started earlier stays.
        let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
        if level(&asked).is_none() {
            warn!("invalid {LEVEL}={asked:?}: expected off, error, warn, info, cells, debug or trace");
        }
        if let Some((file, error)) = refused {
            warn!("cannot log to {}: {error}; logging to standard error", file.display());
        }
    });
}

/// Whether the timeline of each Rust cell is logged.
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

/// A file, or standard error. A closed terminal is ignored.
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

/// Formats a time for the log.
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

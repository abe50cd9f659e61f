//! Log on standard error, which Jupyter shows in its terminal and never in the notebook, or in a file.
//!
//! `TRACEBOOK_LOG` sets the level: `off` (the default), `error`, `warn`, `info` (start and end), `debug` (one line per request with
//! its type, id and duration), `trace`; `cells` is `info` plus the timeline of each Rust cell (see `timeline`).
//! `TRACEBOOK_LOG_FILE` names a file to append to, which only the user can read. No line contains the text or the output of a cell.

use crate::timeline;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, Once};
use tracing::level_filters::LevelFilter;
use tracing::warn;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Environment variable: the level.
const LEVEL: &str = "TRACEBOOK_LOG";

/// Level that logs the timeline of each Rust cell.
const CELLS: &str = "cells";

/// Environment variable: the file to append to.
const FILE: &str = "TRACEBOOK_LOG_FILE";

/// The crates whose lines are logged.
const CRATES: [&str; 4] = ["tracebook", "kernel_base", "kernel_rust", "kernel_magic"];

/// Starts the log as the environment configures it; later calls do nothing.
pub fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let configured = std::env::var(LEVEL).unwrap_or_default();
        let file = std::env::var_os(FILE).filter(|file| !file.is_empty()).map(PathBuf::from);
        let opened = file.as_ref().map(|file| {
            OpenOptions::new().append(true).create(true).mode(0o600).open(file).map_err(|error| (file, error))
        });
        let (file, failed) = match opened {
            Some(Ok(file)) => (Some(file), None),
            Some(Err(failed)) => (None, Some(failed)),
            None => (None, None),
        };
        let level = parsed(&configured).unwrap_or(LevelFilter::WARN);
        // Only lines of our crates: crates that it depends on log a lot.
        let mut filter = CRATES.iter().fold(Targets::new(), |filter, name| filter.with_target(*name, level));
        if wants_cells() {
            filter = filter.with_target("tracebook::cells", LevelFilter::DEBUG);
            timeline::start();
        }
        let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(Out(file)));
        // If another subscriber is already installed, it is used.
        let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
        if parsed(&configured).is_none() {
            warn!("invalid {LEVEL}={configured:?}: expected off, error, warn, info, cells, debug or trace");
        }
        if let Some((file, error)) = failed {
            warn!("cannot log to {}: {error}; logging to standard error", file.display());
        }
    });
}

/// Whether the timeline of each Rust cell is logged.
pub fn wants_cells() -> bool {
    std::env::var(LEVEL).is_ok_and(|level| level.trim() == CELLS)
}

/// Parses a level; `None` if it is invalid.
fn parsed(text: &str) -> Option<LevelFilter> {
    match text.trim() {
        "" => Some(LevelFilter::OFF),
        CELLS => Some(LevelFilter::INFO),
        name => name.parse().ok(),
    }
}

/// A file, or standard error. Failed writes are ignored: the terminal may be closed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_parsed() {
        assert_eq!(parsed(""), Some(LevelFilter::OFF));
        assert_eq!(parsed("debug"), Some(LevelFilter::DEBUG));
        assert_eq!(parsed("OFF"), Some(LevelFilter::OFF));
        assert_eq!(parsed("cells"), Some(LevelFilter::INFO));
        assert_eq!(parsed("loud"), None);
    }
}

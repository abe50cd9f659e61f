//! The end: of every process we started, within two seconds, whatever a cell is doing.

use super::descendants;
use super::runner::Runner;
use std::time::{Duration, Instant};

/// How long the thread that runs cells may take to end by itself, after its cell was interrupted.
const POLITE: Duration = Duration::from_millis(400);

/// How long it may take once its processes are gone.
const IMPOLITE: Duration = Duration::from_millis(600);

/// Lets the runner end; ends what it has started.
pub(super) fn end(runner: &mut Runner) {
    runner.close();
    if !runner.has_ended(POLITE) {
        let deadline = Instant::now() + IMPOLITE;
        loop {
            // Again and again: the engine may replace a process that died.
            descendants::kill();
            if runner.has_ended(Duration::from_millis(50)) || Instant::now() > deadline {
                break;
            }
        }
    }
    descendants::kill();
}

//! Shutdown: ends every process that the kernel started, within a second, whatever a cell is doing.

use super::descendants;
use super::runner::Runner;
use std::time::{Duration, Instant};

/// How long the cell thread may take to end by itself after its cell was interrupted.
const INTERRUPT_TIMEOUT: Duration = Duration::from_millis(400);

/// How long it may take once its processes are killed.
const KILL_TIMEOUT: Duration = Duration::from_millis(600);

/// Ends the cell thread and kills all processes that it started.
pub(super) fn end(runner: &mut Runner) {
    runner.close();
    if !runner.has_ended(INTERRUPT_TIMEOUT) {
        let deadline = Instant::now() + KILL_TIMEOUT;
        loop {
            // Repeated, since the engine may replace a process that died.
            descendants::kill();
            if runner.has_ended(Duration::from_millis(50)) || Instant::now() > deadline {
                break;
            }
        }
    }
    descendants::kill();
}

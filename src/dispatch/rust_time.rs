//! Time that a cell spends in Rust.

use std::time::Duration;

/// Time spent in Rust since the cell began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RustTime {
    /// Compiling and running.
    pub(super) whole: Duration,
    /// Running only.
    pub(super) running: Duration,
}

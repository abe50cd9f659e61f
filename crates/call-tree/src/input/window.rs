//! The time of iterations on the host.

/// The time of one iteration on the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of the iteration.
    pub iteration: i64,
    /// Begin in ns.
    pub start: i64,
    /// End in ns; the first ns that no longer belongs to it.
    pub end: i64,
    /// Thread of its annotation.
    pub thread: u32,
}

/// The window in which a moment lies.
pub(crate) fn window_at(windows: &[Window], moment: i64) -> Option<usize> {
    let after = windows.partition_point(|window| window.start <= moment);
    after.checked_sub(1).filter(|&at| moment < windows[at].end)
}

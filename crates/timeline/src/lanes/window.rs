//! A window of time at a quantised zoom.

/// A part of the timeline, cut at multiples of 2^k ns after a base.
///
/// # Example
/// ```
/// let window = timeline::Window::new(1_000, 1_100, 9_300, 4);
/// assert_eq!((window.size(), window.start(), window.end()), (2_048, 1_000, 11_240));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    base: i64,
    start: i64,
    end: i64,
    shift: u32,
}

/// The largest k: windows of 2^61 ns are longer than any trace.
const LARGEST: u32 = 61;

impl Window {
    /// Covers `start..end` with windows of the largest power of two that gives at least `columns` of them; 1 ns at least.
    pub fn new(base: i64, start: i64, end: i64, columns: u32) -> Self {
        let length = end.saturating_sub(start).max(1);
        let shift = (length / i64::from(columns.max(1))).max(1).ilog2();
        Self { base, start, end, shift: shift.min(LARGEST) }.aligned()
    }

    /// Returns the same part with windows twice as long; `None` if they are as long as can be.
    #[must_use]
    pub fn coarser(self) -> Option<Self> {
        (self.shift < LARGEST).then(|| Self { shift: self.shift + 1, ..self }.aligned())
    }

    fn aligned(mut self) -> Self {
        let mask = self.size() - 1;
        let start = self.start.saturating_sub(self.base) & !mask;
        let last = self.end.saturating_sub(1).saturating_sub(self.base).max(start) | mask;
        self.start = self.base.saturating_add(start);
        self.end = self.base.saturating_add(last).saturating_add(1);
        self
    }

    /// Length of a window, in ns: a power of two.
    pub fn size(&self) -> i64 {
        1 << self.shift
    }

    /// Begin of the first window.
    pub fn start(&self) -> i64 {
        self.start
    }

    /// End of the last window.
    pub fn end(&self) -> i64 {
        self.end
    }

    /// The last moment of the window around a moment.
    pub(super) fn last_moment(&self, time: i64) -> i64 {
        // Not before the moment, even where it is too far from the base.
        self.base.saturating_add(time.saturating_sub(self.base) | (self.size() - 1)).max(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_any_part() {
        for (base, start, end) in
            [(0, -5, 5), (100, 0, 1), (0, 7, 7), (0, i64::MIN, i64::MAX), (i64::MIN, i64::MIN, -9), (3, 9, 2)]
        {
            for columns in [0, 1, 1000, u32::MAX] {
                let mut window = Window::new(base, start, end, columns);
                loop {
                    assert!(window.start() <= start && window.end() >= end, "{window:?}");
                    assert!(window.last_moment(start) >= start, "{window:?}");
                    let Some(coarser) = window.coarser() else { break };
                    window = coarser;
                }
            }
        }
    }
}

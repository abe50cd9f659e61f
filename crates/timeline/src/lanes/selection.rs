//! Sums per name of the events in a window.

use super::{Lane, Name};
use std::collections::BTreeMap;

/// The time of the events of a name in a window, each clipped to the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NameSum {
    /// Number of events that overlap the window.
    pub count: u64,
    /// Sum of their durations, in ns.
    pub total: i64,
    /// The same without the events inside them, in ns.
    pub own: i64,
}

impl Lane {
    /// Adds the events that overlap `start..end` to sums per name. Of a lane of nested calls, `own` leaves the calls inside out.
    pub fn sum(&self, start: i64, end: i64, nests: bool, sums: &mut BTreeMap<Name, NameSum>) {
        let mut levels = self.levels().peekable();
        while let Some(level) = levels.next() {
            let inner = levels.peek().filter(|_| nests);
            let mut child = inner.map_or(0, |inner| inner.first_until(start));
            let mut position = level.first_until(start);
            while position < level.len() && level.start(position) < end {
                let (from, to) = (level.start(position).max(start), level.end(position).min(end));
                let mut inside = 0;
                if let Some(inner) = inner {
                    while child < inner.len() && inner.start(child) < to {
                        let (begin, over) = (inner.start(child).max(from), inner.end(child).min(to));
                        inside += (over - begin).max(0);
                        // A call that crosses the end may be partly inside the next one.
                        if inner.end(child) > to {
                            break;
                        }
                        child += 1;
                    }
                }
                let total = (to - from).max(0);
                let sum = sums.entry(level.name(position)).or_default();
                sum.count += 1;
                sum.total = sum.total.saturating_add(total);
                sum.own = sum.own.saturating_add(total - inside);
                position += 1;
            }
        }
    }
}

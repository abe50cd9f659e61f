//! The outermost operator around an event, or around its launch.

use crate::Result;
use crate::domain::EventKind;
use crate::exec::checkpoint;
use crate::frame::RankEvents;
use std::collections::BTreeMap;

/// A process and a thread.
type Thread = (Option<i64>, Option<i64>);

/// Operators that no other is around, by thread, in order of time.
#[derive(Debug, Default)]
pub(super) struct Outermost(BTreeMap<Thread, Vec<(i64, i64, usize)>>);

impl Outermost {
    /// Finds the outermost operators of a rank.
    pub(super) fn of(rows: &RankEvents) -> Result<Self> {
        let mut threads: BTreeMap<Thread, Vec<(i64, i64, usize)>> = BTreeMap::new();
        for (row, &kind) in rows.kinds().iter().enumerate() {
            if row & 0xffff == 0 {
                checkpoint::check()?;
            }
            if kind != EventKind::Operator {
                continue;
            }
            let Some(start) = rows.ts(row) else { continue };
            let end = start.saturating_add(rows.dur(row).max(0));
            threads.entry(rows.thread(row)).or_default().push((start, end, row));
        }
        for spans in threads.values_mut() {
            spans.sort_unstable_by_key(|&(start, end, row)| (start, std::cmp::Reverse(end), row));
            let mut last = i64::MIN;
            spans.retain(|&(_, end, _)| {
                let is_outermost = end > last || last == i64::MIN;
                last = last.max(end);
                is_outermost
            });
        }
        Ok(Self(threads))
    }

    /// Returns the row of the outermost operator around an event, or around the launch of a GPU event.
    pub(super) fn around(&self, rows: &RankEvents, row: usize) -> Option<usize> {
        let row = if rows.is_on_device(row) { rows.partner(row)? } else { row };
        let at = rows.ts(row)?;
        let spans = self.0.get(&rows.thread(row))?;
        let next = spans.partition_point(|&(start, ..)| start <= at);
        let &(_, end, operator) = spans.get(next.checked_sub(1)?)?;
        (at < end || operator == row).then_some(operator)
    }
}

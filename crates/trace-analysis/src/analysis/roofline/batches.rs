//! Batches of an inference server, as the annotations of its steps describe them.

use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use crate::interval::outermost;
use crate::{RequestSums, ServedStep};
use efficiency::Sums;

/// The steps of a rank whose annotations have all sums over their requests: begin, end and sums, in order of time.
pub(super) struct Batches(Vec<(i64, i64, Sums)>);

impl Batches {
    /// Finds the steps among the annotations of the host.
    pub(super) fn of(rows: &RankEvents) -> Self {
        let kinds = rows.kinds();
        let mut sums = rows.per_text(|name| ServedStep::of_annotation(name).as_ref().and_then(sums_of));
        let annotated = cancellable(0..rows.len()).filter(|&row| kinds[row] == EventKind::Annotation);
        let step = |row: usize| {
            let (begin, sums) = (rows.ts(row)?, sums(rows.name(row))?);
            Some((begin, begin.saturating_add(rows.dur(row)), sums))
        };
        Self(outermost(annotated.filter_map(step).collect(), |step| (step.0, step.1)))
    }

    /// Returns the sums of the step that runs at a time.
    pub(super) fn at(&self, ts: i64) -> Option<Sums> {
        let before = self.0.partition_point(|&(begin, ..)| begin <= ts);
        self.0[..before].last().filter(|&&(_, end, _)| ts <= end).map(|&(.., sums)| sums)
    }
}

/// Returns the sums of a step; `None` if one is not known.
fn sums_of(step: &ServedStep) -> Option<Sums> {
    let of = |group: &RequestSums| {
        Some(efficiency::RequestSums {
            queries: group.query_tokens?,
            keys: group.key_tokens?,
            queries_squared: group.query_squares?,
            queries_by_keys: group.query_keys?,
        })
    };
    Some(Sums { context: of(&step.context)?, generation: of(&step.generation)? })
}

//! Iterations of a run that are warm-up, where the query does not say how many.

use call_tree::{Partial, Reason};
use std::collections::BTreeMap;

/// Leaves out the iterations of a run before the first change point of its step time, if that is significant and in the first third; the
/// step time of an iteration is the mean over ranks. Returns how many were left out.
pub(super) fn leave_warm_up(ranks: &mut [Partial]) -> usize {
    let mut steps: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for partial in ranks.iter().filter(|partial| !partial.is_whole()) {
        for (iteration, length) in partial.iterations() {
            let (sum, ranks) = steps.entry(iteration).or_default();
            (*sum, *ranks) = (*sum + length as f64, *ranks + 1.0);
        }
    }
    let series: Vec<f64> = steps.values().map(|(sum, ranks)| sum / ranks).collect();
    let warm_up = statistics::warm_up(&series, 0);
    if warm_up > 0
        && let Some((&first, _)) = steps.iter().nth(warm_up)
    {
        for partial in ranks {
            partial.keep(Reason::WarmUp, |iteration| iteration >= first);
        }
    }
    warm_up
}

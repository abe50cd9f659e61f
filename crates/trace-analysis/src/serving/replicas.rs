//! Ranks that run the same steps, such as those of tensor parallelism: one replica of the server.

use super::rank_steps::RankSteps;
use super::windows::TimedStep;
use crate::ServedStep;
use std::collections::BTreeMap;

/// Steps at the begin of a recording that another rank of a replica may lack, and at its end: profilers do not start at one moment.
const MOST_APART: usize = 4;

/// Ranks that run the same steps; the steps are those of one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Replica {
    /// The rank whose steps and times count.
    pub rank: i64,
    /// All ranks that run these steps.
    pub ranks: Vec<i64>,
    /// Number of GPUs that run them; `None` if not all of them may be loaded.
    pub gpus: Option<usize>,
    /// The steps in order of time.
    pub steps: Vec<TimedStep>,
}

impl Replica {
    /// Returns the time from the begin of the first step to the end of the last, in ns.
    pub fn span_ns(&self) -> i64 {
        let first = self.steps.iter().map(|step| step.start_ns).min().unwrap_or(0);
        let last = self.steps.iter().map(TimedStep::end_ns).max().unwrap_or(0);
        last.saturating_sub(first)
    }

    /// Returns the part of that time in which no step runs, in ns.
    pub fn between_ns(&self) -> i64 {
        let inside = self.steps.iter().map(|step| step.device.span_ns).fold(0, i64::saturating_add);
        self.span_ns().saturating_sub(inside).max(0)
    }
}

/// Joins ranks that run the same steps and communicate: without communication they are replicas that happen to do the same. `world_size`
/// is the number of ranks of the job. Ranks without steps are left out.
pub(super) fn replicas(ranks: Vec<RankSteps>, world_size: Option<i64>) -> Vec<Replica> {
    let loaded = ranks.len();
    let is_all = world_size.is_none_or(|size| usize::try_from(size).is_ok_and(|size| size <= loaded));
    let mut groups: Vec<Vec<RankSteps>> = Vec::new();
    let mut candidates: BTreeMap<bool, Vec<usize>> = BTreeMap::new();
    for rank in ranks.into_iter().filter(|rank| !rank.steps.is_empty()) {
        let known = candidates.get(&true).into_iter().flatten().copied();
        let same = known.into_iter().find(|&at| rank.communicates && runs_the_same(&groups[at][0], &rank));
        match same {
            Some(at) => groups[at].push(rank),
            None => {
                candidates.entry(rank.communicates).or_default().push(groups.len());
                groups.push(vec![rank]);
            }
        }
    }
    groups.into_iter().map(|group| replica(group, is_all)).collect()
}

fn replica(group: Vec<RankSteps>, is_all: bool) -> Replica {
    let ranks: Vec<i64> = group.iter().map(|rank| rank.rank).collect();
    let communicates = group.iter().any(|rank| rank.communicates);
    let gpus = (is_all || !communicates).then_some(ranks.len());
    // The first of those with the most steps.
    let most = group.iter().map(|rank| rank.steps.len()).max().unwrap_or(0);
    let (rank, steps) = group
        .into_iter()
        .find(|rank| rank.steps.len() == most)
        .map_or_else(Default::default, |rank| (rank.rank, rank.steps));
    Replica { rank, ranks, gpus, steps }
}

/// Tells whether one rank runs the steps of the other, but for a few at begin and end. Steps without annotations of a server are the same
/// if there are as many.
fn runs_the_same(one: &RankSteps, other: &RankSteps) -> bool {
    let served = |rank: &RankSteps| -> Vec<Option<ServedStep>> { rank.steps.iter().map(|step| step.served).collect() };
    let (one, other) = (served(one), served(other));
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let apart = long.len() - short.len();
    apart <= MOST_APART && (0..=apart).any(|skipped| long[skipped..skipped + short.len()] == short[..])
}

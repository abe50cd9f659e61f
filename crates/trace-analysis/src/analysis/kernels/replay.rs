//! Savings of one launch in place of a run of short kernels, by replay.

use crate::Result;
use crate::analysis::RankView;
use serde::{Deserialize, Serialize};
use trace_bounds::critical_path::{CriticalPath, replayed};

/// The most events of a rank that is replayed: the graph takes longer than the analysis.
pub(super) const MOST_EVENTS: usize = 250_000;

/// A change that is tried out.
pub(super) struct Change {
    /// As `%what_if` takes it.
    pub(super) text: &'static str,
    /// Explains it.
    pub(super) meaning: &'static str,
}

/// The changes, in the order of [`Step::after`].
pub(super) const CHANGES: [Change; 3] = [
    Change { text: "short_run = \"launch\" x 0", meaning: "one launch for each run of short kernels" },
    Change { text: "graphs x 0", meaning: "graphs: one launch for each run, and nothing on the host in between" },
    Change { text: "fusion x 0", meaning: "fused kernels: as graphs, and no gaps between the kernels" },
];

/// The replay of a rank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Replay {
    /// There are no short kernels.
    #[default]
    Nothing,
    /// A filter left events out, so that there is no step to replay.
    Filtered,
    /// The rank has more events than [`MOST_EVENTS`].
    Large,
    /// Its step.
    Step(Step),
}

/// A replayed step; times in ns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    /// The annotation that is the step; empty for the whole recording.
    pub(super) annotation: String,
    /// Runs of short kernels in the recording.
    pub(super) runs: usize,
    /// Their kernels.
    pub(super) in_runs: usize,
    pub(super) before: i64,
    /// With each of [`CHANGES`].
    pub(super) after: [i64; CHANGES.len()],
}

impl Replay {
    /// Replays the usual step of a rank, by itself: the question of `%what_if`. It is replayed once: its answer is small and stays with the rank.
    ///
    /// # Errors
    /// If the events cannot be read any more, or memory does not suffice.
    pub(super) fn of(view: &RankView, has_short: bool) -> Result<Self> {
        if !has_short {
            return Ok(Self::Nothing);
        }
        if view.is_filtered() {
            return Ok(Self::Filtered);
        }
        if view.rank_events().len() > MOST_EVENTS {
            return Ok(Self::Large);
        }
        let key = format!("replay of short kernels {:?}", view.compat());
        let found = view.trace().derived(&key, |_| size_of::<Step>(), || Step::of(view))?;
        Ok(Self::Step(Step::clone(&found)))
    }
}

impl Step {
    fn of(view: &RankView) -> Result<Self> {
        let changes = CHANGES.iter().map(|change| change.text.parse()).collect::<Result<Vec<_>>>()?;
        let found = replayed(&view.alone(), &CriticalPath { changes, top: 0, ..CriticalPath::default() })?;
        let (before, mut after) = (found.before_ns, [found.before_ns; CHANGES.len()]);
        after.iter_mut().zip(found.after_ns).for_each(|(after, ns)| *after = ns);
        Ok(Self { annotation: found.annotation, runs: found.short_runs, in_runs: found.kernels_in_runs, before, after })
    }
}

/// Returns the step of several ranks, each replayed by itself: the slowest counts.
pub(super) fn slowest<'s>(steps: impl Iterator<Item = &'s Step>) -> Option<Step> {
    steps.cloned().reduce(|mut one, other| {
        one.runs += other.runs;
        one.in_runs += other.in_runs;
        if other.before > one.before {
            one.annotation = other.annotation;
        }
        one.before = one.before.max(other.before);
        one.after.iter_mut().zip(other.after).for_each(|(one, other)| *one = (*one).max(other));
        one
    })
}

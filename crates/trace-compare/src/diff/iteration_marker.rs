//! Iterations of the runs of a comparison: the profiler's steps, calls that a marker names, or calls that are found.

use super::labeled_trace::LabeledTrace;
use crate::steps::FoundSteps;
use crate::{Pick, Rank, Result, Warning};
use regex::Regex;

/// Source of the iterations of a comparison.
#[derive(Debug, Clone, Default)]
pub(crate) enum IterationMarker {
    /// The profiler's steps. Where no run has some, the call that repeats and launches most of the work, if it is exactly one
    /// ([`FoundSteps`]); else the whole recording is one iteration.
    #[default]
    Found,
    /// The profiler's steps. A recording without some is one iteration.
    Recorded,
    /// Annotations, operators and modules whose names match.
    Named(Regex),
}

impl IterationMarker {
    /// Returns the names that mark iterations; `None` for the profiler's steps, and before calls are looked for.
    pub(crate) fn names(&self) -> Option<&Regex> {
        if let Self::Named(names) = self { Some(names) } else { None }
    }

    /// Looks for calls that divide the runs of both sides into iterations, each on these ranks or by default on all. Returns the marker
    /// to use, and what was found.
    ///
    /// # Errors
    /// If events cannot be read, or memory does not suffice.
    pub(crate) fn resolved(
        &self,
        sides: [(&[LabeledTrace], Option<&Pick<Rank>>); 2],
    ) -> Result<(Self, Option<Warning>)> {
        let runs = || sides.iter().flat_map(|(runs, ranks)| runs.iter().map(move |run| (run, *ranks)));
        if !matches!(self, Self::Found) || runs().any(|(run, _)| run.trace().has_profiler_steps()) {
            return Ok((self.clone(), None));
        }
        let mut recordings = Vec::new();
        for (run, ranks) in runs() {
            let all = Pick::from(run.ranks());
            recordings.push((run.trace(), run.ranks_picked(Some(ranks.unwrap_or(&all)))?));
        }
        let found = FoundSteps::of(&recordings)?;
        let warning = match &found {
            FoundSteps::None => None,
            FoundSteps::Several(calls) => {
                let calls = calls.iter().map(|call| (call.name.clone(), call.pattern.clone(), call.count));
                Some(Warning::ProposedSteps { calls: calls.collect() })
            }
            FoundSteps::One(calls) => calls.first().map(|first| Warning::FoundSteps {
                name: first.name.clone(),
                pattern: first.pattern.clone(),
                counts: runs().zip(calls).map(|((run, _), call)| (run.label().to_owned(), call.count)).collect(),
                percent: calls.iter().map(|call| (call.share * 100.0).floor() as u32).min().unwrap_or(0),
            }),
        };
        let marker = match found {
            FoundSteps::One(calls) => calls.first().and_then(|first| Regex::new(&first.pattern).ok()),
            _ => None,
        };
        Ok((marker.map_or(Self::Recorded, Self::Named), warning))
    }
}

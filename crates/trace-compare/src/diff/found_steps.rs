//! Iterations of runs without the profiler's steps: calls that divide them.

use super::iteration_marker::IterationMarker;
use super::labeled_trace::LabeledTrace;
use super::select::{ByDefault, Select};
use crate::steps::FoundSteps;
use crate::{Result, Warning};
use regex::Regex;

/// Looks for calls that divide the runs of both sides into iterations, on the selected ranks or by default on all. Returns the marker to use,
/// and what was found.
///
/// # Errors
/// If events cannot be read, or memory does not suffice.
pub(crate) fn resolved_marker(
    select: &Select,
    sides: [&[LabeledTrace]; 2],
) -> Result<(IterationMarker, Option<Warning>)> {
    let marker = select.iteration_marker();
    let runs = || sides.iter().enumerate().flat_map(|(side, runs)| runs.iter().map(move |run| (side, run)));
    if !matches!(marker, IterationMarker::Found) || runs().any(|(_, run)| run.trace().has_profiler_steps()) {
        return Ok((marker.clone(), None));
    }
    let mut recordings = Vec::new();
    for (side, run) in runs() {
        recordings.push((run.trace(), select.ranks_of(side, run, ByDefault::All)?));
    }
    let found = FoundSteps::of(&recordings)?;
    let warning = match &found {
        FoundSteps::None => None,
        FoundSteps::Several(calls) => {
            Some(Warning::ProposedSteps { calls: calls.iter().cloned().map(Into::into).collect() })
        }
        FoundSteps::One(calls) => calls.first().map(|first| Warning::FoundSteps {
            name: first.name.clone(),
            pattern: first.pattern.clone(),
            counts: runs().zip(calls).map(|((_, run), call)| (run.label().to_owned(), call.count)).collect(),
            percent: calls.iter().map(|call| (call.share * 100.0).floor() as u32).min().unwrap_or(0),
        }),
    };
    let names = match found {
        FoundSteps::One(calls) => calls.first().and_then(|first| Regex::new(&first.pattern).ok()),
        _ => None,
    };
    Ok((names.map_or(IterationMarker::Recorded, IterationMarker::Named), warning))
}

//! The question what an inference server did in its steps.

use super::answer::{ServingAnswer, StepSource};
use super::change::ServingChange;
use super::padding::complete;
use super::phases::phases;
use super::rank_steps::{BYTES_PER_ROW, Capture, RankSteps, captures, columns};
use super::replicas::replicas;
use crate::dataset::Recording;
use crate::exec::batches::Batches;
use crate::exec::checkpoint::guarded;
use crate::exec::memory::Task;
use crate::{FoundSteps, Result, Trace, TraceSet};
use regex::Regex;
use std::collections::BTreeSet;

/// The name of the answer in messages.
const NAME: &str = "serving";
/// Matches the names of the profiler's steps.
const PROFILER_STEPS: &str = "^ProfilerStep";

/// The question what an inference server did in its steps: requests, tokens, times and phases.
#[derive(Debug, Clone, Default)]
pub struct Serving {
    /// The ranks that are read; `None` for all.
    pub ranks: Option<Vec<i64>>,
    /// Recordings of the capture of graphs, whose annotations say for which batches graphs were captured.
    pub companions: Vec<TraceSet>,
}

impl Serving {
    /// Answers it for a trace. It sees all rows, the last profiler step included.
    ///
    /// # Errors
    /// If a rank does not exist, its events cannot be read, or memory does not suffice.
    pub fn run(&self, traces: &TraceSet) -> Result<ServingAnswer> {
        guarded(|| self.solve(traces))
    }

    /// Answers it for two traces, phase by phase.
    ///
    /// # Errors
    /// As [`Serving::run`].
    pub fn compare(&self, control: &TraceSet, test: &TraceSet) -> Result<ServingChange> {
        Ok(ServingChange::of(self.run(control)?, self.run(test)?))
    }

    fn solve(&self, traces: &TraceSet) -> Result<ServingAnswer> {
        let ranks: Vec<Trace> = match &self.ranks {
            Some(ranks) => ranks.iter().map(|&rank| traces.rank(rank)).collect::<Result<_>>()?,
            None => traces.traces().to_vec(),
        };
        let mut found = steps_of(traces, &ranks, None)?;
        let mut source = StepSource::Annotations;
        if found.iter().all(|rank| rank.steps.is_empty()) {
            let marker;
            (source, marker) = searched(traces, &ranks)?;
            if let Some(marker) = marker {
                found = steps_of(traces, &ranks, Some(&marker))?;
            }
        }
        let mut captured: BTreeSet<Capture> = found.iter().flat_map(|rank| rank.captures.iter().cloned()).collect();
        for companion in &self.companions {
            for rank in companion.traces() {
                captured.extend(captures(rank)?);
            }
        }
        for rank in &mut found {
            complete(&mut rank.steps, &captured);
        }
        let device = found.iter().filter_map(|rank| rank.device).reduce(crate::DeviceTime::plus);
        let graph_launches = found.iter().map(|rank| rank.graph_launches).sum();
        let overlapping = found.iter().map(|rank| rank.overlapping).sum();
        let loaded: Vec<i64> = found.iter().map(|rank| rank.rank).collect();
        let replicas = replicas(found, Recording::of(traces).world_size);
        Ok(ServingAnswer {
            label: traces.label().to_owned(),
            source,
            phases: phases(&replicas),
            replicas,
            ranks: loaded,
            captures: captured.into_iter().collect(),
            overlapping,
            graph_launches,
            device,
        })
    }
}

/// Reads ranks in batches that fit the memory budget, each in one pass.
fn steps_of(traces: &TraceSet, ranks: &[Trace], marker: Option<&Regex>) -> Result<Vec<RankSteps>> {
    let batches = Batches::within(traces.budget()?, Task::Answer(NAME));
    let columns = columns();
    let need = |rank: &Trace| rank.bytes_needed_of(&columns, BYTES_PER_ROW);
    let merge = |mut one: Vec<RankSteps>, other| {
        one.extend(other);
        Ok(one)
    };
    let of = |rank: &Trace| Ok(vec![RankSteps::of(rank, traces.compat(), marker)?]);
    Ok(batches.merged(ranks, need, of, merge)?.unwrap_or_default())
}

/// Searches steps that no server annotates: those of the profiler, else a call that repeats.
fn searched(traces: &TraceSet, ranks: &[Trace]) -> Result<(StepSource, Option<Regex>)> {
    if traces.has_profiler_steps() {
        return Ok((StepSource::Profiler, Regex::new(PROFILER_STEPS).ok()));
    }
    Ok(match FoundSteps::of(&[(traces, ranks.to_vec())])? {
        FoundSteps::One(found) => match found.into_iter().next() {
            Some(marker) => {
                let pattern = Regex::new(&marker.pattern).ok();
                (StepSource::Found(marker), pattern)
            }
            None => (StepSource::None, None),
        },
        FoundSteps::Several(proposed) => (StepSource::Several(proposed), None),
        FoundSteps::None => (StepSource::None, None),
    })
}

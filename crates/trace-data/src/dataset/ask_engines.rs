//! Questions to ranks that engines read.

use super::stack::union_of_columns;
use crate::distributed::{Input, Job, JobSpec, Query, Remote, TraceSpec, bundles, extracted};
use crate::error::DistributedReason;
use crate::exec::checkpoint;
use crate::frame::ColumnType;
use crate::{DiffSide, Error, Result, Trace};
use std::sync::Arc;

/// Ranks of one trace to ask.
pub struct RunRanks<'t> {
    /// The label of the trace.
    pub label: &'t str,
    /// All ranks of the trace, which have common types of columns.
    pub all: &'t [Trace],
    /// The ranks to ask.
    pub ranks: Vec<Trace>,
    /// The side and the place of the run in a comparison.
    pub side: Option<(DiffSide, usize)>,
}

/// Asks ranks that engines read: one job for each engine. Returns the merged partial result of each.
///
/// # Errors
/// If an engine fails, or a rank cannot be read any more; [`Error::Interrupted`].
pub fn ask(question: &Query, parts: Vec<RunRanks<'_>>) -> Result<Vec<Vec<u8>>> {
    let mut states = Vec::new();
    let mut left: Vec<(RunRanks<'_>, Arc<Remote>)> = Vec::new();
    for part in parts {
        if let Some(remote) = part.ranks.first().and_then(Trace::elsewhere).map(|rank| Arc::clone(&rank.remote)) {
            left.push((part, remote));
        }
    }
    while let Some((_, first)) = left.first() {
        let engine = Arc::clone(&first.engine);
        let (same, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(_, remote)| Arc::ptr_eq(&remote.engine, &engine));
        left = others;
        let (mut traces, mut inputs) = (Vec::new(), Vec::new());
        for (index, (part, remote)) in same.iter().enumerate() {
            let types = union_of_columns(part.all);
            let types = types.iter().filter_map(|(name, of)| Some((name.to_string(), ColumnType::of(of)?))).collect();
            traces.push(TraceSpec { types, side: part.side, ..remote.spec.clone() });
            let ranks = part.ranks.iter().filter_map(Trace::elsewhere);
            inputs.extend(ranks.map(|rank| (Input { trace: index, ..rank.input.clone() }, rank.node.clone())));
        }
        let spec = JobSpec::new(engine.build(), question.clone(), traces);
        let bundles = bundles(inputs, engine.slots());
        let label = same.iter().map(|(part, _)| part.label).collect::<Vec<_>>().join(", ");
        let (is_interrupted, bundles) = (&checkpoint::interrupted, Some(&bundles[..]));
        let ran = engine.run(&Job { spec: &spec, bundles, label: &label, is_interrupted })?;
        checkpoint::check()?;
        if let Some(first) = ran.failed.first() {
            return Err(Error::Distributed(DistributedReason::Lost {
                question: question.name().to_owned(),
                file: first.input.uri.clone(),
                reason: first.reason.clone(),
                more: ran.failed.len() - 1,
                log: first.log.clone(),
            }));
        }
        states.push(extracted(engine.build(), &ran.state, spec.most_bytes)?);
    }
    Ok(states)
}

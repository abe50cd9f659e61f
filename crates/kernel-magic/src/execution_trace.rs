//! Execution traces that a load adds to its ranks.

use super::argument::{Argument, Call, Kind};
use crate::Error;
use std::sync::Arc;
use trace_core::TraceSet;
use trace_core::answers::MatchedNodes;
use trace_core::read::ExecutionTrace;
use trace_view::format::grouped;

/// The files of execution traces.
pub(super) const FILES: Argument = Argument::flag(
    "execution-trace",
    Kind::Path,
    "PyTorch's execution trace of the rank (ExecutionTraceObserver): adds columns et_node, op_schema, input_shapes, input_types, \
     output_shapes, output_types and et_node_name; of several ranks one file each, in their order",
)
.or("none")
.repeatable();

/// Adds the execution traces of a call to the ranks of its run, and returns the run with a sentence on each rank.
///
/// # Errors
/// If there are several runs, or not as many files as ranks, or a file is no execution trace.
pub(super) fn added(call: &Call<'_>, runs: Vec<Arc<TraceSet>>) -> Result<(Vec<Arc<TraceSet>>, String), Error> {
    let files = call.paths("execution-trace");
    if files.is_empty() {
        return Ok((runs, String::new()));
    }
    const WHAT: &str = "add execution traces";
    let [run] = &runs[..] else {
        let hint = "load each with a line of its own";
        return Err(call.cannot(WHAT, "an execution trace belongs to one run").hint(hint).into());
    };
    let ranks = run.ranks();
    if ranks.len() != files.len() {
        let reason = format!("{} files for {} ranks", files.len(), ranks.len());
        let hint = "name --execution-trace once for each rank, in their order, or load fewer with --rank";
        return Err(call.cannot(WHAT, reason).hint(hint).into());
    }
    let (mut with, mut sentences) = (TraceSet::clone(run), String::new());
    for (rank, file) in ranks.into_iter().zip(files) {
        let (next, matched) = with.with_execution_trace(rank, &ExecutionTrace::load(&file)?)?;
        with = next;
        sentences.push_str(&sentence(&matched));
    }
    Ok((vec![Arc::new(with)], sentences))
}

fn sentence(matched: &MatchedNodes) -> String {
    let MatchedNodes { rank, events, matched, nodes } = *matched;
    let share = 100.0 * matched as f64 / events.max(1) as f64;
    format!(
        " · execution trace of rank {rank}: {} of {} operators and annotations ({share:.1} %) have one of its {} nodes",
        grouped(matched),
        grouped(events),
        grouped(nodes)
    )
}

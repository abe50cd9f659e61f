//! The phase of an explanation: iterations of its recordings with their work, and those of other phases left out.

use super::phases::named_runs;
use super::sides::Recorded;
use crate::phases::{IterationWork, PhaseChoice, SideIterations, Work};
use crate::shorten_name;
use call_tree::{Labels, Reason};
use std::collections::BTreeMap;

/// The iterations of a side, each with the work of all ranks. Whole recordings are none.
pub(super) fn iterations_of(side: &Recorded, labels: &Labels) -> SideIterations {
    let names: Vec<BTreeMap<i64, String>> = named_runs(side).into_iter().map(|run| run.into_iter().collect()).collect();
    let mut found: BTreeMap<(usize, i64), (IterationWork, f64)> = BTreeMap::new();
    let mut kernels: BTreeMap<String, String> = BTreeMap::new();
    for rank in &side.ranks {
        let Some(partial) = rank.recording.map(|at| &side.partials[at]).filter(|partial| !partial.is_whole()) else {
            continue;
        };
        let work = partial.work(labels);
        for ((iteration, step_ns), (_, work)) in partial.iterations().zip(work) {
            let name = names.get(rank.run).and_then(|names| names.get(&iteration)).cloned();
            let new = || (IterationWork { run: rank.run, iteration, step_ns: 0.0, work: Work::new(), name }, 0.0);
            let (one, ranks) = found.entry((rank.run, iteration)).or_insert_with(new);
            (one.step_ns, *ranks) = (one.step_ns + step_ns as f64, *ranks + 1.0);
            for (symbol, ns) in work {
                let name = labels.text_of(symbol);
                if !kernels.contains_key(name) {
                    kernels.insert(name.to_owned(), trace_view::tidy(&shorten_name(labels.full_name(symbol))));
                }
                *one.work.entry(name.to_owned()).or_default() += ns;
            }
        }
    }
    let iterations =
        found.into_values().map(|(one, ranks)| IterationWork { step_ns: one.step_ns / ranks, ..one }).collect();
    SideIterations { runs: side.summary.runs, iterations, kernels }
}

/// Leaves the iterations of other phases out.
pub(super) fn leave_others_out(choice: &PhaseChoice, side: usize, recorded: &mut Recorded) {
    for (run, iterations) in choice.iterations[side].iter().enumerate() {
        for partial in recorded.partials_of(run) {
            partial.keep(Reason::AnotherPhase, |iteration| iterations.contains(&iteration));
        }
    }
}

//! Kernels by launch configuration: occupancy and what limits it, waves, short kernels and what one launch for them would save.

mod device;
mod figure;
mod filled;
mod notes;
mod recorded;
mod replay;
mod short;
mod source;
mod table;

use super::{Analysis, Answer, AnswerTable, Parameter, RankView, TableSchema, TraceAnalysis};
use crate::Result;
use crate::present::declared;
use figure::figure;
use filled::rows;
use polars::prelude::DataFrame;
use recorded::State;
use replay::{Replay, slowest};
use serde::{Deserialize, Serialize};
pub use short::ShortKernels;
use table::{KernelRow, SavingRow};

/// Kernels by launch configuration: time, occupancy and what limits it, waves of blocks, and where compiled kernels come from.
///
/// ```text
/// stream   |--one--|              time of one
///              |--other--|        time of other: what one leaves of it
/// ```
///
/// Each moment of a stream counts once, for the kernel that began first, so the times of kernels of a stream are never counted twice.
/// A recorded occupancy is taken as it is; otherwise it is computed from registers, shared memory and threads
/// ([`efficiency::occupancy`]). Savings of graphs and of fusion are those of a replay of a step, of each rank by itself.
///
/// # Columns
/// One row per kernel and launch configuration, the longest first: `KernelRow::COLUMNS`; `savings`: `SavingRow::COLUMNS`. Ranks are added up.
///
/// # Example
/// ```
/// use trace::analysis::Kernels;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let df = TraceAnalysis::new(&job)?.kernels(&Kernels::default())?;
/// assert!(df.column("occupancy").is_ok() && df.height() > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernels {}

impl Analysis for Kernels {
    const NAME: &'static str = "kernels";
    const SUMMARY: &'static str =
        "Show kernels by launch configuration: occupancy and its limits, waves, short kernels.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[
        TableSchema::new("", &declared(&KernelRow::COLUMNS)).of_named_events().with_short_names().joined(
            &["name", "grid", "block"],
            &["time (us)", "count", "mean (us)", "occupancy", "waves", "limited_by"],
        ),
        TableSchema::new("savings", &declared(&SavingRow::COLUMNS)),
    ];
    const NOTES: &'static str = "Occupancy is what the profiler recorded of it, else it is computed from registers, shared memory and \
        threads of the launch and from the properties of the device; where neither is possible a sentence says what is missing. A grid that \
        is a multiple of the multiprocessors within one wave may be that of a persistent kernel: it has no waves only if its name says so.\n\n\
        Short kernels take less than 10 µs. A run of them is one on a stream whose launches follow each other on a thread within an \
        iteration, without a wait or another launch in between. Savings are a replay of the second step (the first, if there is one only), \
        of each rank by itself: %what_if NAME 'graphs x 0' replays all ranks together. A graph would also spare the host what it does around \
        the first and the last launch of a run; what a fused kernel saves of the memory traffic is not known.";
    /// With the graph of a rank that is replayed.
    const BYTES_PER_ROW: usize = 288;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        State::of(rank)
    }

    fn finish(&self, state: State) -> Result<Answer> {
        let rows = rows(&state);
        let steps = state.ranks.0.values().filter_map(|rank| match &rank.replay {
            Replay::Step(step) => Some(step),
            _ => None,
        });
        let step = slowest(steps);
        let notes = notes::notes(&state, &rows, step.as_ref());
        let busy = state.ranks.0.values().fold(0_i64, |sum, rank| sum.saturating_add(rank.on_streams));
        let savings = table::savings(step.as_ref().filter(|step| step.runs > 0))?;
        let has_savings = savings.height() > 0;
        let table = AnswerTable::new(&Self::TABLES[0], table::kernels(&rows, busy)?);
        let mut answer = Answer::of(table, figure(&state), notes);
        answer.tables.push(AnswerTable::new(&Self::TABLES[1], savings).shown_if(has_savings));
        Ok(answer)
    }
}

impl TraceAnalysis {
    /// Returns kernels by launch configuration, with how their launches fill the device.
    ///
    /// # Columns
    /// Those of [`Kernels`]; times in µs.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn kernels(&self, query: &Kernels) -> Result<DataFrame> {
        Ok(self.ask(query)?.main())
    }
}

#[cfg(test)]
mod tests;

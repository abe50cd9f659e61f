//! Counters of the device by kernel, with the operators that launched it.

mod columns;
mod counter;
mod paired;
mod recorded;
#[cfg(test)]
mod tests;
mod work;

use super::listed::{AnswerFiles, Listed};
use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, TraceAnalysis, nothing_on};
use crate::Result;
use crate::present::declared;
use columns::Row;
use polars::prelude::{Column as FrameColumn, DataFrame, DataType};
use recorded::Ranges;
use serde::{Deserialize, Serialize};
use trace_view::Column;

pub(crate) use paired::Paired;

/// Counters that CUPTI measured for each kernel, with the operators around its launch.
///
/// ```text
/// CPU       |------ aten::linear ------|        op_stack: aten::linear › aten::addmm
///             |---- aten::addmm ----|
///               |launch|
/// profiler        |range|                       counters: fma 4,285,656, dram bytes 65,536, …
/// ```
///
/// A recording with `CUPTI_PROFILER_METRICS` has a range with counters instead of each kernel. Ranges have no correlation: they belong to
/// the launches in their order, if there are as many; otherwise to the launch that they lie inside of.
///
/// # Columns
/// One row per range, by its start: `COLUMNS`, then a column per counter, by its name.
///
/// # Source
/// HTA `TraceAnalysis.get_cupti_counter_data_with_operators`, whose frames
/// [`TraceAnalysis::get_cupti_counter_data_with_operators`] returns.
///
/// # Example
/// ```
/// use trace::analysis::CuptiCounters;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let answer = TraceAnalysis::new(&job)?.ask(&CuptiCounters::default())?;
/// assert_eq!(answer.notes, ["No counters of kernels (category cuda_profiler_range) on rank 0."]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuptiCounters {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
}

const COLUMNS: [Column; 11] = declared(&Row::COLUMNS);

/// The ranges of one rank.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct OnRank {
    ranges: usize,
    launches: usize,
    unpaired: usize,
    rows: Listed<Ranges>,
}

impl Analysis for CuptiCounters {
    const NAME: &'static str = "cupti_counters";
    const SUMMARY: &'static str = "Show the counters of each kernel that CUPTI measured, with its operators.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &COLUMNS).of_named_events().with_short_names()];
    const NOTES: &'static str = "PyTorch records counters instead of kernels with \
        experimental_config=_ExperimentalConfig(profiler_metrics=[...], profiler_measure_per_kernel=True); each becomes a column. flops adds \
        up smsp__sass_thread_inst_executed_op_{ffma,fmul,fadd,hfma,hmul,hadd,dfma,dmul,dadd}_pred_on.sum, those of fma twice: what threads \
        compute, without tensor cores. bytes is dram__bytes.sum, or the sum of dram__bytes_read.sum and dram__bytes_write.sum.\n\n\
        Ranges are paired with launches in their order, as in HTA, if there are as many; otherwise a range belongs to the launch that it \
        lies inside of, and a note counts those without one. HTA then leaves the rank out. HTA's columns are those of \
        get_cupti_counter_data_with_operators in Rust.";
    const FIRST_RANK_ONLY: bool = true;
    // A row per range.
    const KEEPS_EVENTS: bool = true;
    type State = ByRank<OnRank>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let paired = Paired::of(rank);
        let rows = Listed::Found(Ranges::of(rank, &paired)?);
        let (ranges, unpaired) = (paired.ranges.len(), paired.without_launch());
        Ok(ByRank::of(rank.rank(), OnRank { ranges, launches: paired.launches, unpaired, rows }))
    }

    fn move_to_files(&self, state: Self::State, files: &AnswerFiles) -> Result<Self::State> {
        state.try_map(|rank, found| {
            let rows = found.rows.moved(rank, files, |rows| rows.frame(rank))?;
            Ok(OnRank { rows, ..found })
        })
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(|found| found.ranges == 0);
        let mut notes: Vec<String> =
            nothing_on(&without, "No counters of kernels (category cuda_profiler_range)").into_iter().collect();
        let mut frames = Vec::new();
        for (rank, found) in state.0 {
            notes.extend(found.note(rank));
            frames.push(found.rows.finished(|rows| rows.frame(rank))?.into_frame());
        }
        let frame = match frames.is_empty() {
            true => Ranges::default().frame(0)?,
            false => stacked(&frames)?,
        };
        Ok(Answer::of(AnswerTable::new(&Self::TABLES[0], frame), None, notes))
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

impl OnRank {
    /// Says how ranges were paired, if there are not as many launches.
    fn note(&self, rank: i64) -> Option<String> {
        if self.ranges == self.launches || self.ranges == 0 {
            return None;
        }
        let Self { ranges, launches, unpaired, .. } = self;
        Some(format!(
            "Rank {rank} has other numbers of ranges ({ranges}) and of launches of kernels ({launches}): paired by time, {unpaired} without \
             a launch around them."
        ))
    }
}

impl TraceAnalysis {
    /// Returns the counters of kernels with the operators around their launches.
    ///
    /// # Columns
    /// Those of [`CuptiCounters`].
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn cupti_counters(&self, query: &CuptiCounters) -> Result<DataFrame> {
        Ok(self.ask(query)?.main())
    }
}

/// Stacks the tables of ranks; a counter that a rank lacks is null there, one that is whole on some ranks only is a float.
fn stacked(frames: &[DataFrame]) -> Result<DataFrame> {
    let mut columns: Vec<(String, DataType)> = Vec::new();
    for column in frames.iter().flat_map(DataFrame::columns) {
        match columns.iter_mut().find(|(name, _)| name.as_str() == column.name().as_str()) {
            Some((_, dtype)) if dtype == column.dtype() => {}
            Some((_, dtype)) => *dtype = DataType::Float64,
            None => columns.push((column.name().to_string(), column.dtype().clone())),
        }
    }
    let mut all: Option<DataFrame> = None;
    for frame in frames {
        let rows = frame.height();
        let of = |(name, dtype): &(String, DataType)| -> Result<FrameColumn> {
            match frame.column(name) {
                Ok(column) => Ok(column.cast(dtype)?),
                Err(_) => Ok(FrameColumn::full_null(name.as_str().into(), rows, dtype)),
            }
        };
        let frame = DataFrame::new(rows, columns.iter().map(of).collect::<Result<_>>()?)?;
        match &mut all {
            Some(all) => {
                all.vstack_mut(&frame)?;
            }
            None => all = Some(frame),
        }
    }
    Ok(all.unwrap_or_default())
}

//! The profiler steps that analyses include.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, RankView, TableSchema, nothing_on};
use crate::Result;
use crate::exec::checkpoint::cancellable;
use crate::frame::{RankEvents, StepName};
use polars::df;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use trace_view::{Column, Unit};

/// The numbers N of the `ProfilerStep#N` that analyses include, on any rank.
///
/// The last step of a trace is left out unless it was included ([`TraceAnalysis::with_last_profiler_step`]).
///
/// # Columns
/// One row per step, ascending: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_profiler_steps`.
///
/// [`TraceAnalysis::with_last_profiler_step`]: crate::TraceAnalysis::with_last_profiler_step
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfilerSteps {}

/// The answer's columns.
const COLUMNS: &[Column] = &[Column::new("profiler_step", Unit::None, "the number N of ProfilerStep#N")];

impl Analysis for ProfilerSteps {
    const NAME: &'static str = "profiler_steps";
    const SUMMARY: &'static str = "List the profiler steps that the other analyses include.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS)];
    type State = ByRank<BTreeSet<i64>>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        Ok(ByRank::of(rank.rank(), steps_seen(rank.rank_events(), rank.rows())))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(BTreeSet::is_empty);
        let steps: BTreeSet<i64> = state.0.into_values().flatten().collect();
        let frame = df!("profiler_step" => steps.into_iter().collect::<Vec<i64>>())?;
        Ok(Answer::of(AnswerTable::new(&Self::TABLES[0], frame), None, nothing_on(&without, "No ProfilerStep")))
    }
}

/// Returns the step numbers among `seen`, the rows of the view.
pub(super) fn steps_seen(rows: &RankEvents, seen: &[u32]) -> BTreeSet<i64> {
    let mut number = rows.per_text(|name| match StepName::of(name) {
        StepName::Number(number) => Some(number),
        _ => None,
    });
    cancellable(seen).filter_map(|&row| number(rows.name(row as usize))).collect()
}

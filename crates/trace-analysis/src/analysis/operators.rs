//! Operators, modules or stacks of operators: their time on the CPU, and the kernels that they launch.

mod by;
mod calls;
mod columns;
mod figure;
mod sums;

use super::{
    Analysis, Answer, AnswerTable, Merge, Parameter, ParameterKind, RankView, TableSchema, TraceAnalysis, nothing_on,
};
use crate::Result;
use crate::callstack::RankGraph;
use crate::exec::checkpoint;
use crate::frame::columns::INPUT_DIMS;
use by::BY;
pub use by::OperatorsBy;
pub(super) use calls::INSIDE;
use calls::{shapes, sums};
use columns::{COLUMNS, frame};
use figure::figure;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use sums::Sums;

/// Operators, modules or stacks of operators: count, time on the CPU, the kernels that they launch and the time of these.
///
/// ```text
/// CPU   |------------ aten::linear -----------|        total: its duration; self: without operators inside
///          |-------- aten::addmm --------|
///             |cudaLaunch|                             launch share: launches below, of the total
/// GPU                 |-- gemm --|    |- add -|        kernel time: both; span: from the first to the last
/// ```
///
/// Total, kernels and span of a row are of everything below; of calls inside a call of the same row only once. Self times add up
/// over the rows: a kernel and a moment of a thread count for the innermost operator, or module, around them.
///
/// # Columns
/// One row per name, the longest kernels of its own first: `COLUMNS`. Ranks are added up.
///
/// # Example
/// ```
/// use trace::analysis::Operators;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let df = TraceAnalysis::new(&job)?.operators(&Operators::default())?;
/// assert!(df.column("kernel_self (us)").is_ok() && df.height() > 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operators {
    /// What a row is.
    pub by: OperatorsBy,
}

/// The partial result: sums by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    sums: BTreeMap<String, Sums>,
    /// Ranks without a row.
    without_rows: BTreeSet<i64>,
    /// Ranks whose calls launch no kernel.
    without_kernels: BTreeSet<i64>,
    /// Ranks without shapes, if these are asked for.
    without_shapes: BTreeSet<i64>,
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        for (name, sums) in other.sums {
            self.sums.entry(name).or_default().add(&sums);
        }
        self.without_rows.extend(other.without_rows);
        self.without_kernels.extend(other.without_kernels);
        self.without_shapes.extend(other.without_shapes);
    }
}

impl Analysis for Operators {
    const NAME: &'static str = "operators";
    const SUMMARY: &'static str = "List operators or modules with their CPU time and the kernels they launch.";
    const PARAMETERS: &'static [Parameter] = &[Parameter::new(
        "by",
        ParameterKind::Choice(BY),
        "rows: operators by name, modules, stacks of operators, or operators by the shapes of their inputs",
    )];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS)
        .of_named_events()
        .joined(&["name"], &["kernel_self (us)", "cpu_self (us)", "count", "kernels"])];
    const NOTES: &'static str = "Total, kernels and span are of everything below a call; of calls inside a call of the same row only \
        once. Self times add up over the rows: a kernel and a moment of a thread count for the innermost operator, or module, \
        around them. launch_share is the part of the CPU time that launches take: a high one says that kernels are too small. \
        --by module needs a trace that was recorded with stacks (with_stack, with_modules). Backward operators are inside of no module. \
        --by shape needs shapes (record_shapes); operators without them have a row of their name.";
    const BYTES_PER_ROW: usize = 96;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        let rows = rank.rank_events();
        let graph = RankGraph::of(rows, rank.rows(), crate::Compat::Exact);
        checkpoint::check()?;
        let shapes = if self.by == OperatorsBy::Shape { shapes(&rank.all_events_with(&[INPUT_DIMS])?) } else { None };
        let mut state = State::default();
        if self.by == OperatorsBy::Shape && shapes.is_none() {
            state.without_shapes.insert(rank.rank());
        }
        let sums = sums(rows, &graph, self.by, shapes.as_ref());
        if sums.is_empty() {
            state.without_rows.insert(rank.rank());
        }
        if sums.values().all(|sums| sums.kernels == 0) {
            state.without_kernels.insert(rank.rank());
        }
        Ok(State { sums, ..state })
    }

    fn finish(&self, state: State) -> Result<Answer> {
        let list = |ranks: &BTreeSet<i64>| ranks.iter().copied().collect::<Vec<i64>>();
        let mut rows: Vec<(String, Sums)> = state.sums.into_iter().collect();
        rows.sort_by(|(one, a), (other, b)| {
            (b.kernel_own, b.own, b.count).cmp(&(a.kernel_own, a.own, a.count)).then(one.cmp(other))
        });
        let missing = match self.by {
            OperatorsBy::Module => "No module is recorded (profile with with_stack=True and with_modules=True)",
            _ => "No operator is recorded",
        };
        let mut notes: Vec<String> = nothing_on(&list(&state.without_rows), missing).into_iter().collect();
        if state.without_kernels != state.without_rows {
            notes.extend(nothing_on(&list(&state.without_kernels), "No kernel is launched below an operator"));
        }
        notes.extend(nothing_on(
            &list(&state.without_shapes),
            "No shapes are recorded (profile with record_shapes=True)",
        ));
        let figure = figure(&rows);
        let mut table = AnswerTable::new(&Self::TABLES[0], frame(&rows)?);
        // A stack, or a name with shapes, is no name of an event.
        table.named_events = !matches!(self.by, OperatorsBy::Stack | OperatorsBy::Shape);
        Ok(Answer::of(table, figure, notes))
    }
}

impl TraceAnalysis {
    /// Returns operators, modules or stacks of operators, with their time and the kernels that they launch.
    ///
    /// # Columns
    /// Those of [`Operators`]; times in µs.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn operators(&self, query: &Operators) -> Result<DataFrame> {
        Ok(self.ask(query)?.main())
    }
}

#[cfg(test)]
mod tests;

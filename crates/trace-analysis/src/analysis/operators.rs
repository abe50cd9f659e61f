//! Operators, modules or stacks of operators: their time on the CPU, and the kernels that they launch.

mod by;
mod calls;
mod columns;
mod figure;
mod modules;
mod recomputed;
mod sums;
mod work;

use super::call_inputs::CallInputs;
use super::call_trees::CallTrees;
use super::roofline::{WITHOUT_VALUES, WITHOUT_WORK};
use super::{
    Analysis, Answer, AnswerTable, Merge, Parameter, ParameterKind, RankView, TableSchema, TraceAnalysis, nothing_on,
};
use crate::companion::{Lending, borrowed_in_words, merge_lending};
use crate::frame::IntColumn;
use crate::frame::columns::{INDEX_FORWARD, INPUT_DIMS, INPUT_TYPE};
use crate::{Result, Trace};
use by::BY;
pub use by::OperatorsBy;
pub(super) use calls::INSIDE;
use calls::operator_sums;
use columns::{COLUMNS, Shown, columns, frame};
use figure::figure;
pub(super) use modules::has_modules;
use modules::module_sums;
use polars::prelude::{DataFrame, PlSmallStr};
pub use recomputed::Recomputed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use sums::Sums;
use work::RankWork;

/// Operators, modules or stacks of operators: count, time on the CPU, the kernels that they launch and the time of these.
///
/// ```text
/// CPU   |------------ aten::linear -----------|        total: its duration; self: without operators inside
///          |-------- aten::addmm --------|
///             |cudaLaunch|                             launch share: launches below, of the total
/// GPU                 |-- gemm --|    |- add -|        kernel time: both; span: from the first to the last
/// ```
///
/// Total, kernels and span of a row are of everything below, of a module also of the backward of its operators; of calls inside a call of
/// the same row only once. Self times add up
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
    /// Whether operations, bytes and the share of the roofline are counted, as by [`Roofline`](super::Roofline).
    pub work: bool,
    /// A known device, `h100-sxm`, or limits that replace those of the recorded device, as of [`Roofline`](super::Roofline); with it, work
    /// is counted.
    pub peak: Option<String>,
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
    /// Whether the GPU of a rank works, so that only its time counts; if work is asked for.
    is_on_gpu: bool,
    /// Ranks without work, if it is asked for.
    without_work: BTreeSet<i64>,
    /// Ranks whose file could not be read again for the values of inputs.
    without_values: BTreeSet<i64>,
    /// Why devices have no roofline.
    without_peaks: BTreeSet<String>,
    /// Of modules, what ran once more for the backward.
    recomputed: Recomputed,
    /// What companions lend; `None` without one.
    lending: Option<Lending>,
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        for (name, sums) in other.sums {
            self.sums.entry(name).or_default().add(&sums);
        }
        self.without_rows.extend(other.without_rows);
        self.without_kernels.extend(other.without_kernels);
        self.without_shapes.extend(other.without_shapes);
        self.is_on_gpu |= other.is_on_gpu;
        self.without_work.extend(other.without_work);
        self.without_values.extend(other.without_values);
        self.without_peaks.extend(other.without_peaks);
        self.recomputed = self.recomputed.with(other.recomputed);
        merge_lending(&mut self.lending, other.lending);
    }
}

impl Analysis for Operators {
    const NAME: &'static str = "operators";
    const SUMMARY: &'static str = "List operators or modules with their CPU time and the kernels they launch.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new(
            "by",
            ParameterKind::Choice(BY),
            "rows: operators by name, modules, stacks of operators, or operators by shapes and types of their inputs",
        ),
        Parameter::new("work", ParameterKind::Switch, "count operations, bytes and the share of the roofline, too"),
        Parameter::new(
            "peak",
            ParameterKind::Text,
            "a known device, h100-sxm, or limits in TFLOP/s and GB/s: bf16=900,bandwidth=3000; with --work",
        ),
    ];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &COLUMNS).of_named_events().joined(
        &["name"],
        &[
            "kernel_self (us)",
            "cpu_self (us)",
            "count",
            "kernels",
            "forward_kernel (us)",
            "backward_kernel (us)",
            "recomputed (us)",
            "gflop",
            "TFLOP/s",
            "GB/s",
            "roofline",
            "borrowed (us)",
        ],
    )];
    const NOTES: &'static str = "Total, kernels and span are of everything below a call; of calls inside a call of the same row only \
        once. Self times add up over the rows: a kernel and a moment of a thread count for the innermost operator, or module, \
        around them. launch_share is the part of the CPU time that launches take: a high one says that kernels are too small. \
        --by shape needs shapes (record_shapes); operators without them have a row of their name.\n\n\
        --by module needs a trace that was recorded with stacks (with_stack, with_modules). Backward operators count for the module of \
        their forward operator, which their sequence numbers name; kernel_span is of the forward alone. Recomputed is what runs inside of \
        a backward operator below CheckpointFunctionBackward, a frame of torch/utils/checkpoint.py, an annotation with the word checkpoint, \
        or a module. It is not seen where the profiler recorded none of these on the thread of the backward, and where a compiler put it \
        into a backward graph.\n\n\
        --work adds operations and bytes as %roofline counts them: on each path of the call trees for the outermost operator with a \
        model. By name, shape and stack they are of the operators of the row themselves, so they add up; by module of all below. \
        TFLOP/s, GB/s, intensity and roofline are of counted, the time of the kernels of these operators.\n\n\
        With a companion (--companion) the operators and modules of the capture of a graph count for its kernels, once for each launch of \
        the graph, and take no CPU time. borrowed is the part of kernel_self that such calls have.";
    const BORROWS: bool = true;
    const BYTES_PER_ROW: usize = 96;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        let trees = CallTrees::of(rank)?;
        let mut state = State { lending: trees.lending().cloned(), ..State::default() };
        let number = rank.rank();
        let peak = self.peak.as_deref();
        let work = self.counts_work().then(|| RankWork::of(rank, &trees, Self::NAME, peak)).transpose()?;
        if let Some(work) = &work {
            state.is_on_gpu = work.is_on_gpu;
            state.without_work.extend(work.is_empty().then_some(number));
            state.without_values.extend((!work.has_values && !work.is_empty()).then_some(number));
            state.without_peaks.extend(work.without_peaks.clone());
        }
        let sums = match self.by {
            OperatorsBy::Module => {
                let events = rank.all_events_with(&[INDEX_FORWARD])?;
                // Of a trace without backward operators of modules the column is missing.
                let forward = IntColumn::of(&events, INDEX_FORWARD).ok();
                let (sums, recomputed) = module_sums(&trees, forward.as_ref(), work.as_ref());
                state.recomputed = Recomputed::of_gpu(rank, recomputed);
                sums
            }
            OperatorsBy::Shape => {
                let (names, events) = ([INPUT_DIMS, INPUT_TYPE], rank.all_events_with(&[INPUT_DIMS, INPUT_TYPE])?);
                let of_lender = |lender: &Trace| lender.frame_of(&names.map(PlSmallStr::from_static));
                let inputs = CallInputs::of(names, &events, &trees, of_lender)?;
                let inputs = Some(inputs).filter(|inputs| inputs.has(0));
                state.without_shapes.extend(inputs.is_none().then_some(number));
                operator_sums(&trees, self.by, inputs.as_ref(), work.as_ref())
            }
            OperatorsBy::Name | OperatorsBy::Stack => operator_sums(&trees, self.by, None, work.as_ref()),
        };
        if sums.is_empty() {
            state.without_rows.insert(number);
        }
        if sums.values().all(|sums| sums.kernels == 0) {
            state.without_kernels.insert(number);
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
        let lending = state.lending.as_ref().map(|lending| borrowed_in_words(&[(lending, "")]));
        let mut notes: Vec<String> = lending.into_iter().collect();
        notes.extend(nothing_on(&list(&state.without_rows), missing));
        if state.without_kernels != state.without_rows {
            notes.extend(nothing_on(&list(&state.without_kernels), "No kernel is launched below an operator"));
        }
        notes.extend(state.recomputed.sentence().map(|sentence| format!("{sentence}.")));
        notes.extend(nothing_on(
            &list(&state.without_shapes),
            "No shapes are recorded (profile with record_shapes=True)",
        ));
        notes.extend(state.without_peaks.iter().map(|reason| format!("No roofline: {reason} (--peak)")));
        notes.extend(nothing_on(&list(&state.without_work), WITHOUT_WORK));
        notes.extend(nothing_on(&list(&state.without_values), WITHOUT_VALUES));
        let figure = figure(&rows);
        let shown = Shown {
            phases: self.by == OperatorsBy::Module,
            work: self.counts_work(),
            borrowed: state.lending.is_some(),
        };
        let mut table = AnswerTable::new(&Self::TABLES[0], frame(&rows, shown, state.is_on_gpu)?);
        table.columns = columns(shown);
        // A stack, or a name with shapes, is no name of an event.
        table.named_events = !matches!(self.by, OperatorsBy::Stack | OperatorsBy::Shape);
        Ok(Answer::of(table, figure, notes))
    }
}

impl Operators {
    /// Tells whether work is counted.
    fn counts_work(&self) -> bool {
        self.work || self.peak.is_some()
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

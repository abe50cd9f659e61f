//! Operators, modules or stacks of operators: their time on the CPU, and the kernels that they launch.

use super::{
    Analysis, Answer, AnswerTable, Merge, Parameter, ParameterKind, RankView, TableSchema, TraceAnalysis, nothing_on,
};
use crate::Result;
use crate::callstack::RankGraph;
use crate::domain::EventKind;
use crate::exec::checkpoint;
use crate::frame::columns::INPUT_DIMS;
use crate::frame::{RankEvents, value_of};
use crate::stats::micros;
use call_tree::nesting::{Kernels, Walk};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::df;
use polars::prelude::{Categorical32Type, DataFrame};
use polars_arrow::array::PrimitiveArray;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use trace_view::{Axis, BarMode, Column, Figure, Mark, Points, Series, Unit};

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

/// What a row of [`Operators`] is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperatorsBy {
    /// Operators of one name.
    #[default]
    Name,
    /// A Python module, `nn.Module: Linear_0`, where it was recorded with stacks.
    Module,
    /// Operators of one name inside of the same operators, the outermost first.
    Stack,
    /// Operators of one name with inputs of the same shapes, where these were recorded.
    Shape,
}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new(
        "name",
        Unit::None,
        "operator or module; by stack the operators around it, too, by shape the shapes of its inputs",
    ),
    Column::new("count", Unit::Count, "calls"),
    Column::new("cpu_total (us)", Unit::Micros, "time of the calls"),
    Column::new("cpu_self (us)", Unit::Micros, "time of the calls without those of other rows inside"),
    Column::new("kernels", Unit::Count, "kernels, copies and fills that were launched below"),
    Column::new("kernel_total (us)", Unit::Micros, "time of these kernels"),
    Column::new("kernel_self (us)", Unit::Micros, "time of kernels that no call of another row inside launched"),
    Column::new("kernel_span (us)", Unit::Micros, "from the first kernel of a call to the end of its last, added up"),
    Column::new("launch_share", Unit::Percent, "launches below, in percent of cpu_total"),
];

/// The words of `by`.
const BY: &[&str] = &["name", "module", "stack", "shape"];

/// Between the names of a stack.
pub(super) const INSIDE: &str = " › ";

/// Number of rows that are drawn.
const DRAWN: usize = 20;

/// The sums of a row, times in ns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sums {
    count: u64,
    total: i64,
    own: i64,
    kernels: u64,
    kernel_total: i64,
    kernel_own: i64,
    kernel_span: i64,
    launches: i64,
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

impl Sums {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.kernels += other.kernels;
        for (sum, value) in [
            (&mut self.total, other.total),
            (&mut self.own, other.own),
            (&mut self.kernel_total, other.kernel_total),
            (&mut self.kernel_own, other.kernel_own),
            (&mut self.kernel_span, other.kernel_span),
            (&mut self.launches, other.launches),
        ] {
            *sum = sum.saturating_add(value);
        }
    }

    fn launch_share(&self) -> f64 {
        // Launches on another thread may take longer than the call that they are below.
        if self.total > 0 { (100.0 * self.launches as f64 / self.total as f64).min(100.0) } else { 0.0 }
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

/// An open call that has a row of its own.
struct Open {
    row: usize,
    key: u32,
    /// Launch time before it.
    launches: i64,
    /// Whether no call of the same row is around it.
    is_outermost: bool,
}

/// The rows of the answer: operators or modules by name, stacks of names, or names with shapes.
struct Keys {
    by: OperatorsBy,
    /// By the stack around it, or the code of the shapes, and the name.
    numbers: HashMap<(Option<u32>, u32), u32, FixedState>,
    /// Stack around it or shapes, name, sums and number of open calls of each.
    keys: Vec<(Option<u32>, u32, Sums, u32)>,
}

impl Keys {
    fn number(&mut self, around: Option<u32>, shapes: Option<u32>, name: u32) -> u32 {
        let around = if self.by == OperatorsBy::Stack { around } else { shapes };
        let next = self.keys.len() as u32;
        *self.numbers.entry((around, name)).or_insert_with(|| {
            self.keys.push((around, name, Sums::default(), 0));
            next
        })
    }

    fn sums(&mut self, key: u32) -> &mut Sums {
        &mut self.keys[key as usize].2
    }

    /// Returns the names, those of a stack joined.
    fn named(self, rows: &RankEvents) -> BTreeMap<String, Sums> {
        let mut texts: Vec<String> = Vec::with_capacity(self.keys.len());
        let mut named: BTreeMap<String, Sums> = BTreeMap::new();
        // The stack around a key has a smaller number.
        for (around, name, sums, _) in self.keys {
            let name = rows.text(name);
            let text = match self.by {
                OperatorsBy::Shape => around.map(|shapes| format!("{name} {}", rows.text(shapes))),
                _ => {
                    around.and_then(|around| texts.get(around as usize)).map(|around| format!("{around}{INSIDE}{name}"))
                }
            };
            let text = text.unwrap_or_else(|| name.to_owned());
            named.entry(text.clone()).or_default().add(&sums);
            texts.push(if self.by == OperatorsBy::Stack { text } else { String::new() });
        }
        named
    }
}

/// Returns the codes of the shapes of inputs by row; `None` if they were not recorded.
fn shapes(events: &DataFrame) -> Option<PrimitiveArray<u32>> {
    let column = events.column(INPUT_DIMS).ok()?.as_materialized_series().rechunk();
    Some(column.cat::<Categorical32Type>().ok()?.physical().downcast_as_array().clone())
}

/// Adds up the calls of a rank; `shapes` are the codes of the shapes of inputs, if rows differ by them.
fn sums(
    rows: &RankEvents,
    graph: &RankGraph,
    by: OperatorsBy,
    shapes: Option<&PrimitiveArray<u32>>,
) -> BTreeMap<String, Sums> {
    let kinds = rows.kinds();
    let mut is_module = rows.per_text(|name| name.starts_with("nn.Module: "));
    let mut has_row = move |row: usize| match by {
        OperatorsBy::Module => kinds[row] == EventKind::Python && is_module(rows.name(row)),
        _ => kinds[row] == EventKind::Operator,
    };
    let mut keys = Keys { by, numbers: HashMap::default(), keys: Vec::new() };
    let mut open: Vec<Open> = Vec::new();
    let mut launches = 0_i64;
    graph.forest().walk(
        |row| row,
        |step| match step {
            Walk::Enter(row) if graph.is_launched(rows, row) => {
                if let Some(around) = open.last() {
                    let Kernels { ns, .. } = *graph.kernels(row);
                    let own = &mut keys.sums(around.key).kernel_own;
                    *own = own.saturating_add(ns);
                }
            }
            Walk::Enter(row) => {
                if has_row(row) {
                    let shapes = shapes.and_then(|shapes| value_of(shapes, row));
                    let key = keys.number(open.last().map(|around| around.key), shapes, rows.name(row));
                    let opened = &mut keys.keys[key as usize].3;
                    let is_outermost = *opened == 0;
                    *opened += 1;
                    open.push(Open { row, key, launches, is_outermost });
                }
                // Only GPU events are right below it.
                let is_launch = graph.height(row) == Some(1) && graph.kernels(row).count > 0;
                if is_launch {
                    launches = launches.saturating_add(rows.dur(row).max(0));
                }
                if let Some(around) = open.last() {
                    let own = &mut keys.sums(around.key).own;
                    *own = own.saturating_add(graph.self_ns(row));
                }
            }
            Walk::Leave(row) => {
                let Some(Open { key, launches: before, is_outermost, .. }) = open.pop_if(|open| open.row == row) else {
                    return;
                };
                keys.keys[key as usize].3 -= 1;
                let mut call = Sums { count: 1, ..Sums::default() };
                if is_outermost {
                    let below = graph.kernels(row);
                    call.total = rows.dur(row).max(0);
                    call.kernels = u64::from(below.count);
                    call.kernel_total = below.ns;
                    call.kernel_span = below.span();
                    call.launches = launches.saturating_sub(before);
                }
                keys.sums(key).add(&call);
            }
        },
    );
    keys.named(rows)
}

fn frame(rows: &[(String, Sums)]) -> Result<DataFrame> {
    let time = |of: fn(&Sums) -> i64| rows.iter().map(|(_, sums)| micros(of(sums))).collect::<Vec<f64>>();
    Ok(df!(
        COLUMNS[0].name => rows.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        COLUMNS[1].name => rows.iter().map(|(_, sums)| sums.count as i64).collect::<Vec<_>>(),
        COLUMNS[2].name => time(|sums| sums.total),
        COLUMNS[3].name => time(|sums| sums.own),
        COLUMNS[4].name => rows.iter().map(|(_, sums)| sums.kernels as i64).collect::<Vec<_>>(),
        COLUMNS[5].name => time(|sums| sums.kernel_total),
        COLUMNS[6].name => time(|sums| sums.kernel_own),
        COLUMNS[7].name => time(|sums| sums.kernel_span),
        COLUMNS[8].name => rows.iter().map(|(_, sums)| sums.launch_share()).collect::<Vec<f64>>(),
    )?)
}

/// Draws the times that add up, of the first rows; `None` without kernels.
fn figure(rows: &[(String, Sums)]) -> Option<Figure> {
    rows.iter().any(|(_, sums)| sums.kernels > 0).then(|| {
        let drawn = &rows[..rows.len().min(DRAWN)];
        let bars = |name: &str, of: fn(&Sums) -> i64| Series {
            name: name.to_owned(),
            mark: Mark::Bar,
            x: Points::Names(drawn.iter().map(|(name, _)| name.clone()).collect()),
            y: drawn.iter().map(|(_, sums)| micros(of(sums))).collect(),
        };
        Figure {
            title: "Own time of operators".to_owned(),
            y: Axis { title: "Time".to_owned(), unit: Unit::Micros, ..Axis::default() },
            bars: BarMode::Group,
            series: vec![bars("on the CPU", |sums| sums.own), bars("of kernels", |sums| sums.kernel_own)],
            ..Figure::default()
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceSet;
    use trace_testkit::{Stream, TraceBuilder};

    /// ```text
    /// CPU  |- linear -------------------|  |- to -------------|
    ///        |- addmm ------|                |- to ----|
    ///           |launch|                        |launch|
    /// GPU                 |- gemm -|                     |- copy -|
    /// ```
    fn trace() -> TraceAnalysis {
        let builder = TraceBuilder::new()
            .complete("python_function", "nn.Module: Linear_0", 100, 1, 5..60)
            .operator("aten::linear", 10..50)
            .operator("aten::addmm", 15..35)
            .runtime("cudaLaunchKernel", 1, 20..30)
            .kernel("gemm", Stream(7), 40..70)
            .correlation(1)
            .operator("aten::to", 100..140)
            .operator("aten::to", 105..130)
            .runtime("cudaMemcpyAsync", 2, 110..120)
            .complete("gpu_memcpy", "Memcpy HtoD", 0, 7, 150..154)
            .arg("stream", "7")
            .correlation(2);
        TraceAnalysis::new(&TraceSet::from_bytes(builder.json()).unwrap()).unwrap()
    }

    fn rows(by: OperatorsBy) -> Vec<(String, Vec<f64>)> {
        let df = trace().operators(&Operators { by }).unwrap();
        let names = df.column("name").unwrap().str().unwrap().clone();
        let value =
            |row: usize, column: &polars::prelude::Column| column.get(row).unwrap().try_extract::<f64>().unwrap();
        (0..df.height())
            .map(|row| {
                let values = df.columns()[1..].iter().map(|column| value(row, column)).collect();
                (names.get(row).unwrap().to_owned(), values)
            })
            .collect()
    }

    #[test]
    fn operators_have_time_of_their_own_and_of_all_below() {
        let expected = [
            ("aten::addmm", vec![1.0, 20.0, 20.0, 1.0, 30.0, 30.0, 30.0, 50.0]),
            // Of the calls inside a call of the same name only the outer one has total and kernels.
            ("aten::to", vec![2.0, 40.0, 40.0, 1.0, 4.0, 4.0, 4.0, 25.0]),
            ("aten::linear", vec![1.0, 40.0, 20.0, 1.0, 30.0, 0.0, 30.0, 25.0]),
        ];
        let expected: Vec<_> = expected.into_iter().map(|(name, values)| (name.to_owned(), values)).collect();
        assert_eq!(rows(OperatorsBy::Name), expected);
    }

    #[test]
    fn stacks_and_modules_are_rows_of_their_own() {
        let names: Vec<String> = rows(OperatorsBy::Stack).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["aten::linear › aten::addmm", "aten::to › aten::to", "aten::linear", "aten::to"]);
        // A module has the time of the operators inside, and its kernels.
        let module = (
            "nn.Module: Linear_0".to_owned(),
            vec![1.0, 55.0, 55.0, 1.0, 30.0, 30.0, 30.0, 100.0 * 10_000.0 / 55_000.0],
        );
        assert_eq!(rows(OperatorsBy::Module), [module]);
    }

    #[test]
    fn a_trace_without_modules_is_told_how_to_record_them() {
        let trace = TraceSet::from_bytes(TraceBuilder::new().operator("aten::mm", 0..5).json()).unwrap();
        let answer = TraceAnalysis::new(&trace).unwrap().ask(&Operators { by: OperatorsBy::Module }).unwrap();
        assert_eq!(answer.tables[0].frame.height(), 0);
        assert!(answer.notes[0].contains("with_stack=True"), "{:?}", answer.notes);
    }

    #[test]
    fn operators_of_other_shapes_are_rows_of_their_own() {
        let mm = |builder: TraceBuilder, at: i64, shapes: &str| {
            builder.operator("aten::mm", at..at + 10).arg("Input Dims", shapes)
        };
        let builder = mm(mm(TraceBuilder::new(), 0, "[[2, 3], [3, 4]]"), 20, "[[2, 3], [3, 4]]");
        let builder = mm(builder, 40, "[[5, 3], [3, 4]]").operator("aten::relu", 60..61);
        let trace = TraceAnalysis::new(&TraceSet::from_bytes(builder.json()).unwrap()).unwrap();
        let df = trace.operators(&Operators { by: OperatorsBy::Shape }).unwrap();
        let names = df.column("name").unwrap().str().unwrap();
        let counts = df.column("count").unwrap().i64().unwrap();
        let found: Vec<_> = names.iter().flatten().zip(counts.iter().flatten()).collect();
        assert_eq!(found, [("aten::mm [[2, 3], [3, 4]]", 2), ("aten::mm [[5, 3], [3, 4]]", 1), ("aten::relu", 1)]);
        let answer = self::trace().ask(&Operators { by: OperatorsBy::Shape }).unwrap();
        assert!(answer.notes.iter().any(|note| note.contains("record_shapes=True")), "{:?}", answer.notes);
        assert!(answer.tables[0].frame.height() > 0, "operators without shapes have rows of their names");
    }
}

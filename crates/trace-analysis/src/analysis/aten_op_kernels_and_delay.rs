//! The kernels of each aten operator, and the delays until they run.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, ParameterKind, RankView, TableSchema, nothing_on};
use crate::callstack::Enclosing;
use crate::error::ParameterReason;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use crate::present::{Field, MOST_RANKS, answer_frame, declared};
use crate::stats::{micros, rounded};
use crate::{Compat, Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::{Axis, BarMode, Figure, Mark, Points, Series, Unit};

/// The kernels that each aten operator launches, the delay until it launches the first of them, and the delay until that
/// kernel starts.
///
/// ```text
/// CPU   |------ aten::addmm -------|
///           |launch|   |launch|
/// GPU                    |-- a --||-- b --|       kernel_sequence: a -> b
///       |<->|                                     launch delay: operator to launch
///           |<---------->|                        runtime delay: launch to kernel
/// ```
///
/// A launch belongs to the innermost aten operator around it on its thread.
///
/// # Columns
/// One row per operator and kernel sequence, the most frequent first: `COLUMNS`.
///
/// # Errors
/// [`Error::WrongParameter`] if `sort_by` names an unknown column.
///
/// # Source
/// HTA `TraceAnalysis.get_aten_op_kernels_and_delay`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtenOpKernelsAndDelay {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
    /// The columns to sort by, descending.
    pub sort_by: Vec<String>,
}

impl Default for AtenOpKernelsAndDelay {
    fn default() -> Self {
        Self { ranks: None, sort_by: vec![COUNT.to_owned()] }
    }
}

const COUNT: &str = "occurrence_count";

/// The answer's columns.
const COLUMNS: [Field<Sequence>; 5] = [
    Field::name(NAMES[0], "the innermost aten operator around the launches", |of| Some(&of.operator)),
    Field::name(NAMES[1], "its kernels, in the order of their launches", |of| Some(&of.kernels)),
    Field::whole(COUNT, Unit::Count, "how often the operator launched this sequence", |of| Some(of.count)),
    Field::number(NAMES[3], Unit::Micros, "mean from the operator's start to its first launch", |of| {
        Some(of.mean(of.launch_delay))
    }),
    Field::number(NAMES[4], Unit::Micros, "mean from the first launch to the start of its kernel", |of| {
        Some(of.mean(of.runtime_delay))
    }),
];

/// The names of the columns.
const NAMES: &[&str] = &["aten_op_name", "kernel_sequence", COUNT, "avg_aten_op_launch_delay", "avg_runtime_delay"];

/// The separator of the kernels of a sequence.
const ARROW: &str = " -> ";

/// Number of rows that are drawn.
const DRAWN: usize = 20;

/// An operator with its kernel sequence: its count, and the sums of its delays in ns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequence {
    operator: String,
    kernels: String,
    count: i64,
    launch_delay: i64,
    runtime_delay: i64,
}

impl Analysis for AtenOpKernelsAndDelay {
    const NAME: &'static str = "aten_op_kernels_and_delay";
    const SUMMARY: &'static str = "List the kernels of each aten operator, and the delays until they run.";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::new("sort_by", ParameterKind::Choices(NAMES), "columns to sort by, descending")];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&COLUMNS))];
    const NOTES: &'static str = "With several ranks each has a table of its own: out.rank0.csv, …\n\n--where filters operators, \
                                 too: add `or cat == cpu_op` to a condition on kernels.";
    const FIRST_RANK_ONLY: bool = true;
    const LAUNCHES: bool = true;
    type State = ByRank<Vec<Sequence>>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let rows = rank.rank_events();
        Ok(ByRank::of(rank.rank(), sequences(rows, rank.rows(), rank.compat())))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        if let Some(unknown) = self.sort_by.iter().find(|name| !NAMES.contains(&name.as_str())) {
            let (value, expected) = (unknown.clone(), format!("a column: {}", NAMES.join(", ")));
            let reason = ParameterReason::Invalid { name: "sort_by", value, expected };
            return Err(Error::WrongParameter { analysis: Self::NAME, reason });
        }
        let without = state.ranks_where(Vec::is_empty);
        let several = state.0.len() > 1;
        let (mut tables, mut figures) = (Vec::new(), Vec::new());
        for (rank, mut sequences) in state.0 {
            self.sort(&mut sequences);
            let table = AnswerTable::new(&Self::TABLES[0], answer_frame(&sequences, &COLUMNS)?);
            tables.push(if several { table.of_rank(rank) } else { table });
            if !sequences.is_empty() && figures.len() <= MOST_RANKS {
                figures.push(figure(rank, &sequences));
            }
        }
        let note = nothing_on(&without, "No kernel is launched within an aten operator");
        let answer = Answer { tables, figures, notes: note.into_iter().collect(), ..Answer::default() };
        let title = "Launch delay of aten operators on each rank";
        Ok(answer.with_heat_map(title, Self::TABLES[0].name, &["avg_aten_op_launch_delay"], 0))
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

/// A launch within an operator: its delays in ns, and the code of its kernel's name.
struct Launch {
    launch_delay: i64,
    runtime_delay: i64,
    kernel: u32,
}

/// Groups the launches of a rank by operator and kernel sequence.
fn sequences(rows: &RankEvents, seen: &[u32], compat: Compat) -> Vec<Sequence> {
    let hta = compat == Compat::Hta;
    let operators = Operators::of(rows, seen, hta);
    let mut is_launch = rows.per_text(|name| launches(name, hta));
    let mut is_seen = vec![false; rows.len()];
    seen.iter().for_each(|&row| is_seen[row as usize] = true);
    let mut found: Vec<(i64, usize)> = cancellable(seen)
        .map(|&row| row as usize)
        .filter(|&row| is_launch(rows.name(row)))
        .filter_map(|row| Some((rows.ts(row)?, row)))
        .collect();
    // Differs from HTA: it keeps the order of the file.
    if !hta {
        found.sort_by_key(|&(ts, _)| ts);
    }
    // Thread, name and start identify one call of an operator.
    type Call = ((Option<i64>, Option<i64>), u32, i64);
    let mut calls: Vec<(Call, Launch)> = Vec::with_capacity(found.len());
    for (ts, row) in cancellable(found) {
        let Some(kernel) = rows.partner(row).filter(|&kernel| is_seen[kernel]) else { continue };
        // HTA treats a kernel at position 0 as missing.
        if hta && rows.index(kernel) == 0 {
            continue;
        }
        let thread = rows.thread(row);
        let Some((name, start)) = operators.around(thread, ts, ts.saturating_add(rows.dur(row))) else { continue };
        let Some(begun) = rows.ts(kernel) else { continue };
        let launch = Launch {
            launch_delay: ts.saturating_sub(start),
            runtime_delay: begun.saturating_sub(ts),
            kernel: rows.name(kernel),
        };
        calls.push(((thread, name, start), launch));
    }
    // The stable sort keeps the launches of a call in their order.
    calls.sort_by_key(|(call, _)| *call);
    let mut sums: BTreeMap<(u32, Vec<u32>), (i64, i64, i64)> = BTreeMap::new();
    for launches in cancellable(calls.chunk_by(|(one, _), (other, _)| one == other)) {
        let Some(((_, name, _), first)) = launches.first() else { continue };
        let kernels = launches.iter().map(|(_, launch)| launch.kernel).collect();
        let sum = sums.entry((*name, kernels)).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(first.launch_delay), sum.2.saturating_add(first.runtime_delay));
    }
    let text = |code: u32| rows.text(code).to_owned();
    sums.into_iter()
        .map(|((name, kernels), (count, launch_delay, runtime_delay))| {
            let kernels: Vec<&str> = kernels.into_iter().map(|kernel| rows.text(kernel)).collect();
            Sequence { operator: text(name), kernels: kernels.join(ARROW), count, launch_delay, runtime_delay }
        })
        .collect()
}

/// Returns whether a runtime call of this name launches kernels.
fn launches(name: &str, hta: bool) -> bool {
    let cuda = name.strip_prefix("cuda").is_some_and(|rest| rest.contains("LaunchKernel"));
    let known = cuda || name.starts_with("cuLaunchKernel") || name.starts_with("runFunction");
    // Differs from HTA: it ignores ROCm's launches.
    known || (!hta && name.starts_with("hip") && name.contains("Launch"))
}

/// The aten operators of each thread, by start.
struct Operators {
    threads: BTreeMap<(Option<i64>, Option<i64>), Thread>,
    /// Whether threads are ignored, as HTA does.
    any: bool,
}

/// The operators of one thread, ascending by start.
struct Thread {
    /// Name and start.
    operators: Vec<(u32, i64)>,
    enclosing: Enclosing,
}

impl Operators {
    fn of(rows: &RankEvents, seen: &[u32], hta: bool) -> Self {
        let mut is_operator = rows.per_text(|name| name.starts_with("aten::"));
        let mut found: BTreeMap<_, Vec<(i64, i64, usize, u32)>> = BTreeMap::new();
        for (position, &row) in cancellable(seen).enumerate() {
            let row = row as usize;
            let (true, Some(start)) = (is_operator(rows.name(row)), rows.ts(row)) else { continue };
            let end = start.saturating_add(rows.dur(row));
            // Differs from HTA: it considers operators of other threads, too.
            let thread = if hta { (None, None) } else { rows.thread(row) };
            found.entry(thread).or_default().push((start, end, position, rows.name(row)));
        }
        let thread = |mut operators: Vec<(i64, i64, usize, u32)>| {
            // The last of several with one start counts: the innermost, or for HTA the first in the file.
            operators.sort_by_key(|&(start, end, position, _)| {
                (start, std::cmp::Reverse(if hta { position as i64 } else { end }), std::cmp::Reverse(position))
            });
            Thread {
                enclosing: Enclosing::new(operators.iter().map(|&(start, end, ..)| (start, end))),
                operators: operators.into_iter().map(|(start, _, _, name)| (name, start)).collect(),
            }
        };
        Self { threads: found.into_iter().map(|(id, operators)| (id, thread(operators))).collect(), any: hta }
    }

    /// Returns name and start of the operator that starts last among those that contain this interval.
    fn around(&self, thread: (Option<i64>, Option<i64>), start: i64, end: i64) -> Option<(u32, i64)> {
        let thread = self.threads.get(if self.any { &(None, None) } else { &thread })?;
        Some(thread.operators[thread.enclosing.last_around(start, end)?])
    }
}

impl Sequence {
    /// Returns the mean of a sum of delays, in µs.
    fn mean(&self, sum: i64) -> f64 {
        rounded(micros(sum) / self.count as f64, 3)
    }
}

impl AtenOpKernelsAndDelay {
    /// Sorts by the columns of `sort_by`, descending; ties by operator and kernels.
    fn sort(&self, sequences: &mut [Sequence]) {
        sequences.sort_by(|one, other| (&one.operator, &one.kernels).cmp(&(&other.operator, &other.kernels)));
        sequences.sort_by(|one, other| {
            let column = |name: &str| match name {
                "aten_op_name" => other.operator.cmp(&one.operator),
                "kernel_sequence" => other.kernels.cmp(&one.kernels),
                COUNT => other.count.cmp(&one.count),
                "avg_aten_op_launch_delay" => other.mean(other.launch_delay).total_cmp(&one.mean(one.launch_delay)),
                _ => other.mean(other.runtime_delay).total_cmp(&one.mean(one.runtime_delay)),
            };
            self.sort_by
                .iter()
                .map(|name| column(name))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
    }
}

/// Draws the delays of the first rows. HTA draws its table as a figure instead.
fn figure(rank: i64, sequences: &[Sequence]) -> Figure {
    let drawn = &sequences[..sequences.len().min(DRAWN)];
    let name = |of: &Sequence| format!("{}: {}", of.operator, of.kernels);
    let bars = |label: &str, sum: fn(&Sequence) -> i64| Series {
        name: label.to_owned(),
        mark: Mark::Bar,
        x: Points::Names(drawn.iter().map(name).collect()),
        y: drawn.iter().map(|of| of.mean(sum(of))).collect(),
    };
    Figure {
        title: format!("Aten operators and their delays on rank {rank}"),
        y: Axis { title: "Mean delay".to_owned(), unit: Unit::Micros, ..Axis::default() },
        bars: BarMode::Group,
        series: vec![bars("launch delay", |of| of.launch_delay), bars("runtime delay", |of| of.runtime_delay)],
        ..Figure::default()
    }
}

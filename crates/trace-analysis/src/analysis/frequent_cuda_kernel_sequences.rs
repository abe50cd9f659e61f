//! Kernel sequences that an operator launches, by frequency.

use super::operator_suggestions::suggestions;
use super::shallowest_operators::shallowest;
use super::{Analysis, Answer, AnswerTable, Merge, Parameter, ParameterKind, RankView, TableSchema};
use crate::callstack::CallStacks;
use crate::error::ParameterReason;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use crate::present::{Field, answer_frame, declared};
use crate::write::{Overlay, TraceCopy};
use crate::{Error, Result, TraceAnalysis, TraceSet};
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_view::format::numbered;
use trace_view::{Axis, Figure, Mark, Points, Series, Unit};

/// The kernel sequences that operators of a name launch, and their frequencies.
///
/// ```text
/// CPU   |------ aten::linear ------|     |------ aten::linear ------|
///          |launch|  |launch|                |launch|  |launch|
/// GPU                |- a -||- b -|                    |- a -||- b -|
/// pattern aten::linear|a|b                                                count 2
/// ```
///
/// An operator is any CPU event whose name contains `operator_name`; only those at the smallest depth of the call stack
/// count, as in HTA. A sequence consists of all kernels launched within an operator, at any depth, ordered by their start.
///
/// With `output_dir` a copy of each rank's trace is written, `overlaid_…`, in which the events of the `top_k` most frequent
/// sequences have an argument `Patterns`: search for it in Perfetto. Nothing is written if there is no sequence.
///
/// # Columns
/// One row per sequence, the most frequent first, over all analysed ranks: `Row::COLUMNS`.
///
/// # Errors
/// [`Error::WrongParameter`] without an operator, or if `output_dir` is not a folder.
///
/// # Source
/// HTA `TraceAnalysis.get_frequent_cuda_kernel_sequences`, which fails on negative durations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrequentCudaKernelSequences {
    /// Text that the names of the operators contain.
    pub operator_name: String,
    /// The folder of the copies; `None` for no copies.
    pub output_dir: Option<PathBuf>,
    /// The fewest kernels of a sequence.
    pub min_pattern_len: usize,
    /// Number of sequences to draw, and to mark in the copies.
    pub top_k: usize,
    /// Whether to shrink all other events of the copies: no arguments, and a number instead of the name.
    pub compress_other_kernels: bool,
}

impl Default for FrequentCudaKernelSequences {
    fn default() -> Self {
        Self {
            operator_name: String::new(),
            output_dir: None,
            min_pattern_len: 3,
            top_k: 5,
            compress_other_kernels: true,
        }
    }
}

/// A sequence, and what was counted of it.
struct Row<'a> {
    text: &'a str,
    pattern: &'a Pattern,
}

impl Row<'_> {
    const COLUMNS: [Field<Self>; 4] = [
        Field::name("pattern", "the operator and its kernels, separated by bars", |row| Some(row.text)),
        Field::whole("count", Unit::Count, "how often the operator launched this sequence", |row| {
            Some(row.pattern.count)
        }),
        Field::time("GPU kernel duration (us)", "sum over the kernels", |row| Some(row.pattern.gpu)),
        Field::time("CPU op duration (us)", "sum over the operators", |row| Some(row.pattern.cpu)),
    ];
}

/// Upper bound on the operators that a note suggests.
const MOST_SUGGESTIONS: usize = 5;

/// The separator of operator and kernels in a pattern.
const BAR: &str = "|";

/// The partial result; times in ns.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    patterns: BTreeMap<String, Pattern>,
    ranks: BTreeMap<i64, Rank>,
}

/// The totals of a kernel sequence.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Pattern {
    count: i64,
    gpu: i64,
    cpu: i64,
    /// Positions in traceEvents of the operators and everything below them, by rank, if copies are to be written.
    events: BTreeMap<i64, Vec<i64>>,
}

/// The partial result of one rank, except its sequences.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Rank {
    /// Number of operators whose name matches, and of those that were analysed.
    operators: usize,
    shallowest: usize,
    file: PathBuf,
    events_in_file: u64,
    /// The names of its events, if the copy needs them.
    names: Vec<String>,
    /// Operators to suggest if no sequence was found, and how often each launches enough kernels.
    suggestions: BTreeMap<String, i64>,
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        self.ranks.extend(other.ranks);
        for (text, pattern) in other.patterns {
            let mine = self.patterns.entry(text).or_default();
            mine.count += pattern.count;
            mine.gpu = mine.gpu.saturating_add(pattern.gpu);
            mine.cpu = mine.cpu.saturating_add(pattern.cpu);
            mine.events.extend(pattern.events);
        }
    }
}

impl Analysis for FrequentCudaKernelSequences {
    const NAME: &'static str = "frequent_cuda_kernel_sequences";
    const SUMMARY: &'static str = "Count the kernel sequences that an operator launches; mark them in a copy.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new("operator_name", ParameterKind::Operator, "operators whose name contains this text")
            .at("OPERATOR"),
        Parameter::new("output_dir", ParameterKind::Path, "write the overlaid trace into this folder"),
        Parameter::new("min_pattern_len", ParameterKind::Whole, "fewest kernels of a sequence"),
        Parameter::new("top_k", ParameterKind::Whole, "sequences to draw, and to mark in the overlaid trace"),
        Parameter::new(
            "compress_other_kernels",
            ParameterKind::Switch,
            "shrink all other events of the overlaid trace: no arguments, numbers for names",
        ),
    ];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&Row::COLUMNS))];
    const NOTES: &'static str = "--output-dir DIR also writes DIR/overlaid_TRACE: open it in Perfetto and search for Patterns. \
                                 The source is never changed. Without --output-dir no file is written.\n\n--where filters \
                                 operators, too: add `or cat == cpu_op` to a condition on kernels.";
    const FIRST_RANK_ONLY: bool = true;
    const LAUNCHES: bool = true;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        self.check()?;
        let rows = rank.rank_events();
        let mut is_wanted = rows.per_text(|name| name.contains(self.operator_name.as_str()));
        let candidates: Vec<usize> =
            cancellable(rank.rows()).map(|&row| row as usize).filter(|&row| is_wanted(rows.name(row))).collect();
        let info = rank.info();
        let mut result =
            Rank { file: info.file.clone().into(), events_in_file: info.events_in_file, ..Rank::default() };
        let stacks = CallStacks::of(rows, rank.rows(), rank.compat());
        let roots = shallowest(rows, &stacks, &candidates, rank.compat());
        (result.operators, result.shallowest) = (roots.matching, roots.rows.len());
        let patterns = self.patterns(rows, &stacks, &roots.rows, rank.rank());
        if patterns.is_empty() {
            let least = self.min_pattern_len;
            result.suggestions = suggestions(rows, &stacks, rank.rows(), rank.compat(), least, MOST_SUGGESTIONS);
        }
        if self.output_dir.is_some() && self.compress_other_kernels && !patterns.is_empty() {
            result.names = rows.names();
        }
        Ok(State { patterns, ranks: [(rank.rank(), result)].into() })
    }

    fn finish(&self, state: State) -> Result<Answer> {
        self.check()?;
        let mut patterns: Vec<(&String, &Pattern)> = state.patterns.iter().collect();
        // The stable sort keeps ties in the order of the map, by text.
        patterns.sort_by_key(|(_, pattern)| std::cmp::Reverse(pattern.count));
        let top = &patterns[..patterns.len().min(self.top_k)];
        let copies = match &self.output_dir {
            Some(folder) if !top.is_empty() => self.copies(folder, &state.ranks, top)?,
            _ => Vec::new(),
        };
        Ok(Answer {
            tables: vec![AnswerTable::new(&Self::TABLES[0], frame(&patterns)?)],
            figures: if top.is_empty() { Vec::new() } else { vec![figure(top, &state.ranks)] },
            notes: self.notes(&state),
            copies,
            ..Answer::default()
        })
    }
}

impl FrequentCudaKernelSequences {
    /// Suggests values of `operator_name`, by name: the `most` most frequent operators of the first rank, in its first
    /// iteration, that launch as many kernels as the default requires.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn operators(traces: &TraceSet, most: usize) -> Result<Vec<String>> {
        let first = traces.traces().iter().take(1).cloned().collect();
        let first = TraceSet::of(traces.label(), traces.compat(), first, Vec::new());
        let mut analysis = TraceAnalysis::new(&first)?;
        if let Some(&iteration) = first.iterations().first() {
            analysis = analysis.in_iterations(iteration)?;
        }
        let Some(view) = analysis.views().next().transpose()? else { return Ok(Vec::new()) };
        let rows = view.rank_events();
        let stacks = CallStacks::of(rows, view.rows(), view.compat());
        let least = Self::default().min_pattern_len;
        Ok(suggestions(rows, &stacks, view.rows(), view.compat(), least, most).into_keys().collect())
    }

    fn check(&self) -> Result<()> {
        let invalid = |reason| Err(Error::WrongParameter { analysis: Self::NAME, reason });
        if self.operator_name.is_empty() {
            return invalid(ParameterReason::Missing {
                name: "operator_name",
                expected: "part of the name of an operator, such as aten::linear",
            });
        }
        match &self.output_dir {
            Some(folder) if !folder.is_dir() => invalid(ParameterReason::Invalid {
                name: "output_dir",
                value: folder.display().to_string(),
                expected: "an existing folder".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Counts the kernel sequences below these operators.
    fn patterns(
        &self,
        rows: &RankEvents,
        stacks: &CallStacks,
        roots: &[usize],
        rank: i64,
    ) -> BTreeMap<String, Pattern> {
        let mut by_codes: BTreeMap<Vec<u32>, Pattern> = BTreeMap::new();
        for &root in cancellable(roots) {
            let below = stacks.below(root);
            let mut kernels: Vec<usize> =
                below.iter().copied().filter(|&row| row != root && stacks.is_kernel(row)).collect();
            if kernels.len() < self.min_pattern_len {
                continue;
            }
            kernels.sort_by_key(|&row| (rows.ts(row), row));
            let codes = std::iter::once(root).chain(kernels.iter().copied()).map(|row| rows.name(row)).collect();
            let pattern = by_codes.entry(codes).or_default();
            pattern.count += 1;
            pattern.gpu = kernels.iter().fold(pattern.gpu, |sum, &row| sum.saturating_add(rows.dur(row)));
            pattern.cpu = pattern.cpu.saturating_add(rows.dur(root));
            if self.output_dir.is_some() {
                pattern.events.entry(rank).or_default().extend(below.iter().map(|&row| rows.index(row)));
            }
        }
        let text = |codes: Vec<u32>| codes.into_iter().map(|code| rows.text(code)).collect::<Vec<_>>().join(BAR);
        by_codes.into_iter().map(|(codes, pattern)| (text(codes), pattern)).collect()
    }

    /// Prepares a copy of each rank in which these sequences are marked.
    fn copies(
        &self,
        folder: &Path,
        ranks: &BTreeMap<i64, Rank>,
        top: &[(&String, &Pattern)],
    ) -> Result<Vec<TraceCopy>> {
        let mut copies = Vec::new();
        for (&rank, result) in ranks {
            let mut overlay = Overlay::new("Patterns");
            for (text, pattern) in top {
                let events = pattern.events.get(&rank).into_iter().flatten().copied();
                overlay.mark(&json!({ text.as_str(): pattern.count }), events);
            }
            if self.compress_other_kernels {
                overlay.shrink_others(result.names.clone());
            }
            let name = result.file.file_name().unwrap_or_default().to_string_lossy();
            copies.push(TraceCopy {
                rank,
                source: result.file.clone(),
                target: folder.join(format!("overlaid_{name}")),
                events: result.events_in_file,
                edit: Arc::new(overlay),
            });
        }
        Ok(copies)
    }

    /// Explains why sequences or operators are missing.
    fn notes(&self, state: &State) -> Vec<String> {
        let (name, least) = (&self.operator_name, self.min_pattern_len);
        let ranks_where = |condition: fn(&Rank) -> bool| -> Vec<i64> {
            state.ranks.iter().filter(|(_, result)| condition(result)).map(|(&rank, _)| rank).collect()
        };
        let mut notes = Vec::new();
        let without = ranks_where(|result| result.operators == 0);
        if !without.is_empty() {
            notes.push(format!("No operator on {} has a name that contains {name:?}.", numbered("rank", &without)));
        }
        let deeper: usize = state.ranks.values().map(|rank| rank.operators.saturating_sub(rank.shallowest)).sum();
        if deeper > 0 {
            let all: usize = state.ranks.values().map(|rank| rank.operators).sum();
            notes.push(format!(
                "{deeper} of {all} operators whose name contains {name:?} are deeper in the call stack and were left out: only \
                 the shallowest are analysed; a longer name selects other operators."
            ));
        }
        let with_operators = ranks_where(|result| result.operators > 0);
        if state.patterns.is_empty() && !with_operators.is_empty() {
            let none = match deeper {
                0 => format!("No operator whose name contains {name:?}"),
                _ => "None of the analysed operators".to_owned(),
            };
            let hint = match least {
                0 | 1 => String::new(),
                _ => format!("; --min-pattern-len {} includes shorter sequences", least - 1),
            };
            let on = numbered("rank", &with_operators);
            notes.push(format!("{none} launches {} or more on {on}{hint}.", kernels(least)));
        }
        if state.patterns.is_empty() {
            notes.extend(self.suggest(state));
        }
        notes
    }

    /// Suggests operators that have sequences; `None` if there are none.
    fn suggest(&self, state: &State) -> Option<String> {
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        for (name, count) in state.ranks.values().flat_map(|rank| &rank.suggestions) {
            *counts.entry(name).or_default() += count;
        }
        let mut names: Vec<(&str, i64)> = counts.into_iter().collect();
        names.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
        let words: Vec<String> =
            names.iter().take(MOST_SUGGESTIONS).map(|(name, count)| format!("{name} ({count} ×)")).collect();
        let least = kernels(self.min_pattern_len);
        (!words.is_empty()).then(|| format!("Operators that launch {least} or more: {}.", words.join(", ")))
    }
}

/// `1 kernel`, `3 kernels`
fn kernels(count: usize) -> String {
    format!("{count} kernel{}", if count == 1 { "" } else { "s" })
}

fn frame(patterns: &[(&String, &Pattern)]) -> Result<DataFrame> {
    let rows = patterns.iter().map(|&(text, pattern)| Row { text, pattern });
    answer_frame(&rows.collect::<Vec<_>>(), &Row::COLUMNS)
}

fn figure(top: &[(&String, &Pattern)], ranks: &BTreeMap<i64, Rank>) -> Figure {
    let ranks: Vec<i64> = ranks.keys().copied().collect();
    let on = numbered("rank", &ranks);
    Figure {
        title: format!("Top {} frequent patterns for {on}", top.len()),
        x: Axis { title: "Pattern".to_owned(), ..Axis::default() },
        y: Axis { title: "Pattern Count".to_owned(), unit: Unit::Count, whole: true, ..Axis::default() },
        series: vec![Series {
            name: "count".to_owned(),
            mark: Mark::Bar,
            x: Points::Names(top.iter().map(|(text, _)| text.replace(BAR, " | ")).collect()),
            y: top.iter().map(|(_, pattern)| pattern.count as f64).collect(),
        }],
        ..Figure::default()
    }
}

//! Ranks that other ranks may be waiting for.

mod figures;
mod kernel;

use super::profiler_steps::steps_seen;
use super::{Analysis, Answer, AnswerTable, Merge, Parameter, ParameterKind, RankView, TableSchema};
use crate::collective::{Collectives, Stragglers};
use crate::domain::{EventKind, is_collective};
use crate::error::ParameterReason;
use crate::exec::checkpoint::cancellable;
use crate::present::{Field, answer_frame, declared};
use crate::stats::Moments;
use crate::{Compat, Error, Result};
use figures::{figure, timeline};
use kernel::{Kernel, word};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use trace_view::Unit;
use trace_view::format::{numbered, numbers};

/// Ranks that start a collective late, so that other ranks wait for them.
///
/// ```text
/// rank 0   |--------- AllReduce ---------|    waits
/// rank 1                 |-- AllReduce --|    comes late: a straggler
/// ```
///
/// Considers NCCL collectives that last at least 1 % of a mean step; of each rank, stream, step and name only the last. Of
/// these it compares the stream and name whose durations differ most between ranks. In each step the `num_candidates` ranks
/// that start last are marked; the ranks marked most often are the answer, if they start at least 1 % of a mean step after the
/// median rank. That is HTA's rule. A note names the ranks that most waiting is charged to, as `compare_ranks` and `describe` do
/// ([`Stragglers`](trace_events::Stragglers)).
///
/// # Columns
/// The ranks, the likeliest first: `COLUMNS`; the compared kernels, by step and rank: `Kernel::COLUMNS`.
///
/// # Errors
/// [`Error::WrongParameter`] if none of `profiler_steps` is in the trace.
///
/// # Source
/// HTA `TraceAnalysis.get_potential_stragglers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PotentialStragglers {
    /// The steps to analyse; `None` for all.
    pub profiler_steps: Option<Vec<i64>>,
    /// Number of ranks to mark in each step, and the most to name.
    pub num_candidates: usize,
}

impl Default for PotentialStragglers {
    fn default() -> Self {
        Self { profiler_steps: None, num_candidates: 2 }
    }
}

/// The columns of the ranks.
const COLUMNS: [Field<i64>; 1] =
    [Field::id("rank", "process of the job that may hold up other ranks", |&rank| Some(rank))];

impl Kernel<'_> {
    const COLUMNS: [Field<Self>; 7] = [
        Field::id("rank", "process of the job", |kernel| Some(kernel.rank)),
        Field::id("iteration", "number of the ProfilerStep#N", |kernel| Some(kernel.step)),
        Field::id("stream", "GPU stream", |kernel| Some(kernel.stream)),
        Field::name("name", "the collective", |kernel| Some(kernel.name)),
        Field::number("normalized_start_time", Unit::None, "start, in mean steps since the first event", |kernel| {
            Some(kernel.normalized)
        }),
        Field::time("duration (us)", "duration", |kernel| Some(kernel.dur)),
        Field::word("is_straggler", "Yes if it is among the last to start in its step", |kernel| {
            Some(word(kernel.late))
        }),
    ];
}

/// The share of a mean step that a collective must last to be considered.
const LONG_ENOUGH: f64 = 0.01;

/// The least lateness of a rank that is named, in mean steps.
const LEAST_MARGIN: f64 = 0.01;

/// The partial result; times in ns.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    ranks: BTreeSet<i64>,
    hta: bool,
    /// The numbers of the steps.
    steps: BTreeSet<i64>,
    /// First start and last end of the events of each step.
    spans: BTreeMap<i64, (i64, i64)>,
    collectives: Vec<Collective>,
    /// All collectives, matched across ranks.
    matched: Collectives,
}

/// The collectives of one rank, stream, step and name.
#[derive(Debug, Serialize, Deserialize)]
struct Collective {
    rank: i64,
    step: i64,
    stream: i64,
    name: String,
    /// Start and duration of those that are longer than all later ones, in their order: the last that reaches any given
    /// duration is among them.
    longest: Vec<(i64, i64)>,
}

impl Collective {
    fn key(&self) -> (i64, i64, i64, &str) {
        (self.rank, self.step, self.stream, &self.name)
    }
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        self.ranks.extend(other.ranks);
        self.hta |= other.hta;
        self.steps.extend(other.steps);
        for (step, (start, end)) in other.spans {
            let span = self.spans.entry(step).or_insert((start, end));
            *span = (span.0.min(start), span.1.max(end));
        }
        self.collectives.extend(other.collectives);
        self.matched.merge(other.matched);
        // So that figures do not depend on the order of merging; sorted runs merge in linear time.
        self.collectives.sort_by(|one, other| one.key().cmp(&other.key()));
    }
}

impl Analysis for PotentialStragglers {
    const NAME: &'static str = "potential_stragglers";
    const SUMMARY: &'static str = "Name the ranks that start collectives late, so that other ranks wait.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new("profiler_steps", ParameterKind::Iterations, "only these steps"),
        Parameter::new("num_candidates", ParameterKind::Whole, "ranks to mark in each step, and to name at most"),
    ];
    const TABLES: &'static [TableSchema] = &[
        TableSchema::new("", &declared(&COLUMNS)),
        TableSchema::new("kernels", &declared(&Kernel::COLUMNS)).of_named_events(),
    ];
    const NOTES: &'static str = "It compares ranks, so it needs at least two. The ranks are those of HTA's rule, which looks at the starts of \
        one collective; ranks that it marks by less than 1 % of a step are not named. A note names the ranks for which other \
        ranks wait longest in all collectives, as %compare_ranks and %describe do.";
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        let hta = rank.compat() == Compat::Hta;
        let rows = rank.rank_events();
        // Differs from HTA: it knows only the names of NCCL before 2.18, and ignores stream 0 and step 0.
        let mut is_collective =
            rows.per_text(|name| if hta { name.starts_with("ncclKernel") } else { is_collective(name) });
        let kinds = rows.kinds();
        let counts = |number: i64| number > 0 || !hta;
        let mut spans: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
        let mut found: BTreeMap<(i64, i64, u32), Vec<(i64, i64)>> = BTreeMap::new();
        for &row in cancellable(rank.rows()) {
            let row = row as usize;
            let (Some(step), Some(ts)) = (rows.iteration(row), rows.ts(row)) else { continue };
            let (ts, dur) = (ts.saturating_sub(rank.origin()), rows.dur(row));
            let span = spans.entry(step).or_insert((ts, i64::MIN));
            *span = (span.0.min(ts), span.1.max(ts.saturating_add(dur)));
            let Some(stream) = rows.stream(row).filter(|&stream| counts(stream) && counts(step)) else { continue };
            if is_collective(rows.name(row)) && (hta || kinds[row] == EventKind::Kernel) {
                found.entry((step, stream, rows.name(row))).or_default().push((ts, dur));
            }
        }
        let collective = |((step, stream, name), mut all): ((i64, i64, u32), Vec<(i64, i64)>)| {
            // Differs from HTA: there the last in the file counts, here the last in time.
            if !hta {
                all.sort_by_key(|&(ts, _)| ts);
            }
            Collective {
                rank: rank.rank(),
                step,
                stream,
                name: rows.text(name).to_owned(),
                longest: longer_than_all_later(all),
            }
        };
        Ok(State {
            ranks: [rank.rank()].into(),
            hta,
            steps: steps_seen(rows, rank.rows()),
            spans,
            collectives: found.into_iter().map(collective).collect(),
            matched: match &self.profiler_steps {
                Some(steps) => rank.in_iterations(steps)?.collectives()?,
                None => rank.collectives()?,
            },
        })
    }

    fn finish(&self, state: State) -> Result<Answer> {
        let most = self.num_candidates.max(1);
        let (long, why) = self.long(&state)?;
        let (mut kernels, why) = match why {
            Some(why) => (Vec::new(), Some(why)),
            None => comparable(&long, &state),
        };
        mark(&mut kernels, most);
        let mut marks: BTreeMap<i64, (usize, i64)> = BTreeMap::new();
        for step in kernels.chunk_by(|one, other| one.step == other.step) {
            let first = step.iter().map(|kernel| kernel.start).min().unwrap_or(0);
            for kernel in step {
                let (marked, late) = marks.entry(kernel.rank).or_default();
                *marked += usize::from(kernel.late);
                *late = late.saturating_add(kernel.start.saturating_sub(first));
            }
        }
        let late = if state.hta { BTreeMap::new() } else { lateness(&kernels) };
        let is_close = |rank: i64| late.get(&rank).is_some_and(|&late| late < LEAST_MARGIN);
        let mut ranks: Vec<(i64, (usize, i64))> = marks.into_iter().collect();
        // Differs from HTA: of ranks marked equally often it names the smallest first, here the latest comes first.
        ranks.sort_by_key(|&(_, (marked, late))| (Reverse(marked), Reverse(if state.hta { 0 } else { late })));
        let all = ranks.len();
        ranks.truncate(most);
        // Differs from HTA: it names a rank that is last by any margin.
        let (close, ranks): (Vec<_>, Vec<_>) = ranks.into_iter().partition(|&(rank, _)| is_close(rank));
        let refused =
            (!close.is_empty()).then(|| refusal(&close.iter().map(|&(rank, _)| rank).collect::<Vec<_>>(), &late));
        let all_named = (all > 0 && all == ranks.len()).then(|| {
            format!("All {all} ranks that run the collective are named, the latest first: num_candidates is {most}.")
        });
        let ranks: Vec<i64> = ranks.into_iter().map(|(rank, _)| rank).collect();
        let frame = answer_frame(&ranks, &COLUMNS)?;
        let figures = if kernels.is_empty() { Vec::new() } else { vec![timeline(&long, &kernels), figure(&kernels)] };
        let waiting = Stragglers::of(&state.matched, state.ranks.len())
            .sentence()
            .map(|waiting| format!("By waiting: {waiting}"));
        let ours = [rule(&kernels), refused, all_named, waiting].into_iter().flatten();
        let notes = why.into_iter().chain(ours.filter(|_| !state.hta));
        let answer = Answer {
            tables: vec![
                AnswerTable::new(&Self::TABLES[0], frame),
                AnswerTable::new(&Self::TABLES[1], answer_frame(&kernels, &Kernel::COLUMNS)?),
            ],
            figures,
            notes: notes.collect(),
            ..Answer::default()
        };
        let drawn = ["normalized_start_time"];
        Ok(answer.with_heat_map("Start of the collective, in mean steps", Self::TABLES[1].name, &drawn, 1))
    }
}

impl PotentialStragglers {
    /// Selects the last long collective of each rank, stream, step and name, or explains why there is none.
    fn long<'s>(&self, state: &'s State) -> Result<(Vec<Kernel<'s>>, Option<String>)> {
        let on_ranks = on_ranks(state);
        let none = |why: String| Ok((Vec::new(), Some(why)));
        let all: Vec<i64> = state.steps.iter().copied().collect();
        let steps: BTreeSet<i64> = match &self.profiler_steps {
            Some(wanted) => wanted.iter().copied().filter(|step| state.steps.contains(step)).collect(),
            None => state.steps.clone(),
        };
        if let Some(wanted) = self.profiler_steps.as_deref().filter(|_| steps.is_empty()) {
            let (value, expected) = (numbers(wanted), format!("steps of the trace: {}", numbers(&all)));
            let reason = ParameterReason::Invalid { name: "profiler_steps", value, expected };
            return Err(Error::WrongParameter { analysis: Self::NAME, reason });
        }
        let spans = || steps.iter().filter_map(|step| state.spans.get(step));
        let (Some(first), Some(last)) = (spans().map(|span| span.0).min(), spans().map(|span| span.1).max()) else {
            return none(format!("No ProfilerStep on {on_ranks}: nothing to compare."));
        };
        let mean_step = last.saturating_sub(first) as f64 / spans().count() as f64;
        let mut long: Vec<Kernel<'s>> = Vec::new();
        for kernel in state.collectives.iter().filter(|kernel| steps.contains(&kernel.step)) {
            let long_enough = |(_, dur): &&(i64, i64)| *dur as f64 >= LONG_ENOUGH * mean_step;
            let Some(&(start, dur)) = kernel.longest.iter().rfind(long_enough) else { continue };
            long.push(Kernel {
                rank: kernel.rank,
                step: kernel.step,
                stream: kernel.stream,
                name: &kernel.name,
                start,
                dur,
                normalized: start.saturating_sub(first) as f64 / mean_step,
                late: false,
            });
        }
        if long.is_empty() {
            let share = LONG_ENOUGH * 100.0;
            return none(format!("No collective of NCCL lasts {share} % of a step on {on_ranks}: nothing to compare."));
        }
        Ok((long, None))
    }
}

/// `ranks 0, 1`
fn on_ranks(state: &State) -> String {
    let ranks: Vec<i64> = state.ranks.iter().copied().collect();
    numbered("rank", &ranks)
}

/// Selects the long kernels to compare, by step and rank, or explains why there are none.
fn comparable<'s>(long: &[Kernel<'s>], state: &State) -> (Vec<Kernel<'s>>, Option<String>) {
    let Some((stream, name)) = most_spread(long) else {
        let on_ranks = on_ranks(state);
        let why = format!("No collective runs on two or more ranks (analysed: {on_ranks}): nothing to compare.");
        return (Vec::new(), Some(why));
    };
    let is_compared = |kernel: &&Kernel<'s>| (kernel.stream, kernel.name) == (stream, name);
    let mut kernels: Vec<Kernel<'s>> = long.iter().filter(is_compared).cloned().collect();
    kernels.sort_by_key(|kernel| (kernel.step, kernel.rank));
    (kernels, None)
}

/// Keeps those that are longer than all later ones.
fn longer_than_all_later(all: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    let mut longest: Vec<(i64, i64)> = Vec::new();
    for (ts, dur) in all {
        while longest.last().is_some_and(|&(_, earlier)| earlier <= dur) {
            longest.pop();
        }
        longest.push((ts, dur));
    }
    longest
}

/// Returns the stream and name whose durations deviate most between ranks, in the mean over the steps.
fn most_spread<'s>(kernels: &[Kernel<'s>]) -> Option<(i64, &'s str)> {
    let mut durations: BTreeMap<(i64, &str), BTreeMap<i64, Moments>> = BTreeMap::new();
    for kernel in kernels {
        let steps = durations.entry((kernel.stream, kernel.name)).or_default();
        steps.entry(kernel.step).or_default().add(kernel.dur);
    }
    let mut most: Option<(f64, (i64, &str))> = None;
    for (key, steps) in durations {
        let spreads: Vec<f64> = steps.values().filter_map(Moments::deviation).collect();
        if spreads.is_empty() {
            continue;
        }
        let mean = spreads.iter().sum::<f64>() / spreads.len() as f64;
        if most.is_none_or(|(largest, _)| mean > largest) {
            most = Some((mean, key));
        }
    }
    most.map(|(_, key)| key)
}

/// Marks in each step the `most` kernels that start last, ties included.
fn mark(kernels: &mut [Kernel<'_>], most: usize) {
    for step in kernels.chunk_by_mut(|one, other| one.step == other.step) {
        let mut starts: Vec<i64> = step.iter().map(|kernel| kernel.start).collect();
        starts.sort_unstable_by_key(|&start| Reverse(start));
        // Differs from HTA: it fails if a step has fewer ranks than it should mark.
        let Some(&from) = starts.get(most - 1).or(starts.last()) else { continue };
        step.iter_mut().for_each(|kernel| kernel.late = kernel.start >= from);
    }
}

/// Returns how much later than the median rank each rank starts the compared collective, in mean steps; the mean over its steps.
fn lateness(kernels: &[Kernel<'_>]) -> BTreeMap<i64, f64> {
    let mut late: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for step in kernels.chunk_by(|one, other| one.step == other.step) {
        let mut starts: Vec<f64> = step.iter().map(|kernel| kernel.normalized).collect();
        starts.sort_by(f64::total_cmp);
        // With an even number of ranks, the lower of both middle starts: of two ranks the later one is then late by the whole difference.
        let median = starts[(starts.len() - 1) / 2];
        for kernel in step {
            let (sum, steps) = late.entry(kernel.rank).or_default();
            *sum += kernel.normalized - median;
            *steps += 1.0;
        }
    }
    late.into_iter().map(|(rank, (sum, steps))| (rank, sum / steps)).collect()
}

/// Says what HTA's rule looks at.
fn rule(kernels: &[Kernel<'_>]) -> Option<String> {
    let compared = kernels.first()?;
    Some(format!(
        "HTA's rule: which ranks start one collective last, {} on stream {}, whose durations differ most between ranks; how long \
         other ranks wait for them does not count.",
        crate::shorten_name(compared.name),
        compared.stream
    ))
}

/// `Not named: ranks 2, 7, which start it 0.08 % of a mean step after the median rank: less than 1 % is no lateness.`
fn refusal(ranks: &[i64], late: &BTreeMap<i64, f64>) -> String {
    let most = ranks.iter().filter_map(|rank| late.get(rank)).copied().fold(0.0, f64::max);
    format!(
        "Not named: {}, marked by that rule, but at most {:.2} % of a mean step later than the median rank. At least {:.0} % are \
         taken for lateness.",
        numbered("rank", ranks),
        100.0 * most,
        100.0 * LEAST_MARGIN
    )
}

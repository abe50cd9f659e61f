//! Ranks that differ from the other ranks, in what, and by how much.

mod collectives;
mod heat_map;
mod measures;
mod outliers;
mod words;

use super::{Analysis, Answer, AnswerTable, Parameter, ParameterKind, RankView, TableSchema, without_gpu};
use crate::collective::ChargedRank;
use crate::error::ParameterReason;
use crate::present::{Field, answer_frame, declared};
use crate::stats::Centre;
use crate::{Error, Result};
pub(super) use collectives::Divided;
use heat_map::heat_map;
use measures::{Class, State, Times};
use outliers::{Deviation, FEWEST, outliers};
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::Unit;
use trace_view::format::{numbered, ranges};

/// Ranks that differ from the other ranks: by class of time, kernel, operator and collective.
///
/// Each time of a rank is compared with the median over all ranks. The robust z-score is the difference from the median,
/// divided by 1.4826 times the median absolute deviation, the standard deviation if times were normally distributed; one
/// outlier does not hide itself in it, as it does in mean and standard deviation. If more than half of the ranks have the
/// same time, the score of any other is infinite. It needs four ranks.
///
/// # Classes
/// The time of the profiler steps (without steps, of the recording) is divided: `compute`, else `exposed communication`, else
/// `exposed copy`, else `idle`; together they are the `step`. `host`: some event of the CPU runs. Kernels and copies have the
/// sum of their durations, events of the CPU the time without the events nested in them. Collectives that are recorded on at
/// least two ranks have `waiting` until the last of these ranks arrives, then `transfer`, and `late`: their start after the
/// median start. They are matched by their number (`seq_num`, `comms_id`) in their process group, where recorded, else by their
/// order. If more than one in twenty does not overlap on all its ranks, the clocks do not agree, and they are not divided.
///
/// # Columns
/// The outliers, the largest difference first: `OutlierRow::COLUMNS`; all ranks: `RankRow::COLUMNS`; collectives by rank:
/// `CollectiveRow::COLUMNS`. Times are sums; means per step if ranks have different numbers of steps.
///
/// # Errors
/// [`Error::WrongParameter`] if `threshold` or `min_share` is negative or no number.
///
/// # Example
/// ```
/// use trace::analysis::CompareRanks;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let answer = job.ask(&CompareRanks::default())?;
/// assert!(answer.tables[0].frame.column("robust_z").is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareRanks {
    /// The least magnitude of the robust z-score of an outlier.
    pub threshold: f64,
    /// The least magnitude of the difference of an outlier, in percent of the median step.
    pub min_share: f64,
}

impl Default for CompareRanks {
    fn default() -> Self {
        Self { threshold: 3.5, min_share: 0.1 }
    }
}

/// An outlier, with the median step.
struct OutlierRow<'a> {
    of: &'a Deviation<'a>,
    step: f64,
}

impl OutlierRow<'_> {
    const COLUMNS: [Field<Self>; 8] = [
        Field::id("rank", "process of the job", |row| Some(row.of.rank)),
        Field::word("class", "class of time", |row| Some(row.of.class.word())),
        Field::name("name", "kernel, operator or collective; empty for the whole class", |row| {
            Some(row.of.name).filter(|name| !name.is_empty())
        }),
        Field::number("time (us)", Unit::Micros, "time on this rank", |row| Some(micros(row.of.value))),
        Field::number("median (us)", Unit::Micros, "median time over all ranks", |row| Some(micros(row.of.median))),
        Field::number("difference (us)", Unit::Micros, "time − median", |row| Some(micros(row.of.difference()))),
        Field::number(
            "robust_z",
            Unit::None,
            "difference in robust standard deviations: 1.4826 × median absolute deviation",
            |row| row.of.z,
        ),
        Field::number("share_of_step", Unit::Percent, "difference in percent of the median step", |row| {
            (row.step > 0.0).then(|| 100.0 * row.of.difference() / row.step)
        }),
    ];
}

/// A rank with the time that `time` returns for each class, in µs.
struct RankRow<'t> {
    rank: i64,
    steps: u64,
    time: &'t dyn Fn(i64, Class) -> f64,
}

impl RankRow<'_> {
    const COLUMNS: [Field<Self>; 11] = [
        Field::id("rank", "process of the job", |row| Some(row.rank)),
        Field::whole("steps", Unit::Count, "profiler steps", |row| i64::try_from(row.steps).ok()),
        Self::time("step (us)", "time of the profiler steps; without steps, of the recording", |row| {
            row.us(Class::Step)
        }),
        Self::time("compute (us)", "time during which a computation runs", |row| row.us(Class::Compute)),
        Self::time("exposed communication (us)", "time during which communication runs, and no computation", |row| {
            row.us(Class::ExposedCommunication)
        }),
        Self::time("exposed copy (us)", "time during which only copies and fills run", |row| {
            row.us(Class::ExposedCopy)
        }),
        Self::time("idle (us)", "time during which the GPU runs nothing", |row| row.us(Class::Idle)),
        Self::time("host (us)", "time during which the CPU runs an operator or a call", |row| row.us(Class::Host)),
        Self::time("waiting (us)", "time in collectives before the last rank arrives", |row| row.us(Class::Waiting)),
        Self::time("transfer (us)", "time in collectives after the last rank has arrived", |row| {
            row.us(Class::Transfer)
        }),
        Self::time("late (us)", "starts of collectives after the median start over their ranks", |row| {
            row.us(Class::Late)
        }),
    ];

    const fn time(name: &'static str, meaning: &'static str, value: fn(&Self) -> Option<f64>) -> Field<Self> {
        Field::number(name, Unit::Micros, meaning, value)
    }

    fn us(&self, class: Class) -> Option<f64> {
        Some((self.time)(self.rank, class))
    }
}

/// The collectives of a name on a rank; times in µs.
struct CollectiveRow<'a> {
    rank: i64,
    name: &'a str,
    count: u64,
    waiting: f64,
    transfer: f64,
    late: f64,
}

impl CollectiveRow<'_> {
    const COLUMNS: [Field<Self>; 6] = [
        Field::id("rank", "process of the job", |row| Some(row.rank)),
        Field::name("name", "the collective", |row| Some(row.name)),
        Field::whole("count", Unit::Count, "collectives that were matched with other ranks", |row| {
            Some(row.count as i64)
        }),
        Field::number("waiting (us)", Unit::Micros, "time before the last rank arrives", |row| Some(row.waiting)),
        Field::number("transfer (us)", Unit::Micros, "time after the last rank has arrived", |row| Some(row.transfer)),
        Field::number("late (us)", Unit::Micros, "starts after the median start over the ranks", |row| Some(row.late)),
    ];
}

/// Most ranks whose table is shown; the table of more is only written and bound.
const MOST_SHOWN: usize = 16;

impl Analysis for CompareRanks {
    const NAME: &'static str = "compare_ranks";
    const SUMMARY: &'static str = "Find the ranks that differ from the other ranks, in what, and by how much.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new("threshold", ParameterKind::Number, "least magnitude of the robust z-score of an outlier"),
        Parameter::new(
            "min_share",
            ParameterKind::Number,
            "least magnitude of the difference of an outlier, in percent of the median step",
        ),
    ];
    const TABLES: &'static [TableSchema] = &[
        TableSchema::new("", &declared(&OutlierRow::COLUMNS)).of_named_events(),
        TableSchema::new("ranks", &declared(&RankRow::COLUMNS)),
        TableSchema::new("collectives", &declared(&CollectiveRow::COLUMNS)).of_named_events().with_short_names(),
    ];
    const NOTES: &'static str = "It needs four ranks to tell an outlier; of fewer it lists the differences from the median. A \
        time is compared with the median over the analysed ranks: --rank 0-7 compares these eight. The steps are divided into \
        compute, exposed communication, exposed copy and idle. Events of the CPU count without those nested in them.\n\n\
        The time of a collective is divided into waiting, until the last of the ranks arrives, and transfer; a rank that \
        arrives late makes the other ranks wait. Collectives are matched by number and process group where these were \
        recorded and read (%trace_load NAME --args default,nccl::process_group_ranks,nccl::seq), else by their order. The \
        clocks of the ranks must agree: if collectives do not overlap on all their ranks, the answer says so and does not \
        divide them.";
    const BYTES_PER_ROW: usize = 96;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        State::of(rank)
    }

    fn finish(&self, state: State) -> Result<Answer> {
        for (name, value) in [("threshold", self.threshold), ("min_share", self.min_share)] {
            if !value.is_finite() || value < 0.0 {
                let (value, expected) = (value.to_string(), "0 or more".to_owned());
                let reason = ParameterReason::Invalid { name, value, expected };
                return Err(Error::WrongParameter { analysis: Self::NAME, reason });
            }
        }
        let (ranks, of_steps) = per_step(&state.steps);
        let State { steps, without_gpu: no_gpu, mut times, collectives } = state;
        let divided = Divided::of(&collectives, ranks.len());
        if divided.is_plausible() {
            let named = divided.times.get(&Class::Waiting);
            if let Some(communication) = times.get_mut(&Class::Communication) {
                communication.retain(|name, _| !named.is_some_and(|named| named.contains_key(name)));
            }
            times.extend(divided.times.clone());
        }
        let found = if ranks.len() < 2 {
            Vec::new()
        } else {
            outliers(&ranks, &times, self.threshold, self.least(&ranks, &times))
        };
        let stragglers = divided.stragglers.named();
        let mut notes = self.verdict(&ranks, &found, stragglers);
        // A straggler is the answer; that there is none is a remark.
        let index = if stragglers.is_empty() { notes.len() } else { 0 };
        notes.splice(index..index, divided.stragglers.sentence());
        notes.extend(of_steps);
        notes.extend(divided.notes());
        notes.extend(without_gpu(&no_gpu.into_iter().collect::<Vec<_>>()));
        let step = median_step(&ranks, &times);
        let tables = vec![
            AnswerTable::new(&Self::TABLES[0], frame_of_outliers(&found, step)?),
            AnswerTable::new(&Self::TABLES[1], frame_of_ranks(&ranks, &steps, &times)?)
                .shown_if((2..=MOST_SHOWN).contains(&ranks.len())),
            AnswerTable::new(&Self::TABLES[2], frame_of_collectives(&ranks, &divided)?)
                .shown_if(divided.is_plausible()),
        ];
        let heat_maps = heat_map(&ranks, &times, &found, self.least(&ranks, &times)).into_iter().collect();
        Ok(Answer { tables, notes, heat_maps, ..Answer::default() })
    }
}

impl CompareRanks {
    /// Returns the least difference of an outlier, in ns.
    fn least(&self, ranks: &[(i64, f64)], times: &Times) -> f64 {
        median_step(ranks, times) * self.min_share / 100.0
    }

    /// Says which ranks differ.
    fn verdict(&self, ranks: &[(i64, f64)], found: &[Deviation<'_>], stragglers: &[ChargedRank]) -> Vec<String> {
        let numbers: Vec<i64> = ranks.iter().map(|(rank, _)| *rank).collect();
        match ranks.len() {
            0 | 1 => vec![format!("Only {} was analysed: nothing to compare.", numbered("rank", &numbers))],
            few if few < FEWEST => vec![format!(
                "{few} ranks are too few to tell an outlier: it takes {FEWEST}. The table lists the differences from the median \
                 of at least {} % of the step.",
                self.min_share
            )],
            _ if found.is_empty() => vec![format!(
                "No rank differs from the others: nothing deviates by a robust z-score of {} and {} % of the step.",
                self.threshold, self.min_share
            )],
            all => words::sentences(found, all, stragglers),
        }
    }
}

/// Returns the ranks with the number that their times are divided by: their steps if these differ, else 1.
fn per_step(steps: &BTreeMap<i64, u64>) -> (Vec<(i64, f64)>, Vec<String>) {
    let mut numbers: Vec<i64> = steps.values().map(|&steps| steps as i64).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let differ = numbers.len() > 1;
    let divisor = |steps: u64| if differ { steps.max(1) as f64 } else { 1.0 };
    let note =
        format!("The ranks have different numbers of profiler steps ({}): times are means per step.", ranges(&numbers));
    let ranks = steps.iter().map(|(&rank, &steps)| (rank, divisor(steps))).collect();
    (ranks, differ.then_some(note).into_iter().collect())
}

/// Returns the time of a rank in a whole class, in ns.
fn time(times: &Times, class: Class, name: &str, &(rank, steps): &(i64, f64)) -> f64 {
    let time = times.get(&class).and_then(|names| names.get(name)).and_then(|ranks| ranks.get(&rank));
    time.map_or(0.0, |&time| time as f64 / steps)
}

fn median_step(ranks: &[(i64, f64)], times: &Times) -> f64 {
    Centre::by_median(&ranks.iter().map(|rank| time(times, Class::Step, "", rank)).collect::<Vec<_>>()).median
}

/// Converts nanoseconds to µs.
fn micros(nanos: f64) -> f64 {
    nanos / 1e3
}

fn frame_of_outliers(found: &[Deviation<'_>], step: f64) -> Result<DataFrame> {
    answer_frame(&found.iter().map(|of| OutlierRow { of, step }).collect::<Vec<_>>(), &OutlierRow::COLUMNS)
}

fn frame_of_ranks(ranks: &[(i64, f64)], steps: &BTreeMap<i64, u64>, times: &Times) -> Result<DataFrame> {
    let divisors: BTreeMap<i64, f64> = ranks.iter().copied().collect();
    let us = |rank: i64, class: Class| {
        divisors.get(&rank).map_or(0.0, |&divisor| micros(time(times, class, "", &(rank, divisor))))
    };
    let rows: Vec<RankRow<'_>> = steps.iter().map(|(&rank, &steps)| RankRow { rank, steps, time: &us }).collect();
    answer_frame(&rows, &RankRow::COLUMNS)
}

/// Returns the collectives by rank and name, the latest first.
fn frame_of_collectives(ranks: &[(i64, f64)], divided: &Divided) -> Result<DataFrame> {
    let by_rank: BTreeMap<i64, f64> = ranks.iter().copied().collect();
    let counts = divided.counts.iter().filter(|_| divided.is_plausible());
    let mut rows: Vec<CollectiveRow<'_>> = counts
        .filter_map(|((name, rank), &count)| {
            let of = (*rank, *by_rank.get(rank)?);
            let [waiting, transfer, late] = [Class::Waiting, Class::Transfer, Class::Late]
                .map(|class| micros(time(&divided.times, class, name, &of)));
            Some(CollectiveRow { rank: *rank, name, count, waiting, transfer, late })
        })
        .collect();
    rows.sort_by(|one, other| {
        other.late.total_cmp(&one.late).then((one.name, one.rank).cmp(&(other.name, other.rank)))
    });
    answer_frame(&rows, &CollectiveRow::COLUMNS)
}

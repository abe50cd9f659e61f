//! The answer of a comparison with statistics: rows of operators, and sentences on what can be said.

use super::iteration_times::{OperatorTimes, RunTimes, STEP};
use super::stats_sentences::{percent, sentences};
use super::trace_diff::column_label;
use crate::frame::columns::*;
use crate::{Change, Comparison, Result};
use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use statistics::{Answer, Domain, Inconclusive, Interval, Options, Quantity, Runs, Verdict};
use std::collections::BTreeSet;

/// The answer of [`StatsDiff::run`](crate::StatsDiff::run).
#[derive(Debug, Clone)]
pub struct ComparedStats {
    /// One row for the step and each operator: the step first, then the names of control, then those only in test, each sorted by code
    /// point.
    ///
    /// # Columns
    /// `name` or `short_name`; with the labels C of control and T of test: `C_counts`, `C_mean_duration`, `T_counts`,
    /// `T_mean_duration` (events and sum of their durations in an iteration, the mean of iterations and ranks), `diff_counts`,
    /// `diff_duration` (test − control), `interval_low`, `interval_high` (95 % interval of `diff_duration`), `ratio`, `ratio_low`,
    /// `ratio_high` (test ÷ control, Hodges–Lehmann, with its 95 % interval), `p`, `q`, `verdict`, `counts_change_categories` as in
    /// [`TraceDiff::compare_traces`](crate::TraceDiff::compare_traces). Durations are µs; what the samples cannot say is null.
    pub frame: DataFrame,
    /// The statistics; changes in the order of the rows.
    pub answer: Answer,
    /// The labels of control and test.
    pub labels: [String; 2],
    /// The answer in words: the question and its samples, the step, what changed for certain, the verdicts, whether the recordings can be
    /// compared, what was left out.
    pub sentences: Vec<String>,
}

/// One side of the comparison.
pub(super) struct StatsSide {
    pub(super) label: String,
    pub(super) runs: Vec<RunTimes>,
}

/// One row, the step included.
pub(super) struct Row {
    pub(super) name: String,
    /// Events in an iteration of control and test.
    counts: [f64; 2],
    quantity: Quantity,
}

impl Row {
    pub(super) fn change(&self) -> Change {
        Change::of_means(self.counts[0], self.counts[1])
    }
}

impl ComparedStats {
    /// Compares the samples of two sides.
    ///
    /// # Errors
    /// If the samples are no numbers, or polars refuses.
    pub(super) fn of(sides: &[StatsSide; 2], short: bool, options: &Options) -> Result<Self> {
        let rows = rows(sides)?;
        let quantities: Vec<Quantity> = rows.iter().map(|row| row.quantity.clone()).collect();
        let answer = statistics::compare(&quantities, options)?;
        let frame = frame(&rows, &answer, sides, short)?;
        let sentences = sentences(&rows, &answer, sides);
        let labels = [&sides[0], &sides[1]].map(|side| side.label.clone());
        Ok(Self { frame, answer, labels, sentences })
    }
}

/// Returns the step and all operators.
fn rows(sides: &[StatsSide; 2]) -> Result<Vec<Row>> {
    let names = |side: &StatsSide| -> BTreeSet<String> {
        side.runs.iter().flat_map(|run| run.operators.keys().cloned()).collect()
    };
    let control = names(&sides[0]);
    let only_in_test = names(&sides[1]).into_iter().filter(|name| !control.contains(name)).collect::<Vec<_>>();
    let steps = |side: &StatsSide| Runs::new(&side.runs.iter().map(|run| run.step_us.clone()).collect::<Vec<_>>());
    let step = Quantity {
        parent: None,
        domain: Domain::Host,
        unchanged: false,
        control: steps(&sides[0])?,
        test: steps(&sides[1])?,
    };
    let mut rows = vec![Row { name: STEP.to_owned(), counts: [1.0; 2], quantity: step }];
    for name in control.into_iter().chain(only_in_test) {
        rows.push(operator(name, sides)?);
    }
    Ok(rows)
}

/// Returns the row of an operator. It is unchanged if every iteration of both sides has the same number of its events, and the inputs of
/// both have the same shapes and types.
fn operator(name: String, sides: &[StatsSide; 2]) -> Result<Row> {
    let of = |side: &StatsSide, what: fn(&OperatorTimes) -> &Vec<f64>| -> Vec<Vec<f64>> {
        let values =
            |run: &RunTimes| run.operators.get(&name).map_or_else(|| vec![0.0; run.len()], |one| what(one).clone());
        side.runs.iter().map(values).collect()
    };
    let counts = [&sides[0], &sides[1]].map(|side| of(side, |one| &one.counts));
    let first = counts[0].first().and_then(|run| run.first()).copied().unwrap_or_default();
    let same_counts = counts.iter().flatten().flatten().all(|&count| count == first);
    let found = || sides.iter().flat_map(|side| &side.runs).filter_map(|run| run.operators.get(&name));
    let shapes = |side: &StatsSide| -> BTreeSet<u64> {
        side.runs.iter().filter_map(|run| run.operators.get(&name)).flat_map(|one| one.shapes.iter().copied()).collect()
    };
    let mean =
        |runs: &Vec<Vec<f64>>| statistics::mean(&runs.iter().map(|run| statistics::mean(run)).collect::<Vec<_>>());
    let quantity = Quantity {
        parent: Some(0),
        domain: if found().all(|one| one.on_gpu) { Domain::Gpu } else { Domain::Host },
        unchanged: same_counts && shapes(&sides[0]) == shapes(&sides[1]),
        control: Runs::new(&of(&sides[0], |one| &one.us))?,
        test: Runs::new(&of(&sides[1], |one| &one.us))?,
    };
    Ok(Row { counts: [mean(&counts[0]), mean(&counts[1])], name, quantity })
}

fn frame(rows: &[Row], answer: &Answer, sides: &[StatsSide; 2], short: bool) -> Result<DataFrame> {
    let [control, test] =
        [(&sides[0], "control"), (&sides[1], "test")].map(|(side, word)| column_label(&side.label, word));
    let number = |name: String, of: &dyn Fn(&Row, &statistics::Change) -> Option<f64>| -> Column {
        let values: Vec<Option<f64>> = rows.iter().zip(&answer.changes).map(|(row, change)| of(row, change)).collect();
        Series::new(name.into(), values).into()
    };
    let end = |name: &str, of: fn(&statistics::Change) -> Option<Interval>, end: fn(&Interval) -> f64| {
        number(name.to_owned(), &|_, change| of(change).map(|interval| end(&interval)))
    };
    let ratio = |change: &statistics::Change| change.ratio.map(|ratio| ratio.interval);
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let verdicts: Vec<String> = rows.iter().zip(&answer.changes).map(|(row, change)| verdict(row, change)).collect();
    let signs: Vec<&str> = rows.iter().map(|row| row.change().sign()).collect();
    let columns = vec![
        Series::new(if short { SHORT_NAME } else { NAME }.into(), names).into(),
        number(format!("{control}{COUNTS_SUFFIX}"), &|row, _| Some(row.counts[0])),
        number(format!("{control}{MEAN_SUFFIX}"), &|_, change| Some(change.control)),
        number(format!("{test}{COUNTS_SUFFIX}"), &|row, _| Some(row.counts[1])),
        number(format!("{test}{MEAN_SUFFIX}"), &|_, change| Some(change.test)),
        number(DIFF_COUNTS.to_owned(), &|row, _| Some(row.counts[1] - row.counts[0])),
        number(DIFF_DURATION.to_owned(), &|_, change| Some(change.difference)),
        end("interval_low", |change| change.interval, |interval| interval.low),
        end("interval_high", |change| change.interval, |interval| interval.high),
        number("ratio".to_owned(), &|_, change| change.ratio.map(|ratio| ratio.estimate)),
        end("ratio_low", ratio, |interval| interval.low),
        end("ratio_high", ratio, |interval| interval.high),
        number("p".to_owned(), &|_, change| change.p),
        number("q".to_owned(), &|_, change| change.q),
        Series::new("verdict".into(), verdicts).into(),
        Comparison::marked(&control, &test, CHANGE, &signs)?,
    ];
    Ok(DataFrame::new(rows.len(), columns)?)
}

/// Returns the verdict of a row in few words: what came or went for certain, else what the times say.
fn verdict(row: &Row, change: &statistics::Change) -> String {
    match (row.change(), change.verdict) {
        (kind @ (Change::Added | Change::Deleted), _) => kind.word().to_owned(),
        (_, Verdict::Inconclusive(Inconclusive::Noise { smallest })) => {
            format!("inconclusive, below {}", percent(smallest))
        }
        (_, Verdict::Inconclusive(why)) => why.to_string(),
        (_, verdict) => verdict.to_string(),
    }
}

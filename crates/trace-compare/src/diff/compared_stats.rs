//! The answer of a comparison with statistics: rows of operators, and sentences on what can be said.

use super::iteration_times::{IterationTimes, OperatorTimes, STEP};
use super::stats_rows::{Row, StatsSide};
use super::stats_sentences::sentences;
use super::trace_diff::column_label;
use crate::certainty::{EventMix, InputShapes, Sentence, lines, score, smallest, verdict_word};
use crate::frame::columns::*;
use crate::phases::{PhaseChoice, PhaseSteps, phase_sentence};
use crate::present::{Field, frame_columns};
use crate::{Change, Comparison, Result, Warning};
use polars::prelude::DataFrame;
use statistics::{Answer, Domain, Options, Quantity, Runs};
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
    /// `ratio_high` (test ÷ control, Hodges–Lehmann, with its 95 % interval), `p`, `q`, `verdict`, `smallest_change_percent` (where the
    /// verdict is inconclusive: the smallest change that the samples could have shown), `counts_change_categories` as in
    /// [`TraceDiff::compare_traces`](crate::TraceDiff::compare_traces). Durations are µs; what the samples cannot say is null.
    pub frame: DataFrame,
    /// The statistics; changes in the order of the rows.
    pub answer: Answer,
    /// The labels of control and test.
    pub labels: [String; 2],
    /// How comparable the sides are, from 0 to 1, as of [`Certainty::comparable`](crate::Certainty::comparable).
    pub comparable: Option<f64>,
    /// The answer in words: the step, the verdict on it in its scope, what changed for certain, the verdicts, whether the recordings can be
    /// compared, what was left out, what to record next.
    pub sentences: Vec<Sentence>,
    /// What differs between the sides besides times: shapes of inputs, mix of events. The conditions of recording are in
    /// [`StatsDiff::warnings`](crate::StatsDiff::warnings).
    pub warnings: Vec<Warning>,
    /// The phases of the iterations, that with the most first; empty if there is one, or all are compared.
    pub phases: Vec<PhaseSteps>,
}

impl ComparedStats {
    /// Says first of which phases the iterations are, and which one is compared.
    pub(super) fn name_phases(&mut self, choice: Option<PhaseChoice>) {
        let Some(choice) = choice else { return };
        let at = usize::from(self.sentences.first().is_some_and(|first| first.kind == "not_comparable"));
        self.sentences.splice(at..at, phase_sentence(&choice.phases, choice.compared));
        self.phases = choice.phases;
    }

    /// Returns the sentences as text, one a line.
    pub fn text(&self) -> String {
        lines(&self.sentences)
    }

    /// Compares the samples of two sides.
    ///
    /// # Errors
    /// If the samples are no numbers, or polars refuses.
    pub(super) fn of(sides: &[StatsSide; 2], short: bool, options: &Options, conditions: &[Warning]) -> Result<Self> {
        let rows = rows(sides, options.paired)?;
        let quantities: Vec<Quantity> = rows.iter().map(|row| row.quantity.clone()).collect();
        let answer = statistics::compare(&quantities, options)?;
        let frame = frame(&rows, &answer, sides, short)?;
        let warnings = unlike(sides);
        let comparable = score(answer.comparability, &[conditions, &warnings].concat());
        let sentences = sentences(&rows, &answer, sides, comparable);
        let labels = [&sides[0], &sides[1]].map(|side| side.label.clone());
        Ok(Self { frame, answer, labels, comparable, sentences, warnings, phases: Vec::new() })
    }
}

/// Returns a warning for each difference between the sides: shapes of inputs, mix of events.
fn unlike(sides: &[StatsSide; 2]) -> Vec<Warning> {
    let labels = [sides[0].label.as_str(), sides[1].label.as_str()];
    let of = |side: &StatsSide| {
        let (mut inputs, mut mix) = (InputShapes::default(), EventMix::default());
        for run in &side.runs {
            inputs.merge(&run.inputs);
            mix.merge(&run.mix);
        }
        (inputs, mix)
    };
    let (control, test) = (of(&sides[0]), of(&sides[1]));
    control.0.unlike(&test.0, labels).into_iter().chain(control.1.unlike(&test.1, labels)).collect()
}

/// Returns the step and all operators; `paired`: the ranks of one iteration are samples.
fn rows(sides: &[StatsSide; 2], paired: bool) -> Result<Vec<Row>> {
    let names = |side: &StatsSide| -> BTreeSet<String> {
        side.runs.iter().flat_map(|run| run.operators.keys().cloned()).collect()
    };
    let control = names(&sides[0]);
    let only_in_test = names(&sides[1]).into_iter().filter(|name| !control.contains(name)).collect::<Vec<_>>();
    let step = |run: &IterationTimes| if paired { run.step_of_ranks.clone() } else { run.step_us.clone() };
    let steps = |side: &StatsSide| Runs::new(&side.runs.iter().map(step).collect::<Vec<_>>());
    let step = Quantity {
        parent: None,
        domain: Domain::Host,
        unchanged: false,
        control: steps(&sides[0])?,
        test: steps(&sides[1])?,
    };
    let mut rows = vec![Row { name: STEP.to_owned(), counts: [1.0; 2], quantity: step }];
    for name in control.into_iter().chain(only_in_test) {
        rows.push(operator(name, sides, paired)?);
    }
    Ok(rows)
}

/// Returns the row of an operator. It is unchanged if every iteration of both sides has the same number of its events, and the inputs of
/// both have the same shapes and types.
fn operator(name: String, sides: &[StatsSide; 2], paired: bool) -> Result<Row> {
    let of = |side: &StatsSide, by_rank: bool, what: fn(&OperatorTimes) -> &Vec<f64>| -> Vec<Vec<f64>> {
        let absent = |run: &IterationTimes| vec![0.0; if by_rank { run.step_of_ranks.len() } else { run.len() }];
        let values =
            |run: &IterationTimes| run.operators.get(&name).map_or_else(|| absent(run), |one| what(one).clone());
        side.runs.iter().map(values).collect()
    };
    let counts = [&sides[0], &sides[1]].map(|side| of(side, false, |one| &one.counts));
    let first = counts[0].first().and_then(|run| run.first()).copied().unwrap_or_default();
    let same_counts = counts.iter().flatten().flatten().all(|&count| count == first);
    let found = || sides.iter().flat_map(|side| &side.runs).filter_map(|run| run.operators.get(&name));
    let shapes = |side: &StatsSide| -> BTreeSet<u64> {
        side.runs.iter().filter_map(|run| run.operators.get(&name)).flat_map(|one| one.shapes.iter().copied()).collect()
    };
    let mean =
        |runs: &Vec<Vec<f64>>| statistics::mean(&runs.iter().map(|run| statistics::mean(run)).collect::<Vec<_>>());
    let times: fn(&OperatorTimes) -> &Vec<f64> = if paired { |one| &one.of_ranks } else { |one| &one.us };
    let quantity = Quantity {
        parent: Some(0),
        domain: if found().all(|one| one.on_gpu) { Domain::Gpu } else { Domain::Host },
        unchanged: same_counts && shapes(&sides[0]) == shapes(&sides[1]),
        control: Runs::new(&of(&sides[0], paired, times))?,
        test: Runs::new(&of(&sides[1], paired, times))?,
    };
    Ok(Row { counts: [mean(&counts[0]), mean(&counts[1])], name, quantity })
}

/// A row with what the samples say of it.
struct JudgedRow<'a> {
    row: &'a Row,
    change: &'a statistics::Change,
}

impl JudgedRow<'_> {
    /// The first five columns get the name of the operators, and labels.
    const COLUMNS: [Field<Self>; 16] = [
        Field::known_word(declaration(NAME), |of| Some(&of.row.name)),
        Field::known_number(declaration(COUNTS_SUFFIX), |of| Some(of.row.counts[0])),
        Field::known_number(declaration(MEAN_SUFFIX), |of| Some(of.change.control)),
        Field::known_number(declaration(COUNTS_SUFFIX), |of| Some(of.row.counts[1])),
        Field::known_number(declaration(MEAN_SUFFIX), |of| Some(of.change.test)),
        Field::known_number(declaration(DIFF_COUNTS), |of| Some(of.row.counts[1] - of.row.counts[0])),
        Field::known_number(declaration(DIFF_DURATION), |of| Some(of.change.difference)),
        Field::known_number(declaration("interval_low"), |of| Some(of.change.interval?.low)),
        Field::known_number(declaration("interval_high"), |of| Some(of.change.interval?.high)),
        Field::known_number(declaration("ratio"), |of| Some(of.change.ratio?.estimate)),
        Field::known_number(declaration("ratio_low"), |of| Some(of.change.ratio?.interval.low)),
        Field::known_number(declaration("ratio_high"), |of| Some(of.change.ratio?.interval.high)),
        Field::known_number(declaration("p"), |of| of.change.p),
        Field::known_number(declaration("q"), |of| of.change.q),
        Field::known_text(declaration("verdict"), |of| verdict(of.row, of.change)),
        Field::known_number(declaration("smallest_change_percent"), |of| Some(100.0 * smallest(of.change.verdict)?)),
    ];
}

fn frame(rows: &[Row], answer: &Answer, sides: &[StatsSide; 2], short: bool) -> Result<DataFrame> {
    let [control, test] =
        [(&sides[0], "control"), (&sides[1], "test")].map(|(side, word)| column_label(&side.label, word));
    let judged: Vec<JudgedRow> =
        rows.iter().zip(&answer.changes).map(|(row, change)| JudgedRow { row, change }).collect();
    let mut names = vec![if short { SHORT_NAME } else { NAME }.to_owned()];
    for label in [&control, &test] {
        names.extend([COUNTS_SUFFIX, MEAN_SUFFIX].map(|suffix| format!("{label}{suffix}")));
    }
    let mut columns = frame_columns(&judged, &JudgedRow::COLUMNS, &names);
    let signs: Vec<&str> = rows.iter().map(|row| row.change().sign()).collect();
    columns.push(Comparison::marked(&control, &test, CHANGE, &signs)?);
    Ok(DataFrame::new(rows.len(), columns)?)
}

/// Returns the verdict of a row in few words: what came or went for certain, else what the times say.
fn verdict(row: &Row, change: &statistics::Change) -> Option<String> {
    match row.change() {
        kind @ (Change::Added | Change::Deleted) => Some(kind.word().to_owned()),
        _ => verdict_word(change.verdict),
    }
}

//! `%compare_traces --stats`: all iterations or runs of two sides, with intervals and verdicts.

use super::drill_down::{RunOfSide, drill_down_by_label};
use super::selected_events::{PHASE, selected_events};
use super::selection::GROUPS;
use super::table::{Frame, deliver};
use crate::Error;
use crate::argument::{Argument, Call, Group, Kind};
use crate::context::{Context, labeled};
use std::sync::Arc;
use trace_core::columns::{CHANGE, DIFF_DURATION, MEAN_SUFFIX, NAME, SHORT_NAME};
use trace_core::statistics::TestKind;
use trace_core::{ComparedStats, Comparison, SelectEvents, StatsDiff, TraceSet, Warning};
use trace_view::{EventCells, Part, Report};

/// The test of a comparison with statistics.
pub(crate) const METHOD: Argument =
    Argument::flag("method", Kind::Choice(&METHODS), "the test that p and q come from").or("mann-whitney");

/// The smallest change that matters.
pub(crate) const RELEVANT: Argument =
    Argument::flag("relevant", Kind::Margin, "the smallest change that matters, of what changed").or("1%");

/// Words of `--method`.
const METHODS: [&str; 4] = [TestKind::WORDS[0].0, TestKind::WORDS[1].0, TestKind::WORDS[2].0, TestKind::WORDS[3].0];

/// Flags of the comparison with statistics.
pub const STATS: Group = Group::new(
    "Statistics",
    &[
        Argument::flag(
            "stats",
            Kind::Switch,
            "compare all iterations, or all runs of both sides: mean, interval, ratio, q, verdict",
        ),
        Argument::flag("warmup", Kind::Whole, "with --stats: leave out this many first iterations of each run")
            .or("those before a change in the first third"),
        PHASE,
        METHOD,
        RELEVANT,
    ],
);

/// Compares all iterations, or all runs, of two sides, and delivers the rows.
///
/// # Errors
/// If a flag does not go with statistics, and those of the comparison.
pub(crate) fn compare_stats(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let bind = call.result_name()?.map(str::to_owned);
    let sides = [side(call, context, "CONTROL", "control")?, side(call, context, "TEST", "test")?];
    // %events does not number iterations by a marker.
    let events = (!call.has("marker")).then(|| drill_down_by_run(call, &sides));
    let diff = stats_diff(call, &sides)?;
    let comparison = diff.clone();
    let compared: ComparedStats = context.run_blocking(move || comparison.run())?;
    let are_found = compared.warnings.iter().any(|warning| matches!(warning, Warning::FoundSteps { .. }));
    let events = events.filter(|_| !are_found);
    context.check_interrupt()?;
    context.warn_of(call, diff.warnings().iter().chain(&compared.warnings));
    if call.shows() {
        context.show(&Report { parts: vec![Part::Text(compared.text())] });
    }
    let (caption, columns) = (stats_caption(&compared), stats_columns(&compared));
    let df = compared.frame;
    let frame = Frame { order: DIFF_DURATION, columns: Some(columns), events, ..Frame::of(df, &caption) };
    deliver(call, context, frame, bind.as_deref())
}

/// Refuses flags that only go with `--stats`.
///
/// # Errors
/// If one was given.
pub fn refuse_without_stats(call: &Call<'_>) -> Result<(), Error> {
    match ["warmup", "phase", "method", "relevant"].into_iter().find(|flag| call.has(flag)) {
        Some(flag) => {
            let error = call.cannot(format!("use --{flag}"), "only --stats compares all iterations");
            Err(error.hint("add --stats").into())
        }
        None => Ok(()),
    }
}

/// The runs of a side, and its name: a group by its label, several runs by their role.
pub struct RunsOfSide {
    /// The name of the side.
    pub label: String,
    /// Its runs.
    pub runs: Vec<Arc<TraceSet>>,
}

fn side(call: &Call<'_>, context: &Context<'_>, argument: &str, role: &str) -> Result<RunsOfSide, Error> {
    let labels = call.required(argument);
    let runs = context.runs(call, labels)?;
    let label = if labels.contains(',') { role } else { labels };
    Ok(RunsOfSide { label: label.to_owned(), runs })
}

/// Returns a cell for each side that lists the events of a row: those of its first run.
fn drill_down_by_run(call: &Call<'_>, sides: &[RunsOfSide; 2]) -> EventCells {
    let [control, test] = sides.each_ref().map(|side| {
        let label = side.runs.first().map_or(side.label.as_str(), |run| run.label());
        let number = if side.runs.len() > 1 {
            format!("{label}, the first of {} runs", side.runs.len())
        } else {
            label.to_owned()
        };
        RunOfSide { label: label.to_owned(), title: format!("events in {number}"), side: side.label.clone() }
    });
    drill_down_by_label(call, [control, test])
}

/// Returns the comparison of a call.
///
/// # Errors
/// If a flag does not go with statistics.
pub fn stats_diff(call: &Call<'_>, sides: &[RunsOfSide; 2]) -> Result<StatsDiff, Error> {
    if call.has(GROUPS.arguments[0].name) {
        let error = call.cannot("use --by and --stats", "with --stats ranks are averaged and iterations are samples");
        return Err(error.hint("leave one of them out").into());
    }
    let [control, test] = sides;
    let mut diff = StatsDiff::of_runs(labeled(&control.runs), labeled(&test.runs))
        .labels(&control.label, &test.label)
        .select(selected_events(call))
        .use_short_name(call.switch("use-short-name"));
    if let Some(method) = call.text("method").and_then(TestKind::of) {
        diff = diff.method(method);
    }
    if let Some(percent) = call.percent("relevant") {
        diff = diff.relevant(percent.to_f64() / 100.0);
    }
    Ok(diff)
}

/// Returns the caption of the table.
pub fn stats_caption(compared: &ComparedStats) -> String {
    let [control, test] = &compared.labels;
    format!("compare_traces · {control} → {test} · mean of an iteration, 95 % intervals")
}

/// Returns the columns of the table: those that answer the question.
pub fn stats_columns(compared: &ComparedStats) -> Vec<String> {
    let name = [NAME, SHORT_NAME].into_iter().find(|name| compared.frame.column(name).is_ok()).unwrap_or(NAME);
    let labels = Comparison::of(&compared.frame);
    let means = labels.map(|sides| [sides.control(), sides.test()].map(|label| format!("{label}{MEAN_SUFFIX}")));
    let mut columns = vec![name.to_owned()];
    columns.extend(means.into_iter().flatten());
    let answers =
        [DIFF_DURATION, "verdict", "interval_low", "interval_high", "ratio", "q", "smallest_change_percent", CHANGE];
    columns.extend(answers.map(str::to_owned));
    columns
}

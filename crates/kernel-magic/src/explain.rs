//! `%explain`: the causes of the difference of two steps.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::{Context, labeled, write};
use super::view::{
    self, COMPANION, Frame, MARKER_OF_SAMPLES, METHOD, ONE_TABLE, PHASE, RELEVANT, RESULT, is_one_table,
    selected_events, size, write_csv, write_html,
};
use crate::Error;
use serde_json::Value;
use std::sync::Arc;
use trace_core::polars::prelude::DataFrame;
use trace_core::statistics::TestKind;
use trace_core::{CriticalPath, EventFile, Explain as Query, Explanation, LabeledTrace, SelectEvents};
use trace_view::format::grouped;
use trace_view::{Part, Report};

pub(super) struct Explain;

/// The two sides: one run each, or several runs of the same program.
pub(super) const RUNS: Group = Group::new(
    "Arguments",
    &[
        Argument::required(
            "CONTROL",
            Kind::Runs,
            "the baseline: a run, several (control_1,control_2), or a group of runs",
        ),
        Argument::required("TEST", Kind::Runs, "the run or runs to compare with it; differences are test − control"),
        COMPANION,
    ],
);

/// Flags that select iterations and ranks.
pub const SAMPLES: Group = Group::new(
    "Selection",
    &[
        Argument::flag(
            "rank",
            Kind::List(IdKind::RanksOrSlowest),
            "rank or ranks of both sides, all, or slowest: of each iteration the slowest rank",
        )
        .or("all"),
        Argument::flag("control-rank", Kind::List(IdKind::Ranks), "rank or ranks of CONTROL, or all").or("all"),
        Argument::flag("test-rank", Kind::List(IdKind::Ranks), "rank or ranks of TEST, or all")
            .or("all")
            .of_second_trace(),
        Argument::flag("iteration", Kind::List(IdKind::Iterations), "iteration or iterations of both sides, or all")
            .or("all"),
        Argument::flag(
            "control-iteration",
            Kind::List(IdKind::Iterations),
            "iteration or iterations of CONTROL, or all",
        )
        .or("all"),
        Argument::flag("test-iteration", Kind::List(IdKind::Iterations), "iteration or iterations of TEST, or all")
            .or("all")
            .of_second_trace(),
        Argument::flag("warmup", Kind::Whole, "skip this many first iterations of each rank")
            .or("those before the first change of step time"),
        MARKER_OF_SAMPLES,
        PHASE,
        Argument::flag(
            "where",
            Kind::Where,
            "only regions with a GPU event that meets this condition: 'name ~ \"^nccl\" and dur > 100us'",
        )
        .or("all regions"),
        METHOD,
        RELEVANT,
    ],
);

/// Flags of the table.
const SHOWN_REGIONS: Group = Group::new(
    "Rows",
    &[
        Argument::flag("top", Kind::Whole, "show this many operators and kernels; 0 shows none").or("15"),
        Argument::flag(
            "samples",
            Kind::Text,
            "show the samples of both sides as histograms: of step, a class, or an operator or kernel of the table",
        )
        .or("no histogram"),
    ],
);

/// Notes on the answer.
const NOTES: &str = "The call trees of both sides are aligned by structure, not by time; every GPU event is in exactly one \
    region. The time of a step is divided exactly: compute, communication that compute does not hide, copies that neither \
    hides, and idle time by cause. These times add up to the step, and their changes to the change of the step. Times are \
    means over iterations and ranks, each run with the same weight; a GPU event belongs to the iteration that launched it. The column by count \
    is the part of a change that comes from more or fewer events; the rest is a higher or lower cost per event.\n\n\
    --where chooses regions: those of which at least one GPU event meets the condition. All events take part in the alignment, and \
    step, classes and idle time stay whole; a sentence says how much of the change the chosen regions hold. --rank slowest takes, \
    of each iteration of each run, only the rank whose step is longest.\n\n\
    Intervals, q and verdicts: with one run a side the samples are its iterations, and verdicts are about these recordings; with several \
    runs on both sides, each a fresh process, the samples are runs, and verdicts are about the programs. Ranks of an iteration wait for \
    each other and count as one sample. Regions that are the same code with the same shapes on both sides measure how much recordings \
    differ by themselves, which widens intervals. A change counts if its whole interval is beyond --relevant (1 %), and there is no relevant \
    change if the interval is inside of it. Fewer than four samples a side are too few. q is p corrected \
    for all rows of a level.\n\n\
    --events writes one row per GPU event of the recordings: side, run (its place in the side, from 0), rank, iteration, ts and dur \
    (ns, as recorded), stream, name, region (as in the tables of --json and --csv; empty if the event is left out), grade (if it \
    is left out the reason) and attributed_ns. A name that ends in .parquet makes it a Parquet file, any other a CSV file.";

/// Flags of output files.
const FILES: Group = Group::new(
    "Files",
    &[
        Argument::flag(
            "json",
            Kind::File,
            "write sentences, step, classes, idle time, operators, all regions and coverage, times in ns",
        ),
        Argument::flag("html", Kind::File, "write the same page as one self-contained file"),
        EVENTS,
    ],
);

/// The flag of the file of events.
pub(super) const EVENTS: Argument =
    Argument::flag("events", Kind::File, "write the region of every GPU event, as CSV, or Parquet by its ending");

impl Magic for Explain {
    fn name(&self) -> &'static str {
        "explain"
    }

    fn summary(&self) -> &'static str {
        "Explain why a step got slower or faster: where its time changed, and by how much."
    }

    fn arguments(&self) -> &'static [Group] {
        &[RUNS, SAMPLES, SHOWN_REGIONS, ONE_TABLE, FILES, RESULT]
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame with one row per region, times a step in µs")
    }

    fn notes(&self) -> &'static str {
        NOTES
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%explain control test",
            "%explain control test --warmup 1 --top 30",
            "%explain control test --marker 'forward' --json explanation.json --quiet",
            "%explain control test --rank slowest --where 'name ~ \"^nccl\"'",
            "%explain control1,control2 test1,test2 --events events.parquet",
            "%explain control test --samples step",
            "%explain control test --group-by name --sort delta_us --top 10",
            "regions = %explain control test",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = free_name(call, context)?;
        let explanation = explanation(call, context)?;
        let mut report = page(call, &explanation)?;
        if (call.shows() && !is_one_table(call)) || call.has("html") {
            report.parts.extend(bounds(call, context, &explanation)?);
        }
        let answer = Answer {
            title: TITLE,
            report: &|| report.clone(),
            rows: &|| explanation.regions(),
            json: &|| explanation.to_json(),
        };
        deliver(call, context, bind, &explanation, &answer)
    }
}

/// Most events of both runs for which a page says what bounds a step: the causal graphs of all ranks take up to 40 % as long as the
/// explanation.
const MOST_EVENTS: usize = 250_000;

/// Returns what bounds the steps of one run a side, and how that changed, or of large runs how to ask; nothing for several runs, or where
/// it cannot be told.
fn bounds(call: &Call<'_>, context: &mut Context<'_>, explanation: &Explanation) -> Result<Vec<Part>, Error> {
    let [control, test] = ["CONTROL", "TEST"].map(|side| call.required(side));
    let is_run = |side| context.session.is_label(side) && context.session.groups().runs(side).is_none();
    if !is_run(control) || !is_run(test) {
        return Ok(Vec::new());
    }
    if explanation.phases.as_ref().is_some_and(|phases| phases.compared().is_some()) {
        let text = format!(
            "What bounds a step differs between phases: `%critical_path {control} --instance 1` shows it for one step, from 0 on."
        );
        return Ok(vec![Part::Text(text)]);
    }
    let (control, test) = (context.trace(call, control)?, context.trace(call, test)?);
    for side in [&control, &test] {
        if let (Some((_, uri, _)), Some(rank)) = (side.elsewhere(), side.ranks().first()) {
            let text = format!(
                "What bounds a step is told of events that are here: %trace_load {uri} --rank {rank} --as rank_{rank}"
            );
            return Ok(vec![Part::Text(text)]);
        }
    }
    let events = control.event_count() + test.event_count();
    if events > MOST_EVENTS {
        let [control, test] = [control.label(), test.label()];
        let text = format!(
            "What bounds a step is left out, since it takes long for {} events: `%critical_path {control} {test}` shows it.",
            grouped(events)
        );
        return Ok(vec![Part::Text(text)]);
    }
    let query = CriticalPath { top: 0, ..CriticalPath::default() };
    let change = context.run_blocking(move || Ok::<_, Error>(query.diagnose(&control, &test).ok()))?;
    context.check_interrupt()?;
    let Some(change) = change else { return Ok(Vec::new()) };
    let fix = format!("`%critical_path {} {}` shows it by region", call.required("CONTROL"), call.required("TEST"));
    Ok(vec![
        Part::Text(format!("What bounds a step of the first rank. {} {fix}.", change.sentences())),
        Part::Table(change.table()?),
    ])
}

/// An explanation, or a view of it, as a magic delivers it. Only what the call asks for is computed.
pub(super) struct Answer<'a> {
    /// Title of the page in a file.
    pub(super) title: &'static str,
    /// The page.
    pub(super) report: &'a dyn Fn() -> Report,
    /// The rows of the variable and of CSV.
    pub(super) rows: &'a dyn Fn() -> trace_core::Result<DataFrame>,
    /// The document of `--json`.
    pub(super) json: &'a dyn Fn() -> Value,
}

/// Returns the name of the variable that the call binds, checked before the work begins.
pub(super) fn free_name(call: &Call<'_>, context: &mut Context<'_>) -> Result<Option<String>, Error> {
    let name = call.result_name()?.map(str::to_owned);
    if let Some(name) = &name {
        context.check_free(call, name)?;
    }
    Ok(name)
}

/// Writes the files that the call asks for, binds the rows, and shows the page.
pub(super) fn deliver(
    call: &Call<'_>,
    context: &mut Context<'_>,
    bind: Option<String>,
    explanation: &Explanation,
    answer: &Answer<'_>,
) -> Result<(), Error> {
    let (json, html, events, csv) = (call.path("json"), call.path("html"), call.path("events"), call.path("csv"));
    if let Some(path) = &json {
        write(path, |out| write_json(&(answer.json)(), out))?;
    }
    if let Some(path) = &html {
        write(path, |out| write_html(answer.title, &(answer.report)(), out))?;
    }
    if let Some(path) = &events {
        write(path, |out| explanation.write_events(EventFile::of(path), out))?;
    }
    if is_one_table(call) {
        show_rows(call, context, bind.as_deref(), explanation, (answer.rows)()?)?;
        if !call.quiet() {
            let written = [json, html, events].into_iter().flatten();
            written.for_each(|path| context.print_line(format!("wrote {}", path.display())));
        }
        return Ok(());
    }
    let rows = if csv.is_some() || bind.is_some() { Some((answer.rows)()?) } else { None };
    if let (Some(path), Some(rows)) = (&csv, &rows) {
        write_csv(path, rows)?;
    }
    if let (Some(name), Some(rows)) = (&bind, &rows) {
        context.bind_frame(call, name, rows)?;
    }
    context.show_of(call, &(answer.report)());
    if call.quiet() {
        return Ok(());
    }
    if let (Some(name), Some(rows)) = (bind, &rows) {
        context.print_line(format!("{name}: DataFrame {}", size(rows)));
    }
    for path in [json, html, events, csv].into_iter().flatten() {
        context.print_line(format!("wrote {}", path.display()));
    }
    Ok(())
}

/// The columns of the table of regions, unless `--group-by` makes others.
const REGION_COLUMNS: &[&str] =
    &["path", "name", "grade", "control_count", "test_count", "control_us", "test_us", "delta_us", "verdict"];

/// Delivers the regions as one table in place of the page.
fn show_rows(
    call: &Call<'_>,
    context: &mut Context<'_>,
    bind: Option<&str>,
    explanation: &Explanation,
    df: DataFrame,
) -> Result<(), Error> {
    let [control, test] = &explanation.sides;
    let caption = format!("regions · {} → {}, times a step", control.label, test.label);
    let columns = REGION_COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    let frame = Frame { order: "delta_us", columns: Some(columns), ..Frame::of(df, &caption) };
    view::deliver(call, context, frame, bind)
}

/// Title of the page of an explanation.
const TITLE: &str = "Why the step changed";

/// Writes the JSON of an explanation or of its tree.
pub fn write_json(json: &Value, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, json)?;
    writeln!(out)
}

/// Computes the explanation of a call.
pub(super) fn explanation(call: &Call<'_>, context: &mut Context<'_>) -> Result<Explanation, Error> {
    let (control, test) = (runs(call, context, "CONTROL")?, runs(call, context, "TEST")?);
    let labels: Vec<String> = control.iter().chain(&test).map(|run| run.label().to_owned()).collect();
    let mut query = query(call, control, test);
    for companion in context.companions(call, labels.iter().map(String::as_str))? {
        query = query.companion(Arc::as_ref(&companion));
    }
    let explanation = context.run_blocking(move || query.run())?;
    context.check_interrupt()?;
    Ok(explanation)
}

/// Returns the query of a call.
pub fn query(call: &Call<'_>, control: Vec<LabeledTrace>, test: Vec<LabeledTrace>) -> Query {
    let group = |side: &str, runs: &[LabeledTrace]| {
        let name = call.text(side)?;
        let is_group = runs.len() > 1 && runs.iter().all(|run| run.label().strip_prefix(name).is_some());
        is_group.then(|| name.to_owned())
    };
    let mut query = Query::of_runs(control.clone(), test.clone())
        .groups(group("CONTROL", &control), group("TEST", &test))
        .select(selected_events(call));
    if call.is_slowest("rank") {
        query = query.slowest_rank();
    }
    if let Some(method) = call.text("method").and_then(TestKind::of) {
        query = query.method(method);
    }
    if let Some(percent) = call.percent("relevant") {
        query = query.relevant(percent.to_f64() / 100.0);
    }
    if call.has("events") {
        query = query.keep_events();
    }
    query
}

/// Returns the runs of a side.
fn runs(call: &Call<'_>, context: &Context<'_>, side: &str) -> Result<Vec<LabeledTrace>, Error> {
    Ok(labeled(&context.runs(call, call.required(side))?))
}

/// Returns the page of a call.
fn page(call: &Call<'_>, explanation: &Explanation) -> Result<Report, Error> {
    let mut report = explanation.report(top(call));
    if let Some(part) = call.text("samples") {
        let histogram = explanation.histogram(part)?;
        let index = report.parts.iter().position(|part| matches!(part, Part::Figure(_))).map_or(0, |index| index + 1);
        report.parts.insert(index, Part::Figure(histogram));
    }
    Ok(report)
}

/// Returns the number of operators and kernels to show.
fn top(call: &Call<'_>) -> usize {
    call.whole("top").map_or(15, |top| usize::try_from(top).unwrap_or(usize::MAX))
}

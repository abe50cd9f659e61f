//! `tracebook explain`: the causes of the difference of two steps.

use super::entry::CommandEntry;
use super::load::load_path;
use super::screen::Screen;
use super::{ENGINE, HTML, JSON, LOADING, QUIET};
use crate::session::run_paths;
use crate::{Error, Problem};
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::{Context, labeled};
use kernel_magic::explain::{Answer, EVENTS, NOTES, SAMPLES, SHOWN_REGIONS, TITLE, page, query, write_json};
use kernel_magic::view::{csv, write_html};
use std::path::PathBuf;
use std::sync::Arc;
use trace::{EventFile, Explain as Query, Explanation, TraceSet, Warning};

/// Meaning of the flag of a companion.
const LENDS: &str =
    "a run recorded without CUDA graphs, or of their capture, which lends its operators to the kernels of graphs";

/// The runs of both sides.
pub(super) const SIDES: [Group; 2] = [
    Group::new(
        "Arguments",
        &[
            Argument::optional(
                "CONTROL",
                Kind::Path,
                "the baseline: a trace file (.json or .pftrace, also .gz or .zst), a .zip, a folder, or a quoted pattern of runs: 'runs/a-*'",
            ),
            Argument::optional("TEST", Kind::Path, "the trace to compare with it; differences are test − control"),
            Argument::flag("companion", Kind::Path, LENDS).or("none").repeatable(),
        ],
    ),
    Group::new(
        "Several runs a side, instead of CONTROL and TEST",
        &[
            Argument::flag("control", Kind::Path, "a run of the baseline: a file, a folder, or a quoted pattern")
                .repeatable(),
            Argument::flag("test", Kind::Path, "a run to compare with the baseline").repeatable(),
        ],
    ),
];

const ARGUMENTS: &[Group] = &[
    SIDES[0],
    SIDES[1],
    SAMPLES,
    SHOWN_REGIONS,
    LOADING,
    ENGINE,
    Group::new(
        "Output",
        &[
            Argument::flag("csv", Kind::File, "write all regions, times per step in µs; - is standard output"),
            JSON,
            HTML,
            EVENTS,
            QUIET,
        ],
    ),
];

/// Loads the runs of a side: those of the flag, or the one of the positional argument.
pub(super) fn runs(
    call: &Call<'_>,
    context: &mut Context<'_>,
    argument: &'static str,
    flag: &'static str,
) -> Result<Vec<Arc<TraceSet>>, Error> {
    let (one, several) = (call.path(argument), call.paths(flag));
    let paths = match (one, several.is_empty()) {
        (Some(one), true) => vec![one],
        (None, false) => several,
        (None, true) => {
            let what = format!("{argument}: the path of a trace, or --{flag} for each of its runs");
            return Err(call.usage(Problem::Missing { what }).into());
        }
        (Some(_), false) => {
            let reason = "it names another run of the same side";
            let error = call.cannot(format!("take {argument} and --{flag}"), reason);
            // A shell replaces a bare pattern by several words.
            return Err(error
                .hint(format!("repeat --{flag} for each run, or quote a pattern: --{flag} 'runs/a-*'"))
                .into());
        }
    };
    load_runs(call, context, &paths, flag)
}

/// Loads the runs at some paths or patterns; each has a label of its own.
pub(super) fn load_runs(
    call: &Call<'_>,
    context: &mut Context<'_>,
    paths: &[PathBuf],
    flag: &str,
) -> Result<Vec<Arc<TraceSet>>, Error> {
    let paths =
        run_paths::expand(&run_paths::listed(paths)?).map_err(|reason| call.cannot(format!("load {flag}"), reason))?;
    let is_one = paths.len() == 1;
    let label = |number: usize| if is_one { flag.to_owned() } else { format!("{flag}{}", number + 1) };
    paths.into_iter().enumerate().map(|(at, path)| load_path(call, context, path, &label(at), None)).collect()
}

/// Prints the warnings of loaded runs.
pub(super) fn warn_of<'a>(runs: impl Iterator<Item = &'a Arc<TraceSet>>) {
    Screen::warn(&Warning::sentences(runs.flat_map(|run| run.warnings())));
}

/// Loads both sides, prints their warnings, and explains their difference. `required` changes the query.
pub(super) fn explanation(
    call: &Call<'_>,
    context: &mut Context<'_>,
    required: fn(Query) -> Query,
) -> Result<Explanation, Error> {
    let control = runs(call, context, "CONTROL", "control")?;
    let test = runs(call, context, "TEST", "test")?;
    let paths = call.paths("companion");
    let companions = if paths.is_empty() { Vec::new() } else { load_runs(call, context, &paths, "companion")? };
    warn_of(control.iter().chain(&test).chain(&companions));
    let mut query = required(query(call, labeled(&control), labeled(&test)));
    for companion in &companions {
        query = query.companion(Arc::as_ref(companion));
    }
    Ok(query.run()?)
}

/// Files that may go to standard output, in place of the page.
pub(super) const PIPES: &[&str] = &["csv", "json", "html", "events"];

/// Writes the files that the call asks for, and prints the page if it is `wanted`.
pub(super) fn deliver(
    call: &Call<'_>,
    explanation: &Explanation,
    answer: &Answer<'_>,
    wanted: bool,
) -> Result<(), Error> {
    let report = (answer.report)();
    if call.path("csv").is_some() {
        let rows = (answer.rows)()?;
        Screen::file(call, "csv", |out| csv(&rows, out))?;
    }
    Screen::file(call, "json", |out| write_json(&(answer.json)(), out))?;
    Screen::file(call, "html", |out| write_html(answer.title, &report, out))?;
    let form = call.path("events").map_or_else(EventFile::default, |path| EventFile::of(&path));
    Screen::file(call, "events", |out| explanation.write_events(form, out))?;
    Screen::show(&report, wanted)
}

/// The command.
pub(super) const EXPLAIN: CommandEntry = CommandEntry {
    name: "explain",
    summary: "Explain why a step got slower or faster: where its time changed, and by how much.",
    arguments: ARGUMENTS,
    notes: NOTES,
    examples: &[
        "tracebook explain runs/monday runs/tuesday --warmup 1",
        "tracebook explain a.json.gz b.json.gz --json - | jq .step",
        "tracebook explain runs/main runs/branch --html why.html --quiet",
        "tracebook explain --control a1.json --control a2.json --test b1.json --test b2.json",
        "tracebook explain 'runs/control-*' 'runs/test-*'",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let wanted = Screen::is_free(call, PIPES)?;
    let explanation = explanation(call, context, std::convert::identity)?;
    let report = page(call, &explanation)?;
    let answer = Answer {
        title: TITLE,
        report: &|| report.clone(),
        rows: &|| explanation.regions(),
        json: &|| explanation.to_json(),
    };
    deliver(call, &explanation, &answer, wanted)
}

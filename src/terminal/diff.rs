//! `tracebook diff`: a comparison of two traces.

use super::diff_report::{DeviceTimeChange, DiffReport, RowFilters};
use super::diff_stats;
use super::entry::CommandEntry;
use super::load::load;
use super::screen::Screen;
use super::{ENGINE, HTML, JSON, LOADING, QUIET};
use crate::Error;
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::Context;
use kernel_magic::view::{
    GROUPS, ROWS, SELECTION, SHOWN, STATS, SelectedRows, caption, chosen, csv, refuse_without_stats, select, table,
    trace_diff, write_html,
};
use trace::columns::DIFF_DURATION;
use trace::polars::prelude::DataFrame;
use trace::{Compared, TraceDiff, display_table};
use trace_view::{Figure, Part, Report};

/// Number of operators in the figure of the HTML page.
const BARS: usize = 10;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required(
                "CONTROL",
                Kind::Path,
                "the baseline: a trace file (.json or .pftrace, also .gz or .zst), a .zip or a folder; with --stats also a quoted pattern of runs: 'runs/a-*'",
            ),
            Argument::required("TEST", Kind::Path, "the trace to compare with it; differences are test − control"),
        ],
    ),
    SELECTION,
    STATS,
    GROUPS,
    ROWS,
    SHOWN,
    LOADING,
    ENGINE,
    Group::new(
        "For CI",
        &[Argument::flag(
            "fail-over",
            Kind::Percent,
            "exit with code 3 if the device time of TEST exceeds that of CONTROL by more than this; tracebook gate knows noise",
        )],
    ),
    Group::new(
        "Output",
        &[
            Argument::flag("csv", Kind::File, "write the rows, unrounded, durations in µs; - is standard output"),
            JSON,
            HTML,
            QUIET,
        ],
    ),
];

/// The command.
pub(super) const DIFF: CommandEntry = CommandEntry {
    name: "diff",
    summary: "Compare how often and how long the operators of two traces ran.",
    arguments: ARGUMENTS,
    notes: "The flags are those of %compare_traces and %ops_diff; --csv writes the same file as %compare_traces --csv, with \
         the labels control and test.\n\n\
         The device time is the sum of the durations of all GPU events except synchronisations, over the ranks, iterations \
         and events that are compared; --device-type and the flags under Rows do not affect it. --fail-over compares it in \
         whole nanoseconds: growth by exactly that percentage passes. It knows nothing of noise: tracebook gate judges by intervals, \
         of several runs.\n\n\
         --stats compares all iterations, or all runs of both sides, with intervals and verdicts; its --json has version, control, test, \
         scope, samples, n, comparable, noise_floor, sentences, columns, rows, warnings and seed.\n\n\
         Without --stats, --json writes one object: version (2); control and test, each with path, ranks and iterations (null: the whole \
         window); device_type, use_short_name; where, filter and category as given (null: not given); device_time with control_us, test_us and change_percent (null \
         if undefined); groups with all names that were added, deleted, increased, decreased and unchanged, whatever the \
         flags under Rows; by (rank, iteration or null) and notes, sentences on the groups of --by; columns and rows, as in the file of --csv; warnings.\n\n\
         Exit code: 0 for success, 1 for an error, 2 for wrong usage, 3 if --fail-over is exceeded.",
    examples: &[
        "tracebook diff runs/monday runs/tuesday",
        "tracebook diff a.json.gz b.json.gz --device-type gpu --use-short-name --top 10",
        "tracebook diff runs/main runs/branch --fail-over 5% --html diff.html --quiet",
        "tracebook diff runs/monday runs/tuesday --by rank --csv ranks.csv",
        "tracebook diff a b --json - | jq .device_time",
        "tracebook diff 'runs/control-*' 'runs/test-*' --stats --device-type gpu",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let prints = Screen::is_free(call, &["csv", "json", "html"])?;
    if call.switch("stats") {
        return diff_stats::run(call, context, prints);
    }
    refuse_without_stats(call)?;
    let control = load(call, context, "CONTROL", "control", call.list("control-rank"))?;
    let test = load(call, context, "TEST", "test", call.list("test-rank"))?;
    let diff = trace_diff(call, "control", "test", context)?;
    let selection = diff.selection()?;
    let compared = diff.run()?;
    let warnings = control.warnings().iter().chain(test.warnings()).cloned().chain(diff.warnings());
    let warnings: Vec<String> = warnings.map(|warning| warning.to_string()).collect();
    Screen::warn(&warnings);
    let paths = ["CONTROL", "TEST"].map(|argument| call.required(argument).to_owned());
    let Compared { frame, groups, notes, device_nanos } = compared;
    let device = DeviceTimeChange::of(device_nanos);
    let diff_report = DiffReport { paths, selection, rows: RowFilters::of(call), device, groups, notes, warnings };

    let rows = SelectedRows::select(call, frame)?;
    let columns = chosen(call, &rows.df)?;
    let file = select(&rows.df, &columns)?;
    let drawn = rows.df.clone();
    let about = caption(&diff_report.selection);
    let shown = table(call, rows, &columns, DIFF_DURATION, |df, rows| display_table(df, &about, rows))?;
    let mut report = Report::of(Part::Text(diff_report.text())).with(Part::Table(shown));
    Screen::file(call, "csv", |out| csv(&file, out))?;
    Screen::file(call, "json", |out| diff_report.write_json(&file, out))?;
    if prints {
        Screen::report(&report)?;
    }
    if call.path("html").is_some() {
        report.parts.extend(diff_report.warnings.iter().cloned().map(Part::Warning));
        report.parts.push(Part::Figure(figure(call, drawn, about)?));
        Screen::file(call, "html", |out| write_html("Comparison of two traces", &report, out))?;
    }
    call.percent("fail-over").map_or(Ok(()), |limit| diff_report.check_limit(call, limit))
}

/// Draws the largest changes as bars.
fn figure(call: &Call<'_>, df: DataFrame, about: String) -> Result<Figure, Error> {
    let rows = SelectedRows::select(call, df)?.or_by_magnitude(DIFF_DURATION)?;
    let mut figure = TraceDiff::visualize_duration_diff(&rows.df.head(Some(BARS)))?;
    figure.subtitle = about;
    Ok(figure)
}

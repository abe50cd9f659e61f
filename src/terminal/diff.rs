//! `tracebook diff`: two traces compared.

use super::diff_report::{DeviceTimeChange, DiffReport, RowFilters};
use super::html_page::write_html;
use super::load::load;
use super::screen::Screen;
use super::{HTML, JSON, LOADING, QUIET};
use crate::Error;
use crate::magic::Magic;
use crate::magic::argument::{Argument, Call, Group, Kind};
use crate::magic::context::Context;
use crate::magic::ops_diff::grouping;
use crate::magic::view::{ROWS, SELECTION, SHOWN, SelectedRows, caption, chosen, csv, select, table, trace_diff};
use trace::polars::prelude::DataFrame;
use trace::{TraceDiff, display_table};
use trace_view::{Figure, Part, Report};

pub(super) struct Diff;

/// The column whose size orders the table, unless --sort does.
const ORDER: &str = "diff_duration";
/// Operators in the figure of the page.
const BARS: usize = 10;

/// What it takes.
const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required(
                "CONTROL",
                Kind::Path,
                "the trace to compare with: a .json or .json.gz file, or a folder",
            ),
            Argument::required("TEST", Kind::Path, "the trace that is compared; a difference is test − control"),
        ],
    ),
    SELECTION,
    ROWS,
    SHOWN,
    LOADING,
    Group::new(
        "For CI",
        &[Argument::flag(
            "fail-over",
            Kind::Percent,
            "end with code 3 if the device time of TEST is more than this above that of CONTROL",
        )],
    ),
    Group::new(
        "Where it goes",
        &[
            Argument::flag("csv", Kind::File, "write the rows, unrounded, durations in µs; - is standard output"),
            JSON,
            HTML,
            QUIET,
        ],
    ),
];

impl Magic for Diff {
    fn name(&self) -> &'static str {
        "diff"
    }

    fn spelled(&self) -> String {
        "tracebook diff".to_owned()
    }

    fn help_hint(&self) -> String {
        "tracebook diff --help".to_owned()
    }

    fn summary(&self) -> &'static str {
        "Compare how often and how long every operator of two traces ran."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "The flags are those of %compare_traces and %ops_diff. --csv writes what %compare_traces --csv writes, for the \
         labels control and test.\n\n\
         The device time is the sum of the durations of all events of the GPU but synchronisations, of the ranks, \
         iterations and events that are compared, whatever --device-type and the flags of rows say. --fail-over compares it \
         in whole nanoseconds: growth by exactly that share passes.\n\n\
         --json writes one object: version (2); control and test, each with path, ranks and iterations (null: the whole \
         window); device_type, use_short_name; where, filter and category as they were given (null: not given); device_time with control_us, test_us and change_percent (null \
         where there is none); groups with the names that were added, deleted, increased, decreased and unchanged, \
         whatever the flags of rows; columns and rows, as in the file of --csv; warnings.\n\n\
         It ends with code 0, with 1 after an error, with 2 if it was called wrongly, with 3 if --fail-over was exceeded."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "tracebook diff runs/monday runs/tuesday",
            "tracebook diff a.json.gz b.json.gz --device-type gpu --use-short-name --top 10",
            "tracebook diff runs/main runs/branch --fail-over 5% --html diff.html --quiet",
            "tracebook diff a b --json - | jq .device_time",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let prints = Screen::is_free(call, &["csv", "json", "html"])?;
        let control = load(call, context, "CONTROL", "control", call.list("control-rank"))?;
        let test = load(call, context, "TEST", "test", call.list("test-rank"))?;
        let diff = trace_diff(call, "control", "test", context)?;
        let selection = diff.selection()?;
        let df = diff.compare_traces()?;
        let warnings = control.warnings().iter().chain(test.warnings()).cloned().chain(diff.warnings());
        let warnings: Vec<String> = warnings.map(|warning| warning.to_string()).collect();
        Screen::warn(&warnings);
        let paths = ["CONTROL", "TEST"].map(|place| call.required(place).to_owned());
        let (device, groups) = (DeviceTimeChange::of(&diff)?, grouping(&df)?.1);
        let answer = DiffReport { paths, selection, rows: RowFilters::of(call), device, groups, warnings };

        let rows = SelectedRows::of(call, df)?;
        let columns = chosen(call, &rows.df)?;
        let file = select(&rows.df, &columns)?;
        let drawn = rows.df.clone();
        let about = caption(&answer.selection);
        let shown = table(call, rows, &columns, ORDER, |df, rows| display_table(df, &about, rows))?;
        let mut report = Report::of(Part::Text(answer.text())).with(Part::Table(shown));
        Screen::file(call, "csv", |out| csv(&file, out))?;
        Screen::file(call, "json", |out| answer.write_json(&file, out))?;
        if prints {
            Screen::report(&report)?;
        }
        if call.path("html").is_some() {
            report.parts.extend(answer.warnings.iter().cloned().map(Part::Warning));
            report.parts.push(Part::Figure(figure(call, drawn, about)?));
            Screen::file(call, "html", |out| write_html("Comparison of two traces", &report, out))?;
        }
        call.percent("fail-over").map_or(Ok(()), |most| answer.hold(call, most))
    }
}

/// The largest changes as bars.
fn figure(call: &Call<'_>, df: DataFrame, about: String) -> Result<Figure, Error> {
    let rows = SelectedRows::of(call, df)?.or_by_size_of(ORDER)?;
    let mut figure = TraceDiff::visualize_duration_diff(&rows.df.head(Some(BARS)))?;
    figure.subtitle = about;
    Ok(figure)
}

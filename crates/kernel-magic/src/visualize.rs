//! `%visualize`: a comparison as a bar chart.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::context::{write_page, write_picture};
use super::view::{ROWS, SELECTION, SelectedRows, caption, grouped, is_unsorted, selection_flag, trace_diff};
use crate::display::Output;
use crate::{Error, Problem};
use trace_core::TraceDiff;
use trace_core::columns::{DIFF_COUNTS, DIFF_DURATION};
use trace_view::{Figure, Part, Report};

pub(super) struct Visualize;

/// Default of `--top` for two traces.
const TOP: u64 = 10;
/// Default of `--top` for a variable, whose rows the user has chosen.
const TOP_OF_VARIABLE: u64 = 50;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required(
                "CONTROL|VARIABLE",
                Kind::TraceOrVariable,
                "the baseline; without TEST, a variable bound by %compare_traces, sorted and filtered as you like",
            ),
            Argument::optional("TEST", Kind::Trace, "the trace to compare with it"),
        ],
    ),
    Group::new(
        "Figure",
        &[
            Argument::flag("kind", Kind::Choice(&["duration", "counts"]), "quantity shown by the bars").or("duration"),
            Argument::flag("top", Kind::Whole, "draw this many operators; 0 draws all").or("10; for a variable 50"),
            Argument::flag("log", Kind::Switch, "a logarithmic axis"),
            Argument::flag("height", Kind::Whole, "height in pixels"),
        ],
    ),
    Group::new(
        "Files",
        &[
            Argument::flag("html", Kind::File, "write a page with the interactive figure; works offline"),
            Argument::flag("png", Kind::File, "write a picture"),
            Argument::flag("quiet", Kind::Switch, "show only warnings"),
        ],
    ),
    SELECTION,
    ROWS,
];

impl Magic for Visualize {
    fn name(&self) -> &'static str {
        "visualize"
    }

    fn summary(&self) -> &'static str {
        "Draw a comparison of two traces, or a frame with one, as bars."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "Two traces are drawn with the largest change first. A variable is drawn in its own order, unless --top would cut \
         rows that were never sorted: then the largest changes are drawn."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%visualize control test --device-type gpu --use-short-name",
            "%visualize control test --kind counts --category added --top 0",
            "%visualize df --kind counts --html counts.html",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let counts = call.text("kind") == Some("counts");
        let order = if counts { DIFF_COUNTS } else { DIFF_DURATION };
        let first = call.required("CONTROL|VARIABLE");
        let (rows, about, default) = match call.text("TEST") {
            Some(test) => {
                let diff = trace_diff(call, first, test, context)?;
                let about = caption(&diff.selection()?);
                let comparison = diff.clone();
                let df = context.run_blocking(move || comparison.compare_traces())?;
                context.warn_of(call, &diff.warnings());
                (SelectedRows::select(call, df)?.or_by_magnitude(order)?, about, TOP)
            }
            None => {
                let rows = variable(call, context, first)?;
                (rows, first.to_owned(), TOP_OF_VARIABLE)
            }
        };
        let top = match call.whole("top").unwrap_or(default) {
            0 => rows.df.height(),
            top => usize::try_from(top).unwrap_or(usize::MAX),
        };
        let rows = if rows.order.is_none() && top < rows.df.height() && is_unsorted(&rows.df) {
            rows.or_by_magnitude(order)?
        } else {
            rows
        };
        context.check_interrupt()?;
        let shown = rows.df.head(Some(top));
        let mut figure = if counts {
            TraceDiff::visualize_counts_diff(&shown)?
        } else {
            TraceDiff::visualize_duration_diff(&shown)?
        };
        figure.subtitle = subtitle(&about, shown.height(), &rows);
        figure.y.log = call.switch("log");
        figure.height = call.whole("height").and_then(|height| u32::try_from(height).ok()).or(figure.height);
        deliver(call, context, figure)
    }
}

/// Returns the rows of the data frame in a variable.
fn variable(call: &Call<'_>, context: &mut Context<'_>, name: &str) -> Result<SelectedRows, Error> {
    if let Some(flag) = selection_flag(call) {
        let reason = format!("{name} is a variable, and the flag selects events of two traces");
        return Err(call.cannot(format!("use --{flag}"), reason).into());
    }
    if context.session.is_label(name) {
        let problem = Problem::Missing { what: format!("TEST: {name} is a trace, and two are compared") };
        let hint = "usage: %visualize CONTROL TEST (%visualize? for help)";
        return Err(call.usage(problem).hint(hint).into());
    }
    let df = context.frame(call, name)?;
    SelectedRows::select(call, df)
}

/// `control → test · … · 10 of 1,284 operators · sorted by |diff_duration| ↓`
fn subtitle(about: &str, shown: usize, rows: &SelectedRows) -> String {
    let mut parts = vec![about.to_owned()];
    if shown < rows.total {
        parts.push(format!("{} of {} operators", grouped(shown), grouped(rows.total)));
    }
    parts.extend(rows.order.clone());
    parts.join(" · ")
}

/// Writes the page and the picture of a call, and shows the figure.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn deliver(call: &Call<'_>, context: &Context<'_>, figure: Figure) -> Result<(), Error> {
    let title = figure.title.clone();
    for bundle in trace_render::bundles(&Report::of(Part::Figure(figure))) {
        let mut written = Vec::new();
        if let Some(path) = call.path("html") {
            write_page(&path, &title, &bundle)?;
            written.push(path);
        }
        if let Some(path) = call.path("png") {
            write_picture(&path, &bundle)?;
            written.push(path);
        }
        if call.quiet() {
            return Ok(());
        }
        if call.shows() {
            context.out.emit(Output::Display { bundle, id: None });
        }
        for path in written {
            context.print_line(format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

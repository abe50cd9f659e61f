//! `%visualize`: a comparison as bars.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::context::{write_page, write_picture};
use super::view::{ROWS, SELECTION, SelectedRows, caption, given_selection, grouped, is_unsorted, trace_diff};
use crate::Error;
use crate::display::Output;
use trace::TraceDiff;
use trace_view::{Figure, Part, Report};

pub(super) struct Visualize;

/// Bars of a figure that does not say how many.
const TOP: u64 = 10;
/// Bars of a variable's figure that does not say how many: the user chose the rows, but nobody reads more than this.
const TOP_OF_VARIABLE: u64 = 50;

/// What it takes.
const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required(
                "CONTROL|VARIABLE",
                Kind::TraceOrVariable,
                "the trace to compare with; alone: a variable bound by %compare_traces, sorted and filtered as you like",
            ),
            Argument::optional("TEST", Kind::Trace, "the trace that is compared"),
        ],
    ),
    Group::new(
        "Figure",
        &[
            Argument::flag("kind", Kind::Choice(&["duration", "counts"]), "what the bars show").or("duration"),
            Argument::flag("top", Kind::Whole, "draw this many operators; 0 draws all").or("10; of a variable 50"),
            Argument::flag("log", Kind::Switch, "a logarithmic axis"),
            Argument::flag("height", Kind::Whole, "height in pixels"),
        ],
    ),
    Group::new(
        "Files",
        &[
            Argument::flag("html", Kind::File, "write a page with the live figure; works without a network"),
            Argument::flag("png", Kind::File, "write a picture"),
            Argument::flag("quiet", Kind::Switch, "show nothing but warnings"),
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
        "Draw a comparison of two traces, or a data frame that holds one, as bars."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "Two traces are drawn largest change first. A variable is drawn in its own order; only if --top cuts one that \
         nobody sorted, the largest changes are taken."
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
        let order = if counts { "diff_counts" } else { "diff_duration" };
        let first = call.required("CONTROL|VARIABLE");
        let (rows, about, default) = match call.text("TEST") {
            Some(test) => {
                let diff = trace_diff(call, first, test, context)?;
                let about = caption(&diff.selection()?);
                let asked = diff.clone();
                let df = context.run_blocking(move || asked.compare_traces())?;
                context.warn(diff.warnings());
                (SelectedRows::of(call, df)?.or_by_size_of(order)?, about, TOP)
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
            rows.or_by_size_of(order)?
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

/// The rows of the data frame in a variable.
fn variable(call: &Call<'_>, context: &mut Context<'_>, name: &str) -> Result<SelectedRows, Error> {
    if let Some(flag) = given_selection(call) {
        return Err(call.usage(format!("--{flag} goes with two traces, not with a variable.")));
    }
    if context.session.trace(name).is_some() {
        return Err(call.usage(format!(
            "missing TEST: {name} is a trace.  usage: %visualize CONTROL TEST (%visualize? for help)"
        )));
    }
    let df = context.frame(call, name)?;
    SelectedRows::of(call, df)
}

/// `control → test · … · 10 of 1,284 operators · sorted by |diff_duration| ↓`
fn subtitle(about: &str, shown: usize, rows: &SelectedRows) -> String {
    let mut parts = vec![about.to_owned()];
    if shown < rows.of {
        parts.push(format!("{} of {} operators", grouped(shown), grouped(rows.of)));
    }
    parts.extend(rows.order.clone());
    parts.join(" · ")
}

/// Writes the page and the picture that a call asks for, and shows the figure.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn deliver(call: &Call<'_>, context: &Context<'_>, figure: Figure) -> Result<(), Error> {
    let title = figure.title.clone();
    for bundle in Report::of(Part::Figure(figure)).bundles() {
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

//! Common parts of `%timeline` and `%flame`: flags of one trace or two, the ranks and iterations that these select, and files.

use super::write_drawn;
use crate::Error;
use crate::argument::{Argument, Call, Group, IdKind, Kind};
use crate::context::{Context, write_picture};
use crate::display::Output;
use trace_view::Bundle;

/// One trace, or two.
pub(crate) const TRACES: Group = Group::new(
    "Arguments",
    &[
        Argument::required("NAME|CONTROL", Kind::Trace, "the trace; with TEST the baseline"),
        Argument::optional("TEST", Kind::Trace, "the trace to compare with it"),
    ],
);

/// Flags that select ranks.
pub(crate) const RANKS: [Argument; 3] = [
    Argument::flag("rank", Kind::List(IdKind::Ranks), "rank or ranks, or all").or("the first"),
    Argument::flag("control-rank", Kind::List(IdKind::Ranks), "rank or ranks of CONTROL, or all").or("the first"),
    Argument::flag("test-rank", Kind::List(IdKind::Ranks), "rank or ranks of TEST, or all")
        .or("the first")
        .of_second_trace(),
];

/// Flags of output files.
pub const HTML: Argument =
    Argument::flag("html", Kind::File, "write a page with the interactive figure; works offline");
pub(crate) const PNG: Argument = Argument::flag("png", Kind::File, "write a picture");
/// Hides all but warnings.
pub const QUIET: Argument = Argument::flag("quiet", Kind::Switch, "show only warnings");

/// Returns, for each group of runs that a call names, which of them is drawn and how to see another.
pub(crate) fn shown_runs(call: &Call<'_>, context: &Context<'_>) -> Vec<String> {
    let labels = [call.text("NAME|CONTROL"), call.text("TEST")];
    labels.into_iter().flatten().filter_map(|label| context.shown_run(label)).collect()
}

/// Writes the page and the picture of a call, and shows the output.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn deliver_drawing(
    call: &Call<'_>,
    context: &Context<'_>,
    title: &str,
    bundle: Bundle,
    mime: &str,
) -> Result<(), Error> {
    let (html, png) = (call.path("html"), call.path("png"));
    if let Some(path) = &html {
        write_drawn(path, title, &bundle, mime)?;
    }
    if let Some(path) = &png {
        write_picture(path, &bundle)?;
    }
    if call.shows() {
        context.out.emit(Output::Display { bundle, id: None });
    }
    if !call.quiet() {
        for path in [html, png].into_iter().flatten() {
            context.print_line(format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

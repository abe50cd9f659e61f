//! Pictures, plotly figures and whole MIME bundles of what `trace-view` describes.
//!
//! The crate knows nothing of traces. [`bundles`] renders a report, one output for each part: plain text, HTML, a plotly
//! figure, a picture.

mod canvas;
mod heat;
mod inline_svg;
mod labels;
mod lanes;
mod legend;
mod palette;
mod plotly;
mod png;
mod scale;
mod svg;

use trace_view::{Axis, Bundle, Figure, HeatMap, Lanes, PLOTLY, PNG, Part, Report, terminal_safe};

pub use inline_svg::inline_svg;
pub use plotly::offline_plotly_js;
pub use scale::round_step;

/// Renders each part of a report as a bundle; each has `text/plain`.
pub fn bundles(report: &Report) -> Vec<Bundle> {
    report.parts.iter().map(|part| bundle(part, None)).collect()
}

/// Renders one part: plain text, and the richer forms that the part has. With a width, in characters, the text of a table is at most
/// that wide.
pub fn bundle(part: &Part, width: Option<usize>) -> Bundle {
    match part {
        Part::Text(text) => Bundle::text(terminal_safe(text)),
        Part::Warning(text) => Bundle::of_warning(text),
        Part::Folded(folded) => folded.bundle(),
        Part::Table(table) => table.bundle(width),
        Part::Figure(figure) => figure_bundle(figure),
        Part::HeatMap(map) => heat_map(map).with(PLOTLY, plotly::heat_map(map)),
        Part::Bundle(bundle) => bundle.clone(),
    }
}

/// Renders the forms of a heat map for a front end without scripts: `text/plain`, and `image/png` if there is a value to draw.
pub fn heat_map(map: &HeatMap) -> Bundle {
    with_picture(Bundle::text(heat::text(map)), heat::picture(map).and_then(|drawn| png::picture(&drawn)))
}

/// Renders the still forms of lanes: the plain text, without control characters, and a picture as `image/png`.
pub fn lanes(lanes: &Lanes, plain: &str) -> Bundle {
    with_picture(Bundle::text(terminal_safe(plain)), png::picture(&lanes::picture(lanes)))
}

fn figure_bundle(figure: &Figure) -> Bundle {
    let still = figure.still();
    with_picture(Bundle::text(still.text()).with(PLOTLY, plotly::figure(figure)), png::figure(&still))
}

/// Adds a picture in base64, if there is one.
fn with_picture(bundle: Bundle, picture: Option<String>) -> Bundle {
    match picture {
        Some(picture) => bundle.with(PNG, picture.into()),
        None => bundle,
    }
}

/// Returns the title of an axis with its unit.
fn axis_title(axis: &Axis) -> String {
    match (axis.title.as_str(), axis.unit.symbol()) {
        (title, "") => title.to_owned(),
        ("", unit) => format!("[{unit}]"),
        (title, unit) => format!("{title} [{unit}]"),
    }
}

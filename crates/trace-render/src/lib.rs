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

/// Renders one part: plain text, and the richer forms that the part has; for a screen of so many characters, the text of a
/// table is no wider.
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
    let bundle = Bundle::text(heat::text(map));
    match heat::picture(map).and_then(|drawn| png::picture(&drawn.svg, drawn.height, &drawn.below)) {
        Some(picture) => bundle.with(PNG, picture.into()),
        None => bundle,
    }
}

/// Renders the still forms of lanes: the plain text, without control characters, and a picture as `image/png`.
pub fn lanes(lanes: &Lanes, plain: &str) -> Bundle {
    let bundle = Bundle::text(terminal_safe(plain));
    match lanes_picture(lanes) {
        Some(picture) => bundle.with(PNG, picture.into()),
        None => bundle,
    }
}

/// Draws lanes, in base64; `None` only if the SVG were malformed.
fn lanes_picture(lanes: &Lanes) -> Option<String> {
    let drawn = lanes::picture(lanes);
    png::picture(&drawn.svg, drawn.height, &drawn.below)
}

fn figure_bundle(figure: &Figure) -> Bundle {
    let still = figure.still();
    let bundle = Bundle::text(still.text()).with(PLOTLY, plotly::figure(figure));
    match png::figure(&still) {
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

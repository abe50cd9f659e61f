//! Renderers: the MIME types of each part of a report.

mod canvas;
mod grid;
mod heat;
mod html;
mod inline_svg;
mod labels;
mod lanes;
mod legend;
mod names;
mod palette;
mod plotly;
mod png;
mod scale;
mod svg;
mod table_json;
mod text;
mod tree_html;

use crate::bundle::WARNING;
use crate::{Axis, Bundle, Figure, HTML, HeatMap, Lanes, PLOTLY, PNG, Part, Report, TABLE, Table};

pub use names::one_line_texts;
pub use palette::named_colour;
pub use plotly::offline_plotly_js;
pub use png::base64;
pub use scale::round_step;
pub use text::terminal_safe;

/// Renders one part: plain text, and the richer forms that the part has.
pub(crate) fn bundle(part: &Part) -> Bundle {
    match part {
        Part::Text(text) => Bundle::text(terminal_safe(text)),
        Part::Warning(text) => {
            Bundle::text(format!("{WARNING}{}", terminal_safe(text))).with(HTML, html::warning(text).into())
        }
        Part::Folded(folded) => Bundle::text(terminal_safe(&folded.plain())).with(HTML, html::folded(folded).into()),
        Part::Table(table) => table_bundle(table),
        Part::Figure(figure) => figure_bundle(figure),
        Part::HeatMap(map) => map.bundle().with(PLOTLY, plotly::heat_map(map)),
        Part::Bundle(bundle) => bundle.clone(),
    }
}

impl Table {
    /// Renders the rows of the first page as plain text in aligned columns, of a tree its open paths; a bundle shows at most a
    /// hundred of them.
    pub fn text(&self) -> String {
        text::whole_table(self)
    }

    /// Renders the rows of the first page as plain text whose lines are no longer than `width` characters: names are elided, and columns
    /// on the right are left out where that is not enough; the footer names them.
    pub fn text_within(&self, width: usize) -> String {
        text::whole_table_within(self, width)
    }

    /// Renders the rows of the first page as HTML without a style sheet; a bundle shows at most a hundred of them, a hundred and fifty
    /// of a tree.
    pub fn html(&self) -> String {
        html::whole_table(self)
    }
}

/// Renders one part for a screen of so many characters: tables are no wider.
pub(crate) fn bundle_within(part: &Part, width: usize) -> Bundle {
    match part {
        Part::Table(table) => richer_table(Bundle::text(text::table_within(table, width)), table),
        part => bundle(part),
    }
}

fn table_bundle(table: &Table) -> Bundle {
    richer_table(Bundle::text(text::table(table)), table)
}

fn richer_table(text: Bundle, table: &Table) -> Bundle {
    text.with(HTML, html::table(table).into()).with(TABLE, table_json::table(table))
}

impl HeatMap {
    /// Renders the forms for a front end without scripts: `text/plain`, and `image/png` if there is a value to draw.
    pub fn bundle(&self) -> Bundle {
        let bundle = Bundle::text(heat::text(self));
        match heat::picture(self).and_then(|drawn| png::picture(&drawn.svg, drawn.height, &drawn.below)) {
            Some(picture) => bundle.with(PNG, picture.into()),
            None => bundle,
        }
    }
}

/// Draws lanes, in base64; `None` only if the SVG were malformed.
pub(crate) fn lanes_picture(lanes: &Lanes) -> Option<String> {
    let drawn = lanes::picture(lanes);
    png::picture(&drawn.svg, drawn.height, &drawn.below)
}

fn figure_bundle(figure: &Figure) -> Bundle {
    let still = figure.still();
    let bundle = Bundle::text(text::figure(&still)).with(PLOTLY, plotly::figure(figure));
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

impl Part {
    /// Renders the part as a bundle; for a screen of so many characters, the text of a table is no wider.
    pub fn bundle(&self, width: Option<usize>) -> Bundle {
        width.map_or_else(|| bundle(self), |width| bundle_within(self, width))
    }
}

impl Report {
    /// Renders each part as a bundle; each has `text/plain`.
    pub fn bundles(&self) -> Vec<Bundle> {
        self.parts.iter().map(bundle).collect()
    }
}

impl Lanes {
    /// Renders the still forms: the plain text, without control characters, and a picture as `image/png`.
    pub fn bundle(&self, plain: impl Into<String>) -> Bundle {
        let bundle = Bundle::text(terminal_safe(&plain.into()));
        match lanes_picture(self) {
            Some(picture) => bundle.with(PNG, picture.into()),
            None => bundle,
        }
    }
}

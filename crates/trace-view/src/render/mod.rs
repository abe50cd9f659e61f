//! How a part looks, per MIME type.

mod plotly;
mod text;

use crate::{Bundle, Part};

pub use plotly::offline_plotly_js;
pub use text::terminal_safe;

/// The bundle of one part: always plain text, and whatever richer forms the part has.
pub(crate) fn bundle(part: &Part) -> Bundle {
    match part {
        Part::Text(text) | Part::Warning(text) => Bundle::text(terminal_safe(text)),
        Part::Table(table) => Bundle::text(terminal_safe(&table.caption)),
        Part::Figure(figure) => Bundle::text(terminal_safe(&figure.title)),
        Part::Bundle(bundle) => bundle.clone(),
    }
}

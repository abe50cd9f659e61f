//! The forms of a part that need no picture: plain text, HTML, and the table of our extension.

mod grid;
mod html;
mod table_json;
mod text;
mod tree_html;

use crate::bundle::WARNING;
use crate::{Bundle, Figure, Folded, HTML, TABLE, Table};

pub use html::escape;
pub use text::terminal_safe;

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

    /// Renders it as text, as HTML and for our extension; for a screen of `width` characters, the text is no wider.
    pub fn bundle(&self, width: Option<usize>) -> Bundle {
        let text = width.map_or_else(|| text::table(self), |width| text::table_within(self, width));
        Bundle::text(text).with(HTML, html::table(self).into()).with(TABLE, table_json::table(self))
    }
}

impl Figure {
    /// Renders it as plain text: its titles, and its values as a table.
    pub fn text(&self) -> String {
        text::figure(self)
    }
}

impl Folded {
    /// Renders it as plain text, and as HTML that unfolds.
    pub fn bundle(&self) -> Bundle {
        Bundle::text(terminal_safe(&self.plain())).with(HTML, html::folded(self).into())
    }
}

impl Bundle {
    /// Creates the bundle of a warning: plain text, and HTML that sets it off.
    pub fn of_warning(text: &str) -> Self {
        Self::text(format!("{WARNING}{}", terminal_safe(text))).with(HTML, html::warning(text).into())
    }
}

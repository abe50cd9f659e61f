//! What an answer has to show, in order.

use crate::{Bundle, Figure, Table};

/// One thing to show.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A paragraph of plain text.
    Text(String),
    /// A paragraph that the reader must not miss.
    Warning(String),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Figure),
    /// Content that somebody else made, passed on as it is.
    Bundle(Bundle),
}

/// What there is to show, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The parts; each becomes one output of the cell.
    pub parts: Vec<Part>,
}

impl Report {
    /// A report of one part.
    pub fn of(part: Part) -> Self {
        Self { parts: vec![part] }
    }

    /// The report with one more part.
    pub fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// One bundle per part, in order; each has `text/plain`.
    pub fn bundles(&self) -> Vec<Bundle> {
        self.parts.iter().map(crate::render::bundle).collect()
    }
}

/// An answer that knows what it has to show.
pub trait Present {
    /// What to show, in order.
    fn present(&self) -> Report;
}

impl Present for Report {
    fn present(&self) -> Report {
        self.clone()
    }
}

impl Present for Table {
    fn present(&self) -> Report {
        Report::of(Part::Table(self.clone()))
    }
}

impl Present for Figure {
    fn present(&self) -> Report {
        Report::of(Part::Figure(self.clone()))
    }
}

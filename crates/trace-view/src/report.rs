//! Reports: an ordered list of texts, tables and figures.

use crate::bundle::WARNING;
use crate::{Bundle, Figure, HeatMap, Table};

/// One part of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A paragraph of plain text.
    Text(String),
    /// A paragraph that is set off as a warning.
    Warning(String),
    /// Sentences behind a line that unfolds them.
    Folded(Folded),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Figure),
    /// A heat map.
    HeatMap(HeatMap),
    /// Finished content, passed on unchanged.
    Bundle(Bundle),
}

/// Sentences that a page shows once the reader unfolds their title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// One line that says what is below.
    pub title: String,
    /// The sentences, one a line.
    pub text: String,
    /// Whether the title is set off as a warning.
    pub is_warning: bool,
}

impl Folded {
    /// Returns it as plain text, which cannot be folded: of a warning with its title, else the sentences alone.
    pub fn plain(&self) -> String {
        if self.is_warning { format!("{WARNING}{}\n{}", self.title, self.text) } else { self.text.clone() }
    }
}

/// The parts of an answer, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The parts; each becomes one output of the cell.
    pub parts: Vec<Part>,
}

impl Report {
    /// Creates a report of one part.
    pub fn of(part: Part) -> Self {
        Self { parts: vec![part] }
    }

    /// Returns its warnings alone.
    pub fn warnings(&self) -> Self {
        let is_warning = |part: &&Part| match part {
            Part::Warning(_) => true,
            Part::Folded(folded) => folded.is_warning,
            _ => false,
        };
        Self { parts: self.parts.iter().filter(is_warning).cloned().collect() }
    }

    /// Adds a part.
    pub fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

/// A value that can be shown as a report.
pub trait Present {
    /// Returns its report.
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

impl Present for HeatMap {
    fn present(&self) -> Report {
        Report::of(Part::HeatMap(self.clone()))
    }
}

//! What a question is answered with: named data frames, figures, sentences.

use crate::frame_table;
use polars::prelude::DataFrame;
use trace_view::{Column, Figure, Kind, Part, Present, Report, Table, Unit};

/// The answer to a question.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// What was asked of what: `temporal_breakdown · control · rank 3`.
    pub title: String,
    /// The tables; the first one is the main one.
    pub tables: Vec<AnswerTable>,
    /// What there is to draw.
    pub figures: Vec<Figure>,
    /// What must be said beside the tables: why one is empty.
    pub notes: Vec<String>,
}

/// A table of an answer.
#[derive(Debug, Clone)]
pub struct AnswerTable {
    /// What it is called behind the name of a file, `kernels` in `out.kernels.csv`; empty: the file has the bare name.
    pub name: &'static str,
    /// The rows, with HTA's columns.
    pub frame: DataFrame,
    /// What the columns mean.
    pub columns: &'static [Column],
    /// Whether it is shown, or only written and bound.
    pub shown: bool,
}

/// How many rows of a table are shown.
const ROWS: usize = 50;

impl AnswerTable {
    /// The first `rows` rows of `frame`, which are rows of this table, to show.
    pub fn table(&self, frame: &DataFrame, caption: &str, rows: usize) -> Table {
        let mut table = frame_table(frame, caption, rows);
        for header in &mut table.headers {
            let Some(column) = self.columns.iter().find(|column| column.name == header.name) else { continue };
            header.unit = column.unit;
            column.meaning.clone_into(&mut header.meaning);
            header.kind = match (column.name, column.unit) {
                ("rank" | "stream", _) => Kind::Id,
                ("name", _) => Kind::Name,
                ("kernel_type" | "idle_category", _) => Kind::Category,
                (_, Unit::Percent) => Kind::Bar,
                _ => Kind::Number,
            };
        }
        table
    }

    /// The caption, under the title of the answer.
    pub fn caption(&self, title: &str) -> String {
        if self.name.is_empty() { title.to_owned() } else { format!("{title} · {}", self.name) }
    }
}

impl Present for Answer {
    fn present(&self) -> Report {
        let notes = self.notes.iter().map(|note| Part::Text(note.clone()));
        let tables = self.tables.iter().filter(|table| table.shown);
        let tables = tables.map(|table| Part::Table(table.table(&table.frame, &table.caption(&self.title), ROWS)));
        let figures = self.figures.iter().map(|figure| Part::Figure(figure.clone()));
        Report { parts: notes.chain(tables).chain(figures).collect() }
    }
}

//! What a question is answered with: named data frames, figures, sentences, copies of traces.

use super::TableSchema;
use crate::frame_table;
use crate::write::TraceCopy;
use polars::prelude::{Column as FrameColumn, DataFrame, PlSmallStr, Scalar};
use std::collections::BTreeMap;
use trace_view::{Column, Figure, Kind, Part, Present, Report, Table, Unit};

/// The answer to a question.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// What was asked of what: `temporal_breakdown · control · rank 3`.
    pub title: String,
    /// The tables; the first one is the main one. Of a table per rank there is one for every rank that was asked.
    pub tables: Vec<AnswerTable>,
    /// What there is to draw.
    pub figures: Vec<Figure>,
    /// What must be said beside the tables: why one is empty.
    pub notes: Vec<String>,
    /// Traces to be written beside their sources; nothing is written before [`TraceCopy::save`].
    pub copies: Vec<TraceCopy>,
}

/// A table of an answer.
#[derive(Debug, Clone)]
pub struct AnswerTable {
    /// What it is called behind the name of a file, `kernels` in `out.kernels.csv`; empty: the file has the bare name.
    pub name: &'static str,
    /// The rank whose table it is, `out.rank0.csv`; `None` if the ranks share one.
    pub rank: Option<i64>,
    /// The rows, with HTA's columns.
    pub frame: DataFrame,
    /// What the columns mean.
    pub columns: &'static [Column],
    /// Whether it is shown, or only written and bound.
    pub shown: bool,
    /// Whether a row stands for the events that have its `name`, on its `rank` if there is one.
    pub named_events: bool,
}

/// How many rows of a table are shown.
const ROWS: usize = 50;

/// What the column is called that tells the ranks of one frame apart.
const RANK: &str = "rank";

impl AnswerTable {
    /// The table with these rows, shown.
    pub fn new(schema: &TableSchema, frame: DataFrame) -> Self {
        let named_events = schema.named_events;
        Self { name: schema.name, rank: None, frame, columns: schema.columns, shown: true, named_events }
    }

    /// The table as that of one rank.
    #[must_use]
    pub fn of_rank(self, rank: i64) -> Self {
        Self { rank: Some(rank), ..self }
    }

    /// The table, shown only if `shown`.
    #[must_use]
    pub fn shown_if(self, shown: bool) -> Self {
        Self { shown, ..self }
    }

    /// The first `rows` rows of `frame`, which are rows of this table, to show.
    pub fn table(&self, frame: &DataFrame, caption: &str, rows: usize) -> Table {
        let mut table = frame_table(frame, caption, rows);
        for header in &mut table.headers {
            let Some(column) = self.columns.iter().find(|column| column.name == header.name) else { continue };
            header.unit = column.unit;
            column.meaning.clone_into(&mut header.meaning);
            header.kind = match (column.name, column.unit) {
                (RANK | "stream" | "index" | "pid" | "tid" | "correlation", _) => Kind::Id,
                ("iteration" | "profiler_step", _) => Kind::Id,
                ("name" | "s_name" | "s_user_annotation", _) => Kind::Name,
                ("pattern" | "aten_op_name" | "kernel_sequence", _) => Kind::Name,
                ("kernel_type" | "idle_category" | "s_cat" | "is_straggler", _) => Kind::Category,
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

    /// What its file is called behind the name that was given: nothing, `kernels`, `rank0`, `kernels.rank0`.
    pub fn part(&self) -> String {
        match (self.name, self.rank) {
            (name, None) => name.to_owned(),
            ("", Some(rank)) => format!("rank{rank}"),
            (name, Some(rank)) => format!("{name}.rank{rank}"),
        }
    }
}

impl Answer {
    /// The tables with those of the ranks below each other: one per name, and in front of a table of the ranks a column
    /// `rank`. This is what is shown and bound.
    pub fn whole_tables(&self) -> Vec<AnswerTable> {
        let mut whole: Vec<AnswerTable> = Vec::new();
        for table in &self.tables {
            let Some(rank) = table.rank else {
                whole.push(table.clone());
                continue;
            };
            let frame = with_rank(&table.frame, rank);
            match whole.iter_mut().find(|other| other.name == table.name) {
                Some(other) => {
                    other.frame.vstack_mut_owned_unchecked(frame);
                }
                None => whole.push(AnswerTable { rank: None, frame, ..table.clone() }),
            }
        }
        whole
    }

    /// The tables of this name by rank, as HTA returns them.
    pub fn by_rank(&self, name: &str) -> BTreeMap<i64, DataFrame> {
        let tables = self.tables.iter().filter(|table| table.name == name);
        tables.filter_map(|table| Some((table.rank?, table.frame.clone()))).collect()
    }

    /// The rows of the main table, of all ranks.
    pub(super) fn main(&self) -> DataFrame {
        self.whole_tables().into_iter().next().map(|table| table.frame).unwrap_or_default()
    }
}

/// The frame with a leading column that says the rank, unless it has one.
fn with_rank(frame: &DataFrame, rank: i64) -> DataFrame {
    if frame.column(RANK).is_ok() {
        return frame.clone();
    }
    let ranks = FrameColumn::new_scalar(PlSmallStr::from_static(RANK), Scalar::from(rank), frame.height());
    let columns = std::iter::once(ranks).chain(frame.columns().iter().cloned()).collect();
    DataFrame::new(frame.height(), columns).unwrap_or_else(|_| frame.clone())
}

impl Present for Answer {
    fn present(&self) -> Report {
        let notes = self.notes.iter().map(|note| Part::Text(note.clone()));
        let tables = self.whole_tables().into_iter().filter(|table| table.shown);
        let tables = tables.map(|table| Part::Table(table.table(&table.frame, &table.caption(&self.title), ROWS)));
        let figures = self.figures.iter().map(|figure| Part::Figure(figure.clone()));
        Report { parts: notes.chain(tables).chain(figures).collect() }
    }
}

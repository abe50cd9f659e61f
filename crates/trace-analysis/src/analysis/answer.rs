//! The answer of an analysis: named data frames, figures, notes and copies of traces.

use super::TableSchema;
use crate::write::TraceCopy;
use crate::{Rank, frame_table, shorten_name};
use polars::prelude::{Column as FrameColumn, DataFrame, PlSmallStr, Scalar};
use std::collections::BTreeMap;
use trace_view::{Column, Figure, HeatMap, Kind, Part, Present, Report, Table, TableValue, Unit};

/// The answer of an analysis.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The analysis and what it was run on: `temporal_breakdown · control · rank 3`.
    pub title: String,
    /// The tables, the main one first. A table per rank occurs once for each analysed rank.
    pub tables: Vec<AnswerTable>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// Heat maps, which replace figures of more ranks than bars or lines can show.
    pub heat_maps: Vec<HeatMap>,
    /// Sentences that explain the tables, for example why one is empty.
    pub notes: Vec<String>,
    /// Copies of traces; nothing is written before [`TraceCopy::save`].
    pub copies: Vec<TraceCopy>,
}

/// A table of an answer.
#[derive(Debug, Clone)]
pub struct AnswerTable {
    /// The name appended to that of a file, `kernels` in `out.kernels.csv`; if empty, nothing is appended.
    pub name: &'static str,
    /// The rank that the table belongs to, `out.rank0.csv`; `None` if all ranks share it.
    pub rank: Option<i64>,
    /// The rows, with HTA's columns.
    pub frame: DataFrame,
    /// The meaning of the columns.
    pub columns: &'static [Column],
    /// Whether it is shown, or only written and bound.
    pub shown: bool,
    /// Whether a row represents the events of its `name`, on its `rank` if there is such a column.
    pub named_events: bool,
    /// Whether a table for people shows the short form of its `name`; the frame has the whole.
    pub short_names: bool,
}

/// Number of rows that are shown.
const ROWS: usize = 50;

/// The name of the column that holds the rank.
const RANK: &str = "rank";
/// The name of the column that holds names of events.
const NAME: &str = "name";

impl AnswerTable {
    /// Creates a table of these rows, to be shown.
    pub fn new(schema: &TableSchema, frame: DataFrame) -> Self {
        let TableSchema { name, columns, named_events, short_names, .. } = *schema;
        Self { name, rank: None, frame, columns, shown: true, named_events, short_names }
    }

    /// Makes it the table of one rank.
    #[must_use]
    pub fn of_rank(self, rank: impl Into<Rank>) -> Self {
        Self { rank: Some(rank.into().into()), ..self }
    }

    /// Sets whether it is shown.
    #[must_use]
    pub fn shown_if(self, shown: bool) -> Self {
        Self { shown, ..self }
    }

    /// Renders the first `rows` rows of `frame`, whose columns are those of this table.
    pub fn table(&self, frame: &DataFrame, caption: &str, rows: usize) -> Table {
        let mut table = frame_table(frame, caption, rows);
        for header in &mut table.headers {
            let Some(column) = self.columns.iter().find(|column| column.name == header.name) else { continue };
            header.unit = column.unit;
            column.meaning.clone_into(&mut header.meaning);
            let kind = || match (column.name, column.unit) {
                (RANK | "stream" | "index" | "pid" | "tid" | "correlation", _) => Kind::Id,
                ("iteration" | "profiler_step", _) => Kind::Id,
                ("name" | "s_name" | "s_user_annotation", _) => Kind::Name,
                ("pattern" | "aten_op_name" | "kernel_sequence", _) => Kind::Name,
                ("kernel_type" | "idle_category" | "class" | "s_cat" | "is_straggler", _) => Kind::Category,
                // A bar cannot be negative.
                ("share_of_step", _) => Kind::Number,
                (_, Unit::Percent) => Kind::Bar,
                _ => Kind::Number,
            };
            header.kind = column.kind.unwrap_or_else(kind);
        }
        if self.short_names {
            shorten_names(&mut table);
        }
        table
    }

    /// Returns the caption: the title of the answer, and the name of the table if it has one.
    pub fn caption(&self, title: &str) -> String {
        if self.name.is_empty() { title.to_owned() } else { format!("{title} · {}", self.name) }
    }

    /// Returns the suffix of its file's name: nothing, `kernels`, `rank0` or `kernels.rank0`.
    pub fn part(&self) -> String {
        match (self.name, self.rank) {
            (name, None) => name.to_owned(),
            ("", Some(rank)) => format!("rank{rank}"),
            (name, Some(rank)) => format!("{name}.rank{rank}"),
        }
    }
}

/// Replaces names by their short forms.
fn shorten_names(table: &mut Table) {
    let Some(at) = table.headers.iter().position(|header| header.name == NAME) else { return };
    for row in &mut table.rows {
        if let Some(TableValue::Text(name)) = row.get_mut(at) {
            *name = shorten_name(name);
        }
    }
}

impl Answer {
    /// Creates an answer of one table, with a figure if there is anything to draw.
    pub(super) fn of(table: AnswerTable, figure: Option<Figure>, notes: impl IntoIterator<Item = String>) -> Self {
        Self {
            tables: vec![table],
            figures: figure.into_iter().collect(),
            notes: notes.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Returns one table per name, which is what is shown and bound: the tables of the ranks are stacked, with a leading
    /// column `rank`.
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

    /// Returns the tables of this name by rank, as HTA does.
    pub fn by_rank(&self, name: &str) -> BTreeMap<i64, DataFrame> {
        let tables = self.tables.iter().filter(|table| table.name == name);
        tables.filter_map(|table| Some((table.rank?, table.frame.clone()))).collect()
    }

    /// Returns the main table, of all ranks.
    pub(super) fn main(&self) -> DataFrame {
        self.whole_tables().into_iter().next().map(|table| table.frame).unwrap_or_default()
    }
}

/// Adds a leading column `rank`, unless the frame has one.
fn with_rank(frame: &DataFrame, rank: i64) -> DataFrame {
    if frame.column(RANK).is_ok() {
        return frame.clone();
    }
    with_leading(frame, RANK, Scalar::from(rank)).unwrap_or_else(|_| frame.clone())
}

/// Adds a leading column of one value.
///
/// # Errors
/// If the frame has a column of this name.
pub(super) fn with_leading(frame: &DataFrame, name: &'static str, value: Scalar) -> crate::Result<DataFrame> {
    let leading = FrameColumn::new_scalar(PlSmallStr::from_static(name), value, frame.height());
    let columns = std::iter::once(leading).chain(frame.columns().iter().cloned()).collect();
    Ok(DataFrame::new(frame.height(), columns)?)
}

impl Present for Answer {
    fn present(&self) -> Report {
        let notes = self.notes.iter().map(|note| Part::Text(note.clone()));
        let tables = self.whole_tables().into_iter().filter(|table| table.shown);
        let tables = tables.map(|table| {
            let shown = table.most_different_first();
            let (frame, ranks) = shown.map_or((table.frame.clone(), None), |(frame, ranks)| (frame, Some(ranks)));
            let mut drawn = table.table(&frame, &table.caption(&self.title), ROWS);
            drawn.notes.extend(ranks.map(|ranks| format!("those of {ranks} ranks that differ most first")));
            Part::Table(drawn)
        });
        let figures = self.figures.iter().map(|figure| Part::Figure(figure.clone()));
        let heat_maps = self.heat_maps.iter().map(|map| Part::HeatMap(map.clone()));
        Report { parts: notes.chain(tables).chain(figures).chain(heat_maps).collect() }
    }
}

//! Tables as plain data: values and the meaning of each column, not their looks.

use crate::{Kind, Tree, Unit};

/// The header of a column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The column's name in the data frame.
    pub name: String,
    /// The unit of the values in this table.
    pub unit: Unit,
    /// The kind of the values.
    pub kind: Kind,
    /// One line of meaning, the tooltip of the header; may be empty.
    pub meaning: String,
    /// A title for a column that is narrower than its name, used by the extension; may be empty.
    pub short: String,
    /// The scale of the bars, by name: columns with the same name share it; empty for a scale of the column's own.
    pub scale: String,
}

impl Header {
    /// Creates a header without a meaning.
    pub fn new(name: impl Into<String>, unit: Unit, kind: Kind) -> Self {
        Self { name: name.into(), unit, kind, ..Self::default() }
    }

    /// Tells whether the column holds durations.
    pub fn is_duration(&self) -> bool {
        self.unit.measures_durations(&self.name)
    }
}

/// A value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum TableValue {
    /// Absent; drawn as a dash.
    Null,
    /// Text as in the trace; renderers escape it.
    Text(String),
    /// A whole number.
    Int(i64),
    /// Any number; if not finite, it counts as [`TableValue::Null`].
    Float(f64),
}

/// A table: headers, rows, and what is written around them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The caption: `compare_traces · control → test · GPU · rank 3 → 1 · iteration 1010 → 1010`.
    pub caption: String,
    /// The headers, one per column.
    pub headers: Vec<Header>,
    /// The rows, each with a value per header.
    pub rows: Vec<Vec<TableValue>>,
    /// The first page of `rows`; `None` to show all that fit.
    pub page: Option<Page>,
    /// The number of rows of the answer, which may be more than `rows` contains.
    pub total_rows: usize,
    /// Notes on the line below the table: the order, how to see more.
    pub notes: Vec<String>,
    /// The change of each row, if the rows compare two sides.
    pub changes: Option<Changes>,
    /// The notebook cells that list the events behind a row, if rows represent events.
    pub events: Option<EventCells>,
    /// How to see the rows that `rows` does not contain: `` `%show x --top 0` shows all ``; empty if unknown.
    pub rest: String,
    /// The tree of the rows, if some are below others; see [`Table::tree`].
    pub tree: Option<Tree>,
}

/// The change of each row of a comparison. The extension offers the kinds as filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The column that shows the change.
    pub column: String,
    /// The kinds of change, in the order of the filters.
    pub kinds: &'static [&'static str],
    /// The index of the kind of each row.
    pub rows: Vec<usize>,
}

/// Notebook cells that list the events behind a row. The extension offers them when a row is clicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCells {
    /// The column with the name of the events.
    pub name: String,
    /// The column with their rank, appended as `--rank N`; `None` if a row covers all ranks of a cell.
    pub rank: Option<String>,
    /// One cell for each trace.
    pub cells: Vec<EventCell>,
}

/// A notebook cell without the name: `before 'NAME' after`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventCell {
    /// Its title: `events in control`.
    pub title: String,
    /// The text before the quoted name: `%events control --name `.
    pub before: String,
    /// The text after the name: ` --rank 3`.
    pub after: String,
    /// The column with the number of events: a row with 0 offers no cell. May be empty.
    pub counts: String,
}

/// The first page of a table. Text and HTML show no more; the extension pages through the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The number of its rows.
    pub rows: usize,
    /// How to see more without the extension: `--top 50 shows more`.
    pub more: String,
}

impl Table {
    /// The most rows that are sent to the extension.
    pub const MOST_ROWS: usize = 5_000;

    /// Makes the table a tree: its rows are in depth-first order, `levels` has the depth of each (0 is a root, at most one more
    /// than that of the row before), `open` whether it is expanded at first. What does not fit is adapted: see [`Tree::new`].
    ///
    /// The first column of names shows the tree. Text shows the open paths only, HTML and the extension let the reader expand the
    /// others. A tree has no pages: [`Table::page`] bounds the rows of its text and HTML.
    #[must_use]
    pub fn tree(mut self, levels: Vec<u32>, open: Vec<bool>) -> Self {
        self.tree = Some(Tree::new(self.rows.len(), levels, open));
        self
    }

    /// Returns the tree of exactly the rows, which may have changed since [`Table::tree`].
    pub(crate) fn checked_tree(&self) -> Option<Tree> {
        let tree = self.tree.as_ref()?;
        Some(Tree::new(self.rows.len(), tree.levels().to_vec(), tree.open().to_vec()))
    }

    /// Returns the column that shows the tree: the first of names, else the first.
    pub(crate) fn tree_column(&self) -> usize {
        self.headers.iter().position(|header| header.kind == Kind::Name).unwrap_or(0)
    }

    /// Returns the rows of the first page; of a tree all rows.
    pub fn first_page(&self) -> &[Vec<TableValue>] {
        if self.tree.is_some() {
            return &self.rows;
        }
        let most = self.page.as_ref().map_or(usize::MAX, |page| page.rows);
        &self.rows[..self.rows.len().min(most)]
    }

    /// Returns the table with the columns `names`, in this order; unknown names are skipped.
    #[must_use]
    pub fn select(self, names: &[String]) -> Self {
        let order: Vec<usize> =
            names.iter().filter_map(|name| self.headers.iter().position(|header| header.name == *name)).collect();
        self.reordered(&order)
    }

    /// Moves the column `name` to the front, if it is an [`Id`](Kind::Id) with more than one distinct value.
    #[must_use]
    pub fn with_first_id(self, name: &str) -> Self {
        let is_it = |header: &Header| header.name == name && header.kind == Kind::Id;
        let Some(at) = self.headers.iter().position(is_it).filter(|&at| at > 0) else { return self };
        let mut values = self.rows.iter().map(|row| row.get(at));
        let first = values.next();
        if !values.any(|value| Some(value) != first) {
            return self;
        }
        let rest = (0..self.headers.len()).filter(|&column| column != at);
        let order: Vec<usize> = std::iter::once(at).chain(rest).collect();
        self.reordered(&order)
    }

    /// Inserts a column after column `after`; `value` computes each value from its row.
    #[must_use]
    pub fn with_column(mut self, after: usize, header: Header, value: impl Fn(&[TableValue]) -> TableValue) -> Self {
        let at = (after + 1).min(self.headers.len());
        for row in &mut self.rows {
            let value = value(row);
            row.resize(self.headers.len(), TableValue::Null);
            row.insert(at, value);
        }
        self.headers.insert(at, header);
        self
    }

    fn reordered(mut self, order: &[usize]) -> Self {
        self.headers = order.iter().map(|&at| self.headers[at].clone()).collect();
        for row in &mut self.rows {
            *row = order.iter().map(|&at| row.get(at).cloned().unwrap_or(TableValue::Null)).collect();
        }
        self
    }

    /// Expresses every column of time in the unit that fits the largest duration of the first page; without durations,
    /// the largest point in time.
    #[must_use]
    pub fn in_fitting_time_unit(self) -> Self {
        let durations = self.largest_seconds(Header::is_duration);
        let largest = if durations > 0.0 { durations } else { self.largest_seconds(|_| true) };
        self.in_time_unit(Unit::fitting(largest))
    }

    /// Returns the largest magnitude on the first page, in seconds, in the columns of time that `counts` selects.
    fn largest_seconds(&self, counts: impl Fn(&Header) -> bool) -> f64 {
        let mut largest = 0.0_f64;
        for (index, header) in self.headers.iter().enumerate().filter(|(_, header)| counts(header)) {
            let Some(seconds) = header.unit.seconds() else { continue };
            for row in self.first_page() {
                let value = match row.get(index) {
                    Some(TableValue::Int(value)) => *value as f64,
                    Some(TableValue::Float(value)) if value.is_finite() => *value,
                    _ => continue,
                };
                largest = largest.max(value.abs() * seconds);
            }
        }
        largest
    }

    /// Expresses every column of time in `unit`.
    pub fn in_time_unit(mut self, unit: Unit) -> Self {
        let Some(to) = unit.seconds() else { return self };
        for (index, header) in self.headers.iter_mut().enumerate() {
            let Some(from) = header.unit.seconds().filter(|_| header.unit != unit) else { continue };
            header.unit = unit;
            for row in &mut self.rows {
                match row.get_mut(index) {
                    Some(cell @ TableValue::Int(_)) => {
                        if let TableValue::Int(value) = *cell {
                            *cell = TableValue::Float(value as f64 * (from / to));
                        }
                    }
                    Some(TableValue::Float(value)) => *value *= from / to,
                    _ => {}
                }
            }
        }
        self
    }
}

//! A table as plain data: what stands in it and what each column means, not how it looks.

use crate::Unit;

/// How the values of a column are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// An operator, kernel or file name: monospace, elided in the middle, whole in the hover text.
    Name,
    /// Any other text.
    #[default]
    Text,
    /// A number without direction: thousands separators, one number of decimals for the whole column.
    Number,
    /// An identifier that happens to be a number (a rank, a process id): digits without separators.
    Id,
    /// A difference: the sign is always written, more is tinted orange, less blue, with a bar.
    Difference,
    /// A number that is easier to compare with a bar behind it.
    Bar,
    /// One of few words (`cpu_op`, `kernel`): the extension offers it as a filter.
    Category,
    /// The sign or word of a row's change between two sides (`+`, `added`); see [`Table::changes`].
    Change,
}

/// The head of a column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The column's name, as it stands in the data frame.
    pub name: String,
    /// The unit of the values in this table.
    pub unit: Unit,
    /// How to read the values.
    pub kind: Kind,
    /// One line of meaning, shown when the pointer rests on the header; may be empty.
    pub meaning: String,
    /// A title for a column that is narrower than its name, shown by the extension; may be empty.
    pub short: String,
    /// Columns with the same text here share the scale of their bars; empty: the column has its own.
    pub scale: String,
}

impl Header {
    /// A header without a meaning of its own.
    pub fn new(name: impl Into<String>, unit: Unit, kind: Kind) -> Self {
        Self { name: name.into(), unit, kind, ..Self::default() }
    }

    /// Tells whether the column holds durations.
    pub fn is_duration(&self) -> bool {
        self.unit.measures_durations(&self.name)
    }
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum TableValue {
    /// Nothing to say; drawn as a dash.
    Null,
    /// Text, as it stands in the trace: renderers escape it.
    Text(String),
    /// A whole number.
    Int(i64),
    /// Any number; not finite counts as [`TableValue::Null`].
    Float(f64),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What the table is: `compare_traces · control → test · GPU · rank 3 → 1 · iteration 1010 → 1010`.
    pub caption: String,
    /// One per column.
    pub headers: Vec<Header>,
    /// The rows to show, each as long as `headers`.
    pub rows: Vec<Vec<TableValue>>,
    /// Which of `rows` are shown at first, if not all that fit.
    pub page: Option<Page>,
    /// How many rows the answer has; more than `rows` holds when the view was cut.
    pub total_rows: usize,
    /// What else the line below the table says: the order, how to see more.
    pub notes: Vec<String>,
    /// How every row changed, if the rows compare two sides.
    pub changes: Option<Changes>,
    /// How the events behind a row are listed, if rows stand for events.
    pub events: Option<EventCells>,
    /// How to reach the rows that `rows` does not hold: `` `%show x --top 0` shows all ``; empty: not known.
    pub rest: String,
}

/// How every row of a comparison changed. The extension offers the kinds as filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The column that shows the change.
    pub column: String,
    /// The kinds of change, in the order in which they are offered.
    pub kinds: &'static [&'static str],
    /// For each row the index of its kind.
    pub rows: Vec<usize>,
}

/// Notebook cells that list the events behind a row. The extension offers them when a row is clicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCells {
    /// The column with the name of the events.
    pub name: String,
    /// The column with their rank, appended as `--rank N`; `None` if a row is about all ranks of a cell.
    pub rank: Option<String>,
    /// One cell for each trace.
    pub cells: Vec<EventCell>,
}

/// A notebook cell without the name: `before 'NAME' after`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventCell {
    /// What it lists: `events in control`.
    pub title: String,
    /// The text before the quoted name: `%events control --name `.
    pub before: String,
    /// The text behind it: ` --rank 3`.
    pub after: String,
    /// The column of the number of events: a row with 0 offers no cell. May be empty.
    pub counts: String,
}

/// A first page of a table. Text and HTML show no more; the extension turns to the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// How many rows it has.
    pub rows: usize,
    /// How to see more where pages cannot be turned: `--top 50 shows more`.
    pub more: String,
}

impl Table {
    /// How many rows the extension is sent at most.
    pub const MOST_ROWS: usize = 5_000;

    /// The rows that are shown at first.
    pub fn first_page(&self) -> &[Vec<TableValue>] {
        let most = self.page.as_ref().map_or(usize::MAX, |page| page.rows);
        &self.rows[..self.rows.len().min(most)]
    }

    /// The table with these columns in this order, those that exist.
    #[must_use]
    pub fn select(self, names: &[String]) -> Self {
        let order: Vec<usize> =
            names.iter().filter_map(|name| self.headers.iter().position(|header| header.name == *name)).collect();
        self.reordered(&order)
    }

    /// The table with its column `name` first, if that is an [`Id`](Kind::Id) with more than one value in the rows.
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

    /// Inserts a column behind column `after`; each cell is made of its row.
    #[must_use]
    pub fn with_column(mut self, after: usize, header: Header, cell: impl Fn(&[TableValue]) -> TableValue) -> Self {
        let at = (after + 1).min(self.headers.len());
        for row in &mut self.rows {
            let made = cell(row);
            row.resize(self.headers.len(), TableValue::Null);
            row.insert(at, made);
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

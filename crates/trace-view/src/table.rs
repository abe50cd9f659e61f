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
    /// One of few words (`added`, `=`): the extension offers it as a filter.
    Category,
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
}

impl Header {
    /// A header without a meaning of its own.
    pub fn new(name: impl Into<String>, unit: Unit, kind: Kind) -> Self {
        Self { name: name.into(), unit, kind, meaning: String::new() }
    }
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing to say; drawn as a dash.
    Null,
    /// Text, as it stands in the trace: renderers escape it.
    Text(String),
    /// A whole number.
    Int(i64),
    /// Any number; not finite counts as [`Cell::Null`].
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
    pub rows: Vec<Vec<Cell>>,
    /// Which of `rows` are shown at first, if not all that fit.
    pub page: Option<Page>,
    /// How many rows the answer has; more than `rows` holds when the view was cut.
    pub total_rows: usize,
    /// What else the line below the table says: the order, how to see more.
    pub notes: Vec<String>,
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
    pub fn first_page(&self) -> &[Vec<Cell>] {
        let most = self.page.as_ref().map_or(usize::MAX, |page| page.rows);
        &self.rows[..self.rows.len().min(most)]
    }

    /// Expresses every column of time in `unit`.
    pub fn in_time_unit(mut self, unit: Unit) -> Self {
        let Some(to) = unit.seconds() else { return self };
        for (index, header) in self.headers.iter_mut().enumerate() {
            let Some(from) = header.unit.seconds().filter(|_| header.unit != unit) else { continue };
            header.unit = unit;
            for row in &mut self.rows {
                match row.get_mut(index) {
                    Some(cell @ Cell::Int(_)) => {
                        if let Cell::Int(value) = *cell {
                            *cell = Cell::Float(value as f64 * (from / to));
                        }
                    }
                    Some(Cell::Float(value)) => *value *= from / to,
                    _ => {}
                }
            }
        }
        self
    }
}

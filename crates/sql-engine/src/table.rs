//! The interface of a table: its columns, its parts, and reading a part.

use crate::column::Column;
use crate::index::Index;
use crate::value::{Kind, OwnedValue};
use std::error::Error;
use std::sync::Arc;

/// An error of the caller, which leaves a statement unchanged.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The declaration of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpec {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: Kind,
    /// The unit of its values: columns of an answer have it as far as they show or add up such values.
    pub unit: Option<&'static str>,
    /// Whether it is an argument of a table function: `stream` of `gaps(stream)`. Such columns come last, and `*` leaves them out.
    pub is_argument: bool,
    /// Whether it is a hidden column: `*` leaves it out, and a statement reads it by name.
    pub is_hidden: bool,
}

impl ColumnSpec {
    /// Declares a column.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, unit: None, is_argument: false, is_hidden: false }
    }

    /// Declares the unit of the values, in one word.
    #[must_use]
    pub fn with_unit(self, unit: Option<&'static str>) -> Self {
        Self { unit, ..self }
    }

    /// Declares whether `*` leaves the column out.
    #[must_use]
    pub fn hidden(self, is_hidden: bool) -> Self {
        Self { is_hidden, ..self }
    }

    /// Declares an argument of a table function.
    pub fn argument(name: impl Into<String>, kind: Kind) -> Self {
        Self { is_argument: true, ..Self::new(name, kind) }
    }
}

/// A part of a table that is read at once, such as a rank of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct PartSpec {
    /// How many rows it has, about.
    pub rows: usize,
    /// Columns with one value in all its rows: conditions on them leave the part out before it is read.
    pub fixed: Vec<(usize, OwnedValue)>,
}

/// The rows of a part, with the columns that were asked for.
#[derive(Clone, Default)]
pub struct Part {
    /// How many rows it has.
    pub rows: usize,
    /// Its columns by their number in [`Table::columns`]. A missing one has no values.
    pub columns: Vec<Option<Arc<dyn Column>>>,
}

/// A table of SQL over columns of the caller.
pub trait Table: Send + Sync {
    /// Returns its columns, of which the first 63 are read only when a statement uses them.
    fn columns(&self) -> &[ColumnSpec];

    /// Returns its parts, in the order of its rows.
    fn parts(&self) -> &[PartSpec];

    /// Reads columns of a part; they do not change as long as they live. `arguments` are the values of the columns that are
    /// arguments, in their order: NULL where none is given.
    ///
    /// # Errors
    /// Those of the caller: the statement ends with them.
    fn read(&self, part: usize, columns: &[usize], arguments: &[OwnedValue]) -> Result<Part, Failure>;

    /// Returns the index of a column of a part, or `None` if `build` has no memory for one. By default an index lives as long as the
    /// statement. A table that keeps indexes answers with an earlier one for the same rows and the same dictionary
    /// ([`Dictionary::identity`](crate::Dictionary::identity)). Rows of table functions depend on arguments: their indexes are not asked for.
    fn index(
        &self,
        part: usize,
        column: usize,
        values: &dyn Column,
        build: &dyn Fn() -> Option<Index>,
    ) -> Option<Arc<Index>> {
        let _ = (part, column, values);
        build().map(Arc::new)
    }
}

/// What the engine asks while a statement runs.
pub trait Host: Send + Sync {
    /// Whether the statement is to end.
    fn is_interrupted(&self) -> bool;

    /// Hears that tables have given SQLite so many further rows.
    fn rows_read(&self, rows: usize) {
        let _ = rows;
    }

    /// Whether this much further memory may be used.
    fn fits(&self, bytes: usize) -> bool;
}

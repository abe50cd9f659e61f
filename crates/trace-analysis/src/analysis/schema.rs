//! Parameters and tables of an analysis, as data: what help, completion and parsers read.

use trace_view::Column;

/// A parameter of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// HTA's name; a field of the analysis.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: ParameterKind,
    /// One line of meaning.
    pub meaning: &'static str,
    /// The placeholder in usage lines of a required, positional parameter; `None` if it is given by name.
    pub placeholder: Option<&'static str>,
}

/// The kind of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// Stream numbers.
    Streams,
    /// Iteration numbers.
    Iterations,
    /// Yes or no.
    Switch,
    /// Any text.
    Text,
    /// Part of an operator's name.
    Operator,
    /// Several texts.
    Texts,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Some of these words.
    Choices(&'static [&'static str]),
    /// A file or folder to write.
    Path,
}

impl Parameter {
    /// Creates a parameter that is given by name.
    pub const fn new(name: &'static str, kind: ParameterKind, meaning: &'static str) -> Self {
        Self { name, kind, meaning, placeholder: None }
    }

    /// Makes the parameter positional and required; usage lines call it `placeholder`.
    #[must_use]
    pub const fn at(self, placeholder: &'static str) -> Self {
        Self { placeholder: Some(placeholder), ..self }
    }
}

/// The shape of a table that an analysis returns.
#[derive(Debug, Clone, Copy)]
pub struct TableSchema {
    /// The name appended to that of a file, `kernels` in `out.kernels.csv`; may be empty for the main table.
    pub name: &'static str,
    /// The columns, with HTA's names.
    pub columns: &'static [Column],
    /// Whether each rank has a table of its own, `out.rank0.csv`.
    pub per_rank: bool,
    /// Whether a row represents the events of its `name`, on its `rank` if there is such a column.
    pub named_events: bool,
    /// Whether tables for people show the short form of its `name`; the frame has the whole.
    pub short_names: bool,
    /// How the tables of two traces are joined; `None` if they are not.
    pub join: Option<SideJoin>,
}

/// How the rows of two traces meet in one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideJoin {
    /// Columns of texts or whole numbers that name a row: rows of equal keys meet, several of them in order.
    pub keys: &'static [&'static str],
    /// Columns of numbers or texts that are shown for each side. Rows are ordered by the change of the first one, which is a number.
    pub values: &'static [&'static str],
}

impl TableSchema {
    /// Creates the schema of a table that all ranks share.
    pub const fn new(name: &'static str, columns: &'static [Column]) -> Self {
        Self { name, columns, per_rank: false, named_events: false, short_names: false, join: None }
    }

    /// Gives each analysed rank a table of its own.
    #[must_use]
    pub const fn per_rank(self) -> Self {
        Self { per_rank: true, ..self }
    }

    /// Declares that rows represent the events of their `name`.
    #[must_use]
    pub const fn of_named_events(self) -> Self {
        Self { named_events: true, ..self }
    }

    /// Declares that the tables of two traces are joined: rows with equal `keys` meet, `values` are shown for each side.
    #[must_use]
    pub const fn joined(self, keys: &'static [&'static str], values: &'static [&'static str]) -> Self {
        Self { join: Some(SideJoin { keys, values }), ..self }
    }

    /// Declares that tables for people show the short form of names.
    #[must_use]
    pub const fn with_short_names(self) -> Self {
        Self { short_names: true, ..self }
    }
}

//! Kinds of values, which decide how tables write them.

/// The kind of the values of a column, which decides how they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// The name of an operator, kernel or file: monospace, elided in the middle, complete in the hover text.
    Name,
    /// Any other text.
    #[default]
    Text,
    /// A number: thousands separators, as many decimals as the rest of the column.
    Number,
    /// A numeric identifier (a rank, a process id): digits without separators.
    Id,
    /// A difference: always with its sign and a bar, orange for more, blue for less.
    Difference,
    /// A number with a bar behind it.
    Bar,
    /// One of few words (`cpu_op`, `kernel`), which the extension offers as a filter.
    Category,
    /// The sign or word of a row's change between two sides (`+`, `added`); see [`Table::changes`](crate::Table::changes).
    Change,
}

//! Reasons for which a filter cannot be used.

use trace_view::format::list;

/// Why a filter is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterReason {
    /// The expression has another type than Boolean.
    #[error("invalid filter: expected true or false for each event, found {dtype}")]
    NotBoolean {
        /// The type of the expression.
        dtype: String,
    },
    /// A time range ends before it starts.
    #[error("invalid time range: its end {end} is before its start {start}")]
    ReversedRange {
        /// Start, in nanoseconds.
        start: i64,
        /// End, in nanoseconds.
        end: i64,
    },
    /// A pattern is not a regular expression.
    #[error("invalid regular expression \"{pattern}\": {problem}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The parser's message.
        problem: String,
    },
    /// The trace has no iteration at this position.
    #[error("trace \"{label}\" has no iteration at position {position} (has {count})")]
    NoIterationAt {
        /// The trace.
        label: String,
        /// The position, from 0.
        position: i64,
        /// Iterations of the trace.
        count: usize,
    },
    /// The rank has no call of the operator at this position.
    #[error("rank {rank} has no `{operator}` at position {position} (has {count})")]
    NoOperatorAt {
        /// The rank.
        rank: i64,
        /// The operator.
        operator: String,
        /// The position, from 0; negative ones count from the end.
        position: i64,
        /// Calls of the operator on the rank.
        count: usize,
    },
    /// The rank has no call of the operator at that place within the root.
    #[error("rank {rank} has no `{operator}` at that place within `{root}`")]
    NotWithin {
        /// The rank.
        rank: i64,
        /// The operator.
        operator: String,
        /// The operator in which it was expected.
        root: String,
    },
}

/// Why a text is not an expression of `Where`, or does not fit the events.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WhereReason {
    /// The text does not follow the grammar.
    #[error("{0}")]
    Syntax(String),
    /// A pattern is not a regular expression.
    #[error("invalid regular expression \"{pattern}\": {problem}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The parser's message.
        problem: String,
    },
    /// No rank has the column.
    #[error("{}", unknown_column(.column, .similar, .available))]
    UnknownColumn {
        /// The column.
        column: String,
        /// A column of a similar name.
        similar: Option<String>,
        /// The columns of the events.
        available: Vec<String>,
    },
    /// The column is one of an argument that no event has.
    #[error("no event has `{column}`: none carries it, or it was not loaded (%trace_load … --args default,{arg})")]
    NotLoaded {
        /// The column.
        column: String,
        /// The key under which the argument is loaded.
        arg: &'static str,
    },
    /// A column of numbers is compared with a text.
    #[error("`{column}` holds numbers, this is for texts")]
    HoldsNumbers {
        /// The column.
        column: String,
    },
    /// A column of texts is compared with a number.
    #[error("`{column}` holds texts: put it in quotes")]
    HoldsTexts {
        /// The column.
        column: String,
    },
    /// A number has a unit of time, its column does not.
    #[error("`{column}` is not a time: omit the unit")]
    NotATime {
        /// The column.
        column: String,
    },
    /// A number has no unit, its column is a time.
    #[error("`{column}` is a time: add a unit, as in {number}us (ns, us, ms, s)")]
    NoUnit {
        /// The column.
        column: String,
        /// The number.
        number: String,
    },
}

fn unknown_column(column: &str, similar: &Option<String>, available: &[String]) -> String {
    match similar {
        Some(name) => format!("unknown column `{column}`; did you mean `{name}`?"),
        None => format!("unknown column `{column}`: expected one of {}", list(available)),
    }
}

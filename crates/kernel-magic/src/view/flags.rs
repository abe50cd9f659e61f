//! The flags that all tables share.

use super::change::CATEGORIES;
use crate::argument::{Argument, Group, Kind};

/// Flags that select and order rows, of the table, the file and the bound variable.
pub const ROWS: Group = Group::new(
    "Rows (of table, file and variable)",
    &[
        Argument::flag("filter", Kind::Regex, "only rows whose name matches; quote it: 'nccl|memcpy'").or("all rows"),
        Argument::flag("category", Kind::Choices(CATEGORIES), "only rows with these kinds of change").or("all rows"),
        SORT,
    ],
);

/// The order of rows.
pub const SORT: Argument =
    Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable();

/// The condition on the rows of a table, of magics that have none on events.
pub const ROWS_WHERE: Argument =
    Argument::flag("where", Kind::RowsWhere, "only rows that meet this condition: 'dur > 100us and name ~ \"^nccl\"'")
        .or("all rows");

/// The columns whose values make one row each.
pub(crate) const GROUP_BY: Argument = Argument::flag(
    "group-by",
    Kind::Columns,
    "one row for equal values of these columns: their number, and the sums of what adds up",
)
.or("a row each");

/// Flags of the table.
pub const SHOWN: Group = Group::new(
    "Table",
    &[
        GROUP_BY,
        Argument::flag("columns", Kind::Columns, "only these columns, of table, file and variable").or("all"),
        Argument::flag("top", Kind::Whole, "show this many rows; 0 shows all").or("20"),
        Argument::flag("min-us", Kind::Number, "hide rows whose durations are all below this, in µs").or("0"),
        Argument::flag("unit", Kind::Choice(&["auto", "us", "ms", "s"]), "unit of the durations shown").or("auto"),
    ],
);

/// Flags for the destination of the result.
pub const RESULT: Group = Group::new(
    "Output",
    &[
        Argument::flag("csv", Kind::File, "write all rows, unrounded, durations in µs; the flags under Rows apply"),
        Argument::flag("as", Kind::Name, "also bind the same rows to this Rust variable"),
        Argument::flag("quiet", Kind::Switch, "show only warnings"),
    ],
);

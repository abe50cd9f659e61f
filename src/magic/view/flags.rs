//! The flags that every table takes.

use super::change::CATEGORIES;
use crate::magic::argument::{Argument, Group, Kind};

/// Which rows, in which order. They shape the table, the file and the bound variable.
pub(crate) const ROWS: Group = Group::new(
    "Rows (of table, file and variable)",
    &[
        Argument::flag("filter", Kind::Regex, "only rows whose name matches; quote it: 'nccl|memcpy'").or("all rows"),
        Argument::flag("category", Kind::Choices(CATEGORIES), "only rows of these kinds of change").or("all rows"),
        Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable(),
    ],
);

/// What of them is shown.
pub(crate) const SHOWN: Group = Group::new(
    "Table",
    &[
        Argument::flag("columns", Kind::Columns, "only these columns, of table, file and variable").or("all"),
        Argument::flag("top", Kind::Whole, "show this many rows; 0 shows all").or("20"),
        Argument::flag("min-us", Kind::Number, "hide rows without a duration of at least this many µs").or("0"),
        Argument::flag("unit", Kind::Choice(&["auto", "us", "ms", "s"]), "unit of the durations shown").or("auto"),
    ],
);

/// Where the result goes.
pub(crate) const RESULT: Group = Group::new(
    "Where it goes",
    &[
        Argument::flag("csv", Kind::File, "write all rows, unrounded, durations in µs; see Rows for what shapes it"),
        Argument::flag("as", Kind::Name, "bind the same rows to this Rust variable too"),
        Argument::flag("quiet", Kind::Switch, "show nothing but warnings"),
    ],
);

//! One table in place of a page: rows of an answer, chosen, summed by groups and ordered by the flags of a call.

use super::flags::{GROUP_BY, SORT};
use crate::argument::{Call, Group};

/// Flags with which a page becomes the table of its rows.
pub(crate) const ONE_TABLE: Group = Group::new("One table of rows in place of the page", &[GROUP_BY, SORT]);

/// Returns whether a call asks for the table of the rows: by a condition on rows, groups, an order, or the name of a table.
pub(crate) fn is_one_table(call: &Call<'_>) -> bool {
    call.rows_condition("where").is_some() || ["group-by", "sort", "table"].iter().any(|flag| call.has(flag))
}

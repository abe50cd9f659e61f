//! Presentation of data frames: rows, order and units of tables, figures and CSV files.

mod change;
mod columns;
mod csv;
mod drill_down;
mod figure;
mod flags;
mod html_page;
mod rows;
mod selection;
mod stats;
mod table;

pub(crate) use change::is_unsorted;
pub(crate) use csv::{csv, write_csv};
pub(crate) use drill_down::{drill_down, drill_down_by_side};
pub(crate) use figure::{FIGURE, FIGURE_NOTES, bars, check_form, histogram};
pub(crate) use flags::{RESULT, ROWS, SHOWN};
pub(crate) use html_page::write_html;
pub(crate) use rows::SelectedRows;
pub(crate) use selection::{GROUPS, SELECTION, WHERE, caption, given_selection, trace_diff, unused_iterations};
pub(crate) use stats::{METHOD, STATS, compare_stats};
pub(crate) use table::{Frame, chosen, deliver, select, size, table};
pub(crate) use trace_view::grouped;

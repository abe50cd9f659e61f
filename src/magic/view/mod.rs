//! Data frames as a person wants to see them: which rows, in which order, in which unit; and the same rows as a file.

mod category;
mod csv;
mod drawn;
mod event_cells;
mod flags;
mod number;
mod rows;
mod selection;
mod table;

pub(super) use category::is_unsorted;
pub(super) use csv::{csv, write_csv};
pub(super) use drawn::{DRAWN, DRAWN_NOTES, bars, fits, histogram};
pub(super) use event_cells::{event_cells, event_cells_of};
pub(super) use flags::{RESULT, ROWS, SHOWN};
pub(super) use number::bytes;
pub(super) use rows::Rows;
pub(super) use selection::{SELECTION, WHERE, caption, given_selection, trace_diff};
pub(super) use table::{Frame, chosen, deliver, is_duration, select, size, table};
pub(super) use trace_view::grouped;

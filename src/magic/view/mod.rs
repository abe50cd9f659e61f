//! Presentation of data frames: rows, order and units of tables, figures and CSV files.

mod change;
mod columns;
mod csv;
mod drawing;
mod drawn;
mod drill_down;
mod figure;
mod flags;
mod groups;
mod html_page;
mod one_table;
mod report_page;
mod rows;
mod selected_events;
mod selection;
mod stats;
mod table;

pub(crate) use change::is_unsorted;
pub(crate) use csv::{csv, write_csv};
pub(crate) use drawing::{HTML, PNG, QUIET, RANKS, TRACES, deliver_drawing, shown_runs};
pub(crate) use drawn::write_drawn;
pub(crate) use drill_down::{drill_down, drill_down_by_side};
pub(crate) use figure::{FIGURE, FIGURE_NOTES, bars, check_form, histogram};
pub(crate) use flags::{GROUP_BY, RESULT, ROWS, ROWS_WHERE, SHOWN, SORT};
pub(crate) use groups::ROWS_IN_GROUP;
pub(crate) use html_page::write_html;
pub(crate) use one_table::{ONE_TABLE, is_one_table};
pub(crate) use report_page::ReportPage;
pub(crate) use rows::SelectedRows;
pub(crate) use selected_events::{DEVICE_TYPE, MARKER_OF_SAMPLES, PHASE, USE_SHORT_NAME, WHERE, selected_events};
pub(crate) use selection::{GROUPS, SELECTION, caption, selection_flag, trace_diff, unused_iterations};
pub(crate) use stats::{
    METHOD, RELEVANT, RunsOfSide, STATS, compare_stats, refuse_without_stats, stats_caption, stats_columns, stats_diff,
};
pub(crate) use table::{Frame, chosen, deliver, select, size, table};
pub(crate) use trace_view::grouped;

//! Everything that steers an unchanged evcxr: its environment, the programs that it calls, its source of a cell, the text of the cell.

pub(super) mod cell_crate;
pub(super) mod commands;
pub(super) mod edits;
pub(super) mod environment;
pub(super) mod evcxr_source;
pub(super) mod missing_cargo;
pub(super) mod mold_script;
pub(super) mod parsed_cell;
pub(super) mod placeholders;

//! Raw events → columns.

mod align;
mod align_mtia;
mod arg_cells;
mod args;
mod build;
mod cells;
mod codes;
pub(crate) mod columns;
mod correlate;
mod defaults;
mod derive;
mod filled;
mod finish;
mod ids;
mod iterations;
mod merge;
mod rows;
mod symbols;
mod time;
mod unify;

pub(crate) use align::rows_in_whole_steps;
pub(crate) use align_mtia::mtia_rows_in_whole_steps;
pub(crate) use args::Wanted;
pub(crate) use build::Builder;
pub(crate) use finish::Built;
pub(crate) use ids::Ints;
pub(crate) use rows::Rows;
pub(crate) use symbols::{Categories, Step, categorical, step_number, trusted_categorical};
pub(crate) use unify::unify;

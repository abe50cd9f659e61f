//! Raw events → columns.

mod align;
mod align_mtia;
mod args;
mod build;
mod builder;
pub(crate) mod columns;
mod correlate;
mod defaults;
mod derive;
mod event_rows;
mod finish;
mod ints;
mod iterations;
mod merge;
mod symbols;
mod time;
mod unify;

pub(crate) use align::rows_in_whole_steps;
pub(crate) use align_mtia::mtia_rows_in_whole_steps;
pub(crate) use args::Wanted;
pub(crate) use build::Builder;
pub(crate) use event_rows::EventRows;
pub(crate) use finish::Built;
pub(crate) use ints::Ints;
pub(crate) use symbols::{Categories, Step, categorical, step_number, trusted_categorical};
pub(crate) use unify::unify;

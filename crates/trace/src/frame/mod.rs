//! Raw events → columns.

mod align;
mod build;
mod cells;
pub(crate) mod columns;
mod correlate;
mod iterations;
mod keys;
mod symbols;
mod time;

pub(crate) use align::rows_in_whole_steps;
pub(crate) use build::{Builder, Built};
pub(crate) use symbols::{Categories, categorical, trusted_categorical};

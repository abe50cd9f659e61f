//! Further tables of a rank, of events without a duration: instants and counters.

mod builder;
mod columns;
mod counters;
mod instants;
mod members;
#[cfg(test)]
mod tests;

pub use builder::{Tables, TablesBuilder};
pub use columns::{COUNTER_COLUMNS, INSTANT_COLUMNS};

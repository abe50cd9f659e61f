//! Tests of the engine: virtual tables against plain tables of SQLite.

mod comparison;
mod plans;
mod tables;

//! Tests of statements: equal to polars on every trace, statements as people write them, table functions against brute force.

mod companions;
mod comparison;
mod corpus;
mod functions;
mod hostile;
mod pages;
mod parity;
mod scans;

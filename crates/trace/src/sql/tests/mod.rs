//! Tests of statements: equal to polars on every trace, statements as people write them, table functions against brute force.

mod corpus;
mod functions;
mod hostile;
mod parity;
mod scans;

//! Promises of the generators of traces.

mod demo;
mod large;

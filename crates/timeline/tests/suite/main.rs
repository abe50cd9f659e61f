//! Tests of the public interface, on random events.
#![allow(clippy::unwrap_used, missing_docs)]

mod flames;
mod views;

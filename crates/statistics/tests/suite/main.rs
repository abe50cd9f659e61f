//! Tests of the statistics: recorded answers, enumeration, properties, simulation.
#![allow(clippy::unwrap_used, missing_docs)]

mod comparisons;
mod enumerated;
mod noise;
mod promises;
mod properties;
mod recorded;
mod recorded_r;
mod recorded_runs;
mod simulated;

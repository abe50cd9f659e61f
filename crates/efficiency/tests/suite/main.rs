//! Tests of the efficiency: counts by hand, recorded answers of torch and of another program, properties, the page of models.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod attention;
mod formulas;
mod page;
mod properties;
mod recorded_flops;
mod recorded_kernels;
mod recorded_models;
mod shared;
mod unified_summary;

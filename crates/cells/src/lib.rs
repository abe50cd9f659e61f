//! The library that every Rust cell links: `trace`, polars, plotly and serde_json, compiled once and optimised, as one dylib.
//!
//! The kernel never links this crate. `tracebook install` builds it with the compiler that will compile the cells; see
//! `docs/engine.md`.

pub mod bridge;
mod channel;
mod csv;
mod describe;
mod display;
mod files;
mod frames;
pub mod instances;
mod panics;
mod plot;
pub mod prelude;
mod protocol;
mod rich;
pub mod rt;
mod show;
#[doc(hidden)]
pub mod stderr;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod timing;
mod variable_name;
pub mod worker;

pub use channel::{clear_output, input};
pub use csv::LazyCsvReader;
pub use describe::Describe;
pub use files::{read_csv, read_parquet, scan_parquet, write_csv, write_parquet};
pub use plotly;
pub use polars;
pub use polars_io;
pub use rich::{ReturnType, Rich, Shown};
pub use serde_json;
pub use show::{AsDebugResult, AsResult, AsRich, ShowDebug, ShowDebugResult, ShowResult, ShowRich, pretty, value};
pub use tokio;
pub use trace;
pub use trace_view;
pub use variable_name::named;

//! What a Rust cell links: `trace`, polars, plotly and serde_json, compiled once and optimised, as one dylib.
//!
//! The kernel never links this crate. `tracebook install` builds it with the compiler that will compile the cells;
//! `docs/engine.md` says how the pieces meet.

pub mod bridge;
mod channel;
mod csv;
mod describe;
mod drawn;
mod frames;
mod heat;
pub mod instances;
mod plot;
pub mod prelude;
#[doc(hidden)]
pub mod print;
mod rich;
pub mod rt;
mod show;
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod timing;
pub mod worker;

pub use channel::{clear_output, input};
pub use csv::LazyCsvReader;
pub use describe::Describe;
pub use plotly;
pub use polars;
pub use polars_io;
pub use rich::{Output, Rich, Shown};
pub use serde_json;
pub use show::{Ended, Outcome, ShowDebug, ShowEnded, ShowOutcome, ShowRich, Value, named, pretty, value};
pub use tokio;
pub use trace;
pub use trace_view;

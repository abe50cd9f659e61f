//! Plain types, arithmetic, errors and the execution of work, which all crates of `trace` share; without data frames.

#![deny(missing_docs)]

pub mod config;
pub mod domain;
pub mod error;
pub mod exec;
pub mod interval;
pub mod state;
pub mod stats;

pub use config::{AttributeSpec, DefaultValue, ParserConfig, ValueType};
pub use domain::{Compat, DiffSide, Iteration, KernelType, Pick, Rank, Stream, Unlike, Warning, shorten_name};
pub use error::{Error, Result};
pub use exec::cancellation::CancellationToken;
pub use exec::context::Execution;

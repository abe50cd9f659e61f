//! Filters of events: polars expressions on [`Trace::events`](crate::Trace::events), and a small language for them.
//!
//! Every function returns an [`Expr`](polars::prelude::Expr) that is true or false for each event, never null, so that
//! filters compose with `and`, `or` and `not`. For a frame that lacks the column polars returns an error that names it.
//!
//! ```
//! use trace::filter;
//! use trace::prelude::*;
//!
//! # fn main() -> trace::Result<()> {
//! let traces = TraceSet::load("../../notebooks/data/job")?;
//! let nccl = filter::name("nccl")?.and(filter::rank([0, 1])).and(filter::zero_duration().not());
//! let df = traces.events().lazy().filter(nccl).collect()?;
//! let same = filter::query("name ~ '^nccl' and rank in 0,1 and dur != 0")?;
//! assert!(df.height() > 0);
//! assert_eq!(df.height(), traces.events().lazy().filter(same).collect()?.height());
//! # Ok(())
//! # }
//! ```
//!
//! # Source
//! HTA `hta/common/trace_filter.py`, `trace_stack_filter.py`.

mod apply;
mod condition;
mod events;
mod language;
mod operators;
mod parse;
mod serialized;
mod token;

pub use apply::Filter;
pub use apply::TraceFilter;
pub use events::{
    composite, cpu_operator, first_iteration, gpu_kernel, iteration, iteration_index, mem_copy_event, name,
    name_starts, query, rank, stream, time_range, zero_duration,
};
pub use language::Where;
pub use operators::{after_operator, before_operator, combined_operator, stack_depth, under_operator};

#[cfg(test)]
mod tests;

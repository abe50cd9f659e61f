//! The magics: one file each, one row each in [`MAGICS`].
//!
//! From the bottom up: `argument/` (declarations and values), `context/` (session, worker process, outputs), `view/`
//! (tables, figures, files), `api.rs` (the trait), the magics, `magics.rs` (their table), and `line/` (parsing, running,
//! help and completion of lines).

pub(crate) mod argument;
pub(crate) mod context;
mod line;
pub(crate) mod view;

mod analysis;
mod api;
mod as_hta;
pub(crate) mod baseline;
mod call_graph;
mod call_stack;
mod cd;
mod compare_traces;
pub(crate) mod critical_path;
pub(crate) mod describe;
mod events;
pub(crate) mod explain;
mod flame;
mod help;
mod history;
mod lsmagic;
#[allow(clippy::module_inception)]
mod magic;
mod magics;
mod noise;
mod open_perfetto;
pub(crate) mod ops_diff;
mod opt;
mod parser_args;
mod pwd;
mod quantity;
pub(crate) mod report;
mod serving;
mod show;
mod time;
mod timeit;
mod timeline;
mod trace_cache;
mod trace_drop;
pub(crate) mod trace_export;
mod trace_info;
mod trace_list;
pub(crate) mod trace_load;
mod trace_sql;
pub(crate) mod tree_diff;
mod usage;
mod visualize;
mod waterfall;
mod what_if;
mod who;

pub use api::{Magic, Timing};
pub use argument::{Argument, Call, Form, Group, IdKind, Kind, Percentage, Value};
pub use context::Context;
pub use line::{Candidate, CandidateKind, Completion, Next, complete, inspect, reference, run};
pub(crate) use line::{Invocation, magic_of_hta, parse_words};
pub use magics::{MAGICS, SHOWN, TOPICS, find};
pub use quantity::Quantity;
pub(crate) use usage::usage_without_flags;

#[cfg(test)]
mod tests;

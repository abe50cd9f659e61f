//! The magics but that of SQL: one file each, one row each in [`magics`].
//!
//! From the bottom up: `argument/` (declarations and values), `context/` (session, worker process, outputs), `view/`
//! (tables, figures, files), `api.rs` (the trait), the magics, and `magics.rs` (the rows of their table). The program adds the magic of SQL,
//! and runs lines.

pub mod argument;
pub mod context;
pub mod view;

mod analysis;
pub mod api;
mod as_hta;
pub mod baseline;
mod call_graph;
mod call_stack;
mod cd;
mod compare_traces;
mod critical_path;
mod describe;
mod events;
mod execution_trace;
pub mod explain;
mod flame;
mod help;
mod history;
mod lsmagic;
mod magic;
mod magics;
mod memory_timeline;
mod noise;
mod open_perfetto;
pub mod ops_diff;
mod opt;
mod parser_args;
mod pwd;
mod quantity;
mod report;
mod serving;
mod show;
mod time;
mod timeit;
mod timeline;
mod trace_cache;
mod trace_copy;
mod trace_drop;
mod trace_export;
mod trace_info;
mod trace_list;
pub mod trace_load;
mod tree_diff;
pub mod usage;
mod visualize;
mod waterfall;
mod what_if;
mod who;

pub use api::{Magic, Timing};
pub use argument::{Argument, Call, Form, Group, IdKind, Kind, Percentage, Value};
pub use context::Context;
pub use help::Help;
pub use lsmagic::LsMagic;
pub use magic::About;
pub use magics::{SHOWN, TOPICS, magics};
pub use quantity::Quantity;

use kernel_base::{Error, Failure, Problem, UsageError, cluster, display, session};

//! Tasks: what a process does with a bundle of ranks of a trace, on this machine or on another.
//!
//! The three steps are plain functions of bytes: [`Worker::list`] finds the files, [`Worker::map`] makes one partial result of the ranks of
//! a bundle, [`Worker::reduce`] merges partial results, in any order and grouping. An [`Engine`] runs them somewhere
//! (`tracebook task list`, `map`, `reduce`; `docs/task.md` has the contract), and [`TraceSet`](crate::TraceSet) asks the engine instead of
//! its own threads.

mod answer;
mod exit;
mod list;
mod map;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod threads;
mod uri;
mod worker;

pub use crate::distributed::{
    Bundle, Engine, FailedInput, Input, Job, JobSpec, Query, Ran, TraceSpec, UnreadFile, bundles,
};
pub use exit::{EXIT_INPUT, EXIT_LATER, EXIT_PLAN, exit_code};
pub use uri::{is_uri, path_of};
pub use worker::Worker;

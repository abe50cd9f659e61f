//! `tracebook ask`, `diff`, `describe`, `explain`, `tree-diff`, `critical-path`, `gate`, `baseline`, `record-loop`, `report` and `export`: the command-line program, without Jupyter or a compiler.
//!
//! A command implements [`Magic`](crate::magic::Magic), with files in place of loaded traces: it shares flags, parser and
//! help pages with the magics of the notebook.

mod ask;
mod baseline;
mod command;
mod critical_path;
mod describe;
mod diff;
mod diff_report;
mod diff_stats;
mod entry;
mod explain;
mod export;
mod gate;
mod interrupt;
mod load;
mod progress_line;
mod record_loop;
mod report;
mod screen;
mod task;
mod tree_diff;
mod wrap;

pub use command::{Exit, ask, command, magic_command};
pub use task::task;

use crate::magic::{Argument, Group, Kind};
use kernel_magic::context::jobs;
use kernel_magic::trace_load;

const JSON: Argument = Argument::flag("json", Kind::File, "write the result as JSON; - is standard output");
const HTML: Argument = Argument::flag("html", Kind::File, "write a self-contained HTML page; - is standard output");
const QUIET: Argument = Argument::flag("quiet", Kind::Switch, "print only warnings and errors");

/// The engine that reads the ranks.
const ENGINE: Group = jobs::ENGINE;
const LOADING: Group = Group::new("Loading", &[trace_load::COMPAT, trace_load::STRICT, trace_load::NO_CACHE]);

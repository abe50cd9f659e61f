//! The command-line program, without Jupyter or a compiler: each magic as a command that takes paths in place of labels, `ask` for lines of
//! magics, and for CI `diff`, `gate`, `baseline` and `record-loop`.
//!
//! A command implements [`Magic`](crate::magic::Magic): it shares flags, parser and help pages with the magics of the notebook.

mod answers;
mod ask;
mod baseline;
mod command;
mod diff;
mod diff_report;
mod diff_stats;
mod entry;
mod gate;
mod interrupt;
mod labels;
mod load;
mod magic_command;
mod progress_line;
mod record_loop;
mod screen;
mod sides;
mod task;
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

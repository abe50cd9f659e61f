//! `tracebook diff`, `describe`, `explain`, `tree-diff`, `gate`, `baseline`, `record-loop` and `export`: the command-line program, without Jupyter or a compiler.
//!
//! A command implements [`Magic`](crate::magic::Magic), with files in place of loaded traces: it shares flags, parser and
//! help pages with the magics of the notebook.

mod baseline;
mod command;
mod describe;
mod diff;
mod diff_report;
mod explain;
mod export;
mod gate;
mod load;
mod record_loop;
mod screen;
mod tree_diff;

pub use command::{Command, Exit, command};

use crate::magic::{Argument, Group, Kind, trace_load};

const JSON: Argument = Argument::flag("json", Kind::File, "write the result as JSON; - is standard output");
const HTML: Argument = Argument::flag("html", Kind::File, "write a self-contained HTML page; - is standard output");
const QUIET: Argument = Argument::flag("quiet", Kind::Switch, "print only warnings and errors");

const LOADING: Group = Group::new("Loading", &[trace_load::COMPAT, trace_load::STRICT, trace_load::NO_CACHE]);

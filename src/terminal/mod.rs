//! `tracebook diff` and `tracebook describe`: what magics do, for terminals and CI, without Jupyter and without a
//! compiler.
//!
//! A command is a [`Magic`] that reads files where a magic of the notebook reads loaded traces: its arguments are groups
//! of the same flags, read by the same parser, and its help page is made as theirs are.

mod command;
mod describe;
mod diff;
mod diff_report;
mod explain;
mod html_page;
mod load;
mod screen;

pub use command::{Command, Exit, command};

use crate::magic::{Argument, Group, Kind, trace_load};

/// Where the answer goes.
const JSON: Argument = Argument::flag("json", Kind::File, "write the answer as JSON; - is standard output");
const HTML: Argument =
    Argument::flag("html", Kind::File, "write a page that needs no other file and no network; - is standard output");
const QUIET: Argument = Argument::flag("quiet", Kind::Switch, "print nothing but warnings and errors");

/// How files are read.
const LOADING: Group = Group::new("How files are read", &[trace_load::COMPAT, trace_load::STRICT]);

//! From the words of a command line to what it does and the code it ends with.

use super::screen::Screen;
use super::{describe::Describe, diff::Diff, explain::Explain};
use crate::display::Sink;
use crate::magic::argument::Call;
use crate::magic::context::Context;
use crate::magic::{Invocation, Magic, parse_words};
use crate::session::{Binding, Cells, Session, Variable};
use crate::{Error, Failure};
use std::ffi::OsString;
use std::sync::Arc;
use trace::polars::prelude::DataFrame;

/// A command that needs no Jupyter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// `tracebook diff CONTROL TEST`.
    Diff,
    /// `tracebook describe TRACE`.
    Describe,
    /// `tracebook explain CONTROL TEST`.
    Explain,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// 0 done, 1 error, 2 wrong usage, 3 `--fail-over` was exceeded.
    pub code: u8,
    /// What to print on standard error; empty if there is nothing to say.
    pub message: String,
}

/// Runs a command with the words behind its name.
pub fn command(command: Command, words: Vec<OsString>) -> Exit {
    let magic: &dyn Magic = match command {
        Command::Diff => &Diff,
        Command::Describe => &Describe,
        Command::Explain => &Explain,
    };
    match done(magic, words) {
        Ok(()) => Exit { code: 0, message: String::new() },
        Err(error) => {
            let code = match &error {
                Error::Usage(_) => 2,
                Error::FailOver(_) => 3,
                _ => 1,
            };
            let (name, text) = (magic.spelled(), error.to_string());
            Exit { code, message: if text.starts_with(&name) { text } else { format!("{name}: {text}") } }
        }
    }
}

fn done(magic: &dyn Magic, words: Vec<OsString>) -> Result<(), Error> {
    let text = |word: OsString| {
        word.into_string().map_err(|word| Error::Usage(format!("{}: {word:?} is not UTF-8.", magic.spelled())))
    };
    let words: Vec<String> = words.into_iter().map(text).collect::<Result<_, _>>()?;
    match parse_words(magic, &words)? {
        Invocation::Help(page) => Screen::print(page.plain()),
        Invocation::Call(call) => run(magic, &call),
    }
}

fn run(magic: &dyn Magic, call: &Call<'_>) -> Result<(), Error> {
    let out: Arc<dyn Sink> = Arc::new(Screen);
    magic.run(call, &mut Context { session: &mut Session::default(), cells: &mut NoCells, out: &out })
}

/// There is no Rust side at the terminal.
struct NoCells;

impl Cells for NoCells {
    fn bind(&mut self, _: &str, _: Binding) {}

    fn unbind(&mut self, _: &str) {}

    fn frame(&mut self, _: &str) -> Result<DataFrame, Failure> {
        Err(Failure::new("UsageError", "there are no variables at the terminal"))
    }

    fn text(&mut self, _: &str) -> Result<String, Failure> {
        Err(Failure::new("UsageError", "there are no variables at the terminal"))
    }

    fn optimise(&mut self, _: bool) {}

    fn variables(&self) -> Vec<Variable> {
        Vec::new()
    }
}

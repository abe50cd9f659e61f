//! The commands: parsing their arguments, running them, and their exit codes.

use super::ask::{self, MagicLine};
use super::baseline::BASELINE;
use super::critical_path::CRITICAL_PATH;
use super::describe::DESCRIBE;
use super::diff::DIFF;
use super::entry::CommandEntry;
use super::explain::EXPLAIN;
use super::export::EXPORT;
use super::gate::{BISECT, GATE};
use super::interrupt::interrupt_flag;
use super::record_loop::RECORD_LOOP;
use super::report::REPORT;
use super::screen::Screen;
use super::tree_diff::TREE_DIFF;
use crate::display::Sink;
use crate::magic::{Invocation, Magic, parse_words};
use crate::session::{Binding, CacheSetting, Cells, Session, Variable};
use crate::{Error, Failure, Problem, UsageError};
use kernel_magic::argument::Call;
use kernel_magic::context::Context;
use std::ffi::OsString;
use std::sync::Arc;
use trace::polars::prelude::DataFrame;

/// The commands with answers of their own; other magics are commands as [`magic_command`] runs them.
const COMMANDS: [&CommandEntry; 10] =
    [&DIFF, &DESCRIBE, &EXPLAIN, &TREE_DIFF, &CRITICAL_PATH, &BASELINE, &GATE, &RECORD_LOOP, &REPORT, &EXPORT];

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// 0: success; 1: error; 2: wrong usage; 3: `--fail-over` exceeded; 4: regression; 5: inconclusive; 130: interrupted. With
    /// `gate --bisect` those of `git bisect run`.
    pub code: u8,
    /// The message for standard error; may be empty.
    pub message: String,
}

/// Runs `tracebook ask` with the words after it.
pub fn ask(words: Vec<OsString>) -> Exit {
    let line = MagicLine::default();
    exit(&line.spelled(), shell_code, parse_and_run(&line, words))
}

/// Runs `tracebook NAME` with the words after it.
pub fn command(name: &str, words: Vec<OsString>) -> Exit {
    let Some(entry) = COMMANDS.into_iter().find(|entry| entry.name == name) else {
        return magic_command([OsString::from(name)].into_iter().chain(words).collect());
    };
    // Also wrong usage of the flag must end a bisection, so the words decide.
    let bisects = name == GATE.name && words.iter().any(|word| word == BISECT);
    let codes = if bisects { bisect_code } else { shell_code };
    exit(&entry.spelled(), codes, parse_and_run(entry, words))
}

/// Runs a magic that was written as a command, `operators runs/a --by module`: its name, and the words after it.
pub fn magic_command(words: Vec<OsString>) -> Exit {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (name, rest) = words.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    let spelled = format!("tracebook {name}");
    let run = || {
        if rest.iter().any(|word| word == "--help" || word == "-h") {
            let out: Arc<dyn Sink> = Arc::new(Screen::silent());
            let mut session = Session::with_cache(CacheSetting::from_environment());
            return ask::help(name, &mut Context { session: &mut session, cells: &mut NoCells, out: &out });
        }
        let folder = tempfile::tempdir().map_err(|cause| Error::File { path: std::env::temp_dir(), cause })?;
        let (line, words) = ask::of_command(name, rest, folder.path())?;
        parse_and_run(&line, words.into_iter().map(OsString::from).collect())
    };
    exit(&spelled, shell_code, run())
}

/// The exit code of an error.
fn shell_code(error: &Error) -> u8 {
    match error {
        Error::FailOver { .. } => 3,
        Error::Regression(_) => 4,
        Error::Inconclusive(_) => 5,
        error if is_interrupt(error) => 130,
        error if ["UsageError", "SelectionError"].contains(&error.ename()) => 2,
        _ => 1,
    }
}

/// The exit code of an error for `git bisect run`: 1 calls the commit bad, 125 skips it, and what is above 127 ends the bisection.
fn bisect_code(error: &Error) -> u8 {
    match error {
        Error::Regression(_) => 1,
        Error::Inconclusive(_) | Error::Trace(_) => 125,
        error if is_interrupt(error) => 130,
        _ => 128,
    }
}

fn is_interrupt(error: &Error) -> bool {
    error.ename() == "KeyboardInterrupt"
}

fn exit(name: &str, code: fn(&Error) -> u8, result: Result<(), Error>) -> Exit {
    match result {
        Ok(()) => Exit { code: 0, message: String::new() },
        Err(error) => {
            let code = code(&error);
            let text = error.to_string();
            let is_named = text.starts_with(name) || text.starts_with('%') || text.starts_with("tracebook");
            Exit { code, message: if is_named { text } else { format!("{name}: {text}") } }
        }
    }
}

fn parse_and_run(magic: &dyn Magic, words: Vec<OsString>) -> Result<(), Error> {
    let text = |word: OsString| {
        let invalid = |word: OsString| Problem::Invalid {
            what: "argument".to_owned(),
            value: word.to_string_lossy().into_owned(),
            expected: "UTF-8".to_owned(),
        };
        word.into_string().map_err(|word| UsageError::new(magic.spelled(), invalid(word)))
    };
    let words: Vec<String> = words.into_iter().map(text).collect::<Result<_, _>>()?;
    match parse_words(magic, &words)? {
        Invocation::Help(page) => Screen::page(page.plain()),
        Invocation::Call(call) => run(magic, &call),
    }
}

fn run(magic: &dyn Magic, call: &Call<'_>) -> Result<(), Error> {
    // Work of this process ends with it; a job of an engine is stopped first.
    let has_engine = call.text("engine").is_some_and(|engine| engine != "local");
    let interrupted = if has_engine { interrupt_flag()? } else { Arc::default() };
    let out: Arc<dyn Sink> = Arc::new(Screen::new(interrupted, call));
    let mut session = Session::with_cache(CacheSetting::from_environment());
    let mut context = Context { session: &mut session, cells: &mut NoCells, out: &out };
    let token = context.token();
    crate::execution::from_environment().cancellation(token).run(|| magic.run(call, &mut context))
}

/// The missing worker process: Rust cells do not exist at the terminal.
pub(super) struct NoCells;

impl Cells for NoCells {
    fn bind(&mut self, _: &str, _: Binding) {}

    fn unbind(&mut self, _: &str) {}

    fn frame(&mut self, _: &str) -> Result<DataFrame, Failure> {
        Err(Failure::new("UsageError", "a command has no variables"))
    }

    fn text(&mut self, _: &str) -> Result<String, Failure> {
        Err(Failure::new("UsageError", "a command has no variables"))
    }

    fn optimise(&mut self, _: bool) {}

    fn variables(&self) -> Vec<Variable> {
        Vec::new()
    }
}

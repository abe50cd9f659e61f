//! The commands: parsing their arguments, running them, and their exit codes.

use super::ask::MagicLine;
use super::baseline::BASELINE;
use super::diff::DIFF;
use super::entry::CommandEntry;
use super::gate::{BISECT, GATE};
use super::interrupt::interrupt_flag;
use super::magic_command::MagicCommand;
use super::record_loop::RECORD_LOOP;
use super::screen::Screen;
use crate::display::Sink;
use crate::magic::{Invocation, Magic, parse_words};
use crate::session::{Binding, CacheSetting, Cells, Session, Variable};
use crate::{Error, Failure, Problem, UsageError};
use kernel_magic::argument::{Argument, Call, Kind};
use kernel_magic::context::Context;
use std::ffi::OsString;
use std::sync::Arc;
use trace::polars::prelude::DataFrame;

/// The commands that are more than a magic: for CI, with exit codes of their own. All other commands are magics.
const COMMANDS: [&CommandEntry; 4] = [&DIFF, &BASELINE, &GATE, &RECORD_LOOP];

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
    exit(&MagicLine.spelled(), shell_code, parse_and_run(&MagicLine, words))
}

/// Runs `tracebook NAME` with the words after it.
pub fn command(name: &str, words: Vec<OsString>) -> Exit {
    let Some(entry) = COMMANDS.into_iter().find(|entry| entry.name == name) else {
        let run = || parse_and_run(&MagicCommand::of(name)?, words);
        return exit(&format!("tracebook {name}"), shell_code, run());
    };
    // Also wrong usage of the flag must end a bisection, so the words decide.
    let bisects = name == GATE.name && words.iter().any(|word| word == BISECT);
    let codes = if bisects { bisect_code } else { shell_code };
    exit(&entry.spelled(), codes, parse_and_run(entry, words))
}

/// Runs a magic that was written as a command, `operators runs/a --by module`: its name, and the words after it.
pub fn magic_command(words: Vec<OsString>) -> Exit {
    let mut words = words.into_iter();
    let name = words.next().unwrap_or_default().to_string_lossy().into_owned();
    command(&name, words.collect())
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
    // Work of this process ends with it; a job of an engine is stopped first, and what a folder would be is removed.
    let has_engine = call.text("engine").is_some_and(|engine| engine != "local");
    let is_folder = |argument: &Argument| argument.kind == Kind::Target && call.has(argument.name);
    let writes_folder = magic.arguments().iter().flat_map(|group| group.arguments).any(is_folder);
    let interrupted = if has_engine || writes_folder { interrupt_flag()? } else { Arc::default() };
    let out: Arc<dyn Sink> = Arc::new(Screen::new(interrupted, call));
    let mut session = Session::with_cache(CacheSetting::from_environment());
    let mut context = Context { session: &mut session, cells: &mut NoCells, out: &out };
    let token = context.token();
    crate::execution::from_environment().cancellation(token).run(|| magic.run(call, &mut context))
}

/// The missing worker process: Rust cells do not exist at the terminal.
struct NoCells;

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

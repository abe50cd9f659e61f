//! `tracebook ask`: the magics of the notebook over trace files; and each magic as a command of its own.

use super::command::NoCells;
use super::load::load_path;
use super::screen::Screen;
use super::{LOADING, QUIET};
use crate::cell::{Segment, segments};
use crate::display::{Output, Sink};
use crate::magic::{MAGICS, Magic, find, magic_of_hta};
use crate::session::{label, run_paths};
use crate::{Error, Failure, Problem, UsageError};
use kernel_magic::argument::{Argument, Call, Form, Group, Kind, did_you_mean};
use kernel_magic::context::Context;
use kernel_magic::usage::usage_without_flags;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use trace_view::{PLOTLY, TABLE};

/// The command `tracebook ask`, and every magic that was written as a command.
#[derive(Default)]
pub(super) struct MagicLine {
    /// The word of the command that the magic was written as.
    command: String,
    /// The flag whose file the magic writes and that goes to standard output afterwards, in place of the answer.
    piped: Option<(&'static str, PathBuf)>,
}

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required(
                "QUESTION",
                Kind::Text,
                "one or more magics, each on a line; quote it: '%operators control'",
            ),
            Argument::optional(
                "TRACE",
                Kind::Path,
                "a trace: a file, a .zip or a folder, or - for standard input; its name is that of the file or folder, or NAME in NAME=PATH",
            )
            .repeatable(),
        ],
    ),
    LOADING,
    Group::new("Output", &[QUIET]),
];

impl Magic for MagicLine {
    fn name(&self) -> &'static str {
        "ask"
    }

    fn spelled(&self) -> String {
        "tracebook ask".to_owned()
    }

    fn help_hint(&self) -> String {
        "tracebook ask --help".to_owned()
    }

    fn summary(&self) -> &'static str {
        "Run a magic of the notebook over trace files."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "The magics are those of the notebook, with their flags; `tracebook ask '%lsmagic' TRACE` lists them, `tracebook ask '%operators?' TRACE` shows \
         the help of one. A magic is also a command: tracebook operators TRACE, with paths in place of labels; tracebook sql 'SELECT …' \
         TRACE for %trace_sql. Tables show 20 rows: --top 0 shows all, --csv FILE writes them. Drawings need --html FILE. Of a \
         command, FILE may be -, standard output.\n\n\
         Exit code: 0 for success, 1 for an error, 2 for wrong usage."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "tracebook ask '%what_if monday communication x 0' runs/monday",
            "tracebook ask '%tree_diff a b --min-us 50' a=runs/monday b=runs/tuesday",
            "tracebook operators runs/monday --by module --top 50",
            "tracebook sql 'SELECT name, SUM(dur) AS dur FROM kernels GROUP BY name ORDER BY dur DESC LIMIT 5' runs/monday",
            "tracebook timeline runs/monday runs/tuesday --html timeline.html",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let mut used = Vec::new();
        for path in call.paths("TRACE") {
            let (label, path) = labelled(&path, &used);
            if let Err(reason) = label::check(&label) {
                return Err(call.cannot(format!("name a trace {label}"), &reason).into());
            }
            load_path(call, context, path, &label, None)?;
            used.push(label);
        }
        let question = call.required("QUESTION");
        if used.is_empty() && question.lines().any(is_about_traces) {
            let what = "TRACE: a trace file or folder".to_owned();
            return Err(UsageError::new("tracebook ask", Problem::Missing { what }).into());
        }
        let Some((flag, file)) = &self.piped else { return ask(question, context, false) };
        ask(question, context, true)?;
        match std::fs::File::open(file) {
            Ok(mut file) => Screen::fill(|out| std::io::copy(&mut file, out).map(drop)),
            // Tables of several parts are files with names of their own.
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                let reason = "the answer has several tables, each a file".to_owned();
                Err(self.cannot_pipe(flag, reason).hint("name a file in place of -".to_owned()).into())
            }
            Err(cause) => Err(Error::File { path: file.clone(), cause }),
        }
    }
}

impl MagicLine {
    /// Makes the file of a flag standard output; returns the file that is written first.
    fn pipe(&mut self, argument: &Argument, folder: &Path) -> Result<String, Error> {
        let file = folder.join(format!("output.{}", argument.name));
        if self.piped.replace((argument.name, file.clone())).is_some() {
            let error = self.cannot_pipe(argument.name, "it takes one file".to_owned());
            return Err(error.hint("name a file for one of them".to_owned()).into());
        }
        Ok(file.display().to_string())
    }

    fn cannot_pipe(&self, flag: &str, reason: String) -> UsageError {
        let what = format!("write --{flag} to standard output");
        UsageError::new(format!("tracebook {}", self.command), Problem::Cannot { what, reason })
    }
}

/// Whether a line asks a magic about traces.
fn is_about_traces(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default().trim_start_matches('%');
    find(name).is_some_and(takes_trace)
}

/// Whether a magic needs traces.
fn takes_trace(magic: &dyn Magic) -> bool {
    magic.takes_text() || magic.arguments().iter().flat_map(|group| group.arguments).any(is_path)
}

/// Whether an argument names a trace.
fn is_path(argument: &Argument) -> bool {
    matches!(argument.kind, Kind::Trace | Kind::Runs | Kind::TraceOrVariable)
}

/// Splits `NAME=PATH`; without a name the label is that of the file, numbered if it is taken.
fn labelled(path: &Path, used: &[String]) -> (String, PathBuf) {
    let text = path.to_string_lossy();
    if let Some((name, rest)) = text.split_once('=')
        && !path.exists()
        && !rest.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        return (name.to_owned(), PathBuf::from(rest));
    }
    let label = label_of(path);
    let numbered = (2..).map(|number| format!("{label}_{number}"));
    let free = std::iter::once(label.clone()).chain(numbered).find(|label| !used.contains(label));
    (free.unwrap_or(label), path.to_owned())
}

/// Returns the label of a trace: that of the one file that a pattern names.
fn label_of(path: &Path) -> String {
    if path == Path::new("-") {
        return "stdin".to_owned();
    }
    match run_paths::expand(&[path.to_owned()]).as_deref() {
        Ok([run]) => label::from_path(run),
        _ => label::from_path(path),
    }
}

/// Runs the magics of a text over the loaded traces. `is_piped`: standard output is for a file, so only warnings and errors are shown.
fn ask(question: &str, context: &mut Context<'_>, is_piped: bool) -> Result<(), Error> {
    let question = question.trim();
    let is_bare = question.split_whitespace().next().is_some_and(|name| find(name).is_some());
    let question = if is_bare { format!("%{question}") } else { question.to_owned() };
    let answers = Arc::new(Answers {
        screen: Arc::clone(context.out),
        is_piped,
        figures: Mutex::default(),
        has_table: AtomicBool::new(false),
    });
    let out: Arc<dyn Sink> = answers.clone();
    let mut context = Context { session: &mut *context.session, cells: &mut NoCells, out: &out };
    for segment in segments(&question) {
        let rust = match &segment {
            Segment::Rust(code) => Some((*code).to_owned()).filter(|code| !code.trim().is_empty()),
            _ => None,
        };
        if let Some(code) = rust {
            let problem =
                Problem::Cannot { what: format!("run `{}`", code.trim()), reason: "it is no magic".to_owned() };
            return Err(UsageError::new("tracebook ask", problem).hint("Rust cells need a notebook".to_owned()).into());
        }
        crate::magic::run(segment, &mut context).map_err(Error::Rust)?;
    }
    answers.end();
    Ok(())
}

/// The sink of answers: tables as they come; figures only if there is no table, since they show the same numbers.
struct Answers {
    screen: Arc<dyn Sink>,
    is_piped: bool,
    figures: Mutex<Vec<Output>>,
    has_table: AtomicBool,
}

impl Answers {
    fn end(&self) {
        let figures = std::mem::take(&mut *self.figures.lock().unwrap_or_else(PoisonError::into_inner));
        if !self.has_table.load(Ordering::Relaxed) {
            figures.into_iter().for_each(|figure| self.screen.emit(figure));
        }
    }
}

impl Sink for Answers {
    fn emit(&self, output: Output) {
        if self.is_piped {
            if matches!(output, Output::Stderr(_)) {
                self.screen.emit(output);
            }
            return;
        }
        if let Output::Display { bundle, id: None } = &output {
            if bundle.data.contains_key(PLOTLY) {
                return self.figures.lock().unwrap_or_else(PoisonError::into_inner).push(output);
            }
            if bundle.data.contains_key(TABLE) {
                self.has_table.store(true, Ordering::Relaxed);
            }
        }
        self.screen.emit(output);
    }

    fn input(&self, prompt: &str, is_password: bool) -> Result<String, Failure> {
        self.screen.input(prompt, is_password)
    }

    fn interrupted(&self) -> bool {
        self.screen.interrupted()
    }

    fn width(&self) -> Option<usize> {
        self.screen.width()
    }

    fn ends_process(&self) -> bool {
        self.screen.ends_process()
    }
}

/// Magics that make no sense without a notebook.
const OF_NOTEBOOKS: &[&str] =
    &["cd", "pwd", "time", "timeit", "opt", "who", "show", "visualize", "magic", "help", "trace_drop", "trace_load"];

/// Returns the magic of a command.
///
/// # Errors
/// If there is none, with the nearest.
fn magic_of(name: &str) -> Result<&'static dyn Magic, Error> {
    let name = name.trim_start_matches('%');
    let spelled = if name == "sql" { "trace_sql".to_owned() } else { name.replace('-', "_") };
    let here = magic_of_hta(&spelled);
    if let Some(of_notebook) = OF_NOTEBOOKS.iter().find(|magic| **magic == spelled || here == Some(**magic)) {
        let reason = format!("%{of_notebook} is for notebooks");
        let hint = "a command loads the traces that it is given: tracebook describe PATH; tracebook --help lists all";
        let problem = Problem::Cannot { what: format!("run {name}"), reason };
        return Err(UsageError::new("tracebook", problem).hint(hint.to_owned()).into());
    }
    let Some(magic) = find(&spelled).filter(|_| !OF_NOTEBOOKS.contains(&spelled.as_str())) else {
        let problem = Problem::Unknown { what: "command", name: name.to_owned(), expected: String::new() };
        let commands: Vec<String> = MAGICS
            .iter()
            .map(|magic| magic.name())
            .filter(|name| !OF_NOTEBOOKS.contains(name))
            .map(|name| name.replace('_', "-"))
            .collect();
        let near = did_you_mean(name, commands.iter().map(String::as_str));
        let hint = match here {
            Some(here) => format!("here it is tracebook {}", here.replace('_', "-")),
            None if near.is_empty() => {
                "tracebook --help lists the commands, tracebook ask --help the magics".to_owned()
            }
            None => near,
        };
        return Err(UsageError::new("tracebook", problem).hint(hint).into());
    };
    Ok(magic)
}

/// Returns the words of `tracebook ask` for a magic that was written as a command: `operators runs/a --by module`. A file that is `-`, standard
/// output, is written into `folder` first.
///
/// # Errors
/// If there is no such magic, with the nearest command.
pub(super) fn of_command(name: &str, words: &[String], folder: &Path) -> Result<(MagicLine, Vec<String>), Error> {
    let mut line = MagicLine { command: name.to_owned(), piped: None };
    let magic = magic_of(name)?;
    let (mut flags, mut rest, mut paths, mut used) = (String::new(), String::new(), Vec::new(), Vec::new());
    let arguments = || magic.arguments().iter().flat_map(|group| group.arguments);
    let mut declared = arguments().filter(|argument| !argument.is_flag());
    let is_file = |argument: &Argument| matches!(argument.kind, Kind::File | Kind::Target);
    // The argument whose flag the last word was.
    let (mut last, mut flag): (Option<&Argument>, Option<&Argument>) = (None, None);
    // Whether the last word was a flag that the magic does not have: what follows is its value, and no second trace.
    let mut is_unknown = false;
    for word in words {
        // A text ends a line: flags stand before it.
        let line_flags = if magic.takes_text() { &mut flags } else { &mut rest };
        let value = match (flag.take(), word.strip_prefix("--")) {
            (Some(argument), _) => Some((argument, word.as_str())),
            (None, None) => None,
            (None, Some(typed)) => {
                let (name, value) = typed.split_once('=').map_or((typed, None), |(name, value)| (name, Some(value)));
                let found = arguments().find(|argument| argument.answers_to(name));
                let found = found.filter(|argument| argument.kind != Kind::Switch);
                let Some(both) = found.zip(value) else {
                    is_unknown = value.is_none() && !arguments().any(|argument| argument.answers_to(name));
                    flag = found;
                    line_flags.push_str(&format!(" {word}"));
                    continue;
                };
                line_flags.push_str(&format!(" --{name}"));
                Some(both)
            }
        };
        if let Some((argument, value)) = value {
            let value = if is_file(argument) && value == "-" { line.pipe(argument, folder)? } else { value.to_owned() };
            line_flags.push_str(&format!(" {}", quoted(&value)?));
            continue;
        }
        if std::mem::take(&mut is_unknown) && !paths.is_empty() {
            rest.push_str(&format!(" {}", quoted(word)?));
            continue;
        }
        let argument = declared.next().or(last.filter(|last| last.repeatable));
        last = argument.or(last);
        match argument {
            // Traces are tables of SQL.
            Some(_) | None if magic.takes_text() && rest.is_empty() => rest.push_str(&format!(" {word}")),
            None if magic.takes_text() => paths.push(word.clone()),
            Some(argument) if is_path(argument) => {
                let (label, path) = labelled(Path::new(word), &used);
                rest.push_str(&format!(" {label}"));
                paths.push(format!("{label}={}", path.display()));
                used.push(label);
            }
            Some(_) if magic.takes_text() => paths.push(word.clone()),
            _ => rest.push_str(&format!(" {}", quoted(word)?)),
        }
    }
    let needs = arguments().find(|argument| argument.form == Form::Required && paths.is_empty());
    if paths.is_empty() && takes_trace(magic) {
        let what = needs.map_or("TRACE: a trace file or folder".to_owned(), |argument| {
            format!("{}: a trace file or folder", argument.name)
        });
        return Err(UsageError::new(format!("tracebook {name}"), Problem::Missing { what }).into());
    }
    let question = format!("%{}{flags}{rest}", magic.name());
    Ok((line, std::iter::once(question).chain(paths).collect()))
}

/// Prints the help page of a magic that was written as a command.
///
/// # Errors
/// As [`of_command`].
pub(super) fn help(name: &str, context: &mut Context<'_>) -> Result<(), Error> {
    let magic = magic_of(name)?;
    let arguments = usage_without_flags(magic).split_off(magic.spelled().len());
    // Traces are tables of SQL.
    let traces = if magic.takes_text() { " TRACE …" } else { "" };
    Screen::print(&format!(
        "Usage: tracebook {}{arguments}{traces} [--flag …]\n\nThe command answers as the magic of the notebook, whose help follows. Write the path of \
         a trace where the help has its name.\n",
        name.trim_start_matches('%')
    ))?;
    Screen::print("")?;
    ask(&format!("%{}?", magic.name()), context, false)
}

/// Quotes a word for a line of a notebook.
fn quoted(word: &str) -> Result<String, Error> {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:,=+%~".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Ok(word.to_owned());
    }
    let quote = ['\'', '"'].into_iter().find(|quote| !word.contains(*quote));
    quote.map(|quote| format!("{quote}{word}{quote}")).ok_or_else(|| {
        let problem = Problem::Invalid {
            what: "argument".to_owned(),
            value: word.to_owned(),
            expected: "one kind of quotes inside".to_owned(),
        };
        UsageError::new("tracebook", problem).into()
    })
}

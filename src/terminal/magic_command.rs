//! A magic as a command of the terminal: `tracebook operators runs/monday --by module`.
//!
//! A command is its magic: the same flags, the same run. Where the magic takes the label of a loaded trace, the command takes a path.

use super::answers::Answers;
use super::labels::load_labelled;
use super::screen::Screen;
use super::sides::{SIDES, runs, warn_of};
use super::{ENGINE, LOADING};
use crate::display::Sink;
use crate::magic::{MAGICS, Magic, find, magic_of_hta};
use crate::session::run_paths;
use crate::{Error, Problem, UsageError};
use kernel_magic::argument::{Argument, Call, Group, Kind, did_you_mean};
use kernel_magic::context::Context;
use kernel_magic::trace_load;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::TraceSet;

/// What a command says besides its magic.
struct Spelling {
    /// The word after `tracebook`.
    command: &'static str,
    magic: &'static str,
    /// Examples of its help page; those of the magic if there are none.
    examples: &'static [&'static str],
}

/// The commands with words of their own. All other magics are commands by their name.
static SPELLINGS: [Spelling; 7] = [
    Spelling {
        command: "explain",
        magic: "explain",
        examples: &[
            "tracebook explain runs/monday runs/tuesday --warmup 1",
            "tracebook explain a.json.gz b.json.gz --json - | jq .step",
            "tracebook explain runs/main runs/branch --html why.html --quiet",
            "tracebook explain --control a1.json --control a2.json --test b1.json --test b2.json",
            "tracebook explain 'runs/control-*' 'runs/test-*'",
        ],
    },
    Spelling {
        command: "tree-diff",
        magic: "tree_diff",
        examples: &[
            "tracebook tree-diff runs/monday runs/tuesday --warmup 1",
            "tracebook tree-diff a.json.gz b.json.gz --grade added,deleted",
            "tracebook tree-diff runs/main runs/branch --modules --html tree.html --quiet",
        ],
    },
    Spelling {
        command: "report",
        magic: "report",
        examples: &[
            "tracebook report runs/monday runs/tuesday --html why.html",
            "tracebook report 'runs/control-*' 'runs/test-*' --warmup 2 --html why.html --quiet",
        ],
    },
    Spelling {
        command: "critical-path",
        magic: "critical_path",
        examples: &[
            "tracebook critical-path runs/monday",
            "tracebook critical-path rank-0.json.gz --what-if 'name ~ \"gemm\" x 0.5'",
            "tracebook critical-path runs/monday runs/tuesday",
            "tracebook critical-path runs/monday --rank all --instance all --json - | jq .windows[].summary",
        ],
    },
    Spelling {
        command: "describe",
        magic: "describe",
        examples: &[
            "tracebook describe runs/monday",
            "tracebook describe runs/monday runs/tuesday",
            "tracebook describe rank0.json.gz --top 25 --html page.html",
        ],
    },
    Spelling {
        command: "export",
        magic: "trace_export",
        examples: &[
            "tracebook export runs/monday monday-lake",
            "tracebook export runs/monday monday-lake --args all --overwrite",
        ],
    },
    Spelling {
        command: "sql",
        magic: "trace_sql",
        examples: &[
            "tracebook sql 'SELECT name, SUM(dur) AS dur FROM kernels GROUP BY name ORDER BY dur DESC LIMIT 5' runs/monday",
            "tracebook sql --file question.sql runs/monday --csv -",
        ],
    },
];

/// Notes of all commands.
const NOTES: &str = "A trace is a file (.json or .pftrace, also .gz or .zst), a .zip or a folder of ranks, a quoted pattern of one of \
     them, or - for standard input. Its name is that of the file or folder, or NAME in NAME=PATH. A FILE to write may be -, standard \
     output; drawings need --html FILE.\n\n\
     Exit code: 0 for success, 1 for an error, 2 for wrong usage, 130 if interrupted.";

/// Arguments of a load that a command takes unless its magic has a flag of the same name.
const LOADED: Group = Group::new("Loaded ranks and arguments", &[trace_load::RANK, trace_load::ARGS]);

/// Traces of a magic of SQL, which takes a text.
const TABLES: Group = Group::new(
    "Traces",
    &[Argument::optional("TRACE", Kind::Path, "a trace, whose events are in the tables of the statement").repeatable()],
);

/// The magics that make no sense without a notebook.
const OF_NOTEBOOKS: &[&str] =
    &["cd", "pwd", "time", "timeit", "opt", "who", "show", "visualize", "magic", "help", "trace_drop", "trace_load"];

/// A magic as a command.
pub(super) struct MagicCommand {
    /// The word after `tracebook`.
    name: String,
    magic: &'static dyn Magic,
    arguments: &'static [Group],
    notes: &'static str,
    examples: &'static [&'static str],
}

impl MagicCommand {
    /// Returns the command of this name: that of a magic, with dashes for underscores.
    ///
    /// # Errors
    /// If there is none, with the nearest.
    pub(super) fn of(name: &str) -> Result<Self, Error> {
        let name = name.trim_start_matches('%');
        let spelling = SPELLINGS.iter().find(|spelling| spelling.command == name);
        let magic = magic_of(name, spelling.map_or_else(|| name.replace('-', "_"), |known| known.magic.to_owned()))?;
        let examples = match spelling {
            Some(spelling) => spelling.examples,
            None => leaked(magic.examples().iter().filter_map(|example| example_of(magic, name, example)).collect()),
        };
        let notes: &'static str = match magic.notes() {
            "" => NOTES,
            notes => format!("{notes}\n\n{NOTES}").leak(),
        };
        Ok(Self { name: name.to_owned(), magic, arguments: leaked(arguments(magic)), notes, examples })
    }

    /// Loads the traces of a call; returns the call with their labels in place of the paths.
    fn load<'c>(&self, call: Call<'c>, context: &mut Context<'_>) -> Result<(Call<'c>, Vec<Arc<TraceSet>>), Error> {
        let mut loaded = Vec::new();
        // Flags of the magic say nothing of the load.
        let of_load = LOADED.arguments.iter().chain(LOADING.arguments);
        let own = of_load.filter(|flag| declared(self.magic).any(|argument| argument.name == flag.name));
        let load = own.fold(call.clone(), |call, flag| call.without(flag.name));
        let ranks = load.list("rank");
        let mut labels: Vec<(&'static str, String)> = Vec::new();
        for argument in declared(self.magic).filter(|argument| is_trace(argument)) {
            let paths = call.paths(argument.name);
            let found = match argument.kind {
                Kind::Runs if argument.is_flag() => {
                    let mut names = Vec::new();
                    for word in paths.iter().flat_map(|path| words_of(path)) {
                        if word == "none" || context.session.is_label(&word) {
                            names.push(word);
                            continue;
                        }
                        for path in runs_at(Path::new(&word)) {
                            let run = load_labelled(&load, context, &path, ranks)?;
                            names.push(run.label().to_owned());
                            loaded.push(run);
                        }
                    }
                    labels.extend((!names.is_empty()).then(|| (argument.name, names.join(","))));
                    continue;
                }
                Kind::Runs if is_side(argument) => runs(&load, context, argument.name, flag_of(argument.name))?,
                Kind::Runs => {
                    let runs = paths.iter().flat_map(|path| runs_at(path));
                    runs.map(|path| load_labelled(&load, context, &path, ranks)).collect::<Result<_, _>>()?
                }
                _ => paths.iter().map(|path| load_labelled(&load, context, path, ranks)).collect::<Result<_, _>>()?,
            };
            if !found.is_empty() {
                labels.push((argument.name, found.iter().map(|trace| trace.label()).collect::<Vec<_>>().join(",")));
            }
            loaded.extend(found);
        }
        let (call, tables) = self.tables(call);
        for path in tables {
            loaded.push(load_labelled(&load, context, &path, ranks)?);
        }
        let call = labels.into_iter().fold(call, |call, (name, label)| call.with_text(name, label));
        Ok((call, loaded))
    }

    /// Returns the call of a statement of SQL, and its traces: where a file has the statement, the first text is a trace, too.
    fn tables<'c>(&self, call: Call<'c>) -> (Call<'c>, Vec<PathBuf>) {
        if !self.magic.takes_text() {
            return (call, Vec::new());
        }
        let traces = call.paths(TABLES.arguments[0].name);
        if !call.has("file") {
            return (call, traces);
        }
        let first = call.path("STATEMENT");
        (call.without("STATEMENT"), first.into_iter().chain(traces).collect())
    }

    /// Returns the flag whose file is standard output, if there is one.
    fn piped(&self, call: &Call<'_>) -> Result<Option<&'static str>, Error> {
        let is_file = |argument: &&Argument| matches!(argument.kind, Kind::File | Kind::Target);
        let is_standard = |argument: &&Argument| call.text(argument.name) == Some("-");
        let piped: Vec<&str> =
            declared(self.magic).filter(is_file).filter(is_standard).map(|argument| argument.name).collect();
        match piped[..] {
            [] => Ok(None),
            [flag] => Ok(Some(flag)),
            [one, other, ..] => {
                let what = format!("write --{one} and --{other} to standard output");
                Err(call.cannot(what, "it takes one file").hint("name a file for one of them").into())
            }
        }
    }
}

impl Magic for MagicCommand {
    fn name(&self) -> &'static str {
        self.magic.name()
    }

    fn spelled(&self) -> String {
        format!("tracebook {}", self.name)
    }

    fn help_hint(&self) -> String {
        format!("tracebook {} --help", self.name)
    }

    fn summary(&self) -> &'static str {
        self.magic.summary()
    }

    fn arguments(&self) -> &'static [Group] {
        self.arguments
    }

    fn notes(&self) -> &'static str {
        self.notes
    }

    fn examples(&self) -> &'static [&'static str] {
        self.examples
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let piped = self.piped(call)?;
        let (call, loaded) = self.load(call.clone(), context)?;
        if loaded.is_empty() && self.magic.takes_text() {
            let what = "TRACE: a trace file or folder".to_owned();
            return Err(call.usage(Problem::Missing { what }).into());
        }
        // The page of an overview has the warnings of its traces.
        if self.magic.name() != "describe" {
            warn_of(loaded.iter());
        }
        let answers = Answers::on(context.out, piped.is_some());
        let out: Arc<dyn Sink> = answers.clone();
        let mut context = Context { session: &mut *context.session, cells: &mut *context.cells, out: &out };
        context.session.begin_line(self.spelled());
        let Some(flag) = piped else {
            self.magic.run(&call, &mut context)?;
            answers.end();
            return Ok(());
        };
        let folder = tempfile::tempdir().map_err(|cause| Error::File { path: std::env::temp_dir(), cause })?;
        let file = folder.path().join(format!("output.{flag}"));
        let call = call.with_text(flag, file.display().to_string());
        self.magic.run(&call, &mut context)?;
        match std::fs::File::open(&file) {
            Ok(mut file) => Screen::fill(|out| std::io::copy(&mut file, out).map(drop)),
            // Tables of several parts are files with names of their own.
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                let reason = "the answer has several tables, each a file";
                let error = call.cannot(format!("write --{flag} to standard output"), reason);
                Err(error.hint("name a file in place of -").into())
            }
            Err(cause) => Err(Error::File { path: file, cause }),
        }
    }
}

/// Tells whether a magic needs traces.
pub(super) fn takes_trace(magic: &dyn Magic) -> bool {
    magic.takes_text() || declared(magic).any(is_trace)
}

fn declared(magic: &dyn Magic) -> impl Iterator<Item = &'static Argument> + use<> {
    magic.arguments().iter().flat_map(|group| group.arguments)
}

fn is_trace(argument: &Argument) -> bool {
    matches!(argument.kind, Kind::Trace | Kind::Runs | Kind::TraceOrVariable)
}

/// Tells whether an argument is a side of a comparison, whose runs are called `control` and `test`.
fn is_side(argument: &Argument) -> bool {
    argument.kind == Kind::Runs && !argument.is_flag() && ["CONTROL", "TEST"].contains(&argument.name)
}

/// Returns the runs that a path names, also as a pattern.
fn runs_at(path: &Path) -> Vec<PathBuf> {
    let found = run_paths::expand(&[path.to_owned()]).unwrap_or_default();
    if found.is_empty() { vec![path.to_owned()] } else { found }
}

/// Returns the traces that a value of a flag names, separated by commas.
fn words_of(value: &Path) -> Vec<String> {
    let text = value.to_string_lossy();
    if value.exists() {
        return vec![text.into_owned()];
    }
    text.split(',').map(|word| word.trim().to_owned()).collect()
}

/// Returns the flag for each of several runs of a side: `control` for `CONTROL`.
fn flag_of(side: &str) -> &'static str {
    match side {
        "CONTROL" => "control",
        _ => "test",
    }
}

/// Values that live as long as the process, which runs one command.
fn leaked<T: 'static>(values: Vec<T>) -> &'static [T] {
    values.leak()
}

/// Returns the arguments of the command of a magic: paths in place of labels, no names of variables, and the flags of a load.
fn arguments(magic: &'static dyn Magic) -> Vec<Group> {
    let has_sides = declared(magic).any(is_side);
    let mut groups: Vec<Group> = Vec::new();
    for group in magic.arguments() {
        let named = |argument: &&Argument| argument.kind != Kind::Name;
        let arguments: Vec<Argument> = group.arguments.iter().filter(named).map(of_path).collect();
        groups.push(Group::new(group.title, leaked(arguments)));
        if groups.len() == 1 && has_sides {
            groups.push(SIDES[1]);
        }
    }
    if magic.takes_text() {
        groups.insert(1.min(groups.len()), TABLES);
    }
    if takes_trace(magic) {
        let own: Vec<&str> = declared(magic).map(|argument| argument.name).collect();
        for group in [LOADED, LOADING, ENGINE] {
            let others: Vec<Argument> =
                group.arguments.iter().filter(|argument| !own.contains(&argument.name)).copied().collect();
            groups.push(Group::new(group.title, leaked(others)));
        }
    }
    groups
}

/// Returns an argument of a command for that of its magic: those of a comparison as all commands take them.
fn of_path(argument: &Argument) -> Argument {
    let path = Argument { kind: Kind::Path, ..*argument };
    match argument.kind {
        Kind::Trace | Kind::TraceOrVariable => path,
        Kind::Runs => {
            let of_sides = SIDES[0].arguments.iter().find(|known| known.name == argument.name);
            of_sides.copied().unwrap_or(path)
        }
        _ => *argument,
    }
}

/// Returns an example of a magic as one of its command; `None` for one that binds a variable.
fn example_of(magic: &dyn Magic, name: &str, example: &'static str) -> Option<&'static str> {
    let rest = example.strip_prefix(&magic.spelled())?;
    let of_command: &'static str = format!("tracebook {name}{rest}").leak();
    Some(of_command)
}

/// Returns the magic of a command.
///
/// # Errors
/// If there is none, with the nearest.
fn magic_of(name: &str, spelled: String) -> Result<&'static dyn Magic, Error> {
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

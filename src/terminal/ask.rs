//! `tracebook ask`: the magics of the notebook over trace files.

use super::answers::Answers;
use super::labels::load_labelled;
use super::magic_command::takes_trace;
use super::sides::warn_of;
use super::{ENGINE, LOADING, QUIET};
use crate::cell::{Segment, segments};
use crate::display::Sink;
use crate::magic::{Magic, find};
use crate::{Error, Problem, UsageError};
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::Context;
use std::sync::Arc;

/// The command `tracebook ask`.
pub(super) struct MagicLine;

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
    ENGINE,
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
         the help of one. A magic is also a command: tracebook operators TRACE, with paths in place of labels, after --companion, too; tracebook sql 'SELECT …' \
         TRACE for %trace_sql. Tables show 20 rows: --top 0 shows all, --csv FILE writes them. Drawings need --html FILE. Of a \
         command, FILE may be -, standard output.\n\n\
         Exit code: 0 for success, 1 for an error, 2 for wrong usage."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "tracebook ask '%what_if monday communication x 0' runs/monday",
            "tracebook ask '%tree_diff a b --min-us 50' a=runs/monday b=runs/tuesday",
            "tracebook operators runs/monday --by module --top 50",
            "tracebook roofline serve/replay.json.gz --companion serve/capture.json.gz",
            "tracebook sql 'SELECT name, SUM(dur) AS dur FROM kernels GROUP BY name ORDER BY dur DESC LIMIT 5' runs/monday",
            "tracebook timeline runs/monday runs/tuesday --html timeline.html",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let paths = call.paths("TRACE");
        let loaded =
            paths.iter().map(|path| load_labelled(call, context, path, None)).collect::<Result<Vec<_>, _>>()?;
        let question = call.required("QUESTION");
        if loaded.is_empty() && question.lines().any(is_about_traces) {
            let what = "TRACE: a trace file or folder".to_owned();
            return Err(UsageError::new("tracebook ask", Problem::Missing { what }).into());
        }
        warn_of(loaded.iter());
        ask(question, context)
    }
}

/// Whether a line asks a magic about traces.
fn is_about_traces(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default().trim_start_matches('%');
    find(name).is_some_and(takes_trace)
}

/// Runs the magics of a text over the loaded traces.
fn ask(question: &str, context: &mut Context<'_>) -> Result<(), Error> {
    let question = question.trim();
    let is_bare = question.split_whitespace().next().is_some_and(|name| find(name).is_some());
    let question = if is_bare { format!("%{question}") } else { question.to_owned() };
    let answers = Answers::on(context.out, false);
    let out: Arc<dyn Sink> = answers.clone();
    let mut context = Context { session: &mut *context.session, cells: &mut *context.cells, out: &out };
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

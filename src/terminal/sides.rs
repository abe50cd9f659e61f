//! Runs of a side of a comparison, by their paths.

use super::load::load_path;
use super::screen::Screen;
use crate::session::run_paths;
use crate::{Error, Problem};
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::Context;
use std::path::PathBuf;
use std::sync::Arc;
use trace::{TraceSet, Warning};

/// Meaning of the flag of a companion.
const LENDS: &str =
    "a run recorded without CUDA graphs, or of their capture, which lends its operators to the kernels of graphs";

/// The runs of both sides.
pub(super) const SIDES: [Group; 2] = [
    Group::new(
        "Arguments",
        &[
            Argument::optional(
                "CONTROL",
                Kind::Path,
                "the baseline: a trace file (.json or .pftrace, also .gz or .zst), a .zip, a folder, or a quoted pattern of runs: 'runs/a-*'",
            ),
            Argument::optional("TEST", Kind::Path, "the trace to compare with it; differences are test − control"),
            Argument::flag("companion", Kind::Path, LENDS).or("none").repeatable(),
        ],
    ),
    Group::new(
        "Several runs a side, instead of CONTROL and TEST",
        &[
            Argument::flag("control", Kind::Path, "a run of the baseline: a file, a folder, or a quoted pattern")
                .repeatable(),
            Argument::flag("test", Kind::Path, "a run to compare with the baseline").repeatable(),
        ],
    ),
];

/// Loads the runs of a side: those of the flag, or the one of the positional argument.
pub(super) fn runs(
    call: &Call<'_>,
    context: &mut Context<'_>,
    argument: &'static str,
    flag: &'static str,
) -> Result<Vec<Arc<TraceSet>>, Error> {
    let (one, several) = (call.path(argument), call.paths(flag));
    let paths = match (one, several.is_empty()) {
        (Some(one), true) => vec![one],
        (None, false) => several,
        (None, true) => {
            let what = format!("{argument}: the path of a trace, or --{flag} for each of its runs");
            return Err(call.usage(Problem::Missing { what }).into());
        }
        (Some(_), false) => {
            let reason = "it names another run of the same side";
            let error = call.cannot(format!("take {argument} and --{flag}"), reason);
            // A shell replaces a bare pattern by several words.
            return Err(error
                .hint(format!("repeat --{flag} for each run, or quote a pattern: --{flag} 'runs/a-*'"))
                .into());
        }
    };
    load_runs(call, context, &paths, flag)
}

/// Loads the runs at some paths or patterns; each has a label of its own.
pub(super) fn load_runs(
    call: &Call<'_>,
    context: &mut Context<'_>,
    paths: &[PathBuf],
    flag: &str,
) -> Result<Vec<Arc<TraceSet>>, Error> {
    let paths =
        run_paths::expand(&run_paths::listed(paths)?).map_err(|reason| call.cannot(format!("load {flag}"), reason))?;
    let is_one = paths.len() == 1;
    let label = |number: usize| if is_one { flag.to_owned() } else { format!("{flag}{}", number + 1) };
    paths.into_iter().enumerate().map(|(at, path)| load_path(call, context, path, &label(at), None)).collect()
}

/// Prints the warnings of loaded runs.
pub(super) fn warn_of<'a>(runs: impl Iterator<Item = &'a Arc<TraceSet>>) {
    Screen::warn(&Warning::sentences(runs.flat_map(|run| run.warnings())));
}

//! `tracebook baseline`: times of runs that are kept under a name, by which a later run is judged.

use super::LOADING;
use super::entry::CommandEntry;
use super::gate::{FILES, INCONCLUSIVE, deliver};
use super::load::load_path;
use super::screen::Screen;
use crate::Error;
use crate::session::run_paths;
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::baseline::{ACTION, Action, FILE, LIMIT, RUN_SAMPLES, add, check, file, listed, remove};
use kernel_magic::context::Context;
use kernel_magic::explain::query;
use std::path::PathBuf;
use std::sync::Arc;
use trace::{LabeledTrace, RecordingsOnce, RunTimes};

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            ACTION[0],
            ACTION[1],
            Argument::optional("RUN", Kind::Path, "add: runs to measure; check: the run to judge").repeatable(),
        ],
    ),
    Group::new("Limits of check", &[LIMIT, INCONCLUSIVE]),
    RUN_SAMPLES,
    LOADING,
    FILES,
    Group::new("Files of baselines", &[FILE]),
];

/// The command.
pub(super) const BASELINE: CommandEntry = CommandEntry {
    name: "baseline",
    summary: "Keep the times of runs under a name, and judge a later run by them.",
    arguments: ARGUMENTS,
    notes: concat!(
        kernel_magic::baseline_notes!(),
        "\n\ncheck writes the files of tracebook gate and ends with its exit codes: 0 no regression, 4 regression, 5 \
             inconclusive. tracebook gate --baseline NAME RUN does the same, and honours accepted changes."
    ),
    examples: &[
        "tracebook baseline add main runs/main-* --warmup 2",
        "tracebook baseline check main runs/today --warmup 2 --limit 3%",
        "tracebook baseline list",
        "tracebook baseline show main",
        "tracebook baseline remove main",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let prints = Screen::is_free(call, &["json", "junit", "markdown"])?;
    let (action, file) = (Action::of(call)?, file(call));
    match action {
        Action::Add(name) => {
            let added = add(call, &file, name, &measured(call, context, call.paths("RUN"))?)?;
            if !call.quiet() {
                Screen::log(&added);
            }
            Ok(())
        }
        Action::Check(name) => {
            let runs = measured(call, context, call.paths("RUN"))?;
            deliver(call, &check(call, &file, name, &runs)?, prints)
        }
        Action::Remove(name) => {
            remove(call, &file, name)?;
            if !call.quiet() {
                Screen::log(&format!("removed {name} from {}", file.display()));
            }
            Ok(())
        }
        Action::List | Action::Show(_) => {
            let report = listed(call, &file, &action)?;
            Screen::show(&report, prints)
        }
    }
}

/// Loads and measures runs, one after the other.
pub(super) fn measured(
    call: &Call<'_>,
    context: &mut Context<'_>,
    paths: Vec<PathBuf>,
) -> Result<Vec<RunTimes>, Error> {
    let (mut measured, mut once) = (Vec::new(), RecordingsOnce::default());
    let paths =
        run_paths::expand(&run_paths::listed(&paths)?).map_err(|reason| call.cannot("load the runs", reason))?;
    for path in paths {
        let name = path.display().to_string();
        let run: LabeledTrace = Arc::as_ref(&load_path(call, context, path, "run", None)?).into();
        let run = LabeledTrace::new(name, run);
        if let Some(warning) = once.copy_of_earlier(&run)? {
            Screen::warn(&[warning.to_string()]);
            continue;
        }
        let explanation = query(call, vec![run.clone()], vec![run]).run()?;
        measured.push(RunTimes::of_control(&explanation));
    }
    Ok(measured)
}

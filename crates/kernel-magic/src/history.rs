//! `%history`: step and largest regions over runs, with the places where they changed.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::baseline::RUN_SAMPLES;
use super::context::Context;
use super::explain::query;
use super::view::{RESULT, size, write_csv};
use crate::{Error, Problem};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use trace_core::{History as Query, LabeledTrace, LoadOptions, RecordingsOnce, RunTimes, TraceSet, Warning};
use trace_view::Present;

pub(super) struct History;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::required(
            "RUN",
            Kind::Runs,
            "labels of loaded traces or groups of runs, or a folder of runs, ordered by their dates",
        )
        .repeatable()],
    ),
    RUN_SAMPLES,
    Group::new("Rows", &[Argument::flag("top", Kind::Whole, "this many of the largest regions").or("5")]),
    RESULT,
];

impl Magic for History {
    fn name(&self) -> &'static str {
        "history"
    }

    fn summary(&self) -> &'static str {
        "Show step and largest regions over runs, and mark the runs at which they changed."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame with one row per run: run, step_us, the largest regions in µs, changed")
    }

    fn notes(&self) -> &'static str {
        "Runs keep the order given, those of a folder are ordered by their dates of change. A change is a place at which \
         the distribution of a quantity differs before and after (E-divisive, energy distance), more than in 95 of 100 random orders \
         of the runs; eight runs are needed to find one. Times are means over the iterations of a run."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%history monday tuesday wednesday",
            "%history runs/nightly --warmup 2 --top 10",
            "df = %history runs/nightly",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = super::explain::free_name(call, context)?;
        let mut runs = Vec::new();
        for name in call.texts("RUN") {
            if !context.session.is_label(name) && Path::new(name).is_dir() {
                runs.extend(of_folder(call, Path::new(name))?);
            } else {
                runs.extend(context.runs(call, name)?.into_iter().map(Run::Loaded));
            }
        }
        let (mut measured, mut once, mut copies) =
            (Vec::with_capacity(runs.len()), RecordingsOnce::default(), Vec::new());
        for run in runs {
            let run = run.load(context)?;
            match once.copy_of_earlier(&run)? {
                Some(warning) => copies.push(warning),
                None => {
                    let query = query(call, vec![run.clone()], vec![run]);
                    measured.push(
                        context
                            .run_blocking(move || query.run().map(|explanation| RunTimes::of_control(&explanation)))?,
                    );
                }
            }
            context.check_interrupt()?;
        }
        if let ([_], Some(Warning::CountedOnce { run, first })) = (&measured[..], copies.first()) {
            let reason = format!("\"{run}\" and \"{first}\" are one recording");
            let error = call.cannot("show the history of one run", reason);
            return Err(error.hint("record each run in a process of its own").into());
        }
        context.warn(copies);
        let top = call.whole("top").map(|top| usize::try_from(top).unwrap_or(usize::MAX));
        let history = Query::of(&measured, top);
        let csv = call.path("csv");
        let frame = if csv.is_some() || bind.is_some() { Some(history.frame()?) } else { None };
        if let (Some(path), Some(frame)) = (&csv, &frame) {
            write_csv(path, frame)?;
        }
        if let (Some(name), Some(frame)) = (&bind, &frame) {
            context.bind_frame(call, name, frame)?;
        }
        if call.shows() {
            context.show(&history.present());
        }
        if call.quiet() {
            return Ok(());
        }
        if let (Some(name), Some(frame)) = (bind, &frame) {
            context.print_line(format!("{name}: DataFrame {}", size(frame)));
        }
        if let Some(path) = csv {
            context.print_line(format!("wrote {}", path.display()));
        }
        Ok(())
    }
}

/// A run of a history.
enum Run {
    Loaded(Arc<TraceSet>),
    Saved(PathBuf),
}

impl Run {
    /// Returns the run; one of a folder is loaded only for its measurement.
    fn load(self, context: &mut Context<'_>) -> Result<LabeledTrace, Error> {
        match self {
            Run::Loaded(run) => Ok(LabeledTrace::from(run.as_ref())),
            Run::Saved(path) => {
                let options = LoadOptions { cache: context.cache(), ..LoadOptions::default() };
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let run = context
                    .run_blocking(move || TraceSet::load_with(&path, &options, &mut |_| ControlFlow::Continue(())))?;
                Ok(LabeledTrace::new(name, run))
            }
        }
    }
}

/// Returns the runs of a folder in the order of their dates: its folders, or its trace files if it has no folders.
fn of_folder(call: &Call<'_>, folder: &Path) -> Result<Vec<Run>, Error> {
    let shown = folder.display().to_string();
    let read = |error: std::io::Error| -> Error { call.cannot(format!("list {shown}"), error.to_string()).into() };
    let mut found: Vec<(bool, SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Ok(about) = std::fs::metadata(&path) else { continue };
        let is_trace = about.is_dir() || trace_core::read::is_trace_name(&name);
        if is_trace && !name.starts_with('.') && !name.ends_with(".part") {
            found.push((about.is_dir(), about.modified().unwrap_or(SystemTime::UNIX_EPOCH), path));
        }
    }
    let has_folders = found.iter().any(|(is_folder, ..)| *is_folder);
    found.retain(|(is_folder, ..)| *is_folder == has_folders);
    found.sort_by(|one, other| (one.1, &one.2).cmp(&(other.1, &other.2)));
    if found.is_empty() {
        let problem =
            Problem::Cannot { what: format!("take runs from {shown}"), reason: "it has no traces".to_owned() };
        return Err(call.usage(problem).into());
    }
    Ok(found.into_iter().map(|(.., path)| Run::Saved(path)).collect())
}

//! `%trace_load`: loads a trace, or several runs, under a label.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::{Context, Progress, counted, jobs, listed, run_labels};
use super::execution_trace;
use super::trace_list::table;
use crate::display::{Output, Sink};
use crate::session::{label, run_paths};
use crate::{Error, Problem};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_core::task::Engine;
use trace_core::{Cache, Compat, Execution, LoadOptions, LoadProgress, TraceSet};
use trace_view::format::{self, grouped, ranges};
use trace_view::{Bundle, Part, Present, Report};

pub(super) struct TraceLoad;

/// The ranks to load.
pub const RANK: Argument =
    Argument::flag("rank", Kind::List(IdKind::Ranks), "load only these ranks of a folder").or("all");

/// The compatibility mode.
pub const COMPAT: Argument = Argument::flag(
    "compat",
    Kind::Choice(&["exact", "hta"]),
    "exact nanoseconds, or HTA's rounding and iterations, bit-exact",
)
.or("exact");

/// Whether broken files are rejected.
pub const STRICT: Argument =
    Argument::flag("strict", Kind::Switch, "reject invalid JSON, with its position, instead of repairing it");

/// Whether the cache is left out.
pub const NO_CACHE: Argument =
    Argument::flag("no-cache", Kind::Switch, "read the files, and keep nothing of them in the cache");

/// Returns the load options of a call; flags that its magic lacks keep their defaults.
pub fn options(call: &Call<'_>) -> LoadOptions {
    LoadOptions {
        compat: if call.text("compat") == Some("hta") { Compat::Hta } else { Compat::Exact },
        ranks: call.list("rank").map(<[i64]>::to_vec),
        label: None,
        parser_config: call.parser_config("args").cloned(),
        strict: call.switch("strict"),
        cache: None,
    }
}

/// The arguments that become columns.
pub const ARGS: Argument = Argument::flag(
    "args",
    Kind::ParserArgs,
    "event arguments that become columns: groups and keys of %parser_args, all, minimum",
)
.or("default");

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::required(
            "PATH",
            Kind::Path,
            "a trace file (.json or .pftrace, also .gz or .zst), a .zip or folder of them, one per rank, or an export, here or at an address (s3://, gs://, az://, https://, file://); several of them, or a pattern, are runs",
        )
        .repeatable()],
    ),
    Group::new(
        "Flags",
        &[
            Argument::flag("as", Kind::Name, "label: the name of the trace, or of the group of runs, in magics and Rust cells")
                .or("derived from the name of the file or folder"),
            RANK,
            Argument::flag(
                "companion",
                Kind::Path,
                "a recording of the same program without CUDA graphs, or of their capture: it is loaded as NAME_companion and lends its operators to the graphs of this trace in %explain, %tree_diff, %waterfall, %operators, %roofline, %events, %flame, %timeline, %critical_path and %trace_sql",
            )
            .or("none")
            .repeatable(),
            COMPAT,
            ARGS,
            execution_trace::FILES,
            STRICT,
            Argument::flag("memory", Kind::Size, "memory of the kernel; ranks that do not fit are kept on disk")
                .or("half of what is free, or TRACEBOOK_MEMORY"),
            NO_CACHE,
            Argument::flag("progress", Kind::Choice(&["auto", "off"]), "show the progress of a long load").or("auto"),
            Argument::flag("quiet", Kind::Switch, "show only warnings"),
        ],
    ),
    jobs::ENGINE,
];

impl Magic for TraceLoad {
    fn name(&self) -> &'static str {
        "trace_load"
    }

    fn summary(&self) -> &'static str {
        "Load a profiler trace: one file, or a folder with a file per rank; or several runs."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some("the trace (a TraceSet), same as --as x")
    }

    fn notes(&self) -> &'static str {
        "If the label is in use, the new trace replaces the old one after it is loaded.\n\n\
         Several paths are runs of one program, each a fresh process: %trace_load A1 A2 A3 --as control loads control_1, control_2 and \
         control_3, each a trace like any other, and makes control the group of them. A pattern names the files and folders that match it, \
         by name, numbers by value: runs/control-* (also in quotes; * is any text, ? a character, [1-4] one of them). A folder of ranks is \
         one run. Comparisons take a group as a side: %explain, %tree_diff, %waterfall and %compare_traces --stats all of its runs, others its \
         first, and say so. In Rust cells control is control_1.\n\n\
         --args lists all argument columns except stream and correlation, which are always read: default,sm::warps adds \
         one to the default. An argument that no event has becomes no column. %trace_info NAME --memory shows the memory \
         of each column.\n\n\
         A truncated or broken file is loaded as far as it is intact, with a warning of what is missing. --strict rejects \
         it instead, with line, column and byte; every file is then read twice.\n\n\
         Columns stay in memory up to half of --memory (8G, 500M, or bytes). Further ranks are kept in private files, which \
         every magic and Rust cell uses alike, and which go with the trace. A load is refused only if one rank alone does not fit. \
         Questions to the trace keep to --memory, too; a comparison keeps to the smaller one of both traces.\n\n\
         With --engine ray or --engine slurm, nodes of a cluster read the ranks, and questions run there as jobs; only facts and answers come here. \
         --engine processes does the same with children of this process. What needs events here names the rank to load."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%trace_load runs/monday --as control",
            "%trace_load ~/traces/rank0.json.gz",
            "%trace_load ${TRACEBOOK_DATA:-data}/control --as control --rank 0,2-3",
            "%trace_load 'runs/control-*' --as control",
            "%trace_load runs/a.json runs/b.json --as control",
            "%trace_load serve/replay.json.gz --companion serve/capture.json.gz --as graphs",
            "%trace_load runs/monday --strict",
            "%trace_load runs/monday --memory 8G",
            "%trace_load file:///shared/run7 --engine ray --address http://127.0.0.1:8265",
            "%trace_load runs/monday --args default,cpu_op::sequence_number,sm::occupancy",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let inputs = call.paths("PATH");
        let paths = run_paths::expand(&run_paths::listed(&inputs)?).map_err(|reason| call.cannot("load", reason))?;
        let label = label(call, &inputs, &paths)?;
        let location = inputs.first().map(|path| path.display().to_string()).unwrap_or_default();
        if let Some(engine) = context.engine(call, &location)? {
            return load_elsewhere(call, context, (&label, &location), &engine);
        }
        // The lanes of timelines that are not open leave their memory to this load.
        context.session.traces().values().for_each(|trace| trace.give_back());
        let mut load = Load::new(call, context);
        let beside: Vec<PathBuf> = call.paths("companion");
        let loaded = load.all(&label, &paths).and_then(|runs| {
            let (runs, of_nodes) = execution_trace::added(call, runs)?;
            Ok((runs, load.companions(&label, &beside)?, of_nodes))
        });
        let Load { cache, mut progress, from_cache, .. } = load;
        let loaded = loaded.and_then(|runs| context.check_interrupt().map(|()| runs));
        let (runs, companions, of_nodes) = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                progress.end(if matches!(error, Error::Interrupted) { "interrupted" } else { "failed" });
                return Err(error);
            }
        };
        let mut line = match &runs[..] {
            [one] => summary(one, progress.elapsed()),
            several => summary_of_group(&label, several, progress.elapsed()),
        };
        match from_cache {
            (0, _) => {}
            (found, all) if found == all => line.push_str(" · from the cache"),
            (found, all) => line.push_str(&format!(" · {found} of {all} files from the cache")),
        }
        line.push_str(&of_nodes);
        line.push_str(&replaced(context, &label, &paths));
        for (companion, path) in companions.iter().zip(&beside) {
            line.push_str(&format!(" · companion {}", companion.label()));
            line.push_str(&replaced(context, companion.label(), std::slice::from_ref(path)));
        }
        keep(context, &label, &runs, paths);
        for (companion, path) in companions.iter().zip(beside) {
            context.keep(companion, path);
        }
        let names: Vec<String> = companions.iter().map(|companion| companion.label().to_owned()).collect();
        runs.iter()
            .filter(|_| !names.is_empty())
            .for_each(|run| context.session.set_companions(run.label(), names.clone()));
        for run in &runs {
            line.push_str(&context.keep_annotations(run)?);
        }
        if !progress.end(&line) && !call.quiet() {
            context.out.emit(Output::Display { bundle: Bundle::text(line), id: None });
        }
        match &runs[..] {
            [one] if call.shows() => context.show(&one.present()),
            several => {
                if call.shows() {
                    let traces: Vec<&Arc<TraceSet>> = several.iter().collect();
                    let table = table(&format!("runs of {label}"), &traces, context.session);
                    context.show(&Report::of(Part::Table(table)));
                }
                context.warn_of(call, several.iter().flat_map(|run| run.warnings()));
                context.warn(look_like_ranks(several));
            }
        }
        context.warn(cache.and_then(|cache| cache.take_problem()));
        Ok(())
    }
}

/// Loads one trace by an engine, and keeps it.
fn load_elsewhere(
    call: &Call<'_>,
    context: &mut Context<'_>,
    (label, location): (&str, &str),
    engine: &Arc<dyn Engine>,
) -> Result<(), Error> {
    if call.paths("PATH").len() > 1 {
        let reason = "an engine loads one run at a time";
        return Err(call
            .cannot("load several runs by an engine", reason)
            .hint("load each with --as, and name them")
            .into());
    }
    if call.has("execution-trace") {
        let reason = "an engine adds no columns";
        let hint = "load the rank here, with --rank";
        return Err(call.cannot("add execution traces by an engine", reason).hint(hint).into());
    }
    if call.has("companion") {
        let reason = "an engine loads no companion";
        return Err(call
            .cannot("load a companion by an engine", reason)
            .hint("load it here with %trace_load, and name it: %explain … --companion NAME")
            .into());
    }
    let begun = Instant::now();
    let options = LoadOptions { label: Some(label.to_owned()), ..options(call) };
    let traces = Arc::new(context.load_elsewhere(location, options, engine)?);
    let line = summary(&traces, begun.elapsed()) + &replaced(context, label, &[location.into()]);
    if !call.quiet() {
        context.out.emit(Output::Display { bundle: Bundle::text(line), id: None });
    }
    context.keep(&traces, location.into());
    match jobs::failures(&traces) {
        Some(failures) => context.show(&failures),
        None if !call.shows() => context.warn_of(call, traces.warnings()),
        None => {}
    }
    if call.shows() {
        context.show(&traces.present());
    }
    Ok(())
}

/// Returns the label of a call: the one given, else from the name of the file or pattern, or what the names of several runs have in common.
fn label(call: &Call<'_>, inputs: &[PathBuf], runs: &[PathBuf]) -> Result<String, Error> {
    if let Some(name) = call.result_name()? {
        return Ok(name.to_owned());
    }
    match inputs {
        [one] if runs.len() == 1 => Ok(label::from_path(one)),
        _ => match run_paths::common_name(runs) {
            Some(name) => Ok(label::from_path(&name)),
            None => {
                let what = "--as NAME: the names of the runs have nothing in common".to_owned();
                Err(call.usage(Problem::Missing { what }).into())
            }
        },
    }
}

/// The loading of one run after the other, with one progress bar.
struct Load<'a> {
    options: LoadOptions,
    cache: Option<Cache>,
    execution: Execution,
    out: &'a Arc<dyn Sink>,
    progress: Progress,
    /// Files from the cache, and all files.
    from_cache: (usize, usize),
}

impl<'a> Load<'a> {
    fn new(call: &Call<'_>, context: &mut Context<'a>) -> Self {
        let cache = if call.switch("no-cache") { None } else { context.cache() };
        let enabled = call.text("progress") != Some("off") && !call.quiet();
        Self {
            options: LoadOptions { cache: cache.clone(), ..options(call) },
            cache,
            execution: call.whole("memory").map_or_else(Execution::new, |bytes| Execution::new().memory(bytes)),
            out: context.out,
            progress: Progress::new(context.out, enabled),
            from_cache: (0, 0),
        }
    }

    /// Loads the trace, or each run of several under a label of its own.
    fn all(&mut self, label: &str, paths: &[PathBuf]) -> Result<Vec<Arc<TraceSet>>, Error> {
        let labels = if paths.len() == 1 { vec![label.to_owned()] } else { run_labels(label, paths.len()) };
        let mut runs = Vec::new();
        for (at, (path, label)) in paths.iter().zip(labels).enumerate() {
            if paths.len() > 1 {
                self.progress.begin_run(at + 1, paths.len());
            }
            runs.push(Arc::new(self.one(label, path)?));
        }
        Ok(runs)
    }

    /// Loads the companions of a trace, each under a label of its own.
    fn companions(&mut self, label: &str, paths: &[PathBuf]) -> Result<Vec<Arc<TraceSet>>, Error> {
        let group = format!("{label}_companion");
        let labels = if paths.len() == 1 { vec![group] } else { run_labels(&group, paths.len()) };
        paths.iter().zip(labels).map(|(path, label)| Ok(Arc::new(self.one(label, path)?))).collect()
    }

    fn one(&mut self, label: String, path: &Path) -> Result<TraceSet, Error> {
        let options = LoadOptions { label: Some(label), ..self.options.clone() };
        let (out, progress) = (self.out, &mut self.progress);
        let mut files = (0, 0);
        let mut report = |at: &LoadProgress| {
            if out.interrupted() {
                return ControlFlow::Break(());
            }
            files = (at.files_from_cache, at.files_total);
            progress.report(at);
            ControlFlow::Continue(())
        };
        let loaded = self.execution.run(|| TraceSet::load_with(path, &options, &mut report));
        self.from_cache = (self.from_cache.0 + files.0, self.from_cache.1 + files.1);
        Ok(loaded?)
    }
}

/// Says what had the label before, and drops it if it was a group, or becomes one.
fn replaced(context: &mut Context<'_>, label: &str, paths: &[PathBuf]) -> String {
    if let Some(runs) = context.session.groups().runs(label) {
        let line = format!(" · replaces {}", counted(runs.len()));
        context.drop_label(label);
        return line;
    }
    let older = context.session.path(label).filter(|older| paths != [older.to_path_buf()]);
    let line = older.map(|older| format!(" · replaces {}", older.display())).unwrap_or_default();
    if paths.len() > 1 {
        context.drop_label(label);
    }
    line
}

/// Keeps what was loaded, several runs as a group.
fn keep(context: &mut Context<'_>, label: &str, runs: &[Arc<TraceSet>], paths: Vec<PathBuf>) {
    for (run, path) in runs.iter().zip(paths) {
        context.keep(run, path);
    }
    if runs.len() > 1 {
        context.keep_group(label, runs);
    }
}

/// Warns if each run is one rank, all different: then they are probably the ranks of one run.
fn look_like_ranks(runs: &[Arc<TraceSet>]) -> Option<String> {
    let ranks: Vec<Vec<i64>> = runs.iter().map(|run| run.ranks()).collect();
    let mut distinct: Vec<i64> = ranks.iter().filter(|ranks| ranks.len() == 1).flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    (runs.len() > 1 && distinct.len() == runs.len()).then(|| {
        format!(
            "Each run is another rank ({}). If they are the ranks of one run, load their folder: %trace_load FOLDER.",
            ranges(&distinct)
        )
    })
}

/// Returns `control: 3 runs, control_1, control_2, control_3 · 30,000 events · loaded in 2.0 s · in Rust cells control is control_1`.
fn summary_of_group(label: &str, runs: &[Arc<TraceSet>], time: Duration) -> String {
    let labels: Vec<String> = runs.iter().map(|run| run.label().to_owned()).collect();
    let events: usize = runs.iter().map(|run| run.event_count()).sum();
    format!(
        "{label}: {}, {} · {} events · loaded in {} · in Rust cells {label} is {}",
        counted(runs.len()),
        listed(&labels),
        grouped(events),
        format::seconds(time.as_secs_f64()),
        labels.first().map(String::as_str).unwrap_or_default()
    )
}

/// Returns `control: TraceSet, 8 ranks · 6,100,000 events · 2 of 8 ranks on disk · loaded in 2.0 s`.
fn summary(traces: &TraceSet, time: Duration) -> String {
    let ranks = traces.ranks();
    let on_disk = match traces.stored_ranks().len() {
        0 => String::new(),
        stored => format!(" · {stored} of {} on disk", format::counted(ranks.len(), "rank")),
    };
    let compat = match traces.compat() {
        Compat::Exact => "",
        Compat::Hta => " · compat hta",
    };
    let (read, by) = match jobs::read_by(traces) {
        Some((read, by)) => (read, format!(" · {by}")),
        None => (format::counted(ranks.len(), "rank"), String::new()),
    };
    format!(
        "{}: TraceSet, {read} · {} events{on_disk}{by} · loaded in {}{compat}",
        traces.label(),
        grouped(traces.event_count()),
        format::seconds(time.as_secs_f64())
    )
}

//! `%trace_load`: loads a trace under a label.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::context::Progress;
use super::view::grouped;
use crate::Error;
use crate::session::{Binding, label};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use trace::{Compat, Execution, LoadOptions, LoadProgress, TraceSet};
use trace_view::{Bundle, Present};

pub(super) struct TraceLoad;

/// The ranks to load.
pub(crate) const RANK: Argument =
    Argument::flag("rank", Kind::List(IdKind::Ranks), "load only these ranks of a folder").or("all");

/// The compatibility mode.
pub(crate) const COMPAT: Argument = Argument::flag(
    "compat",
    Kind::Choice(&["exact", "hta"]),
    "exact nanoseconds, or HTA's rounding and iterations, bit-exact",
)
.or("exact");

/// Whether broken files are rejected.
pub(crate) const STRICT: Argument =
    Argument::flag("strict", Kind::Switch, "reject invalid JSON, with its position, instead of repairing it");

/// Whether the cache is left out.
pub(crate) const NO_CACHE: Argument =
    Argument::flag("no-cache", Kind::Switch, "read the files, and keep nothing of them in the cache");

/// Returns the load options of a call; flags that its magic lacks keep their defaults.
pub(crate) fn options(call: &Call<'_>) -> LoadOptions {
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
pub(crate) const ARGS: Argument = Argument::flag(
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
            "a .json or .json.gz file, a folder of such files, one per rank, or an export",
        )],
    ),
    Group::new(
        "Flags",
        &[
            Argument::flag("as", Kind::Name, "label: the name of the trace in magics and Rust cells")
                .or("derived from the name of the file or folder"),
            RANK,
            COMPAT,
            ARGS,
            STRICT,
            Argument::flag("memory", Kind::Size, "memory of the kernel; ranks that do not fit are kept on disk")
                .or("half of what is free, or TRACEBOOK_MEMORY"),
            NO_CACHE,
            Argument::flag("progress", Kind::Choice(&["auto", "off"]), "show the progress of a long load").or("auto"),
            Argument::flag("quiet", Kind::Switch, "show only warnings"),
        ],
    ),
];

impl Magic for TraceLoad {
    fn name(&self) -> &'static str {
        "trace_load"
    }

    fn summary(&self) -> &'static str {
        "Load a profiler trace: one file, or a folder with a file per rank."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some("the trace (a TraceSet), same as --as x")
    }

    fn notes(&self) -> &'static str {
        "If the label is in use, the new trace replaces the old one after it is loaded.\n\n\
         --args lists all argument columns except stream and correlation, which are always read: default,sm::warps adds \
         one to the default. An argument that no event has becomes no column. %trace_info NAME --memory shows the memory \
         of each column.\n\n\
         A truncated or broken file is loaded as far as it is intact, with a warning of what is missing. --strict rejects \
         it instead, with line, column and byte; every file is then read twice.\n\n\
         Columns stay in memory up to half of --memory (8G, 500M, or bytes). Further ranks are kept in private files, which \
         every magic and Rust cell uses alike, and which go with the trace. A load is refused only if one rank alone does not fit. \
         Questions to the trace keep to --memory, too; a comparison keeps to the smaller one of both traces."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%trace_load runs/monday --as control",
            "%trace_load ~/traces/rank0.json.gz",
            "%trace_load ${TRACEBOOK_DATA:-data}/control --as control --rank 0,2-3",
            "%trace_load runs/monday --strict",
            "%trace_load runs/monday --memory 8G",
            "%trace_load runs/monday --args default,cpu_op::sequence_number,sm::occupancy",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let path = call.path("PATH").unwrap_or_default();
        let label = call.result_name()?.map_or_else(|| label::from_path(&path), str::to_owned);
        let cache = if call.switch("no-cache") { None } else { context.cache() };
        let options = LoadOptions { label: Some(label.clone()), cache: cache.clone(), ..options(call) };
        let out = Arc::clone(context.out);
        let enabled = call.text("progress") != Some("off") && !call.quiet();
        let mut progress = Progress::new(&out, enabled);
        let execution = call.whole("memory").map_or_else(Execution::new, |bytes| Execution::new().memory(bytes));
        let mut from_cache = (0, 0);
        let mut report = |at: &LoadProgress| {
            if out.interrupted() {
                return ControlFlow::Break(());
            }
            from_cache = (at.files_from_cache, at.files_total);
            progress.report(at);
            ControlFlow::Continue(())
        };
        let loaded = execution.run(|| TraceSet::load_with(&path, &options, &mut report));
        let loaded = loaded.map_err(Error::from).and_then(|traces| context.check_interrupt().map(|()| traces));
        let traces = match loaded {
            Ok(traces) => Arc::new(traces),
            Err(error) => {
                progress.end(if matches!(error, Error::Interrupted) { "interrupted" } else { "failed" });
                return Err(error);
            }
        };
        let mut line = summary(&traces, progress.elapsed());
        match from_cache {
            (0, _) => {}
            (found, all) if found == all => line.push_str(" · from the cache"),
            (found, all) => line.push_str(&format!(" · {found} of {all} files from the cache")),
        }
        if let Some(older) = context.session.path(&label).filter(|older| *older != path) {
            line.push_str(&format!(" · replaces {}", older.display()));
        }
        if !progress.end(&line) && !call.quiet() {
            context.out.emit(crate::display::Output::Display { bundle: Bundle::text(line), id: None });
        }
        if call.shows() {
            context.show(&traces.present());
        } else {
            context.warn(traces.warnings());
        }
        context.warn(cache.and_then(|cache| cache.take_problem()));
        context.cells.bind(&label, Binding::Trace(Arc::clone(&traces)));
        context.session.insert(traces, path);
        Ok(())
    }
}

/// Returns `control: TraceSet, 8 ranks · 6,100,000 events · 2 of 8 ranks on disk · loaded in 2.0 s`.
fn summary(traces: &TraceSet, time: Duration) -> String {
    let ranks = traces.ranks();
    let on_disk = match traces.stored_ranks().len() {
        0 => String::new(),
        stored => format!(" · {stored} of {} on disk", counted(ranks.len())),
    };
    let compat = match traces.compat() {
        Compat::Exact => "",
        Compat::Hta => " · compat hta",
    };
    format!(
        "{}: TraceSet, {} · {} events{on_disk} · loaded in {:.2} s{compat}",
        traces.label(),
        counted(ranks.len()),
        grouped(traces.event_count()),
        time.as_secs_f64()
    )
}

/// Returns `1 rank`, `8 ranks`.
fn counted(ranks: usize) -> String {
    format!("{ranks} rank{}", if ranks == 1 { "" } else { "s" })
}

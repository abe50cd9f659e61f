//! `%critical_path`: what bounds the step, and what would help.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind, any_of};
use super::as_hta;
use super::context::{Context, write};
use super::explain::write_json;
use super::view::{self, COMPANION, Frame, GROUP_BY, ROWS_WHERE, SORT, is_one_table, size, write_csv, write_html};
use crate::Error;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_core::polars::prelude::DataFrame;
use trace_core::write::{Copied, TraceCopy};
use trace_core::{CriticalPath as Query, Instance, Questions, TraceSet};
use trace_view::format::{counted, grouped};
use trace_view::{Present, Report};

pub(super) struct CriticalPath;

/// Flags that select ranks and windows.
pub(super) const WINDOWS: Group = Group::new(
    "Selection",
    &[
        Argument::flag(
            "rank",
            Kind::List(IdKind::Ranks),
            "explain the windows of these ranks, or all; loaded ranks that are not named still count for collectives",
        )
        .or("the first"),
        Argument::flag(
            "annotation",
            Kind::Annotation,
            "annotations whose name contains this are the windows; '' is the whole recording",
        )
        .or("ProfilerStep"),
        Argument::flag(
            "instance",
            Kind::Instance,
            "which of these annotations: a number from 0 in order of time, a range A-B as one window, or all complete ones",
        )
        .or("1, else 0; of two traces all"),
        Argument::flag("data-loading", Kind::Regex, "events of the CPU that load data")
            .or("PyTorch's enumerate(DataLoader)"),
    ],
);

/// Flags of what is tried out and shown.
const TRIED: Group = Group::new(
    "Changes and rows",
    &[
        Argument::flag("what-if", Kind::Change, "try this change out; several are tried alone and together")
            .or("none")
            .repeatable(),
        Argument::flag("top", Kind::Whole, "compute savings of this many names, and show them").or("15"),
        Argument::flag("edges", Kind::Switch, "also return the edges of the graph, as x_edges and FILE.edges.csv"),
    ],
);

/// Whose critical path it is.
const COMPAT: Group = Group::new(
    "Compatibility",
    &[Argument::flag("compat", Kind::Choice(&["exact", "hta"]), "hta: HTA's graph, path and tables, with its quirks")
        .or("exact")],
);

/// Where copies of traces are written over which paths are drawn.
const OVERLAY: Argument = Argument::flag(
    "overlay",
    Kind::Target,
    "write copies of the trace files into this folder, with the path marked and drawn as arrows, for Perfetto",
)
.or("no copies");

/// Flags of output files.
const FILES: Group = Group::new(
    "Output",
    &[
        OVERLAY,
        Argument::flag("json", Kind::File, "write windows, what bounds them, names and changes, times in ns"),
        Argument::flag("html", Kind::File, "write the same page as one self-contained file"),
        Argument::flag("csv", Kind::File, "write all tables, all rows, durations in µs"),
        Argument::flag("as", Kind::Name, "also bind the tables to this Rust variable"),
        Argument::flag("quiet", Kind::Switch, "show only warnings"),
    ],
);

/// The name of the main table, which the variable and the file have without a suffix.
const MAIN: &str = "summary";

/// Flags with which the page becomes one of its tables.
const ROWS: Group = Group::new(
    "One table in place of the page",
    &[
        Argument::flag(
            "table",
            Kind::Choice(&[MAIN, "path", "by_name", "what_if", "edges", "regions"]),
            "show this table; --where, --group-by, --sort and --top apply to it",
        )
        .or("summary, if one of them is given"),
        ROWS_WHERE,
        GROUP_BY,
        SORT,
    ],
);

/// Notes on the answer.
const NOTES: &str = "Each start and end of an event waits for earlier ones: the call before it, its launch, the kernel before it on \
    the stream, an event, a synchronisation, the other ranks of a collective. The critical path leads from the end of the window back along \
    what was really waited for last; its intervals add up to the window to the nanosecond. bound_by says what each interval is: cpu_bound \
    (an operator's own time), python (a Python function or an annotation is open), cuda_runtime (inside a call), data_loading, gpu_compute_bound, gpu_memory_bound (copies \
    and fills), gpu_communication_bound (once all ranks are there), gpu_kernel_launch_overhead, gpu_kernel_kernel_overhead, synchronization \
    (from a kernel's end to the return of the call that waited), waiting_for_rank (only where that rank is not loaded), not_recorded (nothing is open on the thread), unexplained.\n\n\
    With a companion, borrowed_operator is the innermost operator that the capture of a graph has above its kernel, and is no part of how time is \
    attributed; regions of two traces have these operators in their paths.\n\n\
    Savings come from a replay of the window with the changed times, which begin with the window: making a kernel twice as fast saves less than half of it \
    where something else then bounds. The replay of the unchanged recording is exact.\n\n\
    Tables: summary, path, by_name, with --what-if what_if, with --edges edges. x = %critical_path … binds x (summary), x_path, \
    x_by_name and so on; --csv out.csv writes out.csv, out.path.csv, out.by_name.csv and so on.";

/// Title of the page.
pub(super) const TITLE: &str = "What bounds the step";

impl Magic for CriticalPath {
    fn name(&self) -> &'static str {
        "critical_path"
    }

    fn summary(&self) -> &'static str {
        "Find what bounds a step, interval by interval, and what would make it shorter."
    }

    fn arguments(&self) -> &'static [Group] {
        const TRACES: Group = Group::new(
            "Arguments",
            &[
                Argument::required("NAME", Kind::Trace, "the trace; of two the control"),
                Argument::optional("TEST", Kind::Trace, "a trace to compare with it: how what bounds the step changed"),
            ],
        );
        const BORROWED: Group = Group::new("Companions", &[COMPANION]);
        &[TRACES, WINDOWS, BORROWED, TRIED, COMPAT, ROWS, FILES]
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame: what bounds each window, in µs; the other tables are bound as x_path, x_by_name, …")
    }

    fn notes(&self) -> &'static str {
        NOTES
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%critical_path control",
            "%critical_path control --rank all --instance all",
            "%critical_path control test",
            "%critical_path control --what-if 'name ~ \"gemm\" x 0.5' --what-if 'cat = \"cuda_runtime\" x 0'",
            "%critical_path control --annotation '' --json critical-path.json --quiet",
            "steps = %critical_path control --instance 1-3 --edges",
            "%critical_path control --table path --where 'bound_by == cpu_bound' --group-by name --sort duration --top 5",
            "%critical_path control --overlay overlaid",
            "%critical_path control --compat hta --instance 1",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let label = call.required("NAME");
        let traces = context.trace(call, label)?;
        if let Some(test) = call.text("TEST") {
            let sides = [traces, context.trace(call, test)?];
            let companions = context.companions(call, sides.each_ref().map(|side| side.label()))?;
            let answered = Answered::of_two(call, sides, &companions, context)?;
            context.check_interrupt()?;
            return deliver(call, context, bind.as_deref(), &answered);
        }
        let companions = context.companions(call, [traces.label()])?;
        let mut answered = Answered::of(call, &traces, &companions, context)?;
        context.check_interrupt()?;
        for copy in &mut answered.copies {
            copy.source = context.session.file_of(label, &copy.source);
        }
        deliver(call, context, bind.as_deref(), &answered)
    }
}

/// What a call answers, and what it writes.
pub(super) struct Answered {
    /// Title of the page in a file.
    pub(super) title: &'static str,
    /// The page.
    pub(super) report: Report,
    /// By name; the main table has none.
    pub(super) tables: Vec<(&'static str, DataFrame)>,
    /// The answer as a document, where one was asked for.
    pub(super) json: Option<Value>,
    /// Copies of traces, not written yet.
    pub(super) copies: Vec<TraceCopy>,
}

impl Answered {
    /// Answers a call for a trace, whose kernels of graphs these companions name.
    ///
    /// # Errors
    /// If a flag is invalid, or the question fails.
    fn of(
        call: &Call<'_>,
        traces: &TraceSet,
        companions: &[Arc<TraceSet>],
        context: &Context<'_>,
    ) -> Result<Self, Error> {
        let ranks = call.pick("rank", || traces.ranks());
        let (traces, overlay, edges) = (traces.clone(), call.path("overlay"), call.switch("edges"));
        if call.text("compat") == Some("hta") {
            let query = as_hta::query(call)?;
            return context.run_blocking(move || {
                let answer = traces.critical_paths_as_hta(&query, ranks.as_deref(), edges, overlay.as_deref())?;
                let tables = answer.whole_tables().into_iter().map(|table| (table.name, table.frame)).collect();
                Ok::<_, Error>(Self {
                    title: TITLE,
                    report: answer.present(),
                    tables,
                    json: None,
                    copies: answer.copies,
                })
            });
        }
        let companions = companions.iter().map(|companion| TraceSet::clone(companion)).collect();
        let query = Query { ranks, companions, ..query(call)? };
        let (rows, tries, writes_json) = (query.top, call.has("what-if"), call.has("json"));
        context.run_blocking(move || {
            let answer = traces.critical_path(&query)?;
            let mut tables = vec![("", answer.summary()?), ("path", answer.path()?), ("by_name", answer.by_name()?)];
            if tries {
                tables.push(("what_if", answer.what_if()?));
            }
            if edges {
                tables.push(("edges", answer.edges()?));
            }
            let copies = overlay.map(|folder| answer.overlays(&traces, &folder)).transpose()?.unwrap_or_default();
            Ok::<_, Error>(Self {
                title: TITLE,
                report: answer.report(rows)?,
                tables,
                json: writes_json.then(|| answer.to_json()),
                copies,
            })
        })
    }

    /// Answers a call for two traces: what bounds each, and how that changed.
    ///
    /// # Errors
    /// If a flag is about one recording, and those of the question.
    fn of_two(
        call: &Call<'_>,
        [control, test]: [Arc<TraceSet>; 2],
        companions: &[Arc<TraceSet>],
        context: &Context<'_>,
    ) -> Result<Self, Error> {
        for flag in ["what-if", "edges", "overlay"] {
            if call.has(flag) {
                return Err(call.cannot(format!("use --{flag} with two traces"), "it is about one recording").into());
            }
        }
        if call.text("compat") == Some("hta") {
            return Err(call.cannot("use --compat hta with two traces", "HTA's path is about one recording").into());
        }
        let companions = companions.iter().map(|companion| TraceSet::clone(companion)).collect();
        let query = Query { ranks: call.pick("rank", || control.ranks()), companions, ..query(call)? };
        let (rows, writes_json) = (query.top, call.has("json"));
        context.run_blocking(move || {
            let change = query.compare(&control, &test)?;
            Ok::<_, Error>(Self {
                title: TITLE,
                report: change.report(rows)?,
                tables: vec![("", change.frame()?), ("regions", change.region_frame()?)],
                json: writes_json.then(|| change.to_json()),
                copies: Vec::new(),
            })
        })
    }
}

/// Returns the question of a call, for the first rank.
///
/// # Errors
/// If `--instance` is none.
pub(super) fn query(call: &Call<'_>) -> Result<Query, Error> {
    let of_default = Query::default();
    let instance = call
        .text("instance")
        .map(|text| text.parse::<Instance>().map_err(|expected| call.invalid("--instance", text, expected)));
    Ok(Query {
        annotation: call.text("annotation").map(str::to_owned),
        instance: instance.transpose()?.unwrap_or_default(),
        data_loading: call.regex("data-loading").cloned(),
        changes: call.changes("what-if"),
        top: top(call).unwrap_or(of_default.top),
        edges: call.switch("edges"),
        ..of_default
    })
}

/// Returns `--top`.
pub(super) fn top(call: &Call<'_>) -> Option<usize> {
    call.whole("top").map(|top| usize::try_from(top).unwrap_or(usize::MAX))
}

/// Writes the files that a call asks for, binds the tables, and shows the page.
pub(super) fn deliver(
    call: &Call<'_>,
    context: &mut Context<'_>,
    bind: Option<&str>,
    answered: &Answered,
) -> Result<(), Error> {
    let Answered { title, report, tables, json, copies } = answered;
    let chosen = if is_one_table(call) { Some(chosen(call, tables)?) } else { None };
    let tables: &[(&str, DataFrame)] = if chosen.is_some() { &[] } else { tables };
    let variable = |bind: &str, table: &str| {
        if table.is_empty() { bind.to_owned() } else { format!("{bind}_{table}") }
    };
    let names: Vec<String> =
        bind.iter().flat_map(|bind| tables.iter().map(|(table, _)| variable(bind, table))).collect();
    for name in &names {
        context.check_free(call, name)?;
    }
    let mut written = Vec::new();
    if let Some((path, json)) = call.path("json").zip(json.as_ref()) {
        write(&path, |out| write_json(json, out))?;
        written.push(path.display().to_string());
    }
    if let Some(path) = call.path("html") {
        write(&path, |out| write_html(title, report, out))?;
        written.push(path.display().to_string());
    }
    if let Some(path) = call.path("csv").filter(|_| chosen.is_none()) {
        for (table, frame) in tables {
            let file = csv_file(&path, table);
            write_csv(&file, frame)?;
            written.push(format!("{}: {}", file.display(), size(frame)));
        }
    }
    for copy in copies {
        let copied = copy.save_while(&mut || !context.out.interrupted())?;
        written.push(saved(copy, copied));
    }
    if let Some((table, df)) = chosen {
        let caption = format!("{} · {}", table.replace('_', " "), labels(call));
        let frame = Frame::of(df.clone(), &caption);
        view::deliver(call, context, frame, bind)?;
        if !call.quiet() {
            written.into_iter().for_each(|line| context.print_line(format!("wrote {line}")));
        }
        return Ok(());
    }
    for (name, (_, frame)) in names.iter().zip(tables) {
        context.bind_frame(call, name, frame)?;
    }
    context.show_of(call, report);
    if call.quiet() {
        return Ok(());
    }
    for (name, (_, frame)) in names.iter().zip(tables) {
        context.print_line(format!("{name}: DataFrame {}", size(frame)));
    }
    written.into_iter().for_each(|line| context.print_line(format!("wrote {line}")));
    Ok(())
}

/// Returns the traces of a call: `control`, `control → test`.
fn labels(call: &Call<'_>) -> String {
    match call.text("TEST") {
        Some(test) => format!("{} → {test}", call.required("NAME")),
        None => call.required("NAME").to_owned(),
    }
}

/// Returns the table that a call shows in place of the page.
///
/// # Errors
/// If the answer has no such table.
fn chosen<'t>(call: &Call<'_>, tables: &'t [(&'static str, DataFrame)]) -> Result<(&'t str, &'t DataFrame), Error> {
    let wanted = call.text("table").unwrap_or(MAIN);
    let named = || tables.iter().map(|(name, df)| (if name.is_empty() { MAIN } else { *name }, df));
    named().find(|(name, _)| *name == wanted).ok_or_else(|| {
        let names: Vec<&str> = named().map(|(name, _)| name).collect();
        let error = call.cannot(format!("show the table {wanted}"), "this answer has none");
        let more = match wanted {
            "what_if" => "; --what-if CHANGE makes it",
            "edges" => "; --edges makes it",
            "regions" => "; two traces make it",
            _ => "",
        };
        error.hint(format!("it has {}{more}", any_of(&names))).into()
    })
}

/// Returns what is said of a written copy.
fn saved(copy: &TraceCopy, copied: Copied) -> String {
    let (events, arrows) = (grouped(copied.events), copied.added / 2);
    format!("{}: {events} events, {}", copy.target.display(), counted(arrows as usize, "arrow"))
}

/// Returns the file of a table: `out.csv`, `out.path.csv`.
fn csv_file(path: &Path, table: &str) -> PathBuf {
    if table.is_empty() {
        return path.to_owned();
    }
    let text = path.to_string_lossy();
    PathBuf::from(format!("{}.{table}.csv", text.strip_suffix(".csv").unwrap_or(&text)))
}

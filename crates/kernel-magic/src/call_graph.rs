//! `%call_graph`: the calls and kernels of a rank, with what is above and below each.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::view::{Frame, RESULT, ROWS_WHERE, SHOWN, deliver, drill_down};
use crate::Error;
use trace_core::columns::CALL_GRAPH_COLUMNS;
use trace_core::{CallGraph as Query, Compat, TraceAnalysis};

pub(super) struct CallGraph;

/// Default columns of the table.
const SHOWN_COLUMNS: [&str; 10] =
    ["index", "name", "depth", "height", "ts", "dur", "self_dur", "num_kernels", "kernel_dur_sum", "kernel_span"];

/// The flag that chooses the rules.
pub(super) const COMPAT: Argument =
    Argument::flag("compat", Kind::Choice(&["exact", "hta"]), "nest by our rules, or by those of HTA with its quirks")
        .or("as loaded");

const ARGUMENTS: &[Group] = &[
    Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")]),
    Group::new(
        "Selection",
        &[
            Argument::flag("operator", Kind::Regex, "only calls whose name matches, and what is below them").or("all"),
            Argument::flag("depth", Kind::Whole, "this many levels, from the outermost events or from the matches")
                .or("all"),
            Argument::flag("rank", Kind::List(IdKind::Ranks), "these ranks, or all").or("the first"),
            Argument::flag("iteration", Kind::List(IdKind::Iterations), "only these iterations").or("all events"),
            Argument::flag(
                "include-last-profiler-step",
                Kind::Switch,
                "include the last profiler step, which is usually cut off",
            ),
            COMPAT,
            ROWS_WHERE,
            Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable(),
        ],
    ),
    SHOWN,
    RESULT,
];

impl Magic for CallGraph {
    fn name(&self) -> &'static str {
        "call_graph"
    }

    fn summary(&self) -> &'static str {
        "List calls and kernels with what is above and below each: depth, kernels, their span."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn columns(&self) -> &'static [&'static str] {
        const NAMES: [&str; CALL_GRAPH_COLUMNS.len()] = {
            let mut names = [""; CALL_GRAPH_COLUMNS.len()];
            let mut at = 0;
            while at < names.len() {
                names[at] = CALL_GRAPH_COLUMNS[at].name;
                at += 1;
            }
            names
        };
        &NAMES
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame with one row per event, times in ns on a clock that begins with the first event")
    }

    fn notes(&self) -> &'static str {
        "Calls are nested by their intervals, thread by thread, each open until its own end; GPU events are below their launches. Where \
         autograd runs backward operators on a thread of its own, these are below the step, or the annotation `## backward ##`. Each row \
         is before the rows below it; --sort changes the order. %call_stack NAME INDEX shows one event with all above and below it, \
         %operators NAME adds up by name. --compat hta gives the numbers of HTA's CallGraph: −1 where nothing is known, and of outermost \
         events minus the thread as parent."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%call_graph control --operator '^aten::linear$' --depth 2",
            "%call_graph control --depth 1 --sort kernel_span --top 50",
            "%call_graph control --rank all --csv call_graph.csv",
            "graph = %call_graph control --compat hta",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let label = call.required("NAME");
        let traces = context.trace(call, label)?;
        let depth = match call.whole("depth") {
            Some(0) => return Err(call.invalid("--depth", "0", "at least 1 level").into()),
            depth => depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
        };
        let query = Query {
            ranks: call.pick("rank", || traces.ranks()),
            operator: call.regex("operator").map(|regex| regex.as_str().to_owned()),
            depth,
            compat: compat(call),
        };
        let (last, iterations) =
            (call.switch("include-last-profiler-step"), call.list("iteration").map(<[i64]>::to_vec));
        let df = context.run_blocking(move || {
            let mut analysis = TraceAnalysis::with_last_profiler_step(&traces, last)?;
            if let Some(iterations) = iterations {
                analysis = analysis.in_iterations(iterations)?;
            }
            analysis.call_graph(&query)
        })?;
        context.check_interrupt()?;
        if df.height() == 0 && !call.quiet() {
            context.print_line(format!("{label} has no such call; `%operators {label}` lists what it calls"));
        }
        let has_ranks = call.has("rank");
        let shown = has_ranks.then_some("rank").into_iter().chain(SHOWN_COLUMNS).map(str::to_owned).collect();
        let caption = caption(call);
        let events = Some(drill_down(call, label, has_ranks, false));
        deliver(call, context, Frame { columns: Some(shown), events, ..Frame::of(df, &caption) }, bind.as_deref())
    }
}

/// Returns the rules of `--compat`.
pub(super) fn compat(call: &Call<'_>) -> Option<Compat> {
    call.text("compat").and_then(|word| word.parse().ok())
}

/// `call_graph · control · ^aten::linear$ · 2 levels`
fn caption(call: &Call<'_>) -> String {
    let parts = [
        Some("call_graph".to_owned()),
        call.text("NAME").map(str::to_owned),
        call.regex("operator").map(|regex| regex.as_str().to_owned()),
        call.whole("depth").map(|depth| if depth == 1 { "1 level".to_owned() } else { format!("{depth} levels") }),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

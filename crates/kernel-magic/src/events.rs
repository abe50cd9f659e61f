//! `%events`: the events of a trace, selected by name, device, rank and iteration.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind, did_you_mean};
use super::context::Context;
use super::view::{COMPANION, Frame, RESULT, SHOWN, WHERE, deliver, selected_events};
use crate::Error;
use trace_core::polars::prelude::DataFrame;
use trace_core::{EventQuery, SelectEvents, TraceSet, columns};

pub(super) struct Events;

/// Default columns of the table; those without values are left out.
const SHOWN_COLUMNS: [&str; 13] = [
    columns::RANK,
    columns::NAME,
    columns::OPERATOR,
    columns::OPERATOR_SOURCE,
    columns::CAT,
    columns::TS,
    columns::DUR,
    columns::STREAM,
    columns::TID,
    columns::ITERATION,
    columns::CORRELATION,
    "bytes",
    "memory_bw_gbps",
];

const ARGUMENTS: &[Group] = &[
    Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")]),
    Group::new(
        "Selection",
        &[
            Argument::flag("name", Kind::Event, "only events with exactly this name").or("all names"),
            Argument::flag("short-name", Kind::Text, "only events with this short name").or("all names"),
            Argument::flag("filter", Kind::Regex, "only events whose name matches; quote it: 'nccl|memcpy'").or("all"),
            Argument::flag("rank", Kind::List(IdKind::Ranks), "only these ranks, or all").or("all"),
            Argument::flag(
                "iteration",
                Kind::List(IdKind::Iterations),
                "only these iterations; GPU events belong to the iteration that launched them",
            )
            .or("all events"),
            Argument::flag("device-type", Kind::Choice(&["all", "cpu", "gpu"]), "where the events ran").or("all"),
            WHERE,
            COMPANION,
            Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable(),
        ],
    ),
    SHOWN,
    RESULT,
];

impl Magic for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn summary(&self) -> &'static str {
        "List events of a trace by name, device, rank and iteration, longest first."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn columns(&self) -> &'static [&'static str] {
        &SHOWN_COLUMNS
    }

    fn result(&self) -> Option<&'static str> {
        Some(
            "a polars DataFrame of the events, in the order of the trace, with all columns of events(); ts and end count from the start of the recording",
        )
    }

    fn notes(&self) -> &'static str {
        "Click a row of %compare_traces, of %ops_diff or of a table of kernels, or hit Enter on it, to get the %events \
         calls that list its events. With a companion, operator is the innermost operator above a GPU event, and operator_source says \
         whether it was recorded or is borrowed. The table is sorted by duration unless --sort is given; --columns chooses other \
         columns."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%events control --name aten::mm --rank 3 --iteration 1010",
            "%events control --filter '^nccl' --where 'dur > 100us' --top 50",
            "x = %events control --device-type gpu",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let label = call.required("NAME");
        let trace = context.trace(call, label)?;
        let mut query = query(call, &trace);
        for companion in context.companions(call, [trace.label()])? {
            query = query.companion(TraceSet::clone(&companion));
        }
        let df = context.run_blocking(move || query.run())?;
        context.check_interrupt()?;
        if df.height() == 0 && !call.quiet() {
            let names = call.text("name").and_then(|_| trace.frequent_names(MOST_NAMES).ok()).unwrap_or_default();
            let near = call.text("name").map(|name| did_you_mean(name, names.iter().map(String::as_str)));
            let near = near.filter(|near| !near.is_empty()).map_or(String::new(), |near| format!("; {near}"));
            context.print_line(format!(
                "{label} has no such event{near}; `%describe {label}` shows what it contains{}",
                folded(call)
            ));
        }
        let caption = caption(call);
        let shown = shown_columns(&df);
        let frame = Frame { order: columns::DUR, columns: Some(shown), ..Frame::of(df, &caption) };
        deliver(call, context, frame, bind.as_deref())
    }
}

/// The most names among which the nearest is searched.
const MOST_NAMES: usize = 2_000;

fn query(call: &Call<'_>, trace: &TraceSet) -> EventQuery {
    let mut query = EventQuery::new(trace).from_start().select(selected_events(call));
    if let Some(name) = call.text("name") {
        query = query.name(name);
    }
    if let Some(name) = call.text("short-name") {
        query = query.short_name(name);
    }
    query
}

/// The explanation if the name is that of the row `others`, which folds the tail of a table of kernels.
fn folded(call: &Call<'_>) -> &'static str {
    if call.text("name") == Some("others") { " (the row `others` sums all names below the largest ones)" } else { "" }
}

/// `events · control · aten::mm · rank 3 · iteration 1010`
fn caption(call: &Call<'_>) -> String {
    let numbers = |flag: &str| {
        let numbers = call.list(flag)?.iter().map(i64::to_string).collect::<Vec<_>>();
        Some(format!("{flag}{} {}", if numbers.len() == 1 { "" } else { "s" }, numbers.join(",")))
    };
    let text = |flag: &str| call.text(flag).map(str::to_owned);
    let parts = [
        Some("events".to_owned()),
        text("NAME"),
        text("name"),
        text("short-name"),
        call.regex("filter").map(|regex| format!("name ~ {regex}")),
        text("device-type").filter(|device| device != "all").map(|device| device.to_uppercase()),
        numbers("rank"),
        numbers("iteration"),
        call.condition("where").map(|condition| format!("where {condition}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn shown_columns(df: &DataFrame) -> Vec<String> {
    let has_values = |name: &&&str| df.column(name).is_ok_and(|column| column.null_count() < df.height().max(1));
    SHOWN_COLUMNS.iter().filter(has_values).map(|name| (*name).to_owned()).collect()
}

//! `%call_stack`: one event with all that is above and below it.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::call_graph::{COMPAT, compat};
use super::context::Context;
use super::view::{Frame, RESULT, ROWS_WHERE, SHOWN, deliver, drill_down};
use crate::Error;
use trace_core::{CallStack as Query, Questions};

pub(super) struct CallStack;

/// Default columns of the table.
const SHOWN_COLUMNS: [&str; 9] =
    ["relation", "index", "depth", "name", "cat", "dur", "self_dur", "num_kernels", "kernel_dur_sum"];

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required("NAME", Kind::Trace, "the trace"),
            Argument::required("INDEX", Kind::Whole, "the event: its position in the file, column index"),
        ],
    ),
    Group::new(
        "Selection",
        &[
            Argument::flag("rank", Kind::List(IdKind::Ranks), "the rank of the event").or("the first"),
            Argument::flag("skip-ancestors", Kind::Switch, "leave out the events above it"),
            COMPAT,
            ROWS_WHERE,
            Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable(),
        ],
    ),
    SHOWN,
    RESULT,
];

impl Magic for CallStack {
    fn name(&self) -> &'static str {
        "call_stack"
    }

    fn summary(&self) -> &'static str {
        "Show an event with the calls around it, the calls inside it and its kernels."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn columns(&self) -> &'static [&'static str] {
        &SHOWN_COLUMNS
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame with one row per event of the stack, times in ns on the clock of the trace")
    }

    fn notes(&self) -> &'static str {
        "The rows are the calls around the event, the outermost first, the event, and all below it, each before those below itself; of a \
         kernel the calls that led to its launch. dur is the total time, self_dur the time without the calls inside. All events of the \
         file can be named, those of the last profiler step, too. %call_graph lists the index of events, and so does \
         `%events NAME --columns index,name,dur`."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%call_stack control 100",
            "%call_stack control 100 --rank 3 --skip-ancestors",
            "stack = %call_stack control 100",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let label = call.required("NAME");
        let traces = context.trace(call, label)?;
        let index = call.whole("INDEX").unwrap_or_default();
        let rank = match call.pick("rank", || traces.ranks()).as_deref() {
            Some([rank]) => Some(*rank),
            None => None,
            Some(_) => return Err(call.invalid("--rank", "several ranks", "one rank").into()),
        };
        let query = Query {
            index: i64::try_from(index).unwrap_or(i64::MAX),
            rank,
            skip_ancestors: call.switch("skip-ancestors"),
            compat: compat(call),
        };
        let df = context.run_blocking(move || traces.call_stack(&query))?;
        context.check_interrupt()?;
        if df.height() == 1 && !call.quiet() {
            context.print_line("nothing is above or below this event");
        }
        let caption = format!("call_stack · {label} · event {index}");
        let shown = Some(SHOWN_COLUMNS.map(str::to_owned).to_vec());
        let events = Some(drill_down(call, label, false, false));
        deliver(call, context, Frame { columns: shown, events, ..Frame::of(df, &caption) }, bind.as_deref())
    }
}

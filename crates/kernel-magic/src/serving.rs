//! `%serving`: what an inference server did in its steps, by its annotations.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::critical_path::{Answered, deliver};
use super::view::{GROUP_BY, ROWS_WHERE, SORT};
use crate::Error;
use std::sync::Arc;
use trace_core::TraceSet;
use trace_core::answers::Serving as Query;

pub(super) struct Serving;

/// Rows of the table of steps.
const STEPS: usize = 20;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required("NAME", Kind::Trace, "the trace of a server; of two the control"),
            Argument::optional("TEST", Kind::Trace, "a trace to compare with it, phase by phase"),
        ],
    ),
    Group::new(
        "Selection",
        &[
            Argument::flag("rank", Kind::List(IdKind::Ranks), "only these ranks, or all").or("all"),
            Argument::flag(
                "companion",
                Kind::Runs,
                "recordings of the capture of graphs, whose annotations say for which batches graphs were captured; none for none",
            )
            .or("those that the traces were loaded with"),
        ],
    ),
    Group::new(
        "One table in place of the page",
        &[
            Argument::flag(
                "table",
                Kind::Choice(&["summary", "time", "steps"]),
                "show this table; --where, --group-by, --sort and --top apply to it",
            )
            .or("summary, if one of them is given"),
            ROWS_WHERE,
            GROUP_BY,
            SORT,
            Argument::flag("top", Kind::Whole, "show this many steps; 0 leaves their table out of the page").or("20"),
        ],
    ),
    Group::new(
        "Output",
        &[
            Argument::flag("json", Kind::File, "write phases, steps and sentences, times in ns"),
            Argument::flag("html", Kind::File, "write the same page as one self-contained file"),
            Argument::flag("csv", Kind::File, "write all tables, all rows, durations in µs"),
            Argument::flag("as", Kind::Name, "also bind the tables to this Rust variable"),
            Argument::flag("quiet", Kind::Switch, "show only warnings"),
        ],
    ),
];

/// Title of the page.
const TITLE: &str = "What the server did in its steps";

impl Magic for Serving {
    fn name(&self) -> &'static str {
        "serving"
    }

    fn summary(&self) -> &'static str {
        "Show the steps of an inference server: requests, tokens, time per output token, by phase."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some(
            "a polars DataFrame with a row per phase, times in µs; the others are bound as x_time and x_steps. Of two traces: a row per \
             phase and quantity",
        )
    }

    fn notes(&self) -> &'static str {
        "Steps are those that vLLM, SGLang, ATOM and xDiT annotate, with their requests and tokens: execute_context_2(6144)_generation_3(3), \
         step[DECODE bs=64], decode[bs=117/128 tok=117]. Prefill reads prompts, decode generates, a mixed step does both; each phase counts \
         for itself.\n\n\
         A step ends with its annotation and the work that it launched. It begins where the step before ended if requests wait for its \
         tokens, else with its annotation: so the time of a decode step is the time per output token of its requests. With speculation a \
         step gives a request one token or several, and is an upper bound. The first token of a request, which the last step of its prompt \
         gives, counts as no output token.\n\n\
         Ranks that run the same steps and communicate, as those of tensor parallelism, count once, with the times of one of them; \
         tokens a second per GPU are divided by their number. Ranks with other steps, or without communication, are servers of their \
         own, whose tokens add up.\n\n\
         Padding is the part of the batch of a captured graph that runs nothing: decode[bs=117/128] pads 11 of 128. Where steps do not \
         say their graph, captures do (capture_32_FULL), in the same recording or in a companion: a step that launches graphs is taken to \
         run the smallest that suffices.\n\n\
         Without annotations of a server, steps are those of the profiler, or calls that repeat, and the answer says which option of the \
         server to switch on.\n\n\
         Tables: summary, time, steps. x = %serving … binds x (summary), x_time and x_steps; --csv out.csv writes out.csv, \
         out.time.csv and out.steps.csv."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%serving control",
            "%serving control test",
            "%serving control --table steps --where 'phase == decode' --sort time --top 5",
            "%serving control --companion capture",
            "steps = %serving control --quiet",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let labels = [Some(call.required("NAME")), call.text("TEST")];
        let sides: Vec<Arc<TraceSet>> =
            labels.into_iter().flatten().map(|label| context.trace(call, label)).collect::<Result<_, _>>()?;
        let companions = context.companions(call, sides.iter().map(|side| side.label()))?;
        let companions = companions.iter().map(|companion| TraceSet::clone(companion)).collect();
        let query = Query { ranks: call.pick("rank", || sides[0].ranks()), companions };
        let top = call.whole("top").map_or(STEPS, |top| usize::try_from(top).unwrap_or(usize::MAX));
        let answered = context.run_blocking(move || answered(&query, &sides, top))?;
        context.check_interrupt()?;
        deliver(call, context, bind.as_deref(), &answered)
    }
}

fn answered(query: &Query, sides: &[Arc<TraceSet>], top: usize) -> trace_core::Result<Answered> {
    let (report, tables, json) = match sides {
        [control, test] => {
            let change = query.compare(control, test)?;
            (change.report(), vec![("", change.frame()?)], change.to_json())
        }
        _ => {
            let answer = query.run(&sides[0])?;
            let tables = vec![("", answer.summary()?), ("time", answer.time()?), ("steps", answer.steps()?)];
            (answer.report(top)?, tables, answer.to_json())
        }
    };
    Ok(Answered { title: TITLE, report, tables, json: Some(json), copies: Vec::new() })
}

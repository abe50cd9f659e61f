//! `%timeline`: the events of a trace, or of two, as lanes.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::view::{COMPANION, HTML, PNG, QUIET, RANKS, TRACES, WHERE, deliver_drawing, selected_events, shown_runs};
use crate::Error;
use trace_core::{SelectEvents, TimelineQuery, TraceSet};
use trace_view::TIMELINE;

pub(super) struct Timeline;

/// Flags that select ranks, iterations and events.
const SHOWN: Group = Group::new(
    "Selection",
    &[
        RANKS[0],
        RANKS[1],
        RANKS[2],
        Argument::flag("iteration", Kind::List(IdKind::Iterations), "iterations that are shown at first").or("all"),
        Argument::flag(
            "control-iteration",
            Kind::List(IdKind::Iterations),
            "iterations of CONTROL that are shown at first",
        )
        .or("all"),
        Argument::flag("test-iteration", Kind::List(IdKind::Iterations), "iterations of TEST that are shown at first")
            .or("all")
            .of_second_trace(),
        WHERE,
        COMPANION,
    ],
);

/// Flags of output files.
const FILES: Group = Group::new("Files", &[HTML, PNG, QUIET]);

impl Magic for Timeline {
    fn name(&self) -> &'static str {
        "timeline"
    }

    fn summary(&self) -> &'static str {
        "Draw threads, streams, annotations and counters of a trace, or of two, over time."
    }

    fn arguments(&self) -> &'static [Group] {
        &[TRACES, SHOWN, FILES]
    }

    fn notes(&self) -> &'static str {
        "Nested calls have a level each; kernels of a stream that overlap have one each, too, so that none hides another. Drag or hit A \
         and D to pan, W and S to zoom; click an event for its arguments and for arrows between launches and kernels. With a companion the \
         details of a kernel of a graph name the operator of its capture, said to be borrowed, and the search finds it by that name. A saved notebook \
         shows the picture or, with the extension, what was embedded: all events of a small trace, about 300 kB of a large one, the first 1,000 lanes. \
         Two traces are aligned at the start of their first shown steps and coloured by what changed."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%timeline control",
            "%timeline control --rank 0,1 --iteration 551",
            "%timeline control --where 'stream is not null' --png gpu.png",
            "%timeline control test",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let control = context.trace(call, call.required("NAME|CONTROL"))?;
        let test = call.text("TEST").map(|label| context.trace(call, label)).transpose()?;
        let sides = std::iter::once(&control).chain(&test).map(|side| side.label());
        let companions = context.companions(call, sides)?;
        let query = companions.iter().fold(query(call, &control, test.as_deref()), |query, companion| {
            query.companion(TraceSet::clone(companion))
        });
        let query = shown_runs(call, context).into_iter().fold(query, TimelineQuery::remark);
        let (bundle, title) = context.run_blocking(move || -> trace_core::Result<_> {
            let timeline = query.run()?;
            Ok((timeline.bundle(trace_render::lanes), timeline.title()))
        })?;
        context.check_interrupt()?;
        deliver_drawing(call, context, &title, bundle, TIMELINE)
    }
}

/// Returns the query of a call.
fn query(call: &Call<'_>, control: &TraceSet, test: Option<&TraceSet>) -> TimelineQuery {
    let query = match test {
        Some(test) => TimelineQuery::compare(control, test),
        None => TimelineQuery::new(control),
    };
    query.select(selected_events(call))
}

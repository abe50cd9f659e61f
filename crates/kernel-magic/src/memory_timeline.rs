//! `%memory_timeline`: memory by category over time, from PyTorch's raw memory timeline.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::view::{Frame, RESULT, ROWS_WHERE, SHOWN, deliver};
use crate::Error;
use trace_core::read::MemoryTimeline;
use trace_view::{Part, Report};

pub(super) struct MemoryTimelineMagic;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::required(
            "FILE",
            Kind::Path,
            "a raw memory timeline: profiler.export_memory_timeline(\"x.raw.json.gz\")",
        )],
    ),
    Group::new(
        "Selection",
        &[ROWS_WHERE, Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable()],
    ),
    SHOWN,
    RESULT,
];

impl Magic for MemoryTimelineMagic {
    fn name(&self) -> &'static str {
        "memory_timeline"
    }

    fn summary(&self) -> &'static str {
        "Show memory by category over time, from PyTorch's raw memory timeline."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame with a row per moment: time_ns, and the bytes of each category")
    }

    fn notes(&self) -> &'static str {
        "Record with profile_memory=True, record_shapes=True and with_stack=True. Categories are PyTorch's: Parameter, Optimizer state, Input, \
         Temporary, Activation, Gradient, Autograd, Unknown. What was allocated before the recording counts from its first moment on."
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%memory_timeline memory.raw.json.gz", "memory = %memory_timeline memory.raw.json.gz --quiet"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let path = call.path("FILE").unwrap_or_default();
        let timeline = context.run_blocking(move || MemoryTimeline::load(&path))?;
        context.check_interrupt()?;
        if call.shows() {
            let sentences = Part::Text(timeline.sentences().join("\n"));
            context.show(&Report { parts: vec![sentences, Part::Figure(timeline.figure())] });
        }
        let caption = format!("memory_timeline · {}", call.required("FILE"));
        deliver(call, context, Frame::of(timeline.frame()?, &caption), bind.as_deref())
    }
}

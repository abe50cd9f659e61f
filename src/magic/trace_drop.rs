//! `%trace_drop`: drops a loaded trace.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use crate::Error;
use trace_view::format::bytes;

pub(super) struct TraceDrop;

const ARGUMENTS: &[Group] = &[Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")])];

impl Magic for TraceDrop {
    fn name(&self) -> &'static str {
        "trace_drop"
    }

    fn summary(&self) -> &'static str {
        "Drop a loaded trace: its label, its variable and its memory."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%trace_drop control"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let traces = context.trace(call, call.required("NAME"))?;
        context.session.remove(traces.label());
        context.cells.unbind(traces.label());
        context.print_line(format!("dropped {}: {}", traces.label(), bytes(traces.memory_bytes() as u64)));
        Ok(())
    }
}

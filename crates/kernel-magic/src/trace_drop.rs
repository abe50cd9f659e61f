//! `%trace_drop`: drops a loaded trace, or all runs of a group.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::{Context, counted};
use crate::Error;
use trace_view::format::bytes;

pub(super) struct TraceDrop;

const ARGUMENTS: &[Group] =
    &[Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace, or the group of runs")])];

impl Magic for TraceDrop {
    fn name(&self) -> &'static str {
        "trace_drop"
    }

    fn summary(&self) -> &'static str {
        "Drop a loaded trace, or all runs of a group: label, variable and memory."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%trace_drop control", "%trace_drop control_2"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let label = call.required("NAME");
        if !context.session.is_label(label) {
            context.trace(call, label)?;
        }
        let is_group = context.session.groups().runs(label).is_some();
        let dropped = context.drop_label(label);
        let memory: u64 = dropped.iter().map(|traces| traces.memory_bytes() as u64).sum();
        let runs = if is_group { format!("{}, ", counted(dropped.len())) } else { String::new() };
        context.print_line(format!("dropped {label}: {runs}{}", bytes(memory)));
        Ok(())
    }
}

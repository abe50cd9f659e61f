//! `%trace_drop`: lets a trace go.

use super::view::bytes;
use super::{Argument, Call, Group, Kind, Magic, Scene};
use crate::Error;

pub(super) struct TraceDrop;

/// What it takes.
const ARGUMENTS: &[Group] = &[Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")])];

impl Magic for TraceDrop {
    fn name(&self) -> &'static str {
        "trace_drop"
    }

    fn summary(&self) -> &'static str {
        "Let a loaded trace go: its label, its variable and its memory."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%trace_drop control"]
    }

    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error> {
        let traces = scene.trace(call, call.required("NAME"))?;
        scene.session.remove(traces.label());
        scene.cells.unbind(traces.label());
        scene.say(format!("dropped {}: {}", traces.label(), bytes(traces.memory_bytes())));
        Ok(())
    }
}

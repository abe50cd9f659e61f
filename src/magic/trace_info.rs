//! `%trace_info`: what a loaded trace holds.

use super::{Argument, Call, Group, Kind, Magic, Scene};
use crate::Error;
use trace_view::Present;

pub(super) struct TraceInfo;

/// What it takes.
const ARGUMENTS: &[Group] = &[Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")])];

impl Magic for TraceInfo {
    fn name(&self) -> &'static str {
        "trace_info"
    }

    fn summary(&self) -> &'static str {
        "Show what a loaded trace holds: ranks, iterations, streams, span, what was repaired."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%trace_info control"]
    }

    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error> {
        let traces = scene.trace(call, call.required("NAME"))?;
        scene.show(&traces.present());
        Ok(())
    }
}

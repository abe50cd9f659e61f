//! `%trace_info`: what a loaded trace holds.

use super::{Argument, Call, Group, Kind, Magic, Scene};
use crate::Error;
use trace_view::{Cell, Part, Present, Report};

pub(super) struct TraceInfo;

/// What it takes.
const ARGUMENTS: &[Group] = &[
    Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")]),
    Group::new("Flags", &[Argument::flag("rank", Kind::List, "only these ranks").or("all")]),
];

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
        &["%trace_info control", "%trace_info control --rank 0,2-3"]
    }

    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error> {
        let traces = scene.trace(call, call.required("NAME"))?;
        let mut report = traces.present();
        if let Some(ranks) = call.list("rank") {
            for &rank in ranks {
                traces.rank(rank)?;
            }
            only(&mut report, ranks);
        }
        scene.show(&report);
        Ok(())
    }
}

/// Leaves the rows of these ranks; the rank stands in the first column.
fn only(report: &mut Report, ranks: &[i64]) {
    for part in &mut report.parts {
        if let Part::Table(table) = part {
            table.rows.retain(|row| matches!(row.first(), Some(Cell::Int(rank)) if ranks.contains(rank)));
        }
    }
}

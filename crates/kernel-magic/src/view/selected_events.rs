//! The flags that select events, as one selection for every query.

use crate::argument::{Argument, Call, Kind};
use trace_core::{DeviceType, Select, SelectEvents};

/// The condition on events, shared by all magics that read events.
pub const WHERE: Argument =
    Argument::flag("where", Kind::Where, "only events that meet this condition: 'name ~ \"^nccl\" and dur > 100us'")
        .or("all events");

/// The companions of a call ([`Context::companions`](crate::context::Context::companions)).
pub const COMPANION: Argument = Argument::flag(
    "companion",
    Kind::Runs,
    "runs recorded without CUDA graphs, or of their capture, which lend their operators to the kernels of graphs; or none",
)
.or("those that the traces were loaded with");

/// The device of the operators that are compared or measured.
pub(crate) const DEVICE_TYPE: Argument =
    Argument::flag("device-type", Kind::Choice(&["all", "cpu", "gpu"]), "where the operators ran").or("all");

/// Short names in place of names.
pub(crate) const USE_SHORT_NAME: Argument =
    Argument::flag("use-short-name", Kind::Switch, "shorten kernel names, and sum those that become equal");

/// The marker of iterations, shared by magics whose samples are iterations.
pub(crate) const MARKER_OF_SAMPLES: Argument = Argument::flag(
    "marker",
    Kind::Regex,
    "annotations, operators or modules that count as iterations; none: a recording without ProfilerStep is one iteration",
)
.or("ProfilerStep, else the call that repeats and launches most of the work");

/// The phase of iterations.
pub(crate) const PHASE: Argument = Argument::flag(
    "phase",
    Kind::Text,
    "of iterations of several phases, such as prefill and decode, those of this letter or name; all: the mean over all",
)
.or("that with the most iterations");

/// Returns what the flags of a call select, of one trace or of both sides: ranks and iterations (`control-rank`, else `rank`, and their kin),
/// the marker and the phase of iterations, the device, the condition on events, and the warm-up.
pub(crate) fn selected_events(call: &Call<'_>) -> Select {
    let mut select = Select::default().device_type(device_type(call));
    for (side, name) in ["control", "test"].into_iter().enumerate() {
        let flag = |what: &str| [format!("{name}-{what}"), what.to_owned()].into_iter().find(|flag| call.has(flag));
        if let Some(flag) = flag("rank") {
            select = match call.list(&flag) {
                Some(ranks) if side == 0 => select.control_rank(ranks),
                Some(ranks) => select.test_rank(ranks),
                None => select.every_rank_of(side),
            };
        }
        if let Some(flag) = flag("iteration") {
            select = match call.list(&flag) {
                Some(iterations) if side == 0 => select.control_iteration(iterations),
                Some(iterations) => select.test_iteration(iterations),
                None => select.every_iteration_of(side),
            };
        }
    }
    if let Some(marker) = call.iteration_marker() {
        select = select.marker(marker);
    }
    if let Some(condition) = call.condition("where") {
        select = select.filter(condition);
    }
    if let Some(phase) = call.text("phase") {
        select = select.phase(phase);
    }
    if let Some(warmup) = call.whole("warmup") {
        select = select.warmup(usize::try_from(warmup).unwrap_or(usize::MAX));
    }
    select
}

/// Returns the device of a call; all by default.
pub(crate) fn device_type(call: &Call<'_>) -> DeviceType {
    call.text("device-type").and_then(|word| word.parse().ok()).unwrap_or_default()
}

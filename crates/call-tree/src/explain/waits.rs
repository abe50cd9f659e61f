//! Calls of the host that wait for the GPU.

use super::hosts::Hosts;
use crate::input::event::Event;
use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels, Symbol};
use crate::input::window::{Window, window_at};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A waiting call, and the operator or annotation that made it, whatever its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wait {
    /// The call: `cudaStreamSynchronize`.
    pub call: Symbol,
    /// Outermost operator around the call, else its innermost annotation or frame; `None` for a call in the step itself.
    pub caller: Option<Symbol>,
}

/// A waiting call and its caller, with their inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct LabelledWait {
    pub(super) call: LabelId,
    pub(super) caller: Option<LabelId>,
}

impl LabelledWait {
    /// Returns it by names.
    pub(super) fn wait(self, labels: &Labels) -> Wait {
        Wait { call: labels.symbol_of(self.call), caller: self.caller.map(|caller| labels.symbol_of(caller)) }
    }
}

/// Number and total time of the calls of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// Number of calls.
    pub calls: i64,
    /// Time in ns.
    pub ns: i64,
}

/// Adds up the waiting calls that begin in each window; without windows, those of the whole recording.
pub(super) fn waits(
    events: &[Event],
    hosts: &Hosts<'_>,
    windows: &[Window],
    labels: &Labels,
) -> Vec<BTreeMap<LabelledWait, Waits>> {
    let mut found: Vec<BTreeMap<LabelledWait, Waits>> = vec![BTreeMap::new(); windows.len().max(1)];
    // By label: few names, many calls.
    let mut known: HashMap<LabelId, bool> = HashMap::default();
    for (at, event) in (0..).zip(events) {
        let mut is_waiting = || *known.entry(event.label).or_insert_with(|| waits_for_gpu(labels.text(event.label)));
        let window = || if windows.is_empty() { Some(0) } else { window_at(windows, event.start) };
        if event.kind == Kind::Launch
            && is_waiting()
            && let Some(window) = window()
        {
            let wait = LabelledWait { call: event.label, caller: caller(events, hosts, at, labels) };
            let waits = found[window].entry(wait).or_default();
            waits.calls += 1;
            waits.ns += (event.end - event.start).max(0);
        }
    }
    found
}

/// Tells whether a runtime or driver call returns only when work of the GPU is done.
///
/// Copies that may wait, such as those of pageable memory, are left out: their name does not tell.
pub fn waits_for_gpu(name: &str) -> bool {
    // With the suffixes of stream semantics and versions: cudaStreamSynchronize_ptsz, cudaDeviceSynchronize_v3020.
    let name = name.split('_').next().unwrap_or(name);
    matches!(
        name.strip_prefix("cuda").or_else(|| name.strip_prefix("hip")).or_else(|| name.strip_prefix("cu")),
        Some("DeviceSynchronize" | "StreamSynchronize" | "EventSynchronize" | "CtxSynchronize" | "ThreadSynchronize")
    )
}

/// The outermost operator around a call says more than the innermost: `aten::item` rather than `aten::_local_scalar_dense`.
fn caller(events: &[Event], hosts: &Hosts<'_>, at: u32, labels: &Labels) -> Option<LabelId> {
    let label = |at: u32| events[at as usize].label;
    let operator = hosts.around(at).filter(|&at| events[at as usize].kind == Kind::Operator).last();
    let frame = || hosts.around(at).find(|&at| !labels.is_step(label(at)));
    operator.or_else(frame).map(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_calls_are_known_by_their_names() {
        for name in [
            "cudaStreamSynchronize",
            "cudaStreamSynchronize_ptsz",
            "hipDeviceSynchronize",
            "cuCtxSynchronize",
            "cudaEventSynchronize",
        ] {
            assert!(waits_for_gpu(name), "{name}");
        }
        for name in ["cudaLaunchKernel", "cudaMemcpyAsync", "Stream Synchronize", "cudaStreamWaitEvent", "Synchronize"]
        {
            assert!(!waits_for_gpu(name), "{name}");
        }
    }

    #[test]
    fn calls_are_counted_by_operator_within_windows() {
        let mut labels = Labels::default();
        let mut events = Vec::new();
        let mut add = |kind: Kind, name: &str, start: i64, end: i64| {
            let label = labels.add(kind, name, "");
            let row = events.len() as u32;
            events.push(Event { kind, start, end, thread: 0, label, correlation: None, row });
            label
        };
        add(Kind::Annotation, "ProfilerStep#1", 0, 100);
        let item = add(Kind::Operator, "aten::item", 10, 40);
        add(Kind::Operator, "aten::_local_scalar_dense", 12, 38);
        let call = add(Kind::Launch, "cudaStreamSynchronize", 15, 35);
        let log = add(Kind::Annotation, "## log ##", 50, 90);
        add(Kind::Launch, "cudaStreamSynchronize", 60, 61);
        add(Kind::Launch, "cudaStreamSynchronize", 95, 99);
        add(Kind::Annotation, "ProfilerStep#2", 100, 200);
        add(Kind::Launch, "cudaStreamSynchronize", 150, 160);
        let windows = [Window { iteration: 1, start: 0, end: 100, thread: 0 }];
        let hosts = Hosts::of(&events);
        let [found] = &waits(&events, &hosts, &windows, &labels)[..] else { panic!("one window") };
        let of = |caller| found[&LabelledWait { call, caller }];
        assert_eq!(of(Some(item)), Waits { calls: 1, ns: 20 });
        assert_eq!(of(Some(log)), Waits { calls: 1, ns: 1 });
        assert_eq!(of(None), Waits { calls: 1, ns: 4 });
        assert_eq!(found.len(), 3);
        let whole: i64 = waits(&events, &hosts, &[], &labels)[0].values().map(|waits| waits.calls).sum();
        assert_eq!(whole, 4);
    }
}

//! Companions of a timeline, which come and go with its questions, and what tells traces of one label apart.

use crate::{RankInfo, Trace, TraceSet};
use serde_json::{Value, json};

/// A companion of the shown traces.
pub(super) struct Lender {
    label: String,
    identity: String,
    /// Its events; `None` while they are released, or if it is not loaded any more.
    trace: Option<TraceSet>,
}

impl Lender {
    pub(super) fn of(companion: &TraceSet) -> Self {
        let (label, identity) = (companion.label().to_owned(), identity_of(companion));
        Self { label, identity, trace: Some(companion.clone()) }
    }

    /// Returns the companion, if its events are there.
    pub(super) fn trace(&self) -> Option<&TraceSet> {
        self.trace.as_ref()
    }

    /// Releases the events.
    pub(super) fn release(&mut self) {
        self.trace = None;
    }

    /// Takes the events again; `trace` finds loaded traces by label.
    pub(super) fn take(&mut self, trace: impl Fn(&str) -> Option<TraceSet>) {
        self.trace = trace(&self.label).filter(|found| identity_of(found) == self.identity);
    }

    /// Returns what a front end sends to name it.
    pub(super) fn to_json(&self) -> Value {
        json!({ "label": self.label, "identity": self.identity })
    }

    /// Returns the companion that a front end names, unless it is not loaded any more or is another one; `trace` finds loaded traces by
    /// label.
    pub(super) fn of_request(request: &Value, trace: impl Fn(&str) -> Option<TraceSet>) -> Option<TraceSet> {
        let label = request["label"].as_str()?;
        let found = trace(label).filter(|found| request["identity"].as_str() == Some(&identity_of(found)))?;
        Some(found.with_label(label))
    }
}

fn identity_of(companion: &TraceSet) -> String {
    identity(companion.traces().iter().map(Trace::info))
}

/// What tells ranks from those of another trace: their events and times.
pub(super) fn identity<'t>(ranks: impl Iterator<Item = &'t RankInfo>) -> String {
    let facts = |info: &RankInfo| format!("{}:{}:{}:{}", info.rank, info.events, info.first_ts, info.last_end);
    ranks.map(facts).collect::<Vec<_>>().join(" ")
}

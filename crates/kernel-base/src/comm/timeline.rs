//! `tracebook.timeline`: what a timeline shows at any zoom, its events, and what a selection sums up to.

use super::{Conversation, Reply, Target};
use crate::Failure;
use crate::session::{LoadId, Snapshot};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use trace_core::answers::SentNames;
use trace_core::{Timeline, TimelineQuery, TraceSet};

pub(super) struct Timelines;

/// One open timeline.
struct OpenTimeline {
    timeline: Timeline,
    sent: SentNames,
    loads: Vec<LoadId>,
}

impl Target for Timelines {
    fn name(&self) -> &'static str {
        "tracebook.timeline"
    }

    fn open(&self, request: &Value, session: &Snapshot, reply: Reply) -> Result<Box<dyn Conversation>, Failure> {
        let mut labels = BTreeSet::new();
        labels.extend(request["traces"].as_array().into_iter().flatten().filter_map(|side| side["label"].as_str()));
        let loaded: Vec<_> = labels.iter().filter_map(|label| session.trace(label).ok()).collect();
        let query = TimelineQuery::of_request(request, |label| loaded_as(session, label));
        let query = query.map_err(|message| Failure::new("UsageError", message))?;
        let mut timeline = query.run().map_err(failure)?;
        timeline.release_events();
        reply.send(json!({"type": "ready"}), Vec::new());
        let loads = loaded.into_iter().map(|loaded| loaded.id).collect();
        Ok(Box::new(OpenTimeline { timeline, sent: SentNames::default(), loads }))
    }
}

impl Conversation for OpenTimeline {
    fn message(&mut self, data: &Value, _: &[Vec<u8>], reply: &Reply) -> Result<(), Failure> {
        let mut sent = self.sent.clone();
        // Only for this answer: columns that are in memory may be mapped from a file before the next one.
        let session = reply.session();
        self.timeline.take_events(|label| loaded_as(&session, label));
        let answered = self.timeline.answer(data, &mut sent).map_err(failure);
        self.timeline.release_events();
        drop(session);
        let answered = answered?;
        if let Some(filter) = answered.filter.filter(|_| !reply.is_cancelled()) {
            reply.session.select(filter);
        }
        // An answer that nobody waits for is not sent, nor are the names in it.
        if reply.send(answered.data, answered.buffers) {
            self.sent = sent;
        }
        Ok(())
    }

    fn loads(&self) -> Vec<LoadId> {
        self.loads.clone()
    }
}

/// Returns the loaded trace of a label, of a group the first run, under this label.
fn loaded_as(session: &Snapshot, label: &str) -> Option<TraceSet> {
    session.trace(label).ok().map(|loaded| loaded.trace.with_label(label))
}

/// The error of the library for a front end.
fn failure(error: trace_core::Error) -> Failure {
    let error: crate::Error = error.into();
    error.into()
}

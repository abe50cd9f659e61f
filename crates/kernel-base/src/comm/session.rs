//! `tracebook.session`: the loaded traces, when the conversation begins and at every message.

use super::{Conversation, Reply, Target};
use crate::Failure;
use crate::session::Snapshot;
use serde_json::{Value, json};

pub(super) struct LoadedTraces;

impl Target for LoadedTraces {
    fn name(&self) -> &'static str {
        "tracebook.session"
    }

    fn open(&self, request: &Value, session: &Snapshot, reply: Reply) -> Result<Box<dyn Conversation>, Failure> {
        reply.send(answer(request, session), Vec::new());
        Ok(Box::new(Self))
    }
}

impl Conversation for LoadedTraces {
    fn message(&mut self, data: &Value, _: &[Vec<u8>], reply: &Reply) -> Result<(), Failure> {
        reply.send(answer(data, &reply.session()), Vec::new());
        Ok(())
    }
}

/// Returns the loaded traces and the groups of runs, with the `id` of the request.
fn answer(request: &Value, session: &Snapshot) -> Value {
    let traces: Vec<Value> = session
        .traces()
        .iter()
        .map(|(label, loaded)| {
            let trace = &loaded.trace;
            json!({"label": label, "ranks": trace.ranks(), "iterations": trace.iterations(), "events": trace.event_count()})
        })
        .collect();
    let groups: Vec<Value> =
        session.groups().iter().map(|(group, runs)| json!({"label": group, "runs": runs})).collect();
    json!({"id": request["id"], "traces": traces, "groups": groups})
}

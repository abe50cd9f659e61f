//! The open conversations, and the messages of front ends about them.

use super::Target;
use super::entry::{Entry, Job, Pending, Work};
use super::limits::{LONGEST_ID, MOST_BUFFERS, MOST_CONTENT_BYTES, MOST_OPEN, MOST_WAITING, MOST_WAITING_BYTES};
use super::reply::{Flag, Line};
use super::workers::Shared;
use crate::Failure;
use crate::session::SharedSnapshot;
use crate::sync::lock;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use trace_core::Execution;

/// The conversations of a kernel. No call blocks: the work is done on threads of their own.
pub struct Comms(Arc<Shared>);

/// A message of a front end: `comm_open`, `comm_msg` or `comm_close`.
pub struct Incoming {
    /// Its content.
    pub content: Value,
    /// The bytes of the content as JSON.
    pub content_bytes: usize,
    /// The buffers behind it.
    pub buffers: Vec<Vec<u8>>,
    /// Where answers go.
    pub line: Arc<dyn Line>,
}

impl Comms {
    /// Creates the conversations of a kernel with these targets. Their work sees the loaded traces of `session` and runs under
    /// `execution`.
    pub fn new(targets: Vec<&'static dyn Target>, session: SharedSnapshot, execution: Execution) -> Self {
        let shared = Arc::new(Shared::new(targets, session.clone(), execution));
        let watching = Arc::downgrade(&shared);
        session.watch(move || {
            if let Some(shared) = watching.upgrade() {
                shared.close_stale();
            }
        });
        Self(shared)
    }

    /// Returns the open conversations, of one target or of all, as the content of a `comm_info_reply`.
    pub fn info(&self, target_name: Option<&str>) -> Value {
        let state = lock(&self.0.state);
        let of_target = |entry: &Entry| target_name.is_none_or(|name| name == entry.target.name());
        let open = state.open.iter().filter(|(_, entry)| of_target(entry));
        let comms: Map<String, Value> =
            open.map(|(id, entry)| (id.clone(), json!({"target_name": entry.target.name()}))).collect();
        json!({"status": "ok", "comms": comms})
    }

    /// Begins the conversation that a `comm_open` asks for, or closes it with the reason why not.
    pub fn open(&self, message: Incoming) {
        let Some((id, message)) = Message::of(message) else { return };
        if let Err(failure) = self.try_open(&id, &message) {
            self.0.refuse(&id, &message.line, &failure);
        } else {
            self.0.push(&id, message.job());
        }
    }

    fn try_open(&self, id: &str, message: &Message) -> Result<(), Failure> {
        message.check()?;
        self.make_room();
        let name = message.target_name.as_deref().unwrap_or_default();
        let known = self.0.targets.iter().find(|target| target.name() == name);
        let target = *known.ok_or_else(|| {
            Failure::new(
                "UnknownTarget",
                format!("unknown target `{name}`: this version of Tracebook has no such view"),
            )
        })?;
        let mut state = lock(&self.0.state);
        if state.open.contains_key(id) {
            return Err(Failure::new("ProtocolError", "this comm id is in use; both conversations are closed"));
        }
        state.last_serial += 1;
        let serial = state.last_serial;
        let used = state.tick();
        state.open.insert(
            id.to_owned(),
            Entry {
                serial,
                used,
                target,
                line: Arc::clone(&message.line),
                closed: Flag::default(),
                work: Work::New,
                queue: VecDeque::new(),
                bytes: 0,
                is_ready: false,
                loads: Vec::new(),
            },
        );
        Ok(())
    }

    /// Closes the conversation that was not used for the longest time, if there are too many: a page that was closed or reloaded leaves its
    /// conversations open.
    fn make_room(&self) {
        let oldest = {
            let state = lock(&self.0.state);
            let oldest = state.open.iter().min_by_key(|(_, entry)| entry.used);
            oldest.filter(|_| state.open.len() >= MOST_OPEN).map(|(id, entry)| (id.clone(), Arc::clone(&entry.line)))
        };
        if let Some((id, line)) = oldest {
            let reason = format!("more than {MOST_OPEN} views were open; this one was not used for the longest time");
            self.0.refuse(&id, &line, &Failure::new("TooManyComms", reason));
        }
    }

    /// Hands a `comm_msg` to its conversation. One that replaces earlier messages cancels them: `"replaces": KIND` in its data.
    pub fn message(&self, message: Incoming) {
        let Some((id, message)) = Message::of(message) else { return };
        let Some(closed) = lock(&self.0.state).open.get(&id).map(|entry| entry.closed.clone()) else {
            let reason =
                "this view is not connected: the kernel was restarted, or the view was closed; run the cell again";
            return self.0.refuse(&id, &message.line, &Failure::new("NotOpen", reason));
        };
        let (checked, line) = (message.check(), Arc::clone(&message.line));
        let job = message.job();
        if let Err(failure) = checked {
            return self.0.reply(&id, &job, &closed).fail(&job.data["id"], &failure);
        }
        if let Some(job) = self.0.push(&id, job) {
            let reason = format!("more than {MOST_WAITING} messages or {MOST_WAITING_BYTES} bytes wait for an answer");
            self.0.refuse(&id, &line, &Failure::new("TooManyMessages", reason));
            drop(job);
        }
    }

    /// Ends the conversation that a front end closes.
    pub fn close(&self, message: Incoming) {
        let Some((id, _message)) = Message::of(message) else { return };
        drop(self.0.remove(&id, None));
    }

    /// Ends all conversations, without a message: the kernel ends.
    pub fn end(&self) {
        self.0.end();
    }
}

/// A message of a front end whose conversation is known.
struct Message {
    target_name: Option<String>,
    data: Value,
    buffers: Vec<Vec<u8>>,
    content_bytes: usize,
    line: Arc<dyn Line>,
    pending: Pending,
}

impl Message {
    /// Returns the id of the conversation and the message; `None` without a valid id: there is nothing to answer to.
    fn of(message: Incoming) -> Option<(String, Self)> {
        let Incoming { mut content, content_bytes, buffers, line } = message;
        let pending = Pending(Arc::clone(&line));
        let mut text = |key: &str| match content[key].take() {
            Value::String(text) => Some(text),
            _ => None,
        };
        let (id, target_name) = (text("comm_id"), text("target_name"));
        let Some(id) = id.filter(|id| !id.is_empty() && id.len() <= LONGEST_ID) else {
            tracing::warn!("ignored a message of a comm without a valid comm_id");
            return None;
        };
        let data = match content["data"].take() {
            Value::Null => json!({}),
            data => data,
        };
        Some((id, Self { target_name, data, buffers, content_bytes, line, pending }))
    }

    /// Checks the bounds on a message, and that its data is an object.
    fn check(&self) -> Result<(), Failure> {
        let buffers: usize = self.buffers.iter().map(Vec::len).sum();
        if self.content_bytes > MOST_CONTENT_BYTES || buffers > MOST_WAITING_BYTES || self.buffers.len() > MOST_BUFFERS
        {
            let reason = format!(
                "message too large: {} bytes of JSON (at most {MOST_CONTENT_BYTES}), {buffers} bytes (at most \
                 {MOST_WAITING_BYTES}) in {} buffers (at most {MOST_BUFFERS})",
                self.content_bytes,
                self.buffers.len()
            );
            return Err(Failure::new("MessageTooLarge", reason));
        }
        if !self.data.is_object() {
            return Err(Failure::new("ProtocolError", "invalid data: expected an object"));
        }
        Ok(())
    }

    fn job(self) -> Job {
        let replaces = self.data["replaces"].as_str().map(str::to_owned);
        let bytes = self.content_bytes + self.buffers.iter().map(Vec::len).sum::<usize>();
        let Self { data, buffers, pending, .. } = self;
        Job { pending, data, buffers, bytes, replaces, replaced: Flag::default() }
    }
}

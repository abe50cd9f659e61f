//! The threads that work for conversations: at most [`MOST_WORKERS`] at a time. A conversation that is closed while a thread works for
//! it leaves that thread behind: its work is cancelled, another thread takes its place, and it ends when it notices.

use super::entry::{Entry, Job, Work};
use super::limits::{IDLE_TIMEOUT, MOST_ABANDONED, MOST_WORKERS};
use super::reply::{Flag, Line, Reply, described};
use super::{Conversation, Target};
use crate::Failure;
use crate::session::SharedSnapshot;
use crate::sync::{lock, unpoisoned};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use trace_core::Execution;

/// What the threads and the event loop share.
pub(super) struct Shared {
    pub(super) targets: Vec<&'static dyn Target>,
    pub(super) session: SharedSnapshot,
    execution: Execution,
    pub(super) state: Mutex<State>,
    /// Wakes threads that wait for work.
    work: Condvar,
}

#[derive(Default)]
pub(super) struct State {
    /// By id.
    pub(super) open: BTreeMap<String, Entry>,
    pub(super) last_serial: u64,
    /// Counts messages.
    ticks: u64,
    /// The conversations that want a thread, by id and serial.
    ready: VecDeque<(String, u64)>,
    /// Ended conversations, which a thread drops: giving back their memory may take long.
    ended: Vec<Box<dyn Conversation>>,
    /// The threads, without those that are left behind.
    workers: usize,
    /// Those of them that wait for work.
    idle: usize,
    /// The conversations whose threads are left behind, by serial.
    abandoned: BTreeSet<u64>,
    /// Whether the kernel ends.
    is_over: bool,
}

/// One message and the conversation that handles it.
struct Turn {
    id: String,
    serial: u64,
    target: &'static dyn Target,
    /// `None` if the message opens it.
    conversation: Option<Box<dyn Conversation>>,
    job: Job,
    reply: Reply,
}

impl Shared {
    pub(super) fn new(targets: Vec<&'static dyn Target>, session: SharedSnapshot, execution: Execution) -> Self {
        Self { targets, session, execution, state: Mutex::default(), work: Condvar::new() }
    }

    /// Adds a message to the queue of its conversation; returns it if too much waits there.
    pub(super) fn push(self: &Arc<Self>, id: &str, job: Job) -> Option<Job> {
        let mut state = lock(&self.state);
        let used = state.tick();
        let entry = state.open.get_mut(id)?;
        entry.used = used;
        match entry.push(job) {
            Err(job) => return Some(job),
            Ok(replaced) => {
                let closed = entry.closed.clone();
                state.make_ready(id);
                self.wake(&mut state);
                drop(state);
                for job in replaced {
                    self.reply(id, &job, &closed).skip(&job.data["id"]);
                }
            }
        }
        None
    }

    /// Ends a conversation and tells the front end why. There need not be one: then only the front end has it.
    pub(super) fn refuse(self: &Arc<Self>, id: &str, line: &Arc<dyn Line>, failure: &Failure) {
        let removed = self.remove(id, None);
        line.publish("comm_close", json!({"comm_id": id, "data": {"error": described(failure)}}), Vec::new());
        drop(removed);
    }

    /// Ends a conversation: cancels its work and returns its messages, which become *idle* when they are dropped. With `own`, the
    /// caller is the thread that works for the conversation of this serial.
    pub(super) fn remove(self: &Arc<Self>, id: &str, own: Option<u64>) -> Option<VecDeque<Job>> {
        let mut state = lock(&self.state);
        let entry = state.open.get(id)?;
        if own.is_some_and(|serial| serial != entry.serial) {
            return None;
        }
        let entry = state.open.remove(id)?;
        entry.closed.set();
        match entry.work {
            Work::New => {}
            Work::Waiting(conversation) => {
                state.ended.push(conversation);
                self.wake(&mut state);
            }
            Work::Running { .. } => {
                if own.is_none() && state.abandoned.len() < MOST_ABANDONED {
                    state.abandoned.insert(entry.serial);
                    state.workers -= 1;
                    self.wake(&mut state);
                }
            }
        }
        Some(entry.queue)
    }

    /// Ends the conversations about traces that are no longer loaded.
    pub(super) fn close_stale(self: &Arc<Self>) {
        let latest = self.session.latest();
        let is_stale = |entry: &Entry| entry.loads.iter().any(|load| !latest.contains(*load));
        let stale: Vec<(String, Arc<dyn Line>)> = {
            let state = lock(&self.state);
            let stale = state.open.iter().filter(|(_, entry)| is_stale(entry));
            stale.map(|(id, entry)| (id.clone(), Arc::clone(&entry.line))).collect()
        };
        for (id, line) in stale {
            self.refuse(&id, &line, &dropped());
        }
    }

    /// Cancels all work; threads end as soon as they notice.
    pub(super) fn end(&self) {
        let mut state = lock(&self.state);
        state.is_over = true;
        for entry in state.open.values() {
            entry.closed.set();
        }
        self.work.notify_all();
    }

    /// Makes a thread look for work: one that waits, else another, if there may be one.
    fn wake(self: &Arc<Self>, state: &mut MutexGuard<'_, State>) {
        if state.ready.is_empty() && state.ended.is_empty() {
            return;
        }
        if state.idle < state.ready.len().max(1) && state.workers < MOST_WORKERS {
            let shared = Arc::clone(self);
            match std::thread::Builder::new().name("comm".to_owned()).spawn(move || shared.work()) {
                Ok(_) => state.workers += 1,
                // Threads that are there do it later; without one, the next message tries again.
                Err(error) => tracing::warn!("cannot start a thread for a comm: {error}"),
            }
        }
        self.work.notify_one();
    }

    /// The life of a thread.
    fn work(self: Arc<Self>) {
        while let Some(turn) = self.next() {
            let (id, serial) = (turn.id.clone(), turn.serial);
            // Behind the answer, also after a panic: the request is *idle*.
            let (pending, conversation) = self.run(turn);
            let goes_on = self.finish(&id, serial, conversation);
            drop(pending);
            if !goes_on {
                return;
            }
        }
    }

    /// Waits for a message to handle; `None` if the thread ends. Counts the thread out then.
    fn next(&self) -> Option<Turn> {
        let mut state = lock(&self.state);
        loop {
            if state.is_over {
                state.workers -= 1;
                return None;
            }
            if let Some(ended) = state.ended.pop() {
                drop(state);
                let _ = catch_unwind(AssertUnwindSafe(|| drop(ended)));
                state = lock(&self.state);
                continue;
            }
            if let Some((id, serial)) = state.ready.pop_front() {
                if let Some(turn) = self.turn(&mut state, id, serial) {
                    return Some(turn);
                }
                continue;
            }
            state.idle += 1;
            let (guard, waited) = unpoisoned(self.work.wait_timeout(state, IDLE_TIMEOUT));
            state = guard;
            state.idle -= 1;
            if waited.timed_out() && state.ready.is_empty() && state.ended.is_empty() {
                state.workers -= 1;
                return None;
            }
        }
    }

    fn turn(&self, state: &mut State, id: String, serial: u64) -> Option<Turn> {
        let entry = state.open.get_mut(&id).filter(|entry| entry.serial == serial)?;
        entry.is_ready = false;
        let (conversation, job) = entry.begin()?;
        let reply = self.reply(&id, &job, &entry.closed);
        Some(Turn { id, serial, target: entry.target, conversation, job, reply })
    }

    /// Returns the way back to the front end for a message.
    pub(super) fn reply(&self, id: &str, job: &Job, closed: &Flag) -> Reply {
        Reply {
            id: id.into(),
            line: Arc::clone(&job.pending.0),
            closed: closed.clone(),
            replaced: job.replaced.clone(),
            answered: Flag::default(),
            session: self.session.clone(),
        }
    }

    /// Handles a message; returns the conversation, unless it cannot begin or go on, and the request, which is still *busy*.
    fn run(self: &Arc<Self>, turn: Turn) -> (super::entry::Pending, Option<Box<dyn Conversation>>) {
        let Turn { id, serial, target, conversation, job, reply } = turn;
        let Job { pending, data, buffers, .. } = job;
        let execution = self.execution.clone().cancellation(reply.token());
        let is_open = conversation.is_some();
        let handled = catch_unwind(AssertUnwindSafe(|| {
            execution.run(|| match conversation {
                None => target.open(&data, &self.session.latest(), reply.clone()).map(|begun| (begun, Ok(()))),
                Some(mut conversation) => {
                    let answered = conversation.message(&data, &buffers, &reply);
                    Ok((conversation, answered))
                }
            })
        }));
        let failure = match handled {
            Ok(Ok((conversation, answered))) => {
                if reply.replaced.is_set() {
                    reply.skip(&data["id"]);
                } else if let Err(failure) = answered {
                    reply.fail(&data["id"], &failure);
                }
                return (pending, Some(conversation));
            }
            Ok(Err(failure)) => failure,
            Err(_) => {
                let when = if is_open { "answering" } else { "opening" };
                tracing::warn!("internal error while {when} a comm of {}", target.name());
                Failure::new(
                    "InternalError",
                    format!("bug in Tracebook: {when} this view failed; see the log of Jupyter"),
                )
            }
        };
        if let Some(queue) = self.remove(&id, Some(serial)) {
            let content = json!({"comm_id": id, "data": {"error": described(&failure)}});
            reply.line.publish("comm_close", content, Vec::new());
            drop(queue);
        }
        (pending, None)
    }

    /// Puts a conversation back after a message; returns whether this thread goes on.
    fn finish(self: &Arc<Self>, id: &str, serial: u64, conversation: Option<Box<dyn Conversation>>) -> bool {
        // Asked before the lock is taken: a conversation is not ours.
        let loads = conversation.as_ref().and_then(|begun| catch_unwind(AssertUnwindSafe(|| begun.loads())).ok());
        let mut state = lock(&self.state);
        if state.abandoned.remove(&serial) {
            drop(state);
            let _ = catch_unwind(AssertUnwindSafe(|| drop(conversation)));
            return false;
        }
        let Some(conversation) = conversation else { return true };
        match state.open.get_mut(id).filter(|entry| entry.serial == serial) {
            Some(entry) => {
                entry.work = Work::Waiting(conversation);
                entry.loads = loads.unwrap_or_default();
                let line = Arc::clone(&entry.line);
                state.make_ready(id);
                drop(state);
                // A trace that was dropped meanwhile ended no conversation that was not known to be about it.
                let latest = self.session.latest();
                let is_stale = |entry: &Entry| entry.loads.iter().any(|load| !latest.contains(*load));
                if lock(&self.state).open.get(id).is_some_and(is_stale) {
                    self.refuse(id, &line, &dropped());
                }
            }
            None => state.ended.push(conversation),
        }
        true
    }
}

impl State {
    /// Returns the number of the next message.
    pub(super) fn tick(&mut self) -> u64 {
        self.ticks += 1;
        self.ticks
    }

    /// Lists a conversation as one that wants a thread, if it does.
    fn make_ready(&mut self, id: &str) {
        if let Some(entry) = self.open.get_mut(id)
            && !entry.is_ready
            && !entry.queue.is_empty()
            && !matches!(entry.work, Work::Running { .. })
        {
            entry.is_ready = true;
            self.ready.push_back((id.to_owned(), entry.serial));
        }
    }
}

/// The reason why a conversation about a dropped trace is closed.
fn dropped() -> Failure {
    Failure::new("TraceDropped", "the trace was dropped or loaded again; run the cell again")
}

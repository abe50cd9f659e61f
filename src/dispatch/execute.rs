//! `execute_request`: the queue of cells. Cells run in order of arrival, one at a time; a failed cell aborts those after it.

use super::cell_sink::{CellSink, SinkOptions};
use super::history::History;
use super::reply::{content, failed, or_default};
use super::runner::{Finished, Job, Runner};
use super::stdin::Stdin;
use super::timing::Timing;
use crate::display::Sink;
use crate::timeline;
use crate::wire::{Outbox, Request};
use jupyter_protocol::{ExecuteInput, ExecutionCount, Status};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// Minimum time from the request of a failed cell to its reply. "Run all" sends its cells one after the other: those sent before
/// the client could know of the failure must be in the queue by then, so that they are aborted, too.
const MIN_FAILED_REPLY_DELAY: Duration = Duration::from_millis(100);

/// Content of an `execute_request`. The protocol crate's type requires fields that clients leave out.
#[derive(Deserialize)]
struct Content {
    code: String,
    #[serde(default, deserialize_with = "or_default")]
    silent: bool,
    store_history: Option<bool>,
    #[serde(default, deserialize_with = "or_default")]
    user_expressions: Map<String, Value>,
    #[serde(default, deserialize_with = "or_default")]
    allow_stdin: bool,
    stop_on_error: Option<bool>,
}

/// The running cell and those that wait.
pub(super) struct CellQueue {
    outbox: Outbox,
    runner: Runner,
    stdin: Arc<Stdin>,
    history: History,
    /// With the time of arrival.
    waiting: VecDeque<(Instant, Request)>,
    running: Option<RunningCell>,
    /// A finished cell whose reply is held back until this time.
    held: Option<(Instant, RunningCell, Finished)>,
    /// Execution count of the last counted cell.
    count: usize,
    /// Sinks with buffered text to flush: that of the running cell, and of earlier cells whose threads still print.
    printing: Vec<Weak<CellSink>>,
}

/// The running cell.
struct RunningCell {
    request: Request,
    received: Instant,
    timing: Timing,
    sink: Arc<CellSink>,
    count: usize,
    silent: bool,
    /// Whether the cell has an execution count and an entry in the history.
    counted: bool,
    stop_on_error: bool,
}

impl CellQueue {
    pub(super) fn new(outbox: Outbox, runner: Runner, stdin: Arc<Stdin>) -> Self {
        Self {
            outbox,
            runner,
            stdin,
            history: History::open(),
            waiting: VecDeque::new(),
            running: None,
            held: None,
            count: 0,
            printing: Vec::new(),
        }
    }

    pub(super) fn history(&self) -> &History {
        &self.history
    }

    pub(super) fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Sends a held reply, drops the waiting cells, and returns the runner, which the caller ends.
    pub(super) fn close(&mut self) -> &mut Runner {
        self.waiting.clear();
        self.send_held_reply();
        &mut self.runner
    }

    /// Adds a cell to the queue.
    pub(super) fn push(&mut self, request: Request) {
        self.waiting.push_back((Instant::now(), request));
        self.advance();
    }

    /// Marks the running cell as interrupted; returns whether there is one.
    pub(super) fn interrupt(&self) -> bool {
        self.running.as_ref().inspect(|running| running.sink.interrupt()).is_some()
    }

    /// Returns when to call [`send_held_reply`](Self::send_held_reply).
    pub(super) fn held_until(&self) -> Option<Instant> {
        self.held.as_ref().map(|(until, ..)| *until)
    }

    /// Whether [`flush`](Self::flush) must be called periodically.
    pub(super) fn is_printing(&self) -> bool {
        !self.printing.is_empty()
    }

    /// Sends buffered text that is due.
    pub(super) fn flush(&mut self) {
        self.printing.retain(|sink| sink.upgrade().inspect(|sink| sink.flush_due()).is_some());
    }

    /// Ends the running cell: sends its reply, or holds it back if it will abort the queue.
    pub(super) fn finish(&mut self, finished: Finished) {
        let Some(mut running) = self.running.take() else { return };
        running.timing.end();
        let until = running.received + MIN_FAILED_REPLY_DELAY;
        let hold = running.aborts_queue(&finished) && until > Instant::now();
        self.held = Some((until, running, finished));
        if !hold {
            self.send_held_reply();
        }
    }

    /// Sends the reply of the finished cell, and aborts the queue if the cell failed or was interrupted.
    pub(super) fn send_held_reply(&mut self) {
        let Some((_, running, finished)) = self.held.take() else { return };
        let abort = running.aborts_queue(&finished);
        if running.counted {
            self.history.set_output(running.count, finished.result.clone());
        }
        let reply = match &finished.outcome {
            Ok(answers) => {
                let page = |page: &trace_view::Bundle| json!({"source": "page", "data": page.data, "start": 0});
                json!({"status": "ok", "user_expressions": answers,
                    "payload": finished.pages.iter().map(page).collect::<Vec<_>>()})
            }
            Err(failure) => {
                let mut reply = failed(failure);
                reply["user_expressions"] = json!({});
                reply["payload"] = json!([]);
                reply
            }
        };
        self.reply_with(&running.request, running.received, &running.timing.metadata(), reply, running.count);
        timeline::end(running.count);
        if abort {
            for (received, request) in std::mem::take(&mut self.waiting) {
                self.busy(&request);
                let aborted = json!({"status": "aborted", "payload": [], "user_expressions": {}});
                self.reply(&request, received, aborted, self.count);
            }
        }
        self.advance();
    }

    /// Starts the next cell if none runs.
    fn advance(&mut self) {
        while self.running.is_none() && self.held.is_none() {
            let Some((received, mut request)) = self.waiting.pop_front() else { return };
            self.busy(&request);
            match content::<Content>(request.content.take()) {
                Ok(content) => self.start(request, received, content),
                Err(failure) => self.reply(&request, received, failed(&failure), self.count),
            }
        }
    }

    fn start(&mut self, request: Request, received: Instant, content: Content) {
        let Content { code, silent, store_history, user_expressions, allow_stdin, stop_on_error } = content;
        // As in IPython, an empty cell does not count.
        let counted = store_history.unwrap_or(true) && !silent && !code.trim().is_empty();
        if counted {
            self.count += 1;
            self.history.add(self.count, &code);
        }
        let count = self.count;
        let timing = Timing::start();
        if !silent {
            let input = ExecuteInput { code: code.clone(), execution_count: ExecutionCount::new(count) };
            self.outbox.publish(Some(&request.origin), "execute_input", &input);
        }
        timeline::begin(received);
        let options = SinkOptions { silent, allow_stdin, count };
        let sink =
            Arc::new(CellSink::new(request.origin.clone(), self.outbox.clone(), Arc::clone(&self.stdin), options));
        self.printing.push(Arc::downgrade(&sink));
        let expressions: BTreeMap<String, String> = user_expressions
            .into_iter()
            .filter_map(|(name, expression)| Some((name, expression.as_str()?.to_owned())))
            .collect();
        self.runner.run(Job { sink: Arc::clone(&sink), code, expressions });
        let stop_on_error = stop_on_error.unwrap_or(true);
        self.running = Some(RunningCell { request, received, timing, sink, count, silent, counted, stop_on_error });
    }

    fn busy(&self, request: &Request) {
        self.outbox.publish(Some(&request.origin), "status", &Status::busy());
    }

    /// Sends the reply of a cell that did not run.
    fn reply(&self, request: &Request, received: Instant, reply: Value, count: usize) {
        self.reply_with(request, received, &json!({}), reply, count);
    }

    /// Sends the reply, then `idle`, after which clients expect no further message of the request.
    fn reply_with(&self, request: &Request, received: Instant, metadata: &Value, mut reply: Value, count: usize) {
        reply["execution_count"] = json!(count);
        self.outbox.send_with(request.channel, &request.origin, "execute_reply", metadata, &reply);
        self.outbox.publish(Some(&request.origin), "status", &Status::idle());
        let took = crate::timeline::milliseconds(received.elapsed());
        let status = reply["status"].as_str().unwrap_or_default();
        tracing::debug!("execute_request {} on {:?}: {status}, {took}", request.origin.msg_id(), request.channel);
    }
}

impl RunningCell {
    /// Whether the waiting cells are aborted.
    fn aborts_queue(&self, finished: &Finished) -> bool {
        self.sink.interrupted() || (finished.outcome.is_err() && self.stop_on_error && !self.silent)
    }
}

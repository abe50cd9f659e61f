//! `execute`: cells in the order in which they came, one at a time; what happens to those behind one that failed.

use super::cell_sink::{Execution, Manner};
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

/// The reply of a cell that failed leaves at the earliest this long after its request came. "Run all" sends its cells
/// one after the other: those that were sent before the client could know of the error must be found waiting, however
/// fast the first one failed.
const GRACE: Duration = Duration::from_millis(100);

/// The content of an `execute_request`. The protocol crate's type insists on fields that clients leave out.
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

/// The cells that wait and the one that runs.
pub(super) struct Executions {
    outbox: Outbox,
    runner: Runner,
    stdin: Arc<Stdin>,
    history: History,
    /// With the time at which each came.
    waiting: VecDeque<(Instant, Request)>,
    running: Option<Running>,
    /// A cell that ended, whose reply is held back.
    held: Option<(Instant, Running, Finished)>,
    /// The number of the last cell that was counted.
    count: usize,
    /// Runs whose printed text must be looked after: the current one, and earlier ones that a thread still prints to.
    printing: Vec<Weak<Execution>>,
}

/// The cell that runs.
struct Running {
    request: Request,
    came: Instant,
    timing: Timing,
    execution: Arc<Execution>,
    count: usize,
    silent: bool,
    counted: bool,
    stop_on_error: bool,
}

impl Executions {
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

    /// Sends a reply that is held back and forgets the cells that wait; what is left is to end the runner.
    pub(super) fn close(&mut self) -> &mut Runner {
        self.waiting.clear();
        self.release();
        &mut self.runner
    }

    /// Takes a request; it runs when its turn comes.
    pub(super) fn push(&mut self, request: Request) {
        self.waiting.push_back((Instant::now(), request));
        self.advance();
    }

    /// Marks the running cell as interrupted; whether there is one.
    pub(super) fn interrupt(&self) -> bool {
        self.running.as_ref().inspect(|running| running.execution.interrupt()).is_some()
    }

    /// When to call [`release`](Self::release).
    pub(super) fn due(&self) -> Option<Instant> {
        self.held.as_ref().map(|(until, ..)| *until)
    }

    /// Whether [`flush`](Self::flush) must be called from time to time.
    pub(super) fn is_printing(&self) -> bool {
        !self.printing.is_empty()
    }

    /// Sends printed text whose time has come.
    pub(super) fn flush(&mut self) {
        self.printing.retain(|execution| execution.upgrade().inspect(|execution| execution.flush_due()).is_some());
    }

    /// Takes note that the running cell ended.
    pub(super) fn finish(&mut self, finished: Finished) {
        let Some(mut running) = self.running.take() else { return };
        running.timing.end();
        let until = running.came + GRACE;
        let wait = running.aborts_others(&finished) && until > Instant::now();
        self.held = Some((until, running, finished));
        if !wait {
            self.release();
        }
    }

    /// Sends the reply of the cell that ended; aborts those behind it if it failed or was interrupted.
    pub(super) fn release(&mut self) {
        let Some((_, running, finished)) = self.held.take() else { return };
        let abort = running.aborts_others(&finished);
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
        self.reply_with(&running.request, running.came, &running.timing.metadata(), reply, running.count);
        timeline::end(running.count, running.came.elapsed());
        if abort {
            for (came, request) in std::mem::take(&mut self.waiting) {
                self.busy(&request);
                let aborted = json!({"status": "aborted", "payload": [], "user_expressions": {}});
                self.reply(&request, came, aborted, self.count);
            }
        }
        self.advance();
    }

    /// Starts the next cell if none runs.
    fn advance(&mut self) {
        while self.running.is_none() && self.held.is_none() {
            let Some((came, mut request)) = self.waiting.pop_front() else { return };
            self.busy(&request);
            match content::<Content>(request.content.take()) {
                Ok(content) => self.start(request, came, content),
                Err(failure) => self.reply(&request, came, failed(&failure), self.count),
            }
        }
    }

    fn start(&mut self, request: Request, came: Instant, content: Content) {
        let Content { code, silent, store_history, user_expressions, allow_stdin, stop_on_error } = content;
        // As IPython does, a cell with nothing in it does not count.
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
        timeline::begin();
        let manner = Manner { silent, allow_stdin, count };
        let execution =
            Arc::new(Execution::new(request.origin.clone(), self.outbox.clone(), Arc::clone(&self.stdin), manner));
        self.printing.push(Arc::downgrade(&execution));
        let expressions: BTreeMap<String, String> = user_expressions
            .into_iter()
            .filter_map(|(name, expression)| Some((name, expression.as_str()?.to_owned())))
            .collect();
        self.runner.run(Job { execution: Arc::clone(&execution), code, expressions });
        let stop_on_error = stop_on_error.unwrap_or(true);
        self.running = Some(Running { request, came, timing, execution, count, silent, counted, stop_on_error });
    }

    fn busy(&self, request: &Request) {
        self.outbox.publish(Some(&request.origin), "status", &Status::busy());
    }

    /// The reply to a cell that did not run.
    fn reply(&self, request: &Request, came: Instant, reply: Value, count: usize) {
        self.reply_with(request, came, &json!({}), reply, count);
    }

    /// The reply, and then `idle`: a client that saw `idle` has seen everything.
    fn reply_with(&self, request: &Request, came: Instant, metadata: &Value, mut reply: Value, count: usize) {
        reply["execution_count"] = json!(count);
        self.outbox.send_with(request.channel, &request.origin, "execute_reply", metadata, &reply);
        self.outbox.publish(Some(&request.origin), "status", &Status::idle());
        let took = crate::log::milliseconds(came.elapsed());
        let status = reply["status"].as_str().unwrap_or_default();
        tracing::debug!("execute_request {} on {:?}: {status}, {took}", request.origin.msg_id(), request.channel);
    }
}

impl Running {
    fn aborts_others(&self, finished: &Finished) -> bool {
        self.execution.interrupted() || (finished.outcome.is_err() && self.stop_on_error && !self.silent)
    }
}

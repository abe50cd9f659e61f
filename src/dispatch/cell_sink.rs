//! Sink of one cell: sends its outputs as messages, from any thread, also after the cell has ended.

use super::stdin::Stdin;
use crate::Failure;
use crate::display::{Message, Output, Pace, Sink, Stdio, Streams, message};
use crate::sync::lock;
use crate::wire::{Origin, Outbox};
use jupyter_protocol::InputRequest;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use trace_view::Bundle;

/// Interval at which a pause checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Outputs, input and interrupt flag of one cell.
pub(super) struct CellSink {
    origin: Origin,
    outbox: Outbox,
    stdin: Arc<Stdin>,
    options: SinkOptions,
    interrupted: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    streams: Streams,
    pace: Pace,
    /// Number of displays dropped after an interrupt.
    dropped: usize,
    /// Help pages for the pager of the front end.
    pages: Vec<Bundle>,
    /// Plain text of the cell's value, for the history.
    result: Option<String>,
}

/// Options of an `execute_request` that concern outputs and input.
#[derive(Debug, Clone, Copy)]
pub(super) struct SinkOptions {
    /// Drop all outputs.
    pub(super) silent: bool,
    pub(super) allow_stdin: bool,
    /// Execution count of the cell.
    pub(super) count: usize,
}

impl CellSink {
    pub(super) fn new(origin: Origin, outbox: Outbox, stdin: Arc<Stdin>, options: SinkOptions) -> Self {
        Self { origin, outbox, stdin, options, interrupted: AtomicBool::default(), state: Mutex::default() }
    }

    /// Marks the cell as interrupted.
    pub(super) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
    }

    /// Sends buffered text that is due.
    pub(super) fn flush_due(&self) {
        let mut state = lock(&self.state);
        self.send(state.streams.take_due(Instant::now()).into_iter().map(message::stream));
    }

    /// Sends all buffered text, then the error if there is one.
    pub(super) fn finish(&self, failure: Option<&Failure>) {
        let mut state = lock(&self.state);
        if state.dropped > 0 && !self.options.silent {
            let dropped = std::mem::take(&mut state.dropped);
            let note = format!("the cell was interrupted: {dropped} displays were dropped\n");
            self.send(state.streams.print(Stdio::Stderr, &note, Instant::now()).into_iter().map(message::stream));
        }
        self.flush(&mut state);
        self.send(failure.filter(|_| !self.options.silent).map(message::error));
    }

    /// Takes the help pages of the cell and the plain text of its value.
    pub(super) fn take_results(&self) -> (Vec<Bundle>, Option<String>) {
        let mut state = lock(&self.state);
        (std::mem::take(&mut state.pages), state.result.take())
    }

    /// Sends all buffered text. The state stays locked while it is sent, which keeps the texts of two threads in order.
    fn flush(&self, state: &mut State) {
        self.send(state.streams.take().into_iter().map(message::stream));
    }

    fn send(&self, messages: impl IntoIterator<Item = Message>) {
        for Message { kind, content } in messages {
            self.outbox.publish(Some(&self.origin), kind, &content);
        }
    }

    /// Waits for this time, or until the cell is interrupted.
    fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait;
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|_| !self.interrupted()) {
            std::thread::sleep(left.min(POLL_INTERVAL));
        }
    }

    fn stream(&self, name: Stdio, text: &str) {
        let mut state = lock(&self.state);
        let now = Instant::now();
        self.send(state.streams.print(name, text, now).into_iter().map(message::stream));
        if let Some(wait) = state.streams.backpressure(now) {
            drop(state);
            std::thread::sleep(wait);
            self.flush_due();
            self.outbox.wait_for_clients(|| self.interrupted());
        }
    }
}

impl Sink for CellSink {
    fn emit(&self, output: Output) {
        if let Output::Page(page) = output {
            lock(&self.state).pages.push(page);
            return;
        }
        if self.options.silent {
            return;
        }
        let message = match output {
            Output::Stdout(text) => return self.stream(Stdio::Stdout, &text),
            Output::Stderr(text) => return self.stream(Stdio::Stderr, &text),
            Output::Display { bundle, id } => message::display(bundle, id),
            Output::Update { bundle, id } => message::update(bundle, id),
            Output::Clear { wait } => message::clear(wait),
            Output::Result(bundle) => {
                lock(&self.state).result = Some(bundle.plain().to_owned());
                message::result(bundle, self.options.count)
            }
            Output::Page(_) => return,
        };
        let mut state = lock(&self.state);
        if self.interrupted() && state.pace.is_used_up(Instant::now()) {
            // Displays still in the pipe must not delay the end of an interrupted cell.
            state.dropped += 1;
            return;
        }
        self.flush(&mut state);
        self.send([message]);
        let wait = state.pace.count(Instant::now());
        drop(state);
        if let Some(wait) = wait {
            self.pause(wait);
        }
        self.outbox.wait_for_clients(|| self.interrupted());
    }

    fn input(&self, prompt: &str, password: bool) -> Result<String, Failure> {
        if !self.options.allow_stdin {
            return Err(Failure::new("StdinNotImplementedError", "this front end does not support input"));
        }
        self.flush(&mut lock(&self.state));
        let prompt = InputRequest { prompt: prompt.to_owned(), password };
        self.stdin.request(&self.outbox, &self.origin, prompt, || self.interrupted())
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

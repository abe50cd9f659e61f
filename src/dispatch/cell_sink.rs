//! One run of a cell: where its outputs go, whatever thread they come from and however late.

use super::stdin::Stdin;
use crate::Failure;
use crate::display::{Message, Output, Pace, Sink, Stdio, Streams, message};
use crate::wire::{Origin, Outbox};
use jupyter_protocol::InputRequest;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use trace_view::Bundle;

/// How often a wait looks whether the cell was interrupted.
const LOOK: Duration = Duration::from_millis(20);

/// One run of a cell.
pub(super) struct Execution {
    origin: Origin,
    outbox: Outbox,
    stdin: Arc<Stdin>,
    /// Nothing is shown.
    silent: bool,
    allow_stdin: bool,
    count: usize,
    interrupted: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    streams: Streams,
    pace: Pace,
    /// Displays that came too fast behind an interrupt.
    dropped: usize,
    pages: Vec<Bundle>,
    /// The plain text of the cell's value, for the history.
    result: Option<String>,
}

/// How a cell is to be run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) silent: bool,
    pub(super) allow_stdin: bool,
    pub(super) count: usize,
}

impl Execution {
    pub(super) fn new(origin: Origin, outbox: Outbox, stdin: Arc<Stdin>, manner: Manner) -> Self {
        let Manner { silent, allow_stdin, count } = manner;
        let (interrupted, state) = Default::default();
        Self { origin, outbox, stdin, silent, allow_stdin, count, interrupted, state }
    }

    /// Marks the run as interrupted.
    pub(super) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
    }

    /// Sends printed text whose time has come.
    pub(super) fn flush_due(&self) {
        let mut state = lock(&self.state);
        self.print(state.streams.take_due(Instant::now()).into_iter().map(message::stream));
    }

    /// Sends all printed text, then the error if there is one.
    pub(super) fn finish(&self, failure: Option<&Failure>) {
        let mut state = lock(&self.state);
        if state.dropped > 0 && !self.silent {
            let (dropped, now) = (std::mem::take(&mut state.dropped), Instant::now());
            let note = format!("the cell was interrupted: {dropped} displays were dropped\n");
            self.print(state.streams.print(Stdio::Stderr, &note, now).into_iter().map(message::stream));
        }
        self.flush(&mut state);
        self.print(failure.filter(|_| !self.silent).map(message::error));
    }

    /// The pages that the cell asked to show, and the plain text of its value.
    pub(super) fn take_results(&self) -> (Vec<Bundle>, Option<String>) {
        let mut state = lock(&self.state);
        (std::mem::take(&mut state.pages), state.result.take())
    }

    /// Text is sent with the state locked, so that what two threads print leaves in the order in which it was taken.
    fn flush(&self, state: &mut State) {
        self.print(state.streams.take().into_iter().map(message::stream));
    }

    fn print(&self, messages: impl IntoIterator<Item = Message>) {
        for Message { kind, content } in messages {
            self.outbox.publish(Some(&self.origin), kind, &content);
        }
    }

    /// Waits this long, or until the cell is interrupted.
    fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait;
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|_| !self.interrupted()) {
            std::thread::sleep(left.min(LOOK));
        }
    }

    fn stream(&self, name: Stdio, text: &str) {
        let mut state = lock(&self.state);
        let now = Instant::now();
        self.print(state.streams.print(name, text, now).into_iter().map(message::stream));
        if let Some(wait) = state.streams.overfull(now) {
            drop(state);
            std::thread::sleep(wait);
            self.flush_due();
            self.outbox.wait_for_clients(|| self.interrupted());
        }
    }
}

impl Sink for Execution {
    fn emit(&self, output: Output) {
        if let Output::Page(page) = output {
            lock(&self.state).pages.push(page);
            return;
        }
        if self.silent {
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
                message::result(bundle, self.count)
            }
            Output::Page(_) => return,
        };
        let mut state = lock(&self.state);
        if self.interrupted() && state.pace.is_used_up(Instant::now()) {
            // What waits in the pipe must not hold up the end of the cell.
            state.dropped += 1;
            return;
        }
        self.flush(&mut state);
        self.print([message]);
        let wait = state.pace.count(Instant::now());
        drop(state);
        if let Some(wait) = wait {
            self.pause(wait);
        }
        self.outbox.wait_for_clients(|| self.interrupted());
    }

    fn input(&self, prompt: &str, password: bool) -> Result<String, Failure> {
        if !self.allow_stdin {
            return Err(Failure::new("StdinNotImplementedError", "this front end does not support input"));
        }
        self.flush(&mut lock(&self.state));
        let question = InputRequest { prompt: prompt.to_owned(), password };
        self.stdin.ask(&self.outbox, &self.origin, question, || self.interrupted())
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

/// Locks. A thread that panicked leaves nothing half done here.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The cell thread: runs cells one at a time and owns the session and the engine.

use super::cell_sink::CellSink;
use super::name_help;
use super::reply::failed;
use super::rust_time::RustTime;
use crate::cell::{Segment, foreign_syntax_hint, segments};
use crate::display::{Output, Sink};
use crate::engine::Engine;
use crate::magic::{self, Context};
use crate::session::{CacheSetting, Session, SharedSnapshot, View};
use crate::sync::lock;
use crate::{Error, Failure};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use trace::Execution;
use trace_view::Bundle;

/// Times to wait for the next cell, one after the other; after each, traces whose files were written meanwhile are replaced. Writing
/// the files of a large trace takes seconds.
const IDLE_WAITS: [Duration; 4] =
    [Duration::from_millis(300), Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];

/// A cell to run.
pub(super) struct Job {
    pub(super) sink: Arc<CellSink>,
    pub(super) code: String,
    /// `user_expressions` of the request, by name: evaluated after the cell.
    pub(super) expressions: BTreeMap<String, String>,
}

/// Result of a cell, whose outputs have been sent.
pub(super) struct Finished {
    /// Values of the `user_expressions`, or the error of the cell.
    pub(super) outcome: Result<Map<String, Value>, Failure>,
    /// Help pages for the pager of the front end.
    pub(super) pages: Vec<Bundle>,
    /// Plain text of the cell's value.
    pub(super) result: Option<String>,
}

/// Handle of the cell thread.
pub(super) struct Runner {
    jobs: Option<Sender<Job>>,
    ended: Receiver<()>,
    view: Arc<Mutex<View>>,
    traces: SharedSnapshot,
}

impl Runner {
    /// Starts the thread; it calls `finished` after each cell.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub(super) fn start(
        engine: Box<dyn Engine>,
        finished: impl Fn(Finished) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let (ending, ended) = channel();
        let view = Arc::new(Mutex::new(View::default()));
        let view_of = Arc::clone(&view);
        crate::execution::remove_left_ranks();
        let mut notebook = Notebook {
            session: Session::with_cache(CacheSetting::from_environment()),
            execution: crate::execution::from_environment(),
            engine,
            view: view_of,
            rust_time: RustTime::default(),
            freed_columns: false,
        };
        let traces = notebook.session.shared();
        std::thread::Builder::new().name("cells".to_owned()).spawn(move || {
            while let Some(job) = notebook.next_job(&queue) {
                finished(notebook.run(job));
            }
            // Dropping the engine ends its process and removes its files. The traces are left to the system, which frees memory faster.
            let Notebook { session, engine, .. } = notebook;
            drop(engine);
            std::mem::forget(session);
            drop(ending);
        })?;
        Ok(Self { jobs: Some(jobs), ended, view, traces })
    }

    /// Sends a cell to the thread.
    pub(super) fn run(&self, job: Job) {
        if let Some(jobs) = &self.jobs
            && jobs.send(job).is_err()
        {
            tracing::warn!("the cell thread has ended");
        }
    }

    /// Returns the view of the notebook after the last cell.
    pub(super) fn view(&self) -> View {
        lock(&self.view).clone()
    }

    /// Returns the loaded traces, which change while a cell runs.
    pub(super) fn traces(&self) -> SharedSnapshot {
        self.traces.clone()
    }

    /// Makes the thread end after the running cell.
    pub(super) fn close(&mut self) {
        self.jobs = None;
    }

    /// Waits up to `timeout` for the thread to end; returns whether it did.
    pub(super) fn has_ended(&self, timeout: Duration) -> bool {
        self.ended.recv_timeout(timeout) == Err(RecvTimeoutError::Disconnected)
    }
}

/// State of a notebook.
pub(super) struct Notebook {
    session: Session,
    /// The context in which magics run.
    execution: Execution,
    pub(super) engine: Box<dyn Engine>,
    view: Arc<Mutex<View>>,
    /// Time spent in Rust, for `%time` and `%timeit`.
    pub(super) rust_time: RustTime,
    /// Set when columns of a replaced trace are freed, until their memory is returned to the system.
    freed_columns: bool,
}

impl Notebook {
    /// Waits for the next cell; `None` at the end. Meanwhile loaded traces are replaced by what the worker process maps, and the memory
    /// of their columns goes back to the system: within a cell that would take its time.
    fn next_job(&mut self, jobs: &Receiver<Job>) -> Option<Job> {
        self.adopt_mapped_traces();
        for wait in IDLE_WAITS {
            match jobs.recv_timeout(wait) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => self.adopt_mapped_traces(),
            }
            if std::mem::take(&mut self.freed_columns) {
                trace::return_free_memory();
            }
        }
        jobs.recv().ok()
    }

    fn run(&mut self, job: Job) -> Finished {
        let Job { sink, code, expressions } = job;
        let out: Arc<dyn Sink> = Arc::clone(&sink) as _;
        let outcome = self.cell(&code, &out).map(|()| self.evaluate(&expressions, &out));
        self.update_view();
        sink.finish(outcome.as_ref().err());
        let (pages, result) = sink.take_results();
        Finished { outcome, pages, result }
    }

    /// Replaces loaded traces by the files that the worker process maps, so that their columns are in memory once.
    fn adopt_mapped_traces(&mut self) {
        let mapped = self.engine.mapped();
        if !mapped.is_empty() {
            self.session.replace(mapped);
            self.update_view();
            self.freed_columns = true;
        }
    }

    /// Updates what completion and inspection see.
    fn update_view(&self) {
        *lock(&self.view) = self.session.view(&*self.engine);
    }

    /// Runs a cell. A panic of the kernel becomes an error of the cell.
    fn cell(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let result = catch_unwind(AssertUnwindSafe(|| match self.name_help(code, out) {
            Some(shown) => shown,
            None => self.segments(code, code, out),
        }));
        self.engine.optimise(false);
        result.unwrap_or_else(|panic| Err(internal_error(&*panic)))
    }

    /// Shows help for a cell `x?`; `None` if it is another cell, or nothing is known of `x`.
    fn name_help(&mut self, code: &str, out: &Arc<dyn Sink>) -> Option<Result<(), Failure>> {
        if !name_help::may_be_query(code) {
            return None;
        }
        let view = self.session.view(&*self.engine);
        let name = name_help::queried_name(code, &view)?;
        if magic::find(name).is_some() {
            let mut context = Context { session: &mut self.session, cells: &mut *self.engine, out };
            return Some(magic::run(Segment::Help { name }, &mut context).map(|_| ()));
        }
        let page = name_help::page(name, &self.session, &view)?;
        out.emit(Output::Page(page));
        Some(Ok(()))
    }

    /// Runs the segments of `text`, a slice of the cell `code`.
    pub(super) fn segments(&mut self, text: &str, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        segments(text).into_iter().try_for_each(|segment| self.segment(segment, code, out))
    }

    fn segment(&mut self, segment: Segment<'_>, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        if out.interrupted() {
            return Err(Error::Interrupted.into());
        }
        if let Segment::Rust(rust) = segment {
            let start = Instant::now();
            let result = self.engine.run(&pad_to_line(rust, code), out);
            self.rust_time.whole += start.elapsed();
            self.rust_time.running += self.engine.take_run_time();
            return result.map_err(|failure| with_syntax_hint(failure, rust));
        }
        let mut context = Context { session: &mut self.session, cells: &mut *self.engine, out };
        // With the token, what a magic computes or writes on this thread is cancelled by an interrupt.
        let execution = self.execution.clone().cancellation(context.token());
        let next = execution.run(|| magic::run(segment, &mut context))?;
        self.next(next, code, out)
    }

    /// Evaluates `user_expressions`: each gives a bundle or its own error.
    fn evaluate(&mut self, expressions: &BTreeMap<String, String>, out: &Arc<dyn Sink>) -> Map<String, Value> {
        let mut values = Map::new();
        for (name, code) in expressions {
            let captured = Arc::new(ExpressionSink { cell: Arc::clone(out), last: Mutex::default() });
            let sink: Arc<dyn Sink> = Arc::clone(&captured) as _;
            let value = match self.cell(code, &sink) {
                Ok(()) => {
                    let Bundle { data, metadata } = std::mem::take(&mut *lock(&captured.last));
                    json!({"status": "ok", "data": data, "metadata": metadata})
                }
                Err(failure) => failed(&failure),
            };
            values.insert(name.clone(), value);
        }
        values
    }
}

/// Adds a hint to a compile error if the cell contains Python, a shell command or a magic without `%`.
fn with_syntax_hint(failure: Failure, rust: &str) -> Failure {
    let is_magic = |name: &str| magic::find(name).is_some();
    match (failure.ename == "CompileError").then(|| foreign_syntax_hint(rust, is_magic)).flatten() {
        Some(hint) => failure.with_hint(&hint),
        None => failure,
    }
}

/// Prefixes a segment of `code` with as many empty lines as precede it in the cell, so that errors name the cell's lines.
pub(super) fn pad_to_line<'code>(segment: &'code str, code: &str) -> Cow<'code, str> {
    let start = (segment.as_ptr() as usize).saturating_sub(code.as_ptr() as usize);
    match code.get(..start).map_or(0, |before| before.matches('\n').count()) {
        0 => Cow::Borrowed(segment),
        lines => Cow::Owned("\n".repeat(lines) + segment),
    }
}

/// Sink of one expression: keeps its last rich output and drops what it prints.
struct ExpressionSink {
    cell: Arc<dyn Sink>,
    last: Mutex<Bundle>,
}

impl Sink for ExpressionSink {
    fn emit(&self, output: Output) {
        if let Output::Result(bundle) | Output::Display { bundle, .. } = output {
            *lock(&self.last) = bundle;
        }
    }

    fn input(&self, _prompt: &str, _password: bool) -> Result<String, Failure> {
        Err(Failure::new("StdinNotImplementedError", "an expression cannot request input"))
    }

    fn interrupted(&self) -> bool {
        self.cell.interrupted()
    }
}

/// Converts a panic of the kernel to an error of the cell.
fn internal_error(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no message");
    Failure::new("InternalError", format!("bug in Tracebook, not in your cell: {text}"))
}

//! The thread that runs cells, one at a time. It owns what a notebook holds.

use super::cell_sink::{Execution, lock};
use super::name_help;
use super::reply::failed;
use super::timeit::RustTime;
use crate::cell::{Segment, habit, segments};
use crate::display::{Output, Sink};
use crate::engine::Engine;
use crate::magic::{self, Context};
use crate::session::{Session, View};
use crate::{Error, Failure};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use trace_view::Bundle;

/// A cell to run.
pub(super) struct Job {
    pub(super) execution: Arc<Execution>,
    pub(super) code: String,
    /// Expressions to evaluate after the cell, by the name under which the answer is wanted.
    pub(super) expressions: BTreeMap<String, String>,
}

/// How a cell ended; its outputs are sent by then.
pub(super) struct Finished {
    /// The answers to the expressions, or why the cell failed.
    pub(super) outcome: Result<Map<String, Value>, Failure>,
    pub(super) pages: Vec<Bundle>,
    /// The plain text of the cell's value.
    pub(super) result: Option<String>,
}

/// The thread, as the kernel sees it.
pub(super) struct Runner {
    jobs: Option<Sender<Job>>,
    ended: Receiver<()>,
    view: Arc<Mutex<View>>,
}

impl Runner {
    /// Starts the thread; it calls `finished` after each cell.
    pub(super) fn start(
        engine: Box<dyn Engine>,
        finished: impl Fn(Finished) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let (ending, ended) = channel();
        let view = Arc::new(Mutex::new(View::default()));
        let view_of = Arc::clone(&view);
        let mut notebook =
            Notebook { session: Session::default(), engine, view: view_of, rust_time: RustTime::default() };
        std::thread::Builder::new().name("cells".to_owned()).spawn(move || {
            for job in queue {
                finished(notebook.run(job));
            }
            // The engine ends its process and removes its files; the memory of the traces the system takes back faster.
            let Notebook { session, engine, .. } = notebook;
            drop(engine);
            std::mem::forget(session);
            drop(ending);
        })?;
        Ok(Self { jobs: Some(jobs), ended, view })
    }

    /// Hands over the next cell.
    pub(super) fn run(&self, job: Job) {
        if let Some(jobs) = &self.jobs
            && jobs.send(job).is_err()
        {
            tracing::warn!("the thread that runs cells is gone");
        }
    }

    /// The notebook as it was after the last cell.
    pub(super) fn view(&self) -> View {
        lock(&self.view).clone()
    }

    /// Lets the thread end after the cell that runs.
    pub(super) fn close(&mut self) {
        self.jobs = None;
    }

    /// Waits for the thread to end; whether it did.
    pub(super) fn has_ended(&self, within: std::time::Duration) -> bool {
        self.ended.recv_timeout(within) == Err(std::sync::mpsc::RecvTimeoutError::Disconnected)
    }
}

/// What a notebook holds.
pub(super) struct Notebook {
    session: Session,
    pub(super) engine: Box<dyn Engine>,
    view: Arc<Mutex<View>>,
    /// How long Rust took, for whoever times a cell.
    pub(super) rust_time: RustTime,
}

impl Notebook {
    fn run(&mut self, job: Job) -> Finished {
        let Job { execution, code, expressions } = job;
        let out: Arc<dyn Sink> = Arc::clone(&execution) as _;
        self.share();
        let outcome = self.cell(&code, &out).map(|()| self.evaluate(&expressions, &out));
        self.share();
        *lock(&self.view) = self.session.view(&*self.engine);
        execution.finish(outcome.as_ref().err());
        let (pages, result) = execution.take_results();
        Finished { outcome, pages, result }
    }

    /// Takes over the traces that cells map, so that their columns are in memory once.
    fn share(&mut self) {
        self.session.replace(self.engine.mapped());
    }

    /// Runs a cell, stretch by stretch. A defect of ours ends the cell, not the kernel.
    fn cell(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let result = catch_unwind(AssertUnwindSafe(|| match self.question(code, out) {
            Some(answered) => answered,
            None => self.stretches(code, code, out),
        }));
        self.engine.optimise(false);
        result.unwrap_or_else(|panic| Err(defect(&*panic)))
    }

    /// Answers a cell that asks `x?`; `None` if it does not, or nothing is known of `x`.
    fn question(&mut self, code: &str, out: &Arc<dyn Sink>) -> Option<Result<(), Failure>> {
        if !name_help::may_ask(code) {
            return None;
        }
        let view = self.session.view(&*self.engine);
        let name = name_help::asked(code, &view)?;
        if magic::find(name).is_some() {
            let mut context = Context { session: &mut self.session, cells: &mut *self.engine, out };
            return Some(magic::run(Segment::Help { name }, &mut context).map(|_| ()));
        }
        let page = name_help::answer(name, &self.session, &view)?;
        out.emit(Output::Page(page));
        Some(Ok(()))
    }

    /// Runs the stretches of `part`, which is a part of the cell `code`.
    pub(super) fn stretches(&mut self, part: &str, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        segments(part).into_iter().try_for_each(|segment| self.segment(segment, code, out))
    }

    fn segment(&mut self, segment: Segment<'_>, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        if out.interrupted() {
            return Err(Error::Interrupted.into());
        }
        if let Segment::Rust(rust) = segment {
            let start = Instant::now();
            let result = self.engine.run(&in_place(rust, code), out);
            self.rust_time.whole += start.elapsed();
            self.rust_time.running += self.engine.take_run_time();
            return result.map_err(|failure| with_habit(failure, rust));
        }
        let mut context = Context { session: &mut self.session, cells: &mut *self.engine, out };
        // What a magic computes or writes on this thread ends at an interrupt, too.
        let next = context.token().run(|| magic::run(segment, &mut context))?;
        self.next(next, code, out)
    }

    /// The values of expressions, each as a bundle or as an error of its own.
    fn evaluate(&mut self, expressions: &BTreeMap<String, String>, out: &Arc<dyn Sink>) -> Map<String, Value> {
        let mut answers = Map::new();
        for (name, code) in expressions {
            let value = Arc::new(Quiet { cell: Arc::clone(out), seen: Mutex::default() });
            let sink: Arc<dyn Sink> = Arc::clone(&value) as _;
            let answer = match self.cell(code, &sink) {
                Ok(()) => {
                    let Bundle { data, metadata } = std::mem::take(&mut *lock(&value.seen));
                    json!({"status": "ok", "data": data, "metadata": metadata})
                }
                Err(failure) => failed(&failure),
            };
            answers.insert(name.clone(), answer);
        }
        answers
    }
}

/// A cell that does not compile, with the hint for what is not Rust in it.
fn with_habit(failure: Failure, rust: &str) -> Failure {
    let habit = (failure.ename == "CompileError").then(|| habit(rust, |name| magic::find(name).is_some())).flatten();
    match habit {
        Some(hint) => failure.with_hint(&hint),
        None => failure,
    }
}

/// A stretch of `code` behind as many empty lines as stand lines before it, so that errors name the line of the cell.
pub(super) fn in_place<'code>(stretch: &'code str, code: &str) -> Cow<'code, str> {
    let start = (stretch.as_ptr() as usize).saturating_sub(code.as_ptr() as usize);
    match code.get(..start).map_or(0, |before| before.matches('\n').count()) {
        0 => Cow::Borrowed(stretch),
        lines => Cow::Owned("\n".repeat(lines) + stretch),
    }
}

/// Keeps the last rich output of an expression; what it prints is not shown.
struct Quiet {
    cell: Arc<dyn Sink>,
    seen: Mutex<Bundle>,
}

impl Sink for Quiet {
    fn emit(&self, output: Output) {
        if let Output::Result(bundle) | Output::Display { bundle, .. } = output {
            *lock(&self.seen) = bundle;
        }
    }

    fn input(&self, _prompt: &str, _password: bool) -> Result<String, Failure> {
        Err(Failure::new("StdinNotImplementedError", "an expression cannot ask for input"))
    }

    fn interrupted(&self) -> bool {
        self.cell.interrupted()
    }
}

/// A panic of ours, as an error of the cell.
fn defect(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no message");
    Failure::new("InternalError", format!("a defect of tracebook, not of your cell: {text}"))
}

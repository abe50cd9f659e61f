//! The pipes of the worker process: reads what cells print and show, in order, and delivers it to the sinks of their cells.

use super::panic::Panic;
use super::stdin_probe::waits_for_input;
use crate::Failure;
use crate::display::{Output, Sink};
use crate::sync::{lock, unpoisoned};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use trace_view::envelope::{Envelope, Event, Reader};
use trace_view::{Bundle, FrameSchema, PLAIN};

/// How long the end of a cell's output is waited for without progress.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// What the worker process reported about a cell, besides its output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CellReport {
    /// The panic that ended the cell, if `panicked`; else the last one that the cell caught.
    pub(in crate::engine) panic: Option<Panic>,
    /// Whether a panic ended the cell.
    pub(in crate::engine) panicked: bool,
    /// The message of the error value that ended the cell, or that it showed.
    pub(in crate::engine) error: Option<String>,
    /// Whether output was dropped because it was not delivered in time.
    pub(super) cut_off: bool,
}

/// The schemas of data frames, by variable.
pub(super) type Frames = BTreeMap<String, Arc<FrameSchema>>;

/// The interval at which the kernel checks whether a cell waits for standard input; two checks in a row must find it.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// The prompt for a cell that reads standard input without one.
const PROMPT: &str = "standard input: ";

/// The pipes of the worker process, and the threads that read them until the kernel ends.
pub(super) struct Pump {
    folder: PathBuf,
    token: String,
    /// The file from which the worker process reads the number of the cell.
    number: File,
    timeout: Duration,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    folder: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
    /// The pipe to the cell's standard input; closed at the end of the input.
    input: Mutex<Option<File>>,
    /// The data frames among the variables, as the process reported them last.
    frames: Mutex<Frames>,
    /// Whether the front end shows a prompt now.
    prompting: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The number of the current cell, which runs or ran last, from 1. Envelopes of other cells never reach its sink.
    cell: u64,
    /// Whether [`Pump::finish`] has yet to wait for its end.
    running: bool,
    sink: Option<Arc<dyn Sink>>,
    /// The sink of the cell before, whose threads may still show values.
    previous: Option<Arc<dyn Sink>>,
    /// For each pipe, the last cell whose end mark was written.
    marked: [u64; 2],
    /// For each pipe, the last cell whose end mark was read.
    ended: [u64; 2],
    /// For each pipe, whether an event is being delivered now.
    delivering: [bool; 2],
    /// The number of delivered events.
    delivered: u64,
    report: CellReport,
}

impl State {
    /// Returns the sink for printed text; `None` if the end mark of an earlier cell is yet to be read.
    fn sink_of_text(&self, source: OutputPipe) -> Option<Arc<dyn Sink>> {
        (self.ended[source as usize] + 1 >= self.cell).then(|| self.sink.clone()).flatten()
    }

    /// Returns the sink for an envelope of a cell, and whether that is the current cell.
    fn sink_of_envelope(&self, source: OutputPipe, cell: u64) -> (Option<Arc<dyn Sink>>, bool) {
        if cell == self.cell {
            return (self.sink_of_text(source), self.ended[source as usize] + 1 >= self.cell);
        }
        (self.previous.clone().filter(|_| cell + 1 == self.cell), false)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Opens standard input again, without the lines that an earlier cell did not read.
    fn renew_input(&self) {
        let pipe = self.folder.join("in");
        if let Ok(mut unread) = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(pipe) {
            let mut buffer = [0; 4096];
            while unread.read(&mut buffer).is_ok_and(|length| length > 0) {}
        }
        *lock(&self.input) = open(&self.folder, "in").ok();
    }
}

/// The pipes of standard output and standard error.
#[derive(Clone, Copy)]
enum OutputPipe {
    Out,
    Err,
}

/// Both output pipes, with their names.
const OUTPUT_PIPES: [(OutputPipe, &str); 2] = [(OutputPipe::Out, "out"), (OutputPipe::Err, "err")];

impl Pump {
    /// Creates the pipes in `folder` and starts the threads that read them.
    pub(in crate::engine) fn start(folder: &Path, token: &str) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { folder: folder.to_owned(), ..Shared::default() });
        for name in ["in", "out", "err"] {
            rustix::fs::mknodat(CWD, folder.join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        }
        let number = File::create(folder.join("cell"))?;
        // Reserves the space, so that a disk that fills up later does not matter.
        number.write_all_at(&0_u64.to_le_bytes(), 0)?;
        *lock(&shared.input) = Some(open(folder, "in")?);
        for (source, name) in OUTPUT_PIPES {
            let pipe = open(folder, name)?;
            // A cell that prints much need not wait while we send. The default size works, too.
            let _ = rustix::pipe::fcntl_setpipe_size(&pipe, 1 << 20);
            let (shared, reader) = (Arc::clone(&shared), Reader::new(token));
            std::thread::Builder::new()
                .name(format!("cell-{name}"))
                .spawn(move || read(pipe, source, reader, &shared))?;
        }
        Ok(Self { folder: folder.to_owned(), token: token.to_owned(), number, timeout: DRAIN_TIMEOUT, shared })
    }

    /// Shows a prompt whenever the worker process waits for standard input without having requested a line.
    pub(super) fn watch_input(&self, process: impl Fn() -> Option<u32> + Send + 'static) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let watch = move || {
            let mut waited = false;
            loop {
                let state = shared.lock();
                let running = shared.changed.wait_while(state, |state| !state.running);
                drop(unpoisoned(running));
                std::thread::sleep(POLL_INTERVAL);
                let waits = !shared.prompting.load(Ordering::SeqCst) && process().is_some_and(waits_for_input);
                if waits && waited {
                    let sink = shared.lock().sink.clone();
                    read_line(PROMPT, false, sink.as_ref(), &shared);
                }
                waited = waits && !waited;
            }
        };
        std::thread::Builder::new().name("cell-in".to_owned()).spawn(watch).map(drop)
    }

    /// Returns the schemas of the data frames among the variables after the last cell.
    pub(in crate::engine) fn frames(&self) -> Frames {
        lock(&self.shared.frames).clone()
    }

    /// Begins the output of a cell, unless one is running. Output goes to `sink` until the next cell begins, also after this one
    /// has ended: a thread that it started may still print.
    ///
    /// # Errors
    /// If output of an earlier cell blocks a pipe, or the number of the cell cannot be written.
    pub(in crate::engine) fn begin(&self, sink: &Arc<dyn Sink>) -> Result<(), Failure> {
        let mut state = self.shared.lock();
        if !state.running {
            if state.marked.iter().any(|marked| *marked < state.cell) {
                let message = "the output of an earlier cell still blocks the pipe to the kernel; restart the kernel";
                return Err(Failure::new("OutputError", message));
            }
            let next = state.cell + 1;
            self.number.write_all_at(&next.to_le_bytes(), 0).map_err(|error| {
                Failure::new("EngineError", format!("cannot start a cell in {}: {error}", self.folder.display()))
            })?;
            (state.cell, state.running) = (next, true);
            state.previous = state.sink.take();
        }
        state.sink = Some(Arc::clone(sink));
        state.report = CellReport::default();
        drop(state);
        self.shared.renew_input();
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Ends the output of the running cell, if there is one: waits until all of it is delivered, as long as there is progress. Must
    /// be called when the cell has ended, in whatever way; `lost` says that its worker process is gone.
    pub(in crate::engine) fn finish(&self, lost: bool) -> CellReport {
        let mut state = self.shared.lock();
        if !state.running {
            return CellReport::default();
        }
        let cell = state.cell;
        let sink = state.sink.clone();
        drop(state);
        let mark = Envelope::End { lost }.encode(&self.token, cell);
        for (source, name) in OUTPUT_PIPES {
            self.write_mark(source, name, &mark, cell);
        }
        state = self.shared.lock();
        let (mut delivered, mut since) = (state.delivered, Instant::now());
        while state.ended.iter().any(|ended| *ended < cell) {
            // Delivery may wait for slow clients or for input, but not after an interrupt.
            let waits = state.delivering.contains(&true) && !sink.as_ref().is_some_and(|sink| sink.interrupted());
            if waits || state.delivered != delivered {
                (delivered, since) = (state.delivered, Instant::now());
            }
            if since.elapsed() >= self.timeout {
                state.report.cut_off = true;
                break;
            }
            state = unpoisoned(self.shared.changed.wait_timeout(state, POLL_INTERVAL)).0;
        }
        state.running = false;
        std::mem::take(&mut state.report)
    }

    /// Writes an end mark behind everything that the cell wrote, on a thread of its own if the pipe is full.
    fn write_mark(&self, source: OutputPipe, name: &str, mark: &[u8], cell: u64) {
        let pipe = self.folder.join(name);
        let options = OFlags::NONBLOCK.bits() as i32;
        // It is short enough to be written whole or not at all.
        let direct = OpenOptions::new().read(true).write(true).custom_flags(options).open(&pipe);
        if direct.and_then(|mut pipe| pipe.write_all(mark)).is_ok() {
            self.shared.lock().marked[source as usize] = cell;
            return;
        }
        let (folder, shared) = (self.folder.clone(), Arc::clone(&self.shared));
        let (name, mark) = (name.to_owned(), mark.to_vec());
        // Without the thread the wait for the mark times out.
        let _ = std::thread::Builder::new().name("cell-end".to_owned()).spawn(move || {
            if open(&folder, &name).and_then(|mut pipe| pipe.write_all(&mark)).is_ok() {
                shared.lock().marked[source as usize] = cell;
            }
        });
    }
}

/// Opens a pipe for both directions, so that opening never blocks and reading never meets an end.
fn open(folder: &Path, name: &str) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open(folder.join(name))
}

fn read(mut pipe: File, source: OutputPipe, mut reader: Reader, shared: &Shared) {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => reader.feed(&buffer[..length], |event| deliver(event, source, shared)),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn deliver(event: Event, source: OutputPipe, shared: &Shared) {
    let sink = {
        let mut state = shared.lock();
        state.delivering[source as usize] = true;
        match &event {
            Event::Envelope { cell, .. } => state.sink_of_envelope(source, *cell),
            _ => (state.sink_of_text(source), true),
        }
    };
    deliver_to(sink, event, source, shared);
    let mut state = shared.lock();
    state.delivering[source as usize] = false;
    state.delivered += 1;
}

/// Emits an event to the sink of its cell. Only events of the `current` cell change the report.
fn deliver_to((sink, current): (Option<Arc<dyn Sink>>, bool), event: Event, source: OutputPipe, shared: &Shared) {
    let emit = |output: Output| {
        if let Some(sink) = &sink {
            sink.emit(output);
        }
    };
    let note = |change: &dyn Fn(&mut CellReport)| {
        if current {
            change(&mut shared.lock().report);
        }
    };
    let (cell, envelope) = match event {
        Event::Text(text) => {
            return emit(match source {
                OutputPipe::Out => Output::Stdout(text),
                OutputPipe::Err => Output::Stderr(text),
            });
        }
        Event::Content { mime, text } => return emit(evcxr_content(&mime, text)),
        Event::Input { prompt, password } => return read_line(&prompt, password, sink.as_ref(), shared),
        Event::Envelope { cell, envelope } => (cell, envelope),
    };
    match envelope {
        Envelope::Result { bundle } => emit(Output::Result(bundle)),
        Envelope::Display { bundle, id } => emit(Output::Display { bundle, id }),
        Envelope::Update { bundle, id } => emit(Output::Update { bundle, id }),
        Envelope::Stderr { text } => emit(Output::Stderr(text)),
        Envelope::Input { prompt } => read_line(&prompt, false, sink.as_ref(), shared),
        Envelope::Clear { wait } => emit(Output::Clear { wait }),
        Envelope::Failure { message } => note(&|report| report.error = Some(message.clone())),
        Envelope::Panic { message, file, line, thread } => {
            let panic = Panic { message, file, line };
            // A panic of another thread (one of the cell's or of polars) often ends the cell a moment later, with a panic that
            // says less.
            if let Some(thread) = thread {
                emit(Output::Stderr(format!("a thread ({thread}) panicked: {}\n", panic.message)));
                note(&|report| {
                    report.panic.get_or_insert_with(|| panic.clone());
                });
            } else {
                note(&|report| report.panic = Some(panic.clone()));
            }
        }
        Envelope::Frames { frames } => {
            let frames = frames.into_iter().map(|(name, schema)| (name, Arc::new(schema))).collect();
            *lock(&shared.frames) = frames;
        }
        Envelope::Panicked => note(&|report| report.panicked = true),
        Envelope::End { .. } => {
            let mut state = shared.lock();
            let ended = &mut state.ended[source as usize];
            *ended = cell.max(*ended);
            drop(state);
            shared.changed.notify_all();
        }
    }
}

/// Prompts for a line and writes it to the cell's standard input. Without a line that input ends, so that the cell goes on and
/// fails.
fn read_line(prompt: &str, password: bool, sink: Option<&Arc<dyn Sink>>, shared: &Shared) {
    shared.prompting.store(true, Ordering::SeqCst);
    let line = match sink {
        Some(sink) => sink.input(prompt, password),
        None => Err(Failure::new("InputError", "no cell is running")),
    };
    match line {
        Ok(line) => {
            // A pipe that cannot be written has lost its process; the engine notices that itself.
            if let Some(pipe) = &mut *lock(&shared.input) {
                let _ = pipe.write_all(format!("{}\n", line.replace('\n', " ")).as_bytes());
            }
        }
        Err(failure) => {
            shared.lock().report.error.get_or_insert(failure.evalue);
            *lock(&shared.input) = None;
        }
    }
    shared.prompting.store(false, Ordering::SeqCst);
}

/// Converts a block in evcxr's own format. Plain text is the value of the last expression, as evcxr's fallback prints it.
fn evcxr_content(mime: &str, text: String) -> Output {
    if mime == PLAIN {
        return Output::Result(Bundle::text(text));
    }
    let content = match serde_json::from_str(&text) {
        Ok(json) if mime.ends_with("+json") || mime == "application/json" => json,
        _ => Value::String(text),
    };
    Output::Display { bundle: Bundle::text(format!("<{mime}>")).with(mime, content), id: None }
}

#[cfg(test)]
#[path = "pump_tests.rs"]
mod tests;

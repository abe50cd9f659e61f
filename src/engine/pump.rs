//! Takes what a cell prints and shows out of its pipes, in order, and passes it on.

use super::reading::waits_for_input;
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

/// How long the rest of a finished cell's output may take without any of it being passed on.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What a cell said beside its output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// The panic that ended it, if `ended`; else the last one that something in the cell caught.
    pub(super) panic: Option<Panic>,
    /// Whether a panic ended the cell.
    pub(super) ended: bool,
    /// The error value that ended it, or that it showed.
    pub(super) failure: Option<String>,
    /// Whether a part of its output was not passed on in time, and is dropped.
    pub(super) cut_off: bool,
}

/// A panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Panic {
    pub(super) message: String,
    /// Empty if it is not known.
    pub(super) file: String,
    pub(super) line: u32,
}

impl Panic {
    /// One that went past the hook, which would have told more (`std::panic::resume_unwind`).
    pub(super) fn without_words() -> Self {
        Self { message: "a panic without a message".to_owned(), file: String::new(), line: 0 }
    }
}

/// The schemas of data frames, by variable.
pub(super) type Frames = BTreeMap<String, Arc<FrameSchema>>;

/// How often the kernel looks whether a cell waits for standard input; twice in a row counts.
const LOOK: Duration = Duration::from_millis(150);

/// What a cell is asked for that reads standard input itself.
const PROMPT: &str = "standard input: ";

/// The pipes of the process for cells, and the threads that read them for as long as the kernel lives.
pub(super) struct Pump {
    folder: PathBuf,
    token: String,
    /// Tells the process for cells the number of the cell.
    number: File,
    timeout: Duration,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    folder: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
    /// The pipe to the cell's standard input; closed when that has come to its end.
    answers: Mutex<Option<File>>,
    /// The data frames among the variables, as the process reported them last.
    frames: Mutex<Frames>,
    /// Whether the person at the notebook is being asked.
    asking: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The number of the cell that runs or ran last, from 1; what is sent on behalf of another one never reaches it.
    cell: u64,
    /// Whether its end has yet to be waited for.
    running: bool,
    sink: Option<Arc<dyn Sink>>,
    /// The sink of the cell before, whose threads may still show something.
    previous: Option<Arc<dyn Sink>>,
    /// Of each pipe, the last cell whose end mark was written.
    marked: [u64; 2],
    /// Of each pipe, the last cell whose end mark was read.
    ended: [u64; 2],
    /// Of each pipe, whether something is being passed on now.
    passing: [bool; 2],
    /// How much was passed on.
    passed: u64,
    seen: Seen,
}

impl State {
    /// The sink of what was printed; `None` if it stands before the end mark of an earlier cell.
    fn of_text(&self, source: Source) -> Option<Arc<dyn Sink>> {
        (self.ended[source as usize] + 1 >= self.cell).then(|| self.sink.clone()).flatten()
    }

    /// The sink of an envelope sent on behalf of a cell, and whether that is the current one.
    fn of_envelope(&self, source: Source, cell: u64) -> (Option<Arc<dyn Sink>>, bool) {
        if cell == self.cell {
            return (self.of_text(source), self.ended[source as usize] + 1 >= self.cell);
        }
        (self.previous.clone().filter(|_| cell + 1 == self.cell), false)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn answers(&self) -> MutexGuard<'_, Option<File>> {
        lock(&self.answers)
    }

    /// Opens standard input again, and takes away what an earlier cell was given and did not read.
    fn renew_input(&self) {
        let pipe = self.folder.join("in");
        if let Ok(mut left) = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(pipe) {
            let mut buffer = [0; 4096];
            while left.read(&mut buffer).is_ok_and(|length| length > 0) {}
        }
        *self.answers() = open(&self.folder, "in").ok();
    }
}

#[derive(Clone, Copy)]
enum Source {
    Out,
    Err,
}

/// The pipes of output, with their names.
const SOURCES: [(Source, &str); 2] = [(Source::Out, "out"), (Source::Err, "err")];

impl Pump {
    /// Makes the pipes in `folder` and starts to read them.
    pub(super) fn start(folder: &Path, token: &str) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { folder: folder.to_owned(), ..Shared::default() });
        for name in ["in", "out", "err"] {
            rustix::fs::mknodat(CWD, folder.join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        }
        let number = File::create(folder.join("cell"))?;
        // Room for the number of every cell: a disk that fills up later does not matter.
        number.write_all_at(&0_u64.to_le_bytes(), 0)?;
        *shared.answers() = Some(open(folder, "in")?);
        for (source, name) in SOURCES {
            let pipe = open(folder, name)?;
            // A larger pipe lets a cell that prints much run on while we send; the default works too.
            let _ = rustix::pipe::fcntl_setpipe_size(&pipe, 1 << 20);
            let (shared, reader) = (Arc::clone(&shared), Reader::new(token));
            std::thread::Builder::new()
                .name(format!("cell-{name}"))
                .spawn(move || read(pipe, source, reader, &shared))?;
        }
        Ok(Self { folder: folder.to_owned(), token: token.to_owned(), number, timeout: TIMEOUT, shared })
    }

    /// Asks for a line whenever the process waits for standard input and has not said so.
    pub(super) fn watch_input(&self, process: impl Fn() -> Option<u32> + Send + 'static) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let watch = move || {
            let mut waited = false;
            loop {
                let state = shared.lock();
                // While no cell runs, this thread sleeps.
                let running = shared.changed.wait_while(state, |state| !state.running);
                drop(unpoisoned(running));
                std::thread::sleep(LOOK);
                let waits = !shared.asking.load(Ordering::SeqCst) && process().is_some_and(waits_for_input);
                if waits && waited {
                    let sink = shared.lock().sink.clone();
                    answer(PROMPT, false, sink.as_ref(), &shared);
                }
                waited = waits && !waited;
            }
        };
        std::thread::Builder::new().name("cell-in".to_owned()).spawn(watch).map(drop)
    }

    /// The data frames among the variables after the last cell.
    pub(super) fn frames(&self) -> Frames {
        lock(&self.shared.frames).clone()
    }

    /// Starts the output of a cell, if none is running: what comes belongs to `sink`, also after the cell ended (a thread it
    /// started may still print), until the next one starts.
    ///
    /// # Errors
    /// If output of an earlier cell blocks a pipe, or the process for cells cannot be told the number of this one.
    pub(super) fn begin(&self, sink: &Arc<dyn Sink>) -> Result<(), Failure> {
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
        state.seen = Seen::default();
        drop(state);
        self.shared.renew_input();
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Ends the output of the cell that runs, if there is one: waits until everything that it wrote was passed on, for as
    /// long as some of it is. To be called when the cell has ended, however it did; `lost` if its process is gone.
    pub(super) fn finish(&self, lost: bool) -> Seen {
        let mut state = self.shared.lock();
        if !state.running {
            return Seen::default();
        }
        let cell = state.cell;
        let sink = state.sink.clone();
        drop(state);
        // Stands behind everything that the cell wrote.
        let mark = Envelope::End { lost }.encode(&self.token, cell);
        for (source, name) in SOURCES {
            self.mark(source, name, &mark, cell);
        }
        state = self.shared.lock();
        let (mut passed, mut since) = (state.passed, Instant::now());
        while state.ended.iter().any(|ended| *ended < cell) {
            // A reader that passes something on may have to wait for clients or for an answer; not after an interrupt.
            let waits = state.passing.contains(&true) && !sink.as_ref().is_some_and(|sink| sink.interrupted());
            if waits || state.passed != passed {
                (passed, since) = (state.passed, Instant::now());
            }
            if since.elapsed() >= self.timeout {
                state.seen.cut_off = true;
                break;
            }
            state = unpoisoned(self.shared.changed.wait_timeout(state, LOOK)).0;
        }
        state.running = false;
        std::mem::take(&mut state.seen)
    }

    /// Writes an end mark, on a thread of its own if the pipe is full.
    fn mark(&self, source: Source, name: &str, mark: &[u8], cell: u64) {
        let pipe = self.folder.join(name);
        let options = OFlags::NONBLOCK.bits() as i32;
        // As short as it is, it is written whole or not at all.
        let direct = OpenOptions::new().read(true).write(true).custom_flags(options).open(&pipe);
        if direct.and_then(|mut pipe| pipe.write_all(mark)).is_ok() {
            self.shared.lock().marked[source as usize] = cell;
            return;
        }
        let (folder, shared) = (self.folder.clone(), Arc::clone(&self.shared));
        let (name, mark) = (name.to_owned(), mark.to_vec());
        // Without the mark the wait for it times out.
        let _ = std::thread::Builder::new().name("cell-end".to_owned()).spawn(move || {
            if open(&folder, &name).and_then(|mut pipe| pipe.write_all(&mark)).is_ok() {
                shared.lock().marked[source as usize] = cell;
            }
        });
    }
}

/// Opens a pipe for both directions, so that opening never waits and reading never meets an end.
fn open(folder: &Path, name: &str) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open(folder.join(name))
}

fn read(mut pipe: File, source: Source, mut reader: Reader, shared: &Shared) {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => reader.feed(&buffer[..length], |event| pass_on(event, source, shared)),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn pass_on(event: Event, source: Source, shared: &Shared) {
    let sink = {
        let mut state = shared.lock();
        state.passing[source as usize] = true;
        match &event {
            Event::Envelope { cell, .. } => state.of_envelope(source, *cell),
            _ => (state.of_text(source), true),
        }
    };
    deliver(event, source, sink, shared);
    let mut state = shared.lock();
    state.passing[source as usize] = false;
    state.passed += 1;
}

/// Gives an event to the sink of its cell; only the `current` cell learns how it ended.
fn deliver(event: Event, source: Source, (sink, current): (Option<Arc<dyn Sink>>, bool), shared: &Shared) {
    let emit = |output: Output| {
        if let Some(sink) = &sink {
            sink.emit(output);
        }
    };
    let note = |change: &dyn Fn(&mut Seen)| {
        if current {
            change(&mut shared.lock().seen);
        }
    };
    let (cell, envelope) = match event {
        Event::Text(text) => {
            return emit(match source {
                Source::Out => Output::Stdout(text),
                Source::Err => Output::Stderr(text),
            });
        }
        Event::Content { mime, text } => return emit(foreign(&mime, text)),
        Event::Input { prompt, password } => return answer(&prompt, password, sink.as_ref(), shared),
        Event::Envelope { cell, envelope } => (cell, envelope),
    };
    match envelope {
        Envelope::Result { bundle } => emit(Output::Result(bundle)),
        Envelope::Display { bundle, id } => emit(Output::Display { bundle, id }),
        Envelope::Update { bundle, id } => emit(Output::Update { bundle, id }),
        Envelope::Stderr { text } => emit(Output::Stderr(text)),
        Envelope::Input { prompt } => answer(&prompt, false, sink.as_ref(), shared),
        Envelope::Clear { wait } => emit(Output::Clear { wait }),
        Envelope::Failure { message } => note(&|seen| seen.failure = Some(message.clone())),
        Envelope::Panic { message, file, line, thread } => {
            let panic = Panic { message, file, line };
            // What panics elsewhere (a thread of the cell's, one of polars') often ends the cell a moment later, with a panic
            // that says less.
            if let Some(thread) = thread {
                emit(Output::Stderr(format!("a thread ({thread}) panicked: {}\n", panic.message)));
                note(&|seen| {
                    seen.panic.get_or_insert_with(|| panic.clone());
                });
            } else {
                note(&|seen| seen.panic = Some(panic.clone()));
            }
        }
        Envelope::Frames { frames } => {
            let frames = frames.into_iter().map(|(name, schema)| (name, Arc::new(schema))).collect();
            *lock(&shared.frames) = frames;
        }
        Envelope::Panicked => note(&|seen| seen.ended = true),
        Envelope::End { .. } => {
            let mut state = shared.lock();
            let ended = &mut state.ended[source as usize];
            *ended = cell.max(*ended);
            drop(state);
            shared.changed.notify_all();
        }
    }
}

/// Asks for a line and gives it to the cell. Without one its standard input has come to its end, so that it goes on, and
/// fails.
fn answer(prompt: &str, password: bool, sink: Option<&Arc<dyn Sink>>, shared: &Shared) {
    shared.asking.store(true, Ordering::SeqCst);
    let line = match sink {
        Some(sink) => sink.input(prompt, password),
        None => Err(Failure::new("InputError", "no cell is running")),
    };
    match line {
        Ok(line) => {
            // A pipe that cannot be written has lost its process, which the engine notices by itself.
            if let Some(pipe) = &mut *shared.answers() {
                let _ = pipe.write_all(format!("{}\n", line.replace('\n', " ")).as_bytes());
            }
        }
        Err(failure) => {
            shared.lock().seen.failure.get_or_insert(failure.evalue);
            *shared.answers() = None;
        }
    }
    shared.asking.store(false, Ordering::SeqCst);
}

/// A block of evcxr's. Text alone is what evcxr's own fallback prints for the value of the last expression.
fn foreign(mime: &str, text: String) -> Output {
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

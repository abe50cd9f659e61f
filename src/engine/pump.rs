//! Takes what a cell prints and shows out of its pipes, in order, and passes it on.

use super::reading::waits_for_input;
use crate::Failure;
use crate::display::{Output, Sink};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use trace_view::envelope::{Envelope, Event, Reader};
use trace_view::{Bundle, PLAIN};

/// How long a finished cell's last words may take to come through the pipe.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What a cell said beside its output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// The panic that ended it, if `ended`; else the last one that something in the cell caught.
    pub(super) panic: Option<Panic>,
    /// Whether a panic ended the cell.
    pub(super) ended: bool,
    /// The error value that ended it, or that it showed.
    pub(super) failure: Option<String>,
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

/// How often the kernel looks whether a cell waits for standard input; twice in a row counts.
const LOOK: Duration = Duration::from_millis(150);

/// What a cell is asked for that reads standard input itself.
const PROMPT: &str = "standard input: ";

/// The pipes of the process for cells, and the threads that read them for as long as the kernel lives.
pub(super) struct Pump {
    folder: PathBuf,
    token: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    folder: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
    /// The pipe to the cell's standard input; closed when that has come to its end.
    answers: Mutex<Option<File>>,
    /// Whether the person at the notebook is being asked.
    asking: AtomicBool,
}

#[derive(Default)]
struct State {
    sink: Option<Arc<dyn Sink>>,
    open: [bool; 2],
    seen: Seen,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answers(&self) -> MutexGuard<'_, Option<File>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
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

impl Pump {
    /// Makes the pipes in `folder` and starts to read them.
    pub(super) fn start(folder: &Path, token: &str) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { folder: folder.to_owned(), ..Shared::default() });
        for name in ["in", "out", "err"] {
            rustix::fs::mknodat(CWD, folder.join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        }
        *shared.answers() = Some(open(folder, "in")?);
        for (source, name) in [(Source::Out, "out"), (Source::Err, "err")] {
            let pipe = open(folder, name)?;
            // A larger pipe lets a cell that prints much run on while we send; the default works too.
            let _ = rustix::pipe::fcntl_setpipe_size(&pipe, 1 << 20);
            let (shared, reader) = (Arc::clone(&shared), Reader::new(token));
            std::thread::Builder::new()
                .name(format!("cell-{name}"))
                .spawn(move || read(pipe, source, reader, &shared))?;
        }
        Ok(Self { folder: folder.to_owned(), token: token.to_owned(), shared })
    }

    /// Asks for a line whenever the process waits for standard input and has not said so.
    pub(super) fn watch_input(&self, process: impl Fn() -> Option<u32> + Send + 'static) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let watch = move || {
            let mut waited = false;
            loop {
                let state = shared.lock();
                // While no cell runs, this thread sleeps.
                let running = shared.changed.wait_while(state, |state| state.open == [false, false]);
                drop(running.unwrap_or_else(PoisonError::into_inner));
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

    /// From now on, what comes belongs to `sink`, also after the cell ended (a thread it started may still print).
    pub(super) fn begin(&self, sink: &Arc<dyn Sink>) {
        self.shared.renew_input();
        *self.shared.lock() = State { sink: Some(Arc::clone(sink)), open: [true, true], seen: Seen::default() };
        self.shared.changed.notify_all();
    }

    /// Waits until everything that the cell wrote was passed on. To be called when the cell has ended, however it did:
    /// what this writes into the pipes then stands behind everything of the cell's.
    pub(super) fn finish(&self) -> Seen {
        for name in ["out", "err"] {
            if let Ok(mut pipe) = open(&self.folder, name) {
                // If it cannot be written, the wait below ends by itself.
                let _ = pipe.write_all(&Envelope::End.encode(&self.token));
            }
        }
        let deadline = Instant::now() + LAST_WORDS;
        let mut state = self.shared.lock();
        while state.open != [false, false] {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { break };
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        std::mem::take(&mut state.seen)
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
    let sink = shared.lock().sink.clone();
    let emit = |output: Output| {
        if let Some(sink) = &sink {
            sink.emit(output);
        }
    };
    match event {
        Event::Text(text) => emit(match source {
            Source::Out => Output::Stdout(text),
            Source::Err => Output::Stderr(text),
        }),
        Event::Content { mime, text } => emit(foreign(&mime, text)),
        Event::Input { prompt, password } => answer(&prompt, password, sink.as_ref(), shared),
        Event::Envelope(envelope) => match envelope {
            Envelope::Result { bundle } => emit(Output::Result(bundle)),
            Envelope::Display { bundle, id } => emit(Output::Display { bundle, id }),
            Envelope::Update { bundle, id } => emit(Output::Update { bundle, id }),
            Envelope::Stderr { text } => emit(Output::Stderr(text)),
            Envelope::Input { prompt } => answer(&prompt, false, sink.as_ref(), shared),
            Envelope::Clear { wait } => emit(Output::Clear { wait }),
            Envelope::Failure { message } => shared.lock().seen.failure = Some(message),
            Envelope::Panic { message, file, line, thread } => {
                // What panics elsewhere (a thread of the cell's, one of polars') often ends the cell a moment later, with a panic
                // that says less.
                if let Some(thread) = thread {
                    emit(Output::Stderr(format!("a thread ({thread}) panicked: {message}\n")));
                    shared.lock().seen.panic.get_or_insert(Panic { message, file, line });
                } else {
                    shared.lock().seen.panic = Some(Panic { message, file, line });
                }
            }
            Envelope::Panicked => shared.lock().seen.ended = true,
            Envelope::End => {
                shared.lock().open[source as usize] = false;
                shared.changed.notify_all();
            }
        },
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
mod tests {
    use super::*;

    struct Collected(Mutex<Vec<Output>>);

    impl Sink for Collected {
        fn emit(&self, output: Output) {
            self.0.lock().unwrap().push(output);
        }

        fn input(&self, _: &str, _: bool) -> Result<String, Failure> {
            Ok("an answer".to_owned())
        }

        fn interrupted(&self) -> bool {
            false
        }
    }

    #[test]
    fn everything_written_before_the_end_arrives_before_finish_returns() {
        let folder = tempfile::tempdir().unwrap();
        let pump = Pump::start(folder.path(), "t").unwrap();
        let collected = Arc::new(Collected(Mutex::new(Vec::new())));
        let sink: Arc<dyn Sink> = collected.clone();
        pump.begin(&sink);
        let mut out = open(folder.path(), "out").unwrap();
        out.write_all(&vec![b'x'; 300_000]).unwrap();
        out.write_all(&Envelope::Failure { message: "no".to_owned() }.encode("t")).unwrap();
        let seen = pump.finish();
        assert_eq!(seen.failure.as_deref(), Some("no"));
        let length: usize = collected
            .0
            .lock()
            .unwrap()
            .iter()
            .map(|output| if let Output::Stdout(text) = output { text.len() } else { 0 })
            .sum();
        assert_eq!(length, 300_000);
    }
}

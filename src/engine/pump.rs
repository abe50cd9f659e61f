//! Takes what a cell prints and shows out of its pipes, in order, and passes it on.

use crate::Failure;
use crate::display::{Output, Sink};
use rustix::fs::{CWD, FileType, Mode};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use trace_view::envelope::{Envelope, Event, Reader};
use trace_view::{Bundle, PLAIN};

/// How long a finished cell's last words may take to come through the pipe.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What a cell said beside its output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// The panic that ended it.
    pub(super) panic: Option<Panic>,
    /// The error value that ended it, or that it showed.
    pub(super) failure: Option<String>,
}

/// A panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Panic {
    pub(super) message: String,
    pub(super) file: String,
    pub(super) line: u32,
}

/// The pipes of the process for cells, and the threads that read them for as long as the kernel lives.
pub(super) struct Pump {
    folder: PathBuf,
    token: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
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
}

#[derive(Clone, Copy)]
enum Source {
    Out,
    Err,
}

impl Pump {
    /// Makes the pipes in `folder` and starts to read them.
    pub(super) fn start(folder: &Path, token: &str) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        for name in ["in", "out", "err"] {
            rustix::fs::mknodat(CWD, folder.join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        }
        let answers = Arc::new(Mutex::new(open(folder, "in")?));
        for (source, name) in [(Source::Out, "out"), (Source::Err, "err")] {
            let pipe = open(folder, name)?;
            // A larger pipe lets a cell that prints much run on while we send; the default works too.
            let _ = rustix::pipe::fcntl_setpipe_size(&pipe, 1 << 20);
            let (shared, answers, reader) = (Arc::clone(&shared), Arc::clone(&answers), Reader::new(token));
            std::thread::Builder::new()
                .name(format!("cell-{name}"))
                .spawn(move || read(pipe, source, reader, &shared, &answers))?;
        }
        Ok(Self { folder: folder.to_owned(), token: token.to_owned(), shared })
    }

    /// From now on, what comes belongs to `sink`, also after the cell ended (a thread it started may still print).
    pub(super) fn begin(&self, sink: &Arc<dyn Sink>) {
        *self.shared.lock() = State { sink: Some(Arc::clone(sink)), open: [true, true], seen: Seen::default() };
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

fn read(mut pipe: File, source: Source, mut reader: Reader, shared: &Shared, answers: &Mutex<File>) {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => reader.feed(&buffer[..length], |event| pass_on(event, source, shared, answers)),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn pass_on(event: Event, source: Source, shared: &Shared, answers: &Mutex<File>) {
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
        Event::Input { prompt, password } => answer(&prompt, password, sink.as_ref(), shared, answers),
        Event::Envelope(envelope) => match envelope {
            Envelope::Result { bundle } => emit(Output::Result(bundle)),
            Envelope::Display { bundle, id } => emit(Output::Display { bundle, id }),
            Envelope::Update { bundle, id } => emit(Output::Update { bundle, id }),
            Envelope::Stderr { text } => emit(Output::Stderr(text)),
            Envelope::Input { prompt } => answer(&prompt, false, sink.as_ref(), shared, answers),
            Envelope::Clear { wait } => emit(Output::Clear { wait }),
            Envelope::Failure { message } => shared.lock().seen.failure = Some(message),
            Envelope::Panic { message, file, line } => {
                shared.lock().seen.panic.get_or_insert(Panic { message, file, line });
            }
            Envelope::End => {
                shared.lock().open[source as usize] = false;
                shared.changed.notify_all();
            }
        },
    }
}

/// Asks for a line and gives it to the cell. Without one the cell gets an empty line, so that it goes on, and fails.
fn answer(prompt: &str, password: bool, sink: Option<&Arc<dyn Sink>>, shared: &Shared, answers: &Mutex<File>) {
    let line = match sink {
        Some(sink) => sink.input(prompt, password),
        None => Err(Failure::new("InputError", "no cell is running")),
    };
    let line = line.unwrap_or_else(|failure| {
        shared.lock().seen.failure.get_or_insert(failure.evalue);
        String::new()
    });
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    // A pipe that cannot be written has lost its process, which the engine notices by itself.
    let _ = answers.write_all(format!("{}\n", line.replace('\n', " ")).as_bytes());
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

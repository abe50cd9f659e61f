//! The process in which Rust cells run: loads each compiled cell and calls it.
//!
//! evcxr starts it and speaks `LOAD_AND_RUN <file> <function>` on its standard input. Before the first cell those two
//! pipes are put aside, and standard input, output and error become the kernel's own pipes (named in the environment),
//! so that nothing a cell prints or reads can disturb the protocol, byte for byte.

use crate::channel::{send, set_cell};
use crate::rt;
use rustix::fs::OFlags;
use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::SystemTime;
use trace_view::envelope::Envelope;

/// The variable that names the folder with the kernel's pipes `in`, `out` and `err`, and with the file `cell`: the number of
/// the cell that runs, 8 bytes, little-endian.
pub const PIPES: &str = "TRACEBOOK_PIPES";

/// The variable that names the file for the steps of a cell, if the kernel logs them.
const TIMELINE: &str = "TRACEBOOK_TIMELINE";

/// Runs cells until evcxr closes the pipe; returns the exit status.
pub fn main() -> i32 {
    match run() {
        Ok(()) => 0,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "the process for Rust cells could not start: {error}");
            99
        }
    }
}

fn run() -> std::io::Result<()> {
    let folder = std::env::var_os(PIPES).ok_or_else(|| std::io::Error::other(format!("{PIPES} is not set")))?;
    let folder = Path::new(&folder);
    let commands = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    rt::keep_protocol(File::from(std::io::stdout().as_fd().try_clone_to_owned()?));
    // Read and write, so that opening never waits for the other side.
    let open = |name: &str| OpenOptions::new().read(true).write(true).open(folder.join(name));
    // Only read, so that the kernel can bring it to its end.
    let input = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(folder.join("in"))?;
    rustix::fs::fcntl_setfl(&input, OFlags::empty())?;
    rustix::stdio::dup2_stdin(input)?;
    rustix::stdio::dup2_stdout(open("out")?)?;
    rustix::stdio::dup2_stderr(open("err")?)?;
    let number = File::open(folder.join("cell"))?;
    report_panics();
    end_with_the_kernel()?;
    rt::watch_for_interrupts()?;
    trace::set_checkpoint(rt::interrupted);

    let timeline = std::env::var_os(TIMELINE);
    let mut store = std::ptr::null_mut();
    for line in BufReader::new(commands).lines() {
        let line = line?;
        let mut words = line.split(' ');
        let (Some("LOAD_AND_RUN"), Some(file), Some(function)) = (words.next(), words.next(), words.next()) else {
            return Err(std::io::Error::other(format!("not an instruction: {line}")));
        };
        follow(folder);
        rt::forget_interrupt();
        let mut cell = [0; 8];
        number.read_exact_at(&mut cell, 0)?;
        set_cell(u64::from_le_bytes(cell));
        let started = SystemTime::now();
        let function = load::load(file, function).map_err(std::io::Error::other)?;
        let loaded = SystemTime::now();
        store = function.run(store);
        // A partial line must be in the pipe before evcxr, and with it the kernel, learns that the cell has ended.
        let _ = std::io::stdout().flush();
        if let Some(timeline) = &timeline {
            let steps = step("load", started, loaded) + &step("run", loaded, SystemTime::now());
            // The kernel removes the file at the start of each cell.
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(timeline);
            let _ = file.and_then(|mut file| file.write_all(steps.as_bytes()));
        }
        load::report(store);
        rt::protocol("EVCXR_EXECUTION_COMPLETE");
    }
    Ok(())
}

/// Goes to the folder that the kernel went to (`%cd`), if it went to another since the last cell.
fn follow(pipes: &Path) {
    let file = pipes.join("cwd");
    let Ok(folder) = std::fs::read(&file) else { return };
    let _ = std::fs::remove_file(file);
    if let Err(error) = std::env::set_current_dir(std::ffi::OsStr::from_bytes(&folder)) {
        let _ = writeln!(std::io::stderr(), "Rust cells cannot follow %cd: {error}");
    }
}

/// A line of the timeline: the name of a step, its start and its end in nanoseconds since 1970.
fn step(name: &str, start: SystemTime, end: SystemTime) -> String {
    let nanoseconds = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{name} {} {}\n", nanoseconds(start), nanoseconds(end))
}

/// Ends this process when the kernel is gone, also if it was killed and a cell never comes back to read the pipe. The
/// system could signal that by itself, but it does so when the kernel's thread ends that started us.
fn end_with_the_kernel() -> std::io::Result<()> {
    use rustix::process::{Signal, getpid, getppid, kill_process};
    let kernel = getppid();
    std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
        while getppid() == kernel {
            std::thread::sleep(std::time::Duration::from_millis(250));
        }
        // Nothing is left to be said or saved, and whatever the cell does must end now.
        kill_process(getpid(), Signal::KILL)
    })?;
    Ok(())
}

/// A panic becomes an envelope: the kernel makes an error of it that points at the cell's line.
fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        if QUIET.get() {
            return;
        }
        let message = match (info.payload().downcast_ref::<&str>(), info.payload().downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "a value that is no text".to_owned(),
        };
        let (file, line) = info.location().map_or((String::new(), 0), |at| (at.file().to_owned(), at.line()));
        let thread = std::thread::current();
        let thread = (thread.name() != Some("main")).then(|| thread.name().unwrap_or("without a name").to_owned());
        send(&Envelope::Panic { message, file, line, thread });
    }));
}

thread_local! {
    /// Whether panics of this thread are nobody's.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// While this lives, a panic of this thread is not reported.
pub(crate) struct Quiet;

impl Quiet {
    pub(crate) fn enter() -> Self {
        QUIET.set(true);
        Self
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        QUIET.set(false);
    }
}

/// Calling into a compiled cell.
mod load {
    #![allow(unsafe_code)]

    use crate::store::{VariableStore, is_store};
    use std::ffi::c_void;

    type Function = extern "C" fn(*mut c_void) -> *mut c_void;

    /// A loaded cell.
    pub(super) struct Cell(Function);

    /// Loads `file` and finds its `function`.
    pub(super) fn load(file: &str, function: &str) -> Result<Cell, libloading::Error> {
        // SAFETY: the file was compiled a moment ago by the kernel from evcxr's source, which defines `function` with
        // exactly this signature; its initialisers are those of std, already loaded. See docs/unsafe.md.
        unsafe {
            let library = libloading::Library::new(file)?;
            let function = *library.get::<Function>(function.as_bytes())?;
            // Never unloaded: values of the cell's types, thread locals and statics may outlive the call.
            std::mem::forget(library);
            Ok(Cell(function))
        }
    }

    impl Cell {
        /// Calls the function with evcxr's variable store and returns the store.
        pub(super) fn run(&self, store: *mut c_void) -> *mut c_void {
            (self.0)(store)
        }
    }

    /// Reports the data frames among the variables.
    pub(super) fn report(store: *mut c_void) {
        let store = store.cast::<VariableStore>().cast_const();
        if is_store(store) {
            // SAFETY: `create_variable_store` gave out this very pointer, it is never freed, and no cell runs now that could
            // change what it points to. See docs/unsafe.md.
            crate::frames::report(unsafe { &*store });
        }
    }
}

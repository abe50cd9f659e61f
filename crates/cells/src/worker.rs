//! The worker process: loads each compiled cell and calls it.
//!
//! evcxr starts it and writes `LOAD_AND_RUN <file> <function>` to its standard input. Before the first cell, the worker moves
//! these two pipes to other descriptors and makes the kernel's own pipes (named in the environment) its standard input, output
//! and error, so that nothing a cell prints or reads can disturb the protocol.

use crate::channel::set_cell;
use crate::panics::report_panics;
use crate::{protocol, rt};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::SystemTime;
use trace::{CancellationToken, Execution};

/// The environment variable that names the folder with the kernel's pipes `in`, `out` and `err` and with the file `cell`, which
/// contains the number of the running cell: 8 bytes, little-endian.
pub const PIPES: &str = "TRACEBOOK_PIPES";

/// The environment variable that names the file for the timeline of a cell, if the kernel logs it.
const TIMELINE: &str = "TRACEBOOK_TIMELINE";

/// Runs cells until evcxr closes the pipe; returns the exit status.
pub fn main() -> i32 {
    match run() {
        Ok(()) => 0,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "cannot start the process for Rust cells: {error}");
            99
        }
    }
}

fn run() -> std::io::Result<()> {
    let folder = std::env::var_os(PIPES).ok_or_else(|| std::io::Error::other(format!("{PIPES} is not set")))?;
    let folder = Path::new(&folder);
    let commands = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    protocol::set_pipe(File::from(std::io::stdout().as_fd().try_clone_to_owned()?));
    // Opened for reading and writing, so that it never blocks until the kernel opens the other end.
    let open = |name: &str| OpenOptions::new().read(true).write(true).open(folder.join(name));
    // Opened for reading only, so that the kernel can end it by closing its end.
    let input = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(folder.join("in"))?;
    rustix::fs::fcntl_setfl(&input, OFlags::empty())?;
    rustix::stdio::dup2_stdin(input)?;
    rustix::stdio::dup2_stdout(open("out")?)?;
    rustix::stdio::dup2_stderr(open("err")?)?;
    let number = File::open(folder.join("cell"))?;
    report_panics();
    watch_kernel()?;
    rt::watch_for_interrupts()?;
    let execution = execution();

    let timeline = std::env::var_os(TIMELINE);
    let mut store = std::ptr::null_mut();
    for line in BufReader::new(commands).lines() {
        let line = line?;
        let mut words = line.split(' ');
        let (Some("LOAD_AND_RUN"), Some(file), Some(function)) = (words.next(), words.next(), words.next()) else {
            return Err(std::io::Error::other(format!(
                "unknown instruction `{line}`: expected LOAD_AND_RUN FILE FUNCTION"
            )));
        };
        enter_folder(folder);
        rt::clear_interrupt();
        let mut cell = [0; 8];
        number.read_exact_at(&mut cell, 0)?;
        set_cell(u64::from_le_bytes(cell));
        let started = SystemTime::now();
        let function = load::load(file, function).map_err(std::io::Error::other)?;
        let loaded = SystemTime::now();
        store = execution.run(|| function.run(store));
        // A partial line must be in the pipe before evcxr, and through it the kernel, learns that the cell has ended.
        let _ = std::io::stdout().flush();
        if let Some(timeline) = &timeline {
            let spans = span("load", started, loaded) + &span("run", loaded, SystemTime::now());
            // The kernel removes the file at the start of each cell.
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(timeline);
            let _ = file.and_then(|mut file| file.write_all(spans.as_bytes()));
        }
        load::report(store);
        protocol::send_line("EVCXR_EXECUTION_COMPLETE");
    }
    Ok(())
}

/// Returns the execution context of the thread that runs cells.
fn execution() -> Execution {
    let memory = std::env::var_os(trace::MEMORY_VARIABLE).unwrap_or_default();
    let timeout = std::env::var_os(trace::STORAGE_TIMEOUT_VARIABLE).unwrap_or_default();
    let interrupted = CancellationToken::new(rt::interrupted);
    let execution = Execution::new().memory_setting(&memory.to_string_lossy()).cancellation(interrupted);
    execution.storage_timeout_setting(&timeout.to_string_lossy())
}

/// Changes to the current folder of the kernel, if `%cd` changed it since the last cell.
fn enter_folder(pipes: &Path) {
    let file = pipes.join("cwd");
    let Ok(folder) = std::fs::read(&file) else { return };
    let _ = std::fs::remove_file(file);
    if let Err(error) = std::env::set_current_dir(std::ffi::OsStr::from_bytes(&folder)) {
        let _ = writeln!(std::io::stderr(), "cannot change the folder of Rust cells after %cd: {error}");
    }
}

/// Formats a line of the timeline: a name, a start and an end in nanoseconds since 1970.
fn span(name: &str, start: SystemTime, end: SystemTime) -> String {
    let nanoseconds = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{name} {} {}\n", nanoseconds(start), nanoseconds(end))
}

/// Ends this process when the kernel is gone, even if the kernel was killed and a cell never returns to read the pipe.
/// `PR_SET_PDEATHSIG` does not serve: it fires when the kernel's thread ends that started this process.
fn watch_kernel() -> std::io::Result<()> {
    use rustix::process::{Signal, getpid, getppid, kill_process};
    let kernel = getppid();
    std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
        while getppid() == kernel {
            std::thread::sleep(std::time::Duration::from_millis(250));
        }
        // Nothing is left to report or save; the cell ends wherever it is.
        kill_process(getpid(), Signal::KILL)
    })?;
    Ok(())
}

/// Loads compiled cells and calls them.
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

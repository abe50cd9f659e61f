//! Compiles a cell without cargo: one call of rustc against the prebuilt dylib.

use super::compiler::{self, CELL_CRATE};
use super::environment;
use super::linker::Linker;
use super::named::{Bound, Named};
use super::probe;
use super::ready::{Kept, Outcome};
use super::toolchain::CellsKit;
use super::waiting::Waiting;
use crate::sync::lock;
use crate::timeline;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

/// A cell to compile.
pub(super) struct Job<'a> {
    /// The folder of evcxr's crate; the source is in `src/lib.rs`, changed by `source::adapt`.
    pub(super) crate_folder: &'a Path,
    pub(super) run_folder: &'a Path,
    pub(super) kit: &'a CellsKit,
    /// The compiler that evcxr wants.
    pub(super) rustc: &'a OsStr,
    pub(super) linker: &'a Linker,
    /// Only the types are wanted.
    pub(super) analyse: bool,
    /// The variables whose types the compiler is to name.
    pub(super) bound: &'a [Bound],
    /// Whether the last cell compiled. One that does not is compiled again and again by evcxr.
    pub(super) expect_success: bool,
    /// If the compiler is to be a process group of its own: is told its number.
    pub(super) started: Option<&'a dyn Fn(u32)>,
    /// A compiler that was started ahead.
    pub(super) waiting: &'a Mutex<Option<Waiting>>,
}

/// How rustc's allocator (jemalloc) is set.
const ALLOCATOR: &str = "MALLOC_CONF";

/// Large pages, and none given back: half of the page faults of a process that lives for 0.1 s, a tenth of its time.
const LARGE_PAGES: &str = "thp:always,metadata_thp:always,dirty_decay_ms:-1";

/// What became of a cell: the library (none for an analysis), or what the compiler said against it.
pub(super) type Compiled = Result<Option<PathBuf>, String>;

impl Job<'_> {
    /// Compiles the cell.
    pub(super) fn compile(&self) -> Compiled {
        let folder = self.crate_folder.join("direct");
        std::fs::create_dir_all(&folder).map_err(|error| format!("the folder of compiled cells: {error}"))?;
        let manifest = std::fs::read_to_string(self.crate_folder.join("Cargo.toml")).unwrap_or_default();
        let level = manifest.lines().find_map(|line| line.strip_prefix("opt-level = ")).unwrap_or("0");
        let level = if compiler::is_optimised(self.run_folder) { "2" } else { level };
        let library = folder.join(format!("lib{CELL_CRATE}.so"));
        if self.analyse {
            return self.run(self.command(&folder, level), false, None).map(|()| None);
        }
        let source = std::fs::read_to_string(self.crate_folder.join("src/lib.rs")).unwrap_or_default();
        let kept = Kept::of(self.kit, Some(self.run_folder), &source, level);
        match kept.as_ref().and_then(Kept::outcome) {
            Some(Outcome::Messages(messages)) => return Err(messages),
            Some(Outcome::Library(compiled)) if std::fs::copy(&compiled, &library).is_ok() => return Ok(Some(library)),
            _ => {}
        }
        let outcome = self.link(&folder, level, &source);
        if let Err(messages) = &outcome {
            probe::keep_unkept(self.run_folder, messages);
        }
        if let Some(kept) = kept {
            kept.keep(&match &outcome {
                Ok(()) => Outcome::Library(library.clone()),
                Err(messages) => Outcome::Messages(messages.clone()),
            });
        }
        outcome.map(|()| Some(library))
    }

    /// Compiles and links; by `cc` where the direct way fails.
    fn link(&self, folder: &Path, level: &str, source: &str) -> Result<(), String> {
        let name = self.started.is_some() && (self.expect_success || !self.bound.is_empty());
        let (rustc, direct) = self.linked(folder, level);
        let outcome = self.run(rustc, name, Some(source).filter(|_| name));
        let Err(messages) = &outcome else { return outcome };
        if direct && Linker::failed(messages) {
            let again = self.run(self.command(folder, level), name, None);
            if again.is_ok() {
                self.linker.give_up(messages);
            }
            return again;
        }
        if name && self.bound.is_empty() && messages.contains("\"level\":\"error\"") {
            // In the words for people, with short names of types.
            return self.run(self.command(folder, level), false, None);
        }
        outcome
    }

    /// Starts the compiler of the next cell, which [`compile`](Self::compile) then finds waiting.
    pub(super) fn start_ahead(&self) {
        let (mut rustc, _) = self.linked(&self.crate_folder.join("direct"), "0");
        self.prepare(&mut rustc, true);
        match Waiting::start(rustc, &self.crate_folder.join("ahead")) {
            Ok(waiting) => *lock(self.waiting) = Some(waiting),
            Err(error) => tracing::warn!("cells take longer to compile: {error}"),
        }
    }

    /// The call that links, directly if it can be.
    fn linked(&self, folder: &Path, level: &str) -> (Command, bool) {
        let mut rustc = self.command(folder, level);
        let direct = self.linker.apply(&mut rustc);
        (rustc, direct)
    }

    fn command(&self, folder: &Path, level: &str) -> Command {
        let mut rustc = Command::new(self.rustc);
        environment::restore(&mut rustc);
        rustc.current_dir(self.crate_folder);
        probe::keep_private(&mut rustc, self.run_folder);
        if std::env::var_os(ALLOCATOR).is_none() {
            rustc.env(ALLOCATOR, LARGE_PAGES);
        }
        rustc.args(["--crate-name", CELL_CRATE, "--edition", "2024", "src/lib.rs", "--crate-type", "cdylib"]);
        rustc.args(["--error-format=json", "--json=diagnostic-rendered-ansi", "--out-dir"]).arg(folder);
        // An overflow is an error at every level; the checks inside std would slow an optimised loop down.
        let assertions = if level == "0" { "on" } else { "off" };
        rustc.args(["-C", "debuginfo=0", "-C", "overflow-checks=on"]);
        rustc.arg(format!("-Cdebug-assertions={assertions}")).arg(format!("-Copt-level={level}"));
        if self.analyse {
            rustc.arg("--emit=metadata");
        }
        link_to_be_loaded(&mut rustc, self.kit);
        rustc
    }

    fn prepare(&self, rustc: &mut Command, name: bool) {
        if timeline::is_on() {
            // The only way to learn when the linker runs; unstable, and asked for only when this is logged.
            rustc.args(["--json=timings", "-Zunstable-options"]).env("RUSTC_BOOTSTRAP", "1");
        }
        probe::prepare(rustc, self.analyse, name);
    }

    /// Runs the compiler, with `name` so that it tells types. With the source, one that waits will do.
    fn run(&self, mut rustc: Command, name: bool, source: Option<&str>) -> Result<(), String> {
        self.prepare(&mut rustc, name);
        let _step = timeline::step("rustc");
        let waiting = source.and_then(|source| Some((lock(self.waiting).take()?, source)));
        let fed = waiting.and_then(|(waiting, source)| waiting.compile(&rustc, source));
        let started = fed.map_or_else(|| probe::start(rustc, self.started.is_some()), Ok);
        let child = started.map_err(|error| format!("rustc cannot be started: {error}"))?;
        if let Some(started) = self.started {
            started(child.id());
        }
        let mut messages = String::new();
        let mut linking = None;
        let mut say = |line: &str| {
            if let Some(start) = probe::linking(line) {
                match linking.take().filter(|_| !start) {
                    Some(since) => timeline::add("link", since, Some(SystemTime::now())),
                    None => linking = Some(SystemTime::now()),
                }
            } else if !line.contains("\"section_timing\"") {
                messages.push_str(line);
                messages.push('\n');
            }
        };
        let analysis = self.analyse.then_some(self.run_folder);
        let (status, types) = probe::finish(child, analysis, &mut say);
        if status != 0 {
            return Err(messages);
        }
        if name && !self.bound.is_empty() {
            let named = Named::read(self.run_folder).add(self.bound, &types);
            return named.map_err(|name| format!("the type of `{name}` cannot be written"));
        }
        Ok(())
    }
}

/// Makes the dylib known to rustc: all of it, so that it can be linked together with crates of the user's.
pub(super) fn link_cells(rustc: &mut Command, kit: &CellsKit) {
    link(rustc, kit, &kit.library());
}

/// Makes the dylib known to rustc, for a cell that nothing but the process for cells will load.
fn link_to_be_loaded(rustc: &mut Command, kit: &CellsKit) {
    let stub = kit.stub();
    link(rustc, kit, &if stub.is_file() { stub } else { kit.library() });
}

fn link(rustc: &mut Command, kit: &CellsKit, cells: &Path) {
    rustc.args(["-C", "prefer-dynamic", "-C", "rpath"]);
    rustc.arg("-L").arg(prefixed("dependency=", &kit.metadata()));
    rustc.arg("-L").arg(prefixed("native=", kit.folder()));
    rustc.arg("--extern").arg(prefixed("cells=", cells));
}

fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

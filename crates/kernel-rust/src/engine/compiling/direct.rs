//! The compilation of a cell without cargo: one call of rustc against the prebuilt dylib.

use super::linker::Linker;
use super::prestarted::Prestarted;
use super::rustc;
use super::startup_cache::{CacheEntry, CachedResult};
use super::toolchain::CellsToolchain;
use crate::engine::patching::cell_crate::{self, CELL_CRATE};
use crate::engine::patching::environment;
use crate::engine::patching::placeholders::{Placeholder, TypeNames};
use crate::sync::lock;
use crate::timeline;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

/// A cell to compile.
pub(in crate::engine) struct CompileJob<'a> {
    /// The folder of evcxr's crate; the source is in `src/lib.rs`, rewritten by `evcxr_source::rewrite`.
    pub(in crate::engine) crate_folder: &'a Path,
    pub(in crate::engine) run_folder: &'a Path,
    pub(in crate::engine) toolchain: &'a CellsToolchain,
    /// The compiler that evcxr asks for.
    pub(in crate::engine) rustc: &'a OsStr,
    pub(in crate::engine) linker: &'a Linker,
    /// Whether only the types of variables are wanted.
    pub(in crate::engine) analyse: bool,
    /// The placeholders whose types the compiler is to name.
    pub(in crate::engine) placeholders: &'a [Placeholder],
    /// Whether the last cell compiled. evcxr compiles one that does not several times.
    pub(in crate::engine) expect_success: bool,
    /// Function that gets the number of the compiler's process group; `None`: the compiler stays in the group of this process.
    pub(in crate::engine) started: Option<&'a dyn Fn(u32)>,
    /// A compiler that was started ahead.
    pub(in crate::engine) prestarted: &'a Mutex<Option<Prestarted>>,
}

/// The variable that configures rustc's allocator (jemalloc).
const ALLOCATOR: &str = "MALLOC_CONF";

/// Large pages that are never returned: half the page faults of a process that lives for 0.1 s, a tenth of its time.
const LARGE_PAGES: &str = "thp:always,metadata_thp:always,dirty_decay_ms:-1";

/// The result of a compilation: the library (none for an analysis), or the messages of the compiler.
pub(in crate::engine) type Compiled = Result<Option<PathBuf>, String>;

impl CompileJob<'_> {
    /// Compiles the cell.
    pub(in crate::engine) fn compile(&self) -> Compiled {
        let folder = self.crate_folder.join("direct");
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot create the folder of compiled cells: {error}"))?;
        let manifest = std::fs::read_to_string(self.crate_folder.join("Cargo.toml")).unwrap_or_default();
        let level = manifest.lines().find_map(|line| line.strip_prefix("opt-level = ")).unwrap_or("0");
        let level = if cell_crate::is_optimised(self.run_folder) { "2" } else { level };
        let library = folder.join(format!("lib{CELL_CRATE}.so"));
        if self.analyse {
            return self.run(self.command(&folder, level), false, None).map(|()| None);
        }
        let source = std::fs::read_to_string(self.crate_folder.join("src/lib.rs")).unwrap_or_default();
        let cached = CacheEntry::of(self.toolchain, Some(self.run_folder), &source, level);
        match cached.as_ref().and_then(CacheEntry::load) {
            Some(CachedResult::Messages(messages)) => return Err(messages),
            Some(CachedResult::Library(compiled)) if std::fs::copy(&compiled, &library).is_ok() => {
                return Ok(Some(library));
            }
            _ => {}
        }
        let result = self.link(&folder, level, &source);
        if let Err(messages) = &result {
            rustc::store_unstorable(self.run_folder, messages);
        }
        if let Some(cached) = cached {
            cached.store(&match &result {
                Ok(()) => CachedResult::Library(library.clone()),
                Err(messages) => CachedResult::Messages(messages.clone()),
            });
        }
        result.map(|()| Some(library))
    }

    /// Compiles and links; by `cc` where direct linking fails.
    fn link(&self, folder: &Path, level: &str, source: &str) -> Result<(), String> {
        let name_types = self.started.is_some() && (self.expect_success || !self.placeholders.is_empty());
        let (rustc, direct) = self.linked(folder, level);
        let result = self.run(rustc, name_types, Some(source).filter(|_| name_types));
        let Err(messages) = &result else { return result };
        if direct && Linker::failed(messages) {
            let again = self.run(self.command(folder, level), name_types, None);
            if again.is_ok() {
                self.linker.give_up(messages);
            }
            return again;
        }
        if name_types && self.placeholders.is_empty() && messages.contains("\"level\":\"error\"") {
            // Once more, for messages with short names of types.
            return self.run(self.command(folder, level), false, None);
        }
        result
    }

    /// Starts the compiler of the next cell, for a later [`compile`](Self::compile).
    pub(in crate::engine) fn prestart(&self) {
        let (mut rustc, _) = self.linked(&self.crate_folder.join("direct"), "0");
        self.prepare(&mut rustc, true);
        match Prestarted::start(rustc, &self.crate_folder.join("ahead")) {
            Ok(prestarted) => *lock(self.prestarted) = Some(prestarted),
            Err(error) => tracing::warn!("cells take longer to compile: {error}"),
        }
    }

    /// Returns the call of rustc that links, and whether it links directly.
    fn linked(&self, folder: &Path, level: &str) -> (Command, bool) {
        let mut rustc = self.command(folder, level);
        let direct = self.linker.apply(&mut rustc);
        (rustc, direct)
    }

    /// Returns the call of rustc, which links by `cc`.
    fn command(&self, folder: &Path, level: &str) -> Command {
        let mut rustc = Command::new(self.rustc);
        environment::restore(&mut rustc);
        rustc.current_dir(self.crate_folder);
        rustc::keep_private(&mut rustc, self.run_folder);
        if std::env::var_os(ALLOCATOR).is_none() {
            rustc.env(ALLOCATOR, LARGE_PAGES);
        }
        rustc.args(["--crate-name", CELL_CRATE, "--edition", "2024", "src/lib.rs", "--crate-type", "cdylib"]);
        rustc.args(["--error-format=json", "--json=diagnostic-rendered-ansi", "--out-dir"]).arg(folder);
        // An overflow is an error at every level; the checks inside std would slow optimised loops down.
        let assertions = if level == "0" { "on" } else { "off" };
        rustc.args(["-C", "debuginfo=0", "-C", "overflow-checks=on"]);
        rustc.arg(format!("-Cdebug-assertions={assertions}")).arg(format!("-Copt-level={level}"));
        if self.analyse {
            rustc.arg("--emit=metadata");
        }
        link_stub(&mut rustc, self.toolchain);
        rustc
    }

    fn prepare(&self, rustc: &mut Command, name_types: bool) {
        if timeline::is_on() {
            // The only way to learn when the linker runs; unstable, and used only for the log.
            rustc.args(["--json=timings", "-Zunstable-options"]).env("RUSTC_BOOTSTRAP", "1");
        }
        rustc::add_type_flags(rustc, self.analyse, name_types);
    }

    /// Runs the compiler; with `name_types` it names the types of placeholders. Where `source` is known, a prestarted compiler is used.
    fn run(&self, mut rustc: Command, name_types: bool, source: Option<&str>) -> Result<(), String> {
        self.prepare(&mut rustc, name_types);
        let _step = timeline::step("rustc");
        let prestarted = source.and_then(|source| Some((lock(self.prestarted).take()?, source)));
        let fed = prestarted.and_then(|(prestarted, source)| prestarted.feed(&rustc, source));
        let started = fed.map_or_else(|| rustc::start(rustc, self.started.is_some()), Ok);
        let child = started.map_err(|error| format!("cannot start rustc: {error}"))?;
        if let Some(started) = self.started {
            started(child.id());
        }
        let mut messages = String::new();
        let mut linking = None;
        let mut message = |line: &str| {
            if let Some(start) = rustc::linking(line) {
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
        let (status, types) = rustc::finish(child, analysis, &mut message);
        if status != 0 {
            return Err(messages);
        }
        if name_types && !self.placeholders.is_empty() {
            let added = TypeNames::load(self.run_folder).add(self.placeholders, &types);
            return added.map_err(|name| format!("cannot write the type of `{name}`"));
        }
        Ok(())
    }
}

/// Links the dylib itself, so that the cell can also link crates of the user's.
pub(super) fn link_cells(rustc: &mut Command, toolchain: &CellsToolchain) {
    link(rustc, toolchain, &toolchain.library());
}

/// Links the stub of the dylib, for a cell that only the worker process will load.
fn link_stub(rustc: &mut Command, toolchain: &CellsToolchain) {
    let stub = toolchain.stub();
    link(rustc, toolchain, &if stub.is_file() { stub } else { toolchain.library() });
}

fn link(rustc: &mut Command, toolchain: &CellsToolchain, cells: &Path) {
    rustc.args(["-C", "prefer-dynamic", "-C", "rpath"]);
    rustc.arg("-L").arg(prefixed("dependency=", &toolchain.metadata()));
    rustc.arg("-L").arg(prefixed("native=", toolchain.folder()));
    rustc.arg("--extern").arg(prefixed("cells=", cells));
}

fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

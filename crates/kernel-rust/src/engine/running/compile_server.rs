//! The server in the kernel that compiles cells, at the request of the `mold` script.
//!
//! A request is a line `PROCESS COMMAND RUSTC`, an answer `PROCESS STATUS`. The status is `0`; `1` with the compiler's messages in
//! a file; or `program`: the script calls our binary, which uses cargo (see `wrapper`).

use super::interrupt::InterruptControl;
use crate::engine::compiling::direct::{CompileJob, Compiled};
use crate::engine::compiling::linker::Linker;
use crate::engine::compiling::moved;
use crate::engine::compiling::prestarted::Prestarted;
use crate::engine::compiling::process_group::ProcessGroup;
use crate::engine::compiling::toolchain::CellsToolchain;
use crate::engine::patching::cell_crate::{self, CRATE_FOLDER};
use crate::engine::patching::evcxr_source;
use crate::engine::patching::mold_script::{ANSWERS, MESSAGES, REQUESTS};
use crate::engine::patching::placeholders::Placeholder;
use crate::timeline;
use rustix::fs::{CWD, FileType, Mode};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// The file in the crate's folder from which evcxr reads the path of a compiled cell. evcxr removes it before it compiles.
const LIBRARY_FILE: &str = ".evcxr-execution-so";
/// The file in the run's folder that exists once cells set variables for their compilation (`:build_env`).
const OWN_ENVIRONMENT: &str = "build-env";

/// Leaves all compilations that follow to our binary, which runs in the environment that evcxr sets.
pub(super) fn leave_to_program(run_folder: &Path) {
    let _ = std::fs::write(run_folder.join(OWN_ENVIRONMENT), "");
}

/// Whether the server compiles the next cell, unless that adds a dependency.
pub(in crate::engine) fn compiles(run_folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(run_folder.join(CRATE_FOLDER).join("Cargo.toml")).unwrap_or_default();
    run_folder.join(REQUESTS).exists()
        && !run_folder.join(OWN_ENVIRONMENT).exists()
        && !cell_crate::has_dependencies(&manifest)
}

/// Removes the record of the last compiled cell.
pub(super) fn forget_compiled(run_folder: &Path) {
    let _ = std::fs::remove_file(run_folder.join(CRATE_FOLDER).join(LIBRARY_FILE));
}

/// Whether a cell was compiled since [`forget_compiled`].
pub(super) fn has_compiled(run_folder: &Path) -> bool {
    run_folder.join(CRATE_FOLDER).join(LIBRARY_FILE).exists()
}

/// Starts the thread that compiles cells until the kernel ends.
///
/// # Errors
/// If the pipes or the thread cannot be created. Our binary compiles then.
pub(in crate::engine) fn start(
    run_folder: &Path,
    toolchain: &CellsToolchain,
    control: &Arc<InterruptControl>,
) -> std::io::Result<()> {
    let open = |name: &str| {
        let path = run_folder.join(name);
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        // For both directions, so that opening never blocks; when the kernel is gone, the script meets the end of its pipe.
        OpenOptions::new().read(true).write(true).open(path)
    };
    let (answers, requests) = (open(ANSWERS)?, open(REQUESTS)?);
    let server = Server {
        run_folder: run_folder.to_owned(),
        toolchain: toolchain.clone(),
        control: Arc::clone(control),
        linker: None,
        failed: false,
        refused: None,
        prestarted: Mutex::default(),
        answers,
    };
    std::thread::Builder::new().name("compiler".to_owned()).spawn(move || server.serve(requests)).map(drop)
}

/// The state of the thread that compiles.
struct Server {
    run_folder: PathBuf,
    toolchain: CellsToolchain,
    control: Arc<InterruptControl>,
    /// The linker, with the compiler that it belongs to.
    linker: Option<(PathBuf, Linker)>,
    /// Whether the compilation of the last cell failed.
    failed: bool,
    /// The placeholders of a cell that does not compile, with the compiler's messages.
    refused: Option<(Vec<Placeholder>, String)>,
    /// The compiler of the next cell.
    prestarted: Mutex<Option<Prestarted>>,
    answers: File,
}

impl Server {
    fn serve(mut self, requests: File) {
        for line in BufReader::new(requests).lines().map_while(Result::ok) {
            let mut words = line.splitn(3, ' ');
            let (Some(process), Some(command), Some(rustc)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let status = self.answer(command == "check", Path::new(rustc));
            // Written at once. The answer of a script that is gone is skipped by the next script.
            let _ = self.answers.write_all(format!("{process} {status}\n").as_bytes());
            if status != "program" && self.prestarted.get_mut().is_ok_and(|prestarted| prestarted.is_none()) {
                self.job(false, &[], Path::new(rustc), None, |job| job.prestart());
            }
        }
    }

    fn answer(&mut self, analyse: bool, rustc: &Path) -> &'static str {
        let crate_folder = self.run_folder.join(CRATE_FOLDER);
        let source = crate_folder.join("src").join("lib.rs");
        if let Ok(written) = std::fs::metadata(&source).and_then(|file| file.modified()) {
            timeline::add("spawn", written, Some(SystemTime::now()));
        }
        if rustc.as_os_str().is_empty() || !compiles(&self.run_folder) {
            return "program";
        }
        // Requested before the compiler was started: evcxr takes long to write a cell of many variables.
        if self.control.is_stopping() {
            return "1";
        }
        let compiled = match evcxr_source::rewrite(&source, &self.run_folder, analyse) {
            Ok(placeholders) => self.compile(analyse, &placeholders, rustc),
            Err(error) => Err(format!("cannot rewrite the cell's source: {error}")),
        };
        let answer_file = crate_folder.join(LIBRARY_FILE);
        let reported = match compiled {
            Ok(Some(library)) => cell_crate::report_library(&library, Some(answer_file)),
            Ok(None) => Ok(()),
            Err(messages) => Err(messages),
        };
        match reported {
            Ok(()) => "0",
            Err(messages) => {
                let _ = std::fs::write(self.run_folder.join(MESSAGES), moved::without_advice(messages));
                "1"
            }
        }
    }

    fn compile(&mut self, analyse: bool, placeholders: &[Placeholder], rustc: &Path) -> Compiled {
        // evcxr compiles once more for a better message, which is not shown: the cell is analysed next.
        if let Some((refused, messages)) = &self.refused
            && !placeholders.is_empty()
            && refused == placeholders
        {
            return Err(messages.clone());
        }
        let group = ProcessGroup::of_children(&self.run_folder);
        let started = |number| group.set(number);
        let run_folder = self.run_folder.clone();
        let source = run_folder.join(CRATE_FOLDER).join("src").join("lib.rs");
        let mut compile = || self.job(analyse, placeholders, rustc, Some(&started), |job| job.compile());
        let compiled = if analyse { compile() } else { moved::with_clones_compiled(&source, &run_folder, compile) };
        self.failed = compiled.is_err();
        let moved = |messages: &String| messages.contains("\"code\":\"E0382\"");
        self.refused = compiled.as_ref().err().filter(|it| !moved(it)).map(|it| (placeholders.to_vec(), it.clone()));
        compiled
    }

    /// Calls `act` with a job for the crate of the run.
    fn job<T>(
        &mut self,
        analyse: bool,
        placeholders: &[Placeholder],
        rustc: &Path,
        started: Option<&dyn Fn(u32)>,
        act: impl FnOnce(CompileJob<'_>) -> T,
    ) -> T {
        let (crate_folder, run_folder) = (self.run_folder.join(CRATE_FOLDER), &self.run_folder);
        let (_, linker) = match self.linker.take() {
            Some(found) if found.0 == rustc => self.linker.insert(found),
            _ => self.linker.insert((rustc.to_owned(), Linker::find(rustc, run_folder))),
        };
        act(CompileJob {
            crate_folder: &crate_folder,
            run_folder,
            toolchain: &self.toolchain,
            rustc: rustc.as_os_str(),
            linker,
            analyse,
            placeholders,
            expect_success: !self.failed,
            started,
            prestarted: &self.prestarted,
        })
    }
}

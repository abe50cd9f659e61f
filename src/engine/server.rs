//! Compiles cells in the kernel's own process, at the request of a script.
//!
//! evcxr starts `mold -run cargo build …` for each cell. A script stands there as `mold`: it starts in 1 ms, asks through
//! one named pipe and reads the answer from another. A request is `PROCESS COMMAND RUSTC`, an answer `PROCESS STATUS`: 0;
//! 1, and what the compiler said is in a file; or `program`: the script is to call our binary, which does what evcxr wants
//! with cargo (see `compiler`).

use super::compiler::{self, Group};
use super::direct::{Compiled, Job};
use super::interrupt::Control;
use super::linker::Linker;
use super::named::Bound;
use super::source;
use super::toolchain::CellsKit;
use super::waiting::Waiting;
use crate::timeline;
use rustix::fs::{CWD, FileType, Mode};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

const ASK: &str = "compile.ask";
const ANSWER: &str = "compile.answer";
const MESSAGES: &str = "compile.messages";
/// evcxr's crate, in the run's folder.
const CRATE_FOLDER: &str = "evcxr";
/// Where evcxr reads the path of a compiled cell, in its crate's folder. It removes the file before it compiles.
const ANSWER_FILE: &str = ".evcxr-execution-so";
/// Is in the run's folder when cells want variables of their own while they are compiled (`:build_env`).
const OWN_ENVIRONMENT: &str = "build-env";

/// Writes the script to `file`; it speaks with the server of `run_folder`, or calls `program` as `mold`.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_script(file: &Path, run_folder: &Path, program: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"));
    let [ask, answer, messages] = [ASK, ANSWER, MESSAGES].map(|name| quoted(&run_folder.join(name)));
    let program = quoted(program);
    let script = format!(
        "#!/bin/sh\n\
         command=$3\n\
         [ \"$command\" = --offline ] && command=$4\n\
         if [ -p {ask} ] && {{ [ \"$command\" = build ] || [ \"$command\" = check ]; }}; then\n\
         exec 4<{answer}\n\
         echo \"$$ $command $RUSTC\" >{ask}\n\
         while read -r process status <&4; do\n\
         [ \"$process\" = $$ ] && break\n\
         done\n\
         case $status in\n\
         0) exit 0 ;;\n\
         program) ;;\n\
         *) cat {messages} >&2; exit 1 ;;\n\
         esac\n\
         fi\n\
         exec 4<&-\n\
         exec {program} \"$@\"\n"
    );
    std::fs::write(file, script)?;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o700))
}

/// From now on our binary compiles, in the environment that evcxr sets.
pub(super) fn leave_to_program(run_folder: &Path) {
    let _ = std::fs::write(run_folder.join(OWN_ENVIRONMENT), "");
}

/// Whether the next cell will be compiled here, unless it says that it has dependencies.
pub(super) fn compiles(run_folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(run_folder.join(CRATE_FOLDER).join("Cargo.toml")).unwrap_or_default();
    run_folder.join(ASK).exists()
        && !run_folder.join(OWN_ENVIRONMENT).exists()
        && !compiler::has_dependencies(&manifest)
}

/// Forgets which cell was compiled last.
pub(super) fn forget_compiled(run_folder: &Path) {
    let _ = std::fs::remove_file(run_folder.join(CRATE_FOLDER).join(ANSWER_FILE));
}

/// Whether a cell was compiled since [`forget_compiled`].
pub(super) fn has_compiled(run_folder: &Path) -> bool {
    run_folder.join(CRATE_FOLDER).join(ANSWER_FILE).exists()
}

/// Starts the thread that compiles, for as long as the kernel lives.
///
/// # Errors
/// If the pipes or the thread cannot be made. Without them our binary compiles.
pub(super) fn start(run_folder: &Path, kit: &CellsKit, control: &Arc<Control>) -> std::io::Result<()> {
    let open = |name: &str| {
        let path = run_folder.join(name);
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        // For both directions, so that opening never waits; when the kernel is gone, the script's pipe comes to its end.
        OpenOptions::new().read(true).write(true).open(path)
    };
    let (answers, requests) = (open(ANSWER)?, open(ASK)?);
    let server = Server {
        run_folder: run_folder.to_owned(),
        kit: kit.clone(),
        control: Arc::clone(control),
        linker: None,
        failed: false,
        refused: None,
        waiting: Mutex::default(),
        answers,
    };
    std::thread::Builder::new().name("compiler".to_owned()).spawn(move || server.serve(requests)).map(drop)
}

struct Server {
    run_folder: PathBuf,
    kit: CellsKit,
    control: Arc<Control>,
    /// With the compiler that it belongs to.
    linker: Option<(PathBuf, Linker)>,
    /// Whether the last cell did not compile.
    failed: bool,
    /// A cell with types to be named that does not compile, and why.
    refused: Option<(Vec<Bound>, String)>,
    /// The compiler of the next cell.
    waiting: Mutex<Option<Waiting>>,
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
            // In one piece; a script that is gone leaves its answer to the next one, which skips it.
            let _ = self.answers.write_all(format!("{process} {status}\n").as_bytes());
            if status != "program" && self.waiting.get_mut().is_ok_and(|waiting| waiting.is_none()) {
                self.job(false, &[], Path::new(rustc), None, |job| job.start_ahead());
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
        // An interrupt request that came before the compiler was started: evcxr takes long to write a cell of many variables.
        if self.control.is_stopping() {
            return "1";
        }
        let compiled = match source::adapt(&source, &self.run_folder, analyse) {
            Ok(bound) => self.compile(analyse, &bound, rustc),
            Err(error) => Err(format!("the cell's source: {error}")),
        };
        let answer_file = crate_folder.join(ANSWER_FILE);
        let handed_over = match compiled {
            Ok(Some(library)) => compiler::hand_over(&library, Some(answer_file)),
            Ok(None) => Ok(()),
            Err(messages) => Err(messages),
        };
        match handed_over {
            Ok(()) => "0",
            Err(messages) => {
                let _ = std::fs::write(self.run_folder.join(MESSAGES), messages);
                "1"
            }
        }
    }

    fn compile(&mut self, analyse: bool, bound: &[Bound], rustc: &Path) -> Compiled {
        // evcxr tries once more to get a better message. It is not shown: the cell is analysed next.
        if let Some((refused, messages)) = &self.refused
            && !bound.is_empty()
            && refused == bound
        {
            return Err(messages.clone());
        }
        let group = Group::of_children(&self.run_folder);
        let started = |number| group.set(number);
        let compiled = self.job(analyse, bound, rustc, Some(&started), |job| job.compile());
        self.failed = compiled.is_err();
        let moved = |messages: &String| messages.contains("\"code\":\"E0382\"");
        self.refused = compiled.as_ref().err().filter(|it| !moved(it)).map(|it| (bound.to_vec(), it.clone()));
        compiled
    }

    /// Does this with a call of the compiler.
    fn job<T>(
        &mut self,
        analyse: bool,
        bound: &[Bound],
        rustc: &Path,
        started: Option<&dyn Fn(u32)>,
        act: impl FnOnce(Job<'_>) -> T,
    ) -> T {
        let (crate_folder, run_folder) = (self.run_folder.join(CRATE_FOLDER), &self.run_folder);
        let (_, linker) = match self.linker.take() {
            Some(found) if found.0 == rustc => self.linker.insert(found),
            _ => self.linker.insert((rustc.to_owned(), Linker::find(rustc, run_folder))),
        };
        act(Job {
            crate_folder: &crate_folder,
            run_folder,
            kit: &self.kit,
            rustc: rustc.as_os_str(),
            linker,
            analyse,
            bound,
            expect_success: !self.failed,
            started,
            waiting: &self.waiting,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What the script says and how it ends when it is answered so.
    fn ask(command: &str, answers: &'static [&'static str]) -> (String, Option<i32>) {
        let folder = tempfile::tempdir().unwrap();
        let (script, program) = (folder.path().join("mold"), folder.path().join("it's mold"));
        std::fs::write(&program, "#!/bin/sh\necho program $1 $3 >&2\n").unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        std::fs::write(folder.path().join(MESSAGES), "messages\n").unwrap();
        write_script(&script, folder.path(), &program).unwrap();
        let open = |name: &str| {
            let path = folder.path().join(name);
            rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            OpenOptions::new().read(true).write(true).open(path).unwrap()
        };
        let (mut answer, requests) = (open(ANSWER), open(ASK));
        std::thread::spawn(move || {
            let line = BufReader::new(requests).lines().next().unwrap().unwrap();
            let (process, rest) = line.split_once(' ').unwrap();
            assert!(rest.ends_with(" /bin/rustc"), "{rest}");
            for status in answers {
                writeln!(answer, "{}", status.replace("PROCESS", process)).unwrap();
            }
            std::thread::sleep(std::time::Duration::from_secs(1));
        });
        let output =
            Command::new(&script).args(["-run", "cargo", command]).env("RUSTC", "/bin/rustc").output().unwrap();
        (String::from_utf8(output.stderr).unwrap(), output.status.code())
    }

    #[test]
    fn script_passes_on_the_answer_meant_for_it() {
        assert_eq!(ask("build", &["1 1", "PROCESS 0"]), (String::new(), Some(0)));
        assert_eq!(ask("check", &["PROCESS 1"]), ("messages\n".to_owned(), Some(1)));
        assert_eq!(ask("build", &["PROCESS program"]), ("program -run build\n".to_owned(), Some(0)));
    }

    #[test]
    fn script_leaves_other_commands_to_the_program() {
        assert_eq!(ask("metadata", &[]), ("program -run metadata\n".to_owned(), Some(0)));
    }
}

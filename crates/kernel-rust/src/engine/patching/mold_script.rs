//! The script that evcxr starts in place of the linker `mold`.
//!
//! evcxr runs `mold -run cargo build …` for each cell. The script starts in 1 ms, asks the compile server of the kernel through one
//! named pipe and reads the answer from another.

use std::path::Path;

/// The pipe for requests, in the run's folder.
pub(in crate::engine) const REQUESTS: &str = "compile.ask";
/// The pipe for answers, in the run's folder.
pub(in crate::engine) const ANSWERS: &str = "compile.answer";
/// The file with the compiler's messages, in the run's folder.
pub(in crate::engine) const MESSAGES: &str = "compile.messages";

/// Writes the script to `file`. It asks the compile server of `run_folder`, or runs `program` as `mold`.
///
/// # Errors
/// If it cannot be written.
pub(in crate::engine) fn write(file: &Path, run_folder: &Path, program: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"));
    let [requests, answers, messages] = [REQUESTS, ANSWERS, MESSAGES].map(|name| quoted(&run_folder.join(name)));
    let program = quoted(program);
    let script = format!(
        "#!/bin/sh\n\
         command=$3\n\
         [ \"$command\" = --offline ] && command=$4\n\
         if [ -p {requests} ] && {{ [ \"$command\" = build ] || [ \"$command\" = check ]; }}; then\n\
         exec 4<{answers}\n\
         echo \"$$ $command $RUSTC\" >{requests}\n\
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

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode};
    use std::fs::OpenOptions;
    use std::io::{BufRead, BufReader, Write};
    use std::process::Command;

    /// Runs the script and answers it with `answers`; returns its standard error and its status.
    fn run(command: &str, answers: &'static [&'static str]) -> (String, Option<i32>) {
        let folder = tempfile::tempdir().unwrap();
        let (script, program) = (folder.path().join("mold"), folder.path().join("it's mold"));
        std::fs::write(&program, "#!/bin/sh\necho program $1 $3 >&2\n").unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        std::fs::write(folder.path().join(MESSAGES), "messages\n").unwrap();
        write(&script, folder.path(), &program).unwrap();
        let open = |name: &str| {
            let path = folder.path().join(name);
            rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            OpenOptions::new().read(true).write(true).open(path).unwrap()
        };
        let (mut answer, requests) = (open(ANSWERS), open(REQUESTS));
        let (running, ended) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            let line = BufReader::new(requests).lines().next().unwrap().unwrap();
            let (process, rest) = line.split_once(' ').unwrap();
            assert!(rest.ends_with(" /bin/rustc"), "{rest}");
            for status in answers {
                writeln!(answer, "{}", status.replace("PROCESS", process)).unwrap();
            }
            // The script reads the answers before it ends.
            let _ = ended.recv();
        });
        let output =
            Command::new(&script).args(["-run", "cargo", command]).env("RUSTC", "/bin/rustc").output().unwrap();
        drop(running);
        (String::from_utf8(output.stderr).unwrap(), output.status.code())
    }

    #[test]
    fn script_uses_only_its_own_answer() {
        assert_eq!(run("build", &["1 1", "PROCESS 0"]), (String::new(), Some(0)));
        assert_eq!(run("check", &["PROCESS 1"]), ("messages\n".to_owned(), Some(1)));
        assert_eq!(run("build", &["PROCESS program"]), ("program -run build\n".to_owned(), Some(0)));
    }

    #[test]
    fn script_runs_program_for_other_commands() {
        assert_eq!(run("metadata", &[]), ("program -run metadata\n".to_owned(), Some(0)));
    }
}

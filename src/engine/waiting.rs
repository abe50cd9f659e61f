//! A compiler started ahead of its cell. It has read its arguments and waits for the source on standard input, so that its start
//! (10 ms) is over when the cell comes. When the kernel is gone, its input has come to its end, and so has it.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A compiler that waits.
pub(super) struct Waiting {
    /// `None` once it has its source.
    child: Option<Child>,
    asked: Asked,
}

/// What a compiler was started with.
#[derive(PartialEq, Eq)]
struct Asked {
    program: OsString,
    arguments: Vec<OsString>,
    /// What it changes of the environment, and that.
    changes: Vec<(OsString, Option<OsString>)>,
    environment: Vec<(OsString, OsString)>,
}

impl Asked {
    fn of(rustc: &Command) -> Self {
        let changes = rustc.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)));
        Self {
            program: rustc.get_program().to_owned(),
            arguments: rustc.get_args().map(ToOwned::to_owned).collect(),
            changes: changes.collect(),
            environment: std::env::vars_os().collect(),
        }
    }
}

impl Waiting {
    /// Starts `rustc` in `folder`, where it finds standard input as `src/lib.rs`, in a process group of its own.
    ///
    /// # Errors
    /// If the folder cannot be made or the compiler cannot be started.
    pub(super) fn start(mut rustc: Command, folder: &Path) -> std::io::Result<Self> {
        let source = folder.join("src").join("lib.rs");
        if !source.is_symlink() {
            std::fs::create_dir_all(folder.join("src"))?;
            std::os::unix::fs::symlink("/dev/stdin", source)?;
        }
        let asked = Asked::of(&rustc);
        rustc.current_dir(folder).stdin(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        Ok(Self { child: Some(rustc.spawn()?), asked })
    }

    /// Gives the compiler its source, if it is what `rustc` would start, and still there.
    pub(super) fn compile(mut self, rustc: &Command, source: &str) -> Option<Child> {
        let child = self.child.as_mut().filter(|_| self.asked == Asked::of(rustc))?;
        // Of one that has ended nobody reads the source.
        child.try_wait().ok().filter(Option::is_none)?;
        child.stdin.take()?.write_all(source.as_bytes()).ok()?;
        self.child.take()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_call_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let call = |argument: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", "cat src/lib.rs >&2; [ \"$0\" = a ]", argument]).env("A", "1");
            command
        };
        let start = || Waiting::start(call("a"), folder.path()).unwrap();
        let child = start().compile(&call("a"), "fn main() {}").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr == b"fn main() {}");
        assert!(start().compile(&call("b"), "").is_none());
        assert!(start().compile(call("a").env("A", "2"), "").is_none());
        let mut ended = start();
        ended.child.as_mut().unwrap().kill().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(ended.compile(&call("a"), "").is_none());
    }
}

//! A compiler started ahead of its cell: it has read its arguments and waits for the source on standard input, which saves the 10 ms
//! of its start. When the kernel is gone, its input ends, and so does it.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A compiler that waits for its source.
pub(in crate::engine) struct Prestarted {
    /// `None` after it got its source.
    child: Option<Child>,
    call: Call,
}

/// The call that started a compiler.
#[derive(PartialEq, Eq)]
struct Call {
    program: OsString,
    arguments: Vec<OsString>,
    /// Changes of the environment, by variable.
    changes: Vec<(OsString, Option<OsString>)>,
    environment: Vec<(OsString, OsString)>,
}

impl Call {
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

impl Prestarted {
    /// Starts `rustc` in `folder`, in which `src/lib.rs` is a link to standard input, in a process group of its own.
    ///
    /// # Errors
    /// If the folder cannot be made or the compiler cannot be started.
    pub(in crate::engine) fn start(mut rustc: Command, folder: &Path) -> std::io::Result<Self> {
        let source = folder.join("src").join("lib.rs");
        if !source.is_symlink() {
            std::fs::create_dir_all(folder.join("src"))?;
            std::os::unix::fs::symlink("/dev/stdin", source)?;
        }
        let call = Call::of(&rustc);
        rustc.current_dir(folder).stdin(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        Ok(Self { child: Some(rustc.spawn()?), call })
    }

    /// Writes the source to the compiler. Returns `None` if the call differs from `rustc`, or the compiler has ended.
    pub(in crate::engine) fn feed(mut self, rustc: &Command, source: &str) -> Option<Child> {
        let child = self.child.as_mut().filter(|_| self.call == Call::of(rustc))?;
        child.try_wait().ok().filter(Option::is_none)?;
        child.stdin.take()?.write_all(source.as_bytes()).ok()?;
        self.child.take()
    }
}

impl Drop for Prestarted {
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
    fn only_the_same_call_gets_the_source() {
        let folder = tempfile::tempdir().unwrap();
        let call = |argument: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", "cat src/lib.rs >&2; [ \"$0\" = a ]", argument]).env("A", "1");
            command
        };
        let start = || Prestarted::start(call("a"), folder.path()).unwrap();
        let child = start().feed(&call("a"), "fn main() {}").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr == b"fn main() {}");
        assert!(start().feed(&call("b"), "").is_none());
        assert!(start().feed(call("a").env("A", "2"), "").is_none());
        let mut ended = start();
        let child = ended.child.as_mut().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(ended.feed(&call("a"), "").is_none());
    }
}

//! One task as a child process: started, fed, ended with its output.

use super::last_lines::end_of_pipe;
use super::write_frame;
use crate::sync::lock;
use std::ffi::OsString;
use std::io::{Read, Result};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ended {
    /// The exit code; the negative number of the signal that killed it.
    pub(super) code: i32,
    /// Its partial result, or list.
    pub(super) output: Vec<u8>,
    /// The end of its standard error.
    pub(super) log: String,
}

impl Ended {
    /// Returns why a task ended, in one line.
    pub(super) fn reason(&self) -> String {
        let last = self.log.lines().last().unwrap_or_default().trim();
        match self.code {
            code if code < 0 && last.is_empty() => format!("its process was killed by signal {}", -code),
            code if code < 0 => format!("its process was killed by signal {}: {last}", -code),
            code if last.is_empty() => format!("its process ended with {code}"),
            _ => last.to_owned(),
        }
    }
}

/// The program of tasks, with what its environment adds.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) path: OsString,
    pub(super) environment: Vec<(&'static str, String)>,
}

/// Children that run now, to be killed together.
#[derive(Debug, Clone, Default)]
pub(super) struct Children(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    children: Vec<(u32, Child)>,
    /// No more are started.
    is_over: bool,
}

impl Children {
    /// Runs one step of the program with these frames; `None` after all were killed.
    ///
    /// # Errors
    /// If the system refuses a process.
    pub(super) fn run(&self, program: &Program, step: &str, frames: &[&[u8]]) -> Result<Option<Ended>> {
        let mut command = Command::new(&program.path);
        command.args(["task", step]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(program.environment.iter().map(|(name, value)| (name, value)));
        let (id, pipes) = {
            let mut running = lock(&self.0);
            if running.is_over {
                return Ok(None);
            }
            let mut child = command.spawn()?;
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            let id = child.id();
            running.children.push((id, child));
            (id, pipes)
        };
        let (stdin, stdout, stderr) = pipes;
        let log = std::thread::spawn(move || end_of_pipe(stderr));
        if let Some(mut stdin) = stdin {
            // A program that ends early says why itself.
            let _ = frames.iter().try_for_each(|frame| write_frame(&mut stdin, frame));
        }
        let mut output = Vec::new();
        let read = stdout.map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut output));
        let log = log.join().unwrap_or_default();
        let child = {
            let mut running = lock(&self.0);
            let at = running.children.iter().position(|(other, _)| *other == id);
            at.map(|at| running.children.swap_remove(at).1)
        };
        // Killed and waited for.
        let Some(mut child) = child else { return Ok(None) };
        let status = child.wait()?;
        read?;
        let code = status.code().or_else(|| status.signal().map(|signal| -signal)).unwrap_or(-1);
        Ok(Some(Ended { code, output, log }))
    }

    /// Kills all, and starts no more.
    pub(super) fn kill(&self) {
        let mut running = lock(&self.0);
        running.is_over = true;
        for (_, mut child) in running.children.drain(..) {
            // It may have ended.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

//! The exit status of the worker process, also while its threads still end.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The longest time that a killed process may need to end all its threads.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the exit status of a process that has ended; `None` while it runs.
pub(super) fn exit_status(process: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = process.try_wait().ok().flatten() {
            return Some(status);
        }
        // The system reports the exit only after the last thread has ended; the first thread is a zombie until then.
        if !is_zombie(process.id()) || start.elapsed() > TIMEOUT {
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether the first thread of a process has ended.
fn is_zombie(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('Z'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    fn running_processes_have_no_exit_status() {
        let mut process = Command::new("sleep").arg("60").spawn().unwrap();
        assert_eq!(exit_status(&mut process), None);
        process.kill().unwrap();
        process.wait().unwrap();
    }

    #[test]
    fn process_whose_first_thread_ended_is_awaited() {
        // The first thread calls exit(2) for itself alone; another one lives on until its input ends.
        let script = "import ctypes, platform, sys, threading\n\
                      threading.Thread(target=sys.stdin.read).start()\n\
                      print(end='x', flush=True)\n\
                      ctypes.CDLL(None).syscall(60 if platform.machine() == 'x86_64' else 93, 0)";
        let mut python = Command::new("python3");
        let mut process = python.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        process.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        while !is_zombie(process.id()) {
            std::thread::yield_now();
        }
        assert_eq!(process.try_wait().unwrap(), None);
        drop(process.stdin.take());
        // On a busy machine once may not be enough.
        let status = std::iter::repeat_with(|| exit_status(&mut process)).find_map(|status| status);
        assert!(status.unwrap().success());
    }
}

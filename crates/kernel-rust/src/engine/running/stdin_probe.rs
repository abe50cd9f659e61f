//! Detection of a worker process that waits for standard input.
//!
//! `input` and evcxr's marker request a line; `std::io::stdin().read_line(…)` does not. Linux shows for each thread in which system
//! call it waits. On a system that hides this from us, such a cell waits until it is interrupted.

use std::path::Path;

/// The start of `/proc/PID/task/TID/syscall` of a thread that waits for standard input: the number of `read`, and file 0.
#[cfg(target_arch = "x86_64")]
const READING: &str = "0 0x0 ";
#[cfg(not(target_arch = "x86_64"))]
const READING: &str = "63 0x0 ";

/// Whether a thread of the process waits for standard input.
pub(super) fn waits_for_input(process: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(Path::new("/proc").join(process.to_string()).join("task")) else {
        return false;
    };
    threads.flatten().any(|thread| {
        std::fs::read_to_string(thread.path().join("syscall")).is_ok_and(|call| call.starts_with(READING))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    #[test]
    fn process_that_reads_stdin_is_found() {
        let start = |program: &str, argument: &[&str]| {
            Command::new(program).args(argument).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
        };
        let (mut reads, mut sleeps) = (start("cat", &[]), start("sleep", &["60"]));
        let deadline = Instant::now() + Duration::from_secs(60);
        while !waits_for_input(reads.id()) {
            assert!(Instant::now() < deadline, "`cat` was not seen reading");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!waits_for_input(sleeps.id()) && !waits_for_input(u32::MAX));
        for process in [&mut reads, &mut sleeps] {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

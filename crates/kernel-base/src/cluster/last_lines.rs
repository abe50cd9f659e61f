//! The end of what a task wrote: its log, as far as a table of failures or a message shows it.

use super::quoted::quoted;
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};
use std::path::Path;
use trace_core::task::{FailedInput, Input};
use trace_core::without_secrets;

/// The most bytes of a log that are kept: its end.
const MOST_BYTES: usize = 8000;
/// The most lines.
const MOST_LINES: usize = 20;
/// The most characters of a line.
const MOST_CHARACTERS: usize = 300;

/// Returns the end of a log.
pub(super) fn end_of_log(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST_BYTES)..]).trim().to_owned()
}

/// Returns the end of what a program writes until it ends; what was read before an error is worth showing.
pub(super) fn end_of_pipe(pipe: Option<impl Read>) -> String {
    let (mut end, mut buffer) = (Vec::new(), vec![0; 16 << 10]);
    if let Some(mut pipe) = pipe {
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            end.extend_from_slice(&buffer[..length]);
            let more = end.len().saturating_sub(MOST_BYTES);
            end.drain(..more);
        }
    }
    end_of_log(&end)
}

/// Returns the end of a file of text; empty if there is none.
pub(super) fn end_of_file(path: &Path) -> String {
    let read = || -> Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let start = file.metadata()?.len().saturating_sub(MOST_BYTES as u64);
        file.seek(SeekFrom::Start(start))?;
        let mut end = Vec::new();
        file.take(MOST_BYTES as u64).read_to_end(&mut end)?;
        Ok(end)
    };
    end_of_log(&read().unwrap_or_default())
}

/// Returns inputs that could not be mapped, each with the reason and the last lines of the log of its task.
pub(super) fn failed_inputs(inputs: Vec<Input>, reason: &str, log: &str) -> Vec<FailedInput> {
    let log = without_secrets(&last_lines(log, reason));
    let reason = quoted(reason);
    let failed = |input| FailedInput { input, reason: reason.clone(), log: log.clone() };
    inputs.into_iter().map(failed).collect()
}

/// Returns the last lines of a log, without blank ones and control characters; empty if they are the line `reason` alone.
fn last_lines(log: &str, reason: &str) -> String {
    let lines: Vec<&str> = log.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    if matches!(&lines[..], [] | [_]) && lines.iter().all(|line| reason.contains(line.trim())) {
        return String::new();
    }
    let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
    last.iter().map(|line| shown(line)).collect::<Vec<_>>().join("\n")
}

fn shown(line: &str) -> String {
    let safe = |c: char| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    let mut text: String = line.chars().take(MOST_CHARACTERS).map(safe).collect();
    if line.chars().nth(MOST_CHARACTERS).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn last_lines_are_bounded_and_safe() {
        let log: String = (1..=50).map(|at| format!("line {at}\n\n")).collect();
        let last = last_lines(&log, "line 50");
        assert_eq!((last.lines().count(), last.lines().next()), (20, Some("line 31")));
        assert_eq!(last_lines("a\u{1b}[31mb\nc", "c"), "a\u{fffd}[31mb\nc");
        let long = last_lines(&"x".repeat(9000), "killed");
        assert_eq!((long.chars().count(), long.chars().last()), (MOST_CHARACTERS + 1, Some('…')));
    }

    #[test]
    fn only_the_end_of_a_long_log_is_read() {
        let text: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &text).unwrap();
        for end in [end_of_pipe(Some(text.as_bytes())), end_of_file(file.path())] {
            assert_eq!(end, end_of_log(text.as_bytes()));
        }
        assert_eq!((end_of_pipe(None::<&[u8]>), end_of_file(Path::new("/none"))), (String::new(), String::new()));
    }

    #[test]
    fn failed_inputs_show_no_secret() {
        let input = Input { uri: "/r".to_owned(), at: 0, bytes: 5, modified: None, trace: 0 };
        let failed = failed_inputs(vec![input], &format!("token=abc {}", "x".repeat(900)), "a\npassword: abc\nb");
        let FailedInput { reason, log, .. } = &failed[0];
        assert!(!reason.contains("abc") && !log.contains("abc") && log.contains("password"), "{reason} {log}");
        assert!(reason.chars().count() <= 601, "{reason}");
    }

    #[test]
    fn log_that_is_the_reason_is_left_out() {
        assert_eq!(last_lines("node7: out of memory\n", "node7: out of memory"), "");
        assert_eq!(last_lines("", "its process was killed by signal 9"), "");
        assert_eq!(last_lines("one\ntwo", "two"), "one\ntwo");
    }
}

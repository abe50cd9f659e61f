//! The end of what a task wrote: its log, as far as a table of failures or a message shows it.

use trace::task::{FailedInput, Input};

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

/// Returns inputs that could not be mapped, each with the reason and the last lines of the log of its task.
pub(super) fn failed_inputs(inputs: Vec<Input>, reason: &str, log: &str) -> Vec<FailedInput> {
    let log = last_lines(log, reason);
    let failed = |input| FailedInput { input, reason: reason.to_owned(), log: log.clone() };
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
    fn log_that_is_the_reason_is_left_out() {
        assert_eq!(last_lines("node7: out of memory\n", "node7: out of memory"), "");
        assert_eq!(last_lines("", "its process was killed by signal 9"), "");
        assert_eq!(last_lines("one\ntwo", "two"), "one\ntwo");
    }
}

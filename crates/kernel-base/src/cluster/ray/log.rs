//! The log of a job: lines of the driver among those of Ray.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use trace_core::task::Input;

/// The begin of the lines that the driver writes.
const PREFIX: &str = "tracebook: ";

/// A line of the driver.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    /// The driver runs.
    Started { nodes: usize, slots: usize },
    /// Work that is done.
    Progress {
        done: u64,
        whole: u64,
        tasks: usize,
        failed: usize,
        #[serde(default)]
        ranks: usize,
        #[serde(default)]
        all_ranks: usize,
    },
    /// Inputs that could not be mapped.
    Failed {
        inputs: Vec<Input>,
        reason: String,
        #[serde(default)]
        log: String,
    },
    /// What a task said, or what the driver waits for.
    #[serde(rename = "said")]
    Message { text: String },
    /// The job cannot be done.
    Fatal { reason: String },
    /// The merged partial result.
    State { bytes: usize, sha256: String, base64: String },
}

/// Returns the lines of the driver, in order. Others are Ray's.
pub(super) fn events(log: &str) -> Vec<Event> {
    let lines = log.lines().filter_map(|line| line.strip_prefix(PREFIX));
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns the last lines of a log that are not the driver's, for a message.
pub(super) fn tail(log: &str, lines: usize) -> String {
    let others: Vec<&str> = log.lines().filter(|line| !line.starts_with(PREFIX) && !line.trim().is_empty()).collect();
    others[others.len().saturating_sub(lines)..].join("\n")
}

/// Decodes a merged partial result.
///
/// # Errors
/// If it is cut or changed.
pub(super) fn state(bytes: usize, sha256: &str, base64: &str) -> Result<Vec<u8>, String> {
    let state =
        BASE64_STANDARD.decode(base64).map_err(|error| format!("the answer in the log is damaged ({error})"))?;
    if state.len() != bytes || hex::encode(Sha256::digest(&state)) != sha256 {
        return Err(format!("the answer in the log is damaged: {} of {bytes} bytes, or another SHA-256", state.len()));
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_lines_of_the_driver_count() {
        let log = "(raylet) node died\n\
            tracebook: {\"event\": \"started\", \"nodes\": 3, \"slots\": 2, \"s\": 0.1, \"ray\": \"2.60.0\"}\n\
            x tracebook: {\"event\": \"fatal\", \"reason\": \"no\"}\n\
            tracebook: {\"event\": \"of the future\"}\n\
            tracebook: not JSON\n\
            tracebook: {\"event\": \"progress\", \"done\": 5, \"whole\": 9, \"tasks\": 1, \"failed\": 0, \"ranks\": 4, \"all_ranks\": 7, \"s\": 1}\n\
            tracebook: {\"event\": \"said\", \"te";
        let events = events(log);
        assert_eq!(events[0], Event::Started { nodes: 3, slots: 2 });
        let progress = Event::Progress { done: 5, whole: 9, tasks: 1, failed: 0, ranks: 4, all_ranks: 7 };
        assert_eq!(events[1..], [progress]);
        assert_eq!(tail(log, 1), "x tracebook: {\"event\": \"fatal\", \"reason\": \"no\"}");
    }

    #[test]
    fn cut_and_changed_answers_are_refused() {
        let sha = hex::encode(Sha256::digest(b"state"));
        assert_eq!(state(5, &sha, "c3RhdGU=").unwrap(), b"state");
        for (bytes, sha, text) in
            [(6, sha.as_str(), "c3RhdGU="), (5, "00", "c3RhdGU="), (5, &sha, "c3RhdG"), (5, &sha, "c3RhdGV=")]
        {
            assert!(state(bytes, sha, text).unwrap_err().contains("damaged"), "{bytes} {sha} {text}");
        }
    }
}

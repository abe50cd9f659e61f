//! States of tasks in Slurm: its queue, and its accounting for those that have left the queue.

use super::commands::run;
use std::collections::BTreeMap;

/// What Slurm says of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// It waits, and for what: `Resources`.
    Waits(String),
    /// It runs, or is about to end.
    Runs,
    /// It has ended, and how: `COMPLETED`, `OUT_OF_MEMORY`.
    Ended(String),
}

/// Returns the states of the tasks of an array, by index; of another job, that of index 0. Tasks that Slurm does not know any more are
/// missing.
///
/// # Errors
/// If `squeue` cannot be asked.
pub(super) fn states(id: &str) -> Result<BTreeMap<usize, State>, String> {
    let words = ["--noheader", "--array", "--states=all", "--format=%i|%T|%r"].map(str::to_owned);
    let words: Vec<String> = words.into_iter().chain([format!("--jobs={id}")]).collect();
    match run("squeue", &words) {
        Ok(text) if !text.trim().is_empty() => return Ok(states_of(&text)),
        Ok(_) => {}
        Err(reason) if reason.contains("Invalid job id") => {}
        Err(reason) => return Err(reason),
    }
    // Not every cluster keeps accounts.
    let words = ["--noheader", "--parsable2", "--allocations", "--format=JobID,State"].map(str::to_owned);
    let words: Vec<String> = words.into_iter().chain([format!("--jobs={id}")]).collect();
    Ok(run("sacct", &words).map(|text| states_of(&text)).unwrap_or_default())
}

/// Reads lines such as `123_4|RUNNING|None` or `123|CANCELLED by 1000`.
fn states_of(text: &str) -> BTreeMap<usize, State> {
    text.lines().filter_map(state_of).collect()
}

fn state_of(line: &str) -> Option<(usize, State)> {
    let mut parts = line.trim().split('|');
    let (id, state) = (parts.next()?, parts.next()?);
    let index = match id.split_once('_') {
        Some((_, index)) => index.parse().ok()?,
        None => 0,
    };
    // `CANCELLED by 1000`, `CANCELLED+`
    let word = state.split([' ', '+']).next().unwrap_or_default();
    let state = match word {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "RESV_DEL_HOLD" | "SPECIAL_EXIT" | "SUSPENDED"
        | "CONFIGURING" => State::Waits(parts.next().unwrap_or_default().trim().to_owned()),
        "RUNNING" | "COMPLETING" | "RESIZING" | "SIGNALING" | "STAGE_OUT" | "STOPPED" => State::Runs,
        _ => State::Ended(word.to_owned()),
    };
    Some((index, state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_and_accounts_are_read() {
        let queue = "7_0|RUNNING|None\n7_1|PENDING|Resources\n7_2|COMPLETING|None\n7_3|OUT_OF_MEMORY|OutOfMemory\n\
                     7_[4-9]|PENDING|Priority\nslurm_load_jobs error\n";
        let ended = |word: &str| State::Ended(word.to_owned());
        let expected = [
            (0, State::Runs),
            (1, State::Waits("Resources".to_owned())),
            (2, State::Runs),
            (3, ended("OUT_OF_MEMORY")),
        ];
        assert_eq!(states_of(queue), BTreeMap::from(expected));
        let accounts = "8_0|COMPLETED\n8_1|CANCELLED by 1000\n";
        assert_eq!(states_of(accounts), BTreeMap::from([(0, ended("COMPLETED")), (1, ended("CANCELLED"))]));
        assert_eq!(states_of("9|PENDING|Dependency"), BTreeMap::from([(0, State::Waits("Dependency".to_owned()))]));
    }
}

//! Waiting for tasks: their exit codes in the shared folder, and what the queue says of those without one.

use super::folder::JobFolder;
use super::queue::{self, State};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Time between two questions to the queue.
const QUEUE: Duration = Duration::from_secs(3);
/// How long an exit code of a task that has ended may be missing: files of a shared folder come late.
const LATE: Duration = Duration::from_secs(60);
/// The same for a task that Slurm calls failed, which hardly wrote one.
const BRIEF: Duration = Duration::from_secs(4);
/// How long the queue may not answer.
const UNANSWERED: Duration = Duration::from_secs(120);

/// Why a task waits that will not run, as the queue says.
const NEVER: &[&str] = &[
    "PartitionConfig",
    "BadConstraints",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "InvalidAccount",
    "InvalidQOS",
    "JobHeldAdmin",
    "JobHeldUser",
];
/// How long the queue may say so while nothing runs.
const HOPELESS: Duration = Duration::from_secs(10);

/// Jobs whose tasks are numbered from `first`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Array {
    pub(super) id: String,
    pub(super) first: usize,
    pub(super) count: usize,
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// With this exit code.
    Code(i32),
    /// Without one: the word of Slurm, such as `TIMEOUT`; empty if Slurm does not know the task.
    Lost(String),
}

/// Tasks that have not ended.
pub(super) struct Watch<'w> {
    folder: &'w JobFolder,
    step: &'static str,
    open: BTreeSet<usize>,
    arrays: Vec<Array>,
    asked: Option<Instant>,
    unanswered: Option<Instant>,
    hopeless: Option<Instant>,
    /// Tasks that left the queue without an exit code, and since when.
    gone: BTreeMap<usize, Instant>,
    /// What the queue said last: `3 running, 5 waiting (Resources)`.
    pub(super) summary: String,
}

impl<'w> Watch<'w> {
    /// Waits for the tasks of a step.
    pub(super) fn new(folder: &'w JobFolder, step: &'static str, arrays: Vec<Array>) -> Self {
        let open = arrays.iter().flat_map(|array| array.first..array.first + array.count).collect();
        let (asked, unanswered, hopeless, gone) = (None, None, None, BTreeMap::new());
        Self { folder, step, open, arrays, asked, unanswered, hopeless, gone, summary: String::new() }
    }

    /// Whether there are such tasks.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns the tasks that have ended since the last look.
    ///
    /// # Errors
    /// If the folder cannot be read, no node can run the tasks, or the queue has not answered for long.
    pub(super) fn look(&mut self) -> Result<Vec<(usize, End)>, String> {
        let ended = self.folder.ended(self.step, &self.open);
        let ended = ended.map_err(|error| format!("cannot read {}: {error}", self.folder.path().display()))?;
        let mut ended: Vec<_> = ended.into_iter().map(|(number, code)| (number, End::Code(code))).collect();
        self.close(&ended);
        if self.is_open() && self.asked.is_none_or(|at| at.elapsed() > QUEUE) {
            let lost = self.ask(queue::states)?;
            self.asked = Some(Instant::now());
            self.close(&lost);
            ended.extend(lost);
        }
        Ok(ended)
    }

    fn close(&mut self, ended: &[(usize, End)]) {
        for (number, _) in ended {
            self.open.remove(number);
        }
    }

    /// Asks the queue; returns the tasks that are lost.
    fn ask(
        &mut self,
        states: impl Fn(&str) -> Result<BTreeMap<usize, State>, String>,
    ) -> Result<Vec<(usize, End)>, String> {
        let (mut runs, mut waits, mut why, mut lost) = (0, 0, String::new(), Vec::new());
        for Array { id, first, count } in &self.arrays {
            let mut open = self.open.range(*first..first + count).peekable();
            if open.peek().is_none() {
                continue;
            }
            let states = match states(id) {
                Ok(states) => states,
                Err(reason) if self.unanswered.get_or_insert_with(Instant::now).elapsed() > UNANSWERED => {
                    return Err(reason);
                }
                Err(_) => {
                    self.summary = "the queue does not answer".to_owned();
                    return Ok(Vec::new());
                }
            };
            for &number in open {
                let (word, late) = match states.get(&(number - first)) {
                    Some(State::Waits(reason)) => {
                        (waits, why) = (waits + 1, reason.clone());
                        self.gone.remove(&number);
                        continue;
                    }
                    Some(State::Runs) => {
                        runs += 1;
                        self.gone.remove(&number);
                        continue;
                    }
                    Some(State::Ended(word)) if word != "COMPLETED" => (word.as_str(), BRIEF),
                    Some(State::Ended(word)) => (word.as_str(), LATE),
                    None => ("", LATE),
                };
                if self.gone.entry(number).or_insert_with(Instant::now).elapsed() >= late {
                    lost.push((number, End::Lost(word.to_owned())));
                }
            }
        }
        self.unanswered = None;
        if runs > 0 || !NEVER.contains(&why.as_str()) {
            self.hopeless = None;
        } else if self.hopeless.get_or_insert_with(Instant::now).elapsed() > HOPELESS {
            return Err(format!(
                "no node of the cluster can run a task ({why}); choose other --task-cpus or --task-memory, or another SBATCH_PARTITION"
            ));
        }
        self.summary = summary(runs, waits, &why);
        Ok(lost)
    }
}

fn summary(runs: usize, waits: usize, why: &str) -> String {
    let runs = (runs > 0).then(|| format!("{runs} running"));
    let waits = (waits > 0).then(|| match why {
        "" | "None" => format!("{waits} waiting"),
        _ => format!("{waits} waiting ({why})"),
    });
    runs.into_iter().chain(waits).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn queue_tells_what_runs_waits_and_is_lost() {
        let shared = tempfile::tempdir().unwrap();
        let folder = JobFolder::create(shared.path()).unwrap();
        let array = |id: &str, first, count| Array { id: id.to_owned(), first, count };
        let mut watch = Watch::new(&folder, "map", vec![array("7", 0, 3), array("8", 3, 2)]);
        let states = |id: &str| {
            let states =
                [(0, State::Runs), (1, State::Waits("Priority".to_owned())), (2, State::Ended("TIMEOUT".to_owned()))];
            Ok(if id == "7" { BTreeMap::from(states) } else { BTreeMap::new() })
        };
        assert_eq!(watch.ask(states).unwrap(), []);
        assert_eq!(watch.summary, "1 running, 1 waiting (Priority)");
        assert_eq!(watch.gone.keys().copied().collect::<Vec<_>>(), [2, 3, 4]);
        // Long enough for a task that Slurm calls failed, not for files that come late.
        let before = Instant::now().checked_sub(2 * BRIEF).unwrap();
        watch.gone.values_mut().for_each(|since| *since = before);
        assert_eq!(watch.ask(states).unwrap(), [(2, End::Lost("TIMEOUT".to_owned()))]);
        let before = Instant::now().checked_sub(LATE).unwrap();
        watch.gone.values_mut().for_each(|since| *since = before);
        assert_eq!(watch.ask(states).unwrap().len(), 3);
        // A task that runs again is not lost.
        let requeued = |_: &str| Ok(BTreeMap::from([(0, State::Runs), (1, State::Runs), (2, State::Runs)]));
        watch.ask(requeued).unwrap();
        assert!(!watch.gone.contains_key(&2));
    }

    #[test]
    fn queue_without_answer_and_without_hope() {
        let shared = tempfile::tempdir().unwrap();
        let folder = JobFolder::create(shared.path()).unwrap();
        let mut watch = Watch::new(&folder, "map", vec![Array { id: "7".to_owned(), first: 0, count: 1 }]);
        let refused = |_: &str| Err("`squeue`: no answer".to_owned());
        assert_eq!(watch.ask(refused).unwrap(), []);
        assert_eq!(watch.summary, "the queue does not answer");
        watch.unanswered = Instant::now().checked_sub(2 * UNANSWERED);
        assert_eq!(watch.ask(refused).unwrap_err(), "`squeue`: no answer");
        // Nothing runs, and nothing will.
        let never = |_: &str| Ok(BTreeMap::from([(0, State::Waits("PartitionConfig".to_owned()))]));
        assert_eq!(watch.ask(never).unwrap(), []);
        watch.hopeless = Instant::now().checked_sub(2 * HOPELESS);
        assert!(watch.ask(never).unwrap_err().contains("can run a task (PartitionConfig)"));
        // An exit code counts without a queue.
        folder.write("map-0.exit", "0\n").unwrap();
        watch.asked = Some(Instant::now());
        assert_eq!(watch.look().unwrap(), [(0, End::Code(0))]);
        assert!(!watch.is_open());
    }
}

//! One question: arrays of tasks that map, again for those that failed together, and the job that merges.

use super::commands::{self, Submission, cancel};
use super::engine::Slurm;
use super::folder::JobFolder;
use super::left::LeftJobs;
use super::watch::{Array, End, Watch};
use crate::cluster::children::Ended;
use crate::cluster::frames::first_frame;
use crate::cluster::last_lines::failed_inputs;
use crate::cluster::listener::{Progress, tell, unread};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use trace_core::task::{Bundle, EXIT_PLAN, FailedInput, Job, Ran};
use trace_core::{Error, Result};

/// The most tasks of an array: `MaxArraySize` is 1001 unless a cluster sets it.
const MOST_TASKS: usize = 1000;
/// How often a task is sent again that was lost with its node.
const RETRIES: usize = 4;
/// How often the job that merges is sent again, if it did not see all partial results.
const MERGES: usize = 3;
/// Bytes that the form of a partial result may add to it.
const ENVELOPE: u64 = 1 << 20;
/// Time between two looks at the folder.
const LOOK: Duration = Duration::from_millis(300);
/// Time between two looks at whether the job is interrupted.
const INTERRUPT_POLL: Duration = Duration::from_millis(20);

/// A bundle to map.
struct Task {
    bundle: Bundle,
    /// How often it was lost.
    losses: usize,
}

impl Task {
    fn new(bundle: Bundle) -> Self {
        Self { bundle, losses: 0 }
    }
}

/// Memory of tasks, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    pub(super) map: u64,
    pub(super) reduce: u64,
}

/// The jobs of one question.
pub(super) struct Arrays<'a> {
    pub(super) slurm: &'a Slurm,
    pub(super) job: &'a Job<'a>,
    pub(super) folder: &'a JobFolder,
    plan: Value,
    script: PathBuf,
    memory: Memory,
    /// The number of a task is its place.
    tasks: Vec<Task>,
    /// All arrays of tasks, and the jobs that merged.
    submitted: Vec<Array>,
    merges: usize,
    good: BTreeSet<usize>,
    failed: Vec<FailedInput>,
    progress: Progress,
}

impl<'a> Arrays<'a> {
    pub(super) fn new(
        slurm: &'a Slurm,
        job: &'a Job<'a>,
        folder: &'a JobFolder,
        (plan, script, memory): (Value, PathBuf, Memory),
    ) -> Self {
        Self {
            slurm,
            job,
            folder,
            plan,
            script,
            memory,
            tasks: Vec::new(),
            submitted: Vec::new(),
            merges: 0,
            good: BTreeSet::new(),
            failed: Vec::new(),
            progress: Progress::of(job),
        }
    }

    /// Runs all tasks, or waits for those that were left, and brings the merged partial result. After an error, nothing runs on.
    pub(super) fn run(mut self, bundles: Vec<Bundle>, left: Option<LeftJobs>) -> Result<Ran> {
        let ran = self.run_all(bundles, left);
        if ran.is_err() {
            cancel(&self.submitted.iter().map(|array| array.id.clone()).collect::<Vec<_>>());
        }
        Ok(Ran { state: ran?, failed: self.failed })
    }

    fn run_all(&mut self, bundles: Vec<Bundle>, left: Option<LeftJobs>) -> Result<Vec<u8>> {
        let mut jobs = match left {
            Some(left) => self.take_over(left),
            None => self.submit_first(bundles)?,
        };
        self.progress.whole = jobs.bundles.iter().map(|bundle| bundle.weight).sum();
        self.progress.all_ranks = jobs.bundles.iter().map(|bundle| bundle.inputs.len()).sum();
        let mut arrays = jobs.arrays.clone();
        let mut merge = jobs.merge.clone();
        loop {
            let next = self.map(arrays)?;
            if next.is_empty() {
                break;
            }
            // Another one merges, once these have ended, too.
            cancel(&[merge.id]);
            arrays = self.submit_maps(next)?;
            merge = self.submit_merge(&arrays)?;
            jobs.arrays.extend(arrays.iter().cloned());
            (jobs.merge, jobs.is_resent) = (merge.clone(), true);
            jobs.note(self.folder).map_err(|error| self.cannot_use("write", error))?;
        }
        loop {
            let name = format!("reduce-{}", merge.first);
            self.merge(merge, &name)?;
            if self.folder.merged(&name) == self.good {
                let state = self.folder.state(&name, self.job.spec.most_bytes.saturating_add(ENVELOPE));
                return state.map_err(|error| self.cannot_use("read", error));
            }
            // A node saw the folder as it had been before, or a task that was lost has ended after all.
            if self.merges > MERGES {
                let folder = self.folder.path().display();
                return Err(self
                    .slurm
                    .failed(format!("nodes do not see all files of {folder}; choose another folder")));
            }
            let list: Vec<String> = self.good.iter().map(|number| format!("map-{number}.state")).collect();
            let written = self.folder.write(&format!("reduce-{}.list", self.merges), &list.join("\n"));
            written.map_err(|error| self.cannot_use("write", error))?;
            merge = self.submit_merge(&[])?;
        }
    }

    /// Submits the tasks and their merge, and notes them for a kernel that is started again.
    fn submit_first(&mut self, bundles: Vec<Bundle>) -> Result<LeftJobs> {
        let arrays = self.submit_maps(bundles.iter().cloned().map(Task::new).collect())?;
        let merge = self.submit_merge(&arrays)?;
        let jobs = LeftJobs { bundles, arrays, merge, is_resent: false };
        jobs.note(self.folder).map_err(|error| self.cannot_use("write", error))?;
        Ok(jobs)
    }

    /// Takes the jobs of a kernel that was killed for its own.
    fn take_over(&mut self, left: LeftJobs) -> LeftJobs {
        self.tasks = left.bundles.iter().cloned().map(Task::new).collect();
        self.merges = 1;
        for array in left.arrays.iter().chain([&left.merge]) {
            self.slurm.note(&array.id);
            self.submitted.push(array.clone());
        }
        left
    }

    fn cannot_use(&self, what: &str, error: std::io::Error) -> Error {
        self.slurm.failed(format!("cannot {what} files of {}: {error}", self.folder.path().display()))
    }

    /// Submits tasks, numbered after those that there are.
    fn submit_maps(&mut self, tasks: Vec<Task>) -> Result<Vec<Array>> {
        let (mut first, end) = (self.tasks.len(), self.tasks.len() + tasks.len());
        for (task, number) in tasks.iter().zip(first..) {
            let frame = first_frame(&self.plan, &serde_json::json!(task.bundle.inputs));
            let written = self.folder.write_input(&format!("map-{number}"), &frame);
            written.map_err(|error| self.cannot_use("write", error))?;
        }
        self.tasks.extend(tasks);
        let mut arrays = Vec::new();
        while first < end {
            let count = MOST_TASKS.min(end - first);
            arrays.push(self.submit("map", first, Some(count), &[])?);
            first += count;
        }
        Ok(arrays)
    }

    /// Submits the job that merges, once these have ended.
    fn submit_merge(&mut self, after: &[Array]) -> Result<Array> {
        let frame = first_frame(&self.plan, &Value::Null);
        let written = self.folder.write_input(&format!("reduce-{}", self.merges), &frame);
        written.map_err(|error| self.cannot_use("write", error))?;
        self.merges += 1;
        let after: Vec<String> = after.iter().map(|array| array.id.clone()).collect();
        self.submit("reduce", self.merges - 1, None, &after)
    }

    fn submit(&mut self, step: &str, first: usize, tasks: Option<usize>, after: &[String]) -> Result<Array> {
        if (self.job.is_interrupted)() {
            return Err(Error::Interrupted);
        }
        let id = commands::submit(&Submission {
            name: format!("tracebook-{}", self.job.spec.question.name()),
            script: &self.script,
            folder: self.folder.path(),
            words: [step.to_owned(), first.to_string()],
            tasks,
            after,
            cpus: self.slurm.cpus(),
            memory: if step == "reduce" { self.memory.reduce } else { self.memory.map },
        });
        let id = id.map_err(|reason| self.slurm.failed(reason))?;
        self.slurm.note(&id);
        let array = Array { id, first, count: tasks.unwrap_or(1) };
        self.submitted.push(array.clone());
        Ok(array)
    }

    /// Waits for tasks. Returns those to send again.
    fn map(&mut self, arrays: Vec<Array>) -> Result<Vec<Task>> {
        let mut again = Vec::new();
        let folder = self.folder;
        let mut watch = Watch::new(folder, "map", arrays);
        while watch.is_open() {
            for (number, end) in watch.look().map_err(|reason| self.slurm.failed(reason))? {
                self.take(number, &end, &mut again)?;
            }
            self.progress.state = watch.summary.clone();
            self.pause()?;
        }
        Ok(again)
    }

    /// Waits for the job that merges.
    fn merge(&mut self, merge: Array, name: &str) -> Result<()> {
        let folder = self.folder;
        let id = merge.id.clone();
        let mut watch = Watch::new(folder, "reduce", vec![merge]);
        while watch.is_open() {
            for (_, end) in watch.look().map_err(|reason| self.slurm.failed(reason))? {
                match end {
                    End::Code(0) => {}
                    End::Code(code) => return Err(self.slurm.failed(self.ended(code, name).reason())),
                    End::Lost(word) => {
                        let log = self.folder.slurm_log(&id);
                        return Err(self.slurm.failed(format!("{}{}", self.lost(&word), after(&log))));
                    }
                }
            }
            self.progress.state = ["merging", watch.summary.as_str()].join(" ").trim_end().to_owned();
            self.pause()?;
        }
        Ok(())
    }

    fn pause(&self) -> Result<()> {
        tell(&self.progress);
        let until = Instant::now() + LOOK;
        while Instant::now() < until {
            if (self.job.is_interrupted)() {
                return Err(Error::Interrupted);
            }
            std::thread::sleep(INTERRUPT_POLL);
        }
        Ok(())
    }

    /// Returns how a task ended, as its files say.
    fn ended(&self, code: i32, name: &str) -> Ended {
        // The shell adds 128 to a signal.
        let code = if code > 128 { 128 - code } else { code };
        Ended { code, output: Vec::new(), log: self.folder.log(name) }
    }

    /// Takes a task that has ended.
    fn take(&mut self, number: usize, end: &End, again: &mut Vec<Task>) -> Result<()> {
        let name = format!("map-{number}");
        let bundle = self.tasks[number].bundle.clone();
        match end {
            End::Code(0) => {
                self.good.insert(number);
                self.progress.tasks += 1;
                self.progress.failed += unread(&self.folder.log(&name));
                self.count(&bundle);
            }
            End::Code(code) => {
                let ended = self.ended(*code, &name);
                let reason = ended.reason();
                if ended.code == i32::from(EXIT_PLAN) {
                    return Err(self.slurm.failed(reason));
                }
                // The shell's own codes: not executable, not found.
                if matches!(ended.code, 126 | 127) {
                    return Err(self.slurm.failed(format!(
                        "a node cannot run the program: {reason}; put it on every node, and set TRACEBOOK_TASK_PROGRAM=/path/on/every/node"
                    )));
                }
                self.fail(bundle, &reason, &ended.log, again);
            }
            End::Lost(word) if word == "CANCELLED" => {
                return Err(self.slurm.failed("its tasks were cancelled from outside; ask again"));
            }
            End::Lost(word) => {
                let losses = self.tasks[number].losses;
                if matches!(word.as_str(), "" | "NODE_FAIL" | "BOOT_FAIL" | "PREEMPTED") && losses < RETRIES {
                    again.push(Task { bundle, losses: losses + 1 });
                    return Ok(());
                }
                let array =
                    self.submitted.iter().find(|array| (array.first..array.first + array.count).contains(&number));
                let slurm = array.map(|array| self.folder.slurm_log(&format!("{}_{}", array.id, number - array.first)));
                let log = [self.folder.log(&name), slurm.unwrap_or_default()].join("\n");
                let reason = self.lost(word);
                self.fail(bundle, &reason, &log, again);
            }
        }
        Ok(())
    }

    fn count(&mut self, bundle: &Bundle) {
        self.progress.done += bundle.weight;
        self.progress.ranks += bundle.inputs.len();
    }

    /// A bundle of several inputs is sent again input by input, so that only the guilty one fails.
    fn fail(&mut self, bundle: Bundle, reason: &str, log: &str, again: &mut Vec<Task>) {
        if bundle.inputs.len() > 1 {
            again.extend(bundle.inputs.into_iter().map(|input| Task::new(Bundle::of_one(input))));
            return;
        }
        self.count(&bundle);
        self.progress.failed += bundle.inputs.len();
        self.failed.extend(failed_inputs(bundle.inputs, reason, log));
    }

    /// Returns why a task without an exit code ended, by the word of Slurm.
    fn lost(&self, word: &str) -> String {
        let fix = match word {
            "OUT_OF_MEMORY" => "; give it more with --task-memory".to_owned(),
            "TIMEOUT" | "DEADLINE" => "; give it more time with SBATCH_TIMELIMIT".to_owned(),
            "" => return "its node was lost".to_owned(),
            _ => format!("; every node must see {}", self.slurm.shared().display()),
        };
        format!("Slurm ended its task: {word}{fix}")
    }
}

fn after(log: &str) -> String {
    let last = log.lines().last().unwrap_or_default().trim();
    if last.is_empty() { String::new() } else { format!(": {last}") }
}

//! The engine of processes: the steps run as children of this program, as many at once as there are cores.

use super::FAN_IN;
use super::children::{Children, Ended, Program};
use super::frames::first_frame;
use super::last_lines::failed_inputs;
use super::listener::{Progress, tell, unread};
use crate::provenance::build;
use crate::sync::lock;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use trace_core::error::DistributedReason;
use trace_core::task::{Bundle, EXIT_LATER, EXIT_PLAN, Engine, FailedInput, Job, Ran};
use trace_core::{Error, Result};

/// How often a task is tried again that was killed, or whose storage said "later".
const RETRIES: usize = 4;
/// Time between two looks at whether the job is interrupted.
const POLL: Duration = Duration::from_millis(20);

/// Runs tasks as children of this program.
#[derive(Debug)]
pub(super) struct Processes {
    program: Program,
    slots: usize,
}

impl Processes {
    /// Runs so many children of a program at once, which may use so many bytes of memory together.
    pub(super) fn new(mut program: Program, slots: usize, memory: Option<u64>) -> Self {
        let slots = slots.max(1);
        let mut add = |name, value: String| program.environment.push((name, value));
        add("RAYON_NUM_THREADS", "1".to_owned());
        add("POLARS_MAX_THREADS", "1".to_owned());
        if let Some(memory) = memory {
            add(trace_core::MEMORY_VARIABLE, (memory / slots as u64).to_string());
        }
        Self { program, slots }
    }

    fn failed(&self, reason: impl Into<String>) -> Error {
        Error::Distributed(DistributedReason::Engine { engine: self.name(), reason: reason.into() })
    }

    /// Runs one task, again if it was killed.
    fn run_task(&self, children: &Children, step: &str, frames: &[&[u8]]) -> Result<Option<Ended>> {
        let mut tries = 0;
        loop {
            let ended = children.run(&self.program, step, frames);
            let ended = ended.map_err(|error| self.failed(format!("cannot start a process: {error}")))?;
            match ended {
                Some(ended) if tries < RETRIES && (ended.code < 0 || ended.code == i32::from(EXIT_LATER)) => tries += 1,
                ended => return Ok(ended),
            }
        }
    }

    /// Runs the map of every bundle. A bundle that cannot be done is tried input by input.
    fn map(
        &self,
        plan: &serde_json::Value,
        bundles: Vec<Bundle>,
        job: &Job<'_>,
    ) -> Result<(Vec<Vec<u8>>, Vec<FailedInput>)> {
        let mut progress = Progress::of(job);
        progress.whole = bundles.iter().map(|bundle| bundle.weight).sum();
        progress.all_ranks = bundles.iter().map(|bundle| bundle.inputs.len()).sum();
        let queue = Mutex::new(VecDeque::from(bundles));
        let children = Children::default();
        let (done, ended) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.slots {
                let (done, queue, children) = (done.clone(), &queue, &children);
                scope.spawn(move || {
                    loop {
                        let next = lock(queue).pop_front();
                        let Some(bundle) = next else { break };
                        let first = first_frame(plan, &serde_json::json!(bundle.inputs));
                        let ended = self.run_task(children, "map", &[&first]);
                        let is_over = !matches!(ended, Ok(Some(_)));
                        let several = matches!(&ended, Ok(Some(ended)) if ended.code != 0 && ended.code != i32::from(EXIT_PLAN))
                            && bundle.inputs.len() > 1;
                        if several {
                            let mut queue = lock(queue);
                            queue.extend(bundle.inputs.into_iter().map(Bundle::of_one));
                            continue;
                        }
                        if done.send((bundle, ended)).is_err() || is_over {
                            break;
                        }
                    }
                });
            }
            drop(done);
            let collected = self.collect(&ended, &mut progress, job);
            if collected.is_err() {
                lock(&queue).clear();
                children.kill();
            }
            collected
        })
    }

    fn collect(
        &self,
        ended: &Receiver<(Bundle, Result<Option<Ended>>)>,
        progress: &mut Progress,
        job: &Job<'_>,
    ) -> Result<(Vec<Vec<u8>>, Vec<FailedInput>)> {
        let (mut states, mut failed) = (Vec::new(), Vec::new());
        loop {
            match ended.recv_timeout(POLL) {
                Ok((bundle, result)) => {
                    let Some(ended) = result? else { return Err(Error::Interrupted) };
                    progress.done += bundle.weight;
                    progress.ranks += bundle.inputs.len();
                    match ended.code {
                        0 => {
                            progress.tasks += 1;
                            progress.failed += unread(&ended.log);
                            states.push(ended.output);
                        }
                        code if code == i32::from(EXIT_PLAN) => return Err(self.failed(ended.log)),
                        _ => {
                            progress.failed += bundle.inputs.len();
                            failed.extend(failed_inputs(bundle.inputs, &ended.reason(), &ended.log));
                        }
                    }
                    tell(progress);
                }
                Err(RecvTimeoutError::Timeout) if (job.is_interrupted)() => return Err(Error::Interrupted),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok((states, failed)),
            }
        }
    }

    /// Runs one task that the rest waits for.
    fn alone(&self, step: &str, frames: &[&[u8]], job: &Job<'_>) -> Result<Vec<u8>> {
        let children = Children::default();
        let (done, ended) = channel();
        let ended = std::thread::scope(|scope| {
            let running = &children;
            scope.spawn(move || {
                // The receiver is there until the scope ends.
                let _ = done.send(self.run_task(running, step, frames));
            });
            loop {
                match ended.recv_timeout(POLL) {
                    Ok(ended) => return ended,
                    Err(RecvTimeoutError::Timeout) if (job.is_interrupted)() => {
                        children.kill();
                        return Err(Error::Interrupted);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(None),
                }
            }
        })?;
        match ended {
            Some(ended) if ended.code == 0 => Ok(ended.output),
            Some(ended) => Err(self.failed(ended.reason())),
            None => Err(Error::Interrupted),
        }
    }
}

impl Engine for Processes {
    fn name(&self) -> String {
        let word = if self.slots == 1 { "process" } else { "processes" };
        format!("{} {word} of this machine", self.slots)
    }

    fn build(&self) -> &str {
        build()
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn run(&self, job: &Job<'_>) -> Result<Ran> {
        let unsendable = |error: serde_json::Error| self.failed(format!("the plan cannot be written: {error}"));
        let plan = serde_json::to_value(job.spec).map_err(unsendable)?;
        tell(&Progress::of(job));
        let bundles = match job.bundles {
            Some(bundles) => bundles.to_vec(),
            None => {
                let listed = self.alone("list", &[&first_frame(&plan, &serde_json::json!(self.slots))], job)?;
                serde_json::from_slice(&listed).map_err(unsendable)?
            }
        };
        let (mut states, failed) = self.map(&plan, bundles, job)?;
        let first = first_frame(&plan, &serde_json::Value::Null);
        // Once at least: what comes home is bounded by it.
        loop {
            let mut merged = Vec::new();
            for group in states.chunks(FAN_IN) {
                let frames: Vec<&[u8]> = std::iter::once(&first).chain(group).map(Vec::as_slice).collect();
                merged.push(self.alone("reduce", &frames, job)?);
            }
            states = merged;
            if states.len() <= 1 {
                break;
            }
        }
        let state = match states.pop() {
            Some(state) => state,
            None => self.alone("reduce", &[&first], job)?,
        };
        Ok(Ran { state, failed })
    }
}

/// Keeps an engine for all loads that use it.
pub(super) fn shared(program: Program, slots: usize, memory: Option<u64>) -> Arc<dyn Engine> {
    Arc::new(Processes::new(program, slots, memory))
}

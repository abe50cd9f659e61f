//! The trait of engines: they run tasks somewhere and bring one partial result back.

use super::{Bundle, Input, JobSpec};
use crate::Result;
use std::fmt::Debug;

/// Runs tasks: `list` if there are no bundles yet, `map` for each bundle, `reduce` until one partial result is left.
pub trait Engine: Debug + Send + Sync {
    /// Returns its name and place, for messages: `Ray 2.60.0 at 127.0.0.1:8265`.
    fn name(&self) -> String;

    /// Returns how large it is, as far as that is known: `16 nodes, 64 slots`.
    fn size(&self) -> String {
        String::new()
    }

    /// Returns the names of the jobs that it ran, in order, to find them on the cluster.
    fn jobs(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the build of the program, which every task checks.
    fn build(&self) -> &str;

    /// Returns how many tasks run at once, as far as that is known.
    fn slots(&self) -> usize;

    /// Runs the tasks of a job. An input that cannot be mapped is named in the answer; the others count.
    ///
    /// # Errors
    /// If the engine cannot be reached or used, the plan is refused, not one input can be mapped, or the job is interrupted.
    fn run(&self, job: &Job<'_>) -> Result<Ran>;
}

/// Tasks to run.
#[derive(Clone, Copy)]
pub struct Job<'j> {
    /// Build, question and options: the same for every task.
    pub spec: &'j JobSpec,
    /// The inputs of each task; `None` if they are to be listed first.
    pub bundles: Option<&'j [Bundle]>,
    /// The label of the trace, for progress.
    pub label: &'j str,
    /// Returns true once the user has interrupted the work; to be called on the thread that started it.
    pub is_interrupted: &'j dyn Fn() -> bool,
}

/// The result of a job.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    /// The merged partial result, as a task wrote it.
    pub state: Vec<u8>,
    /// Inputs that could not be mapped, because their task was killed or refused.
    pub failed: Vec<FailedInput>,
}

/// An input that could not be mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedInput {
    /// The input.
    pub input: Input,
    /// Why, in one line.
    pub reason: String,
    /// The last lines that its task wrote, at most some 20; empty if they say no more than the reason.
    pub log: String,
}

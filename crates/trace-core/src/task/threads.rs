//! An engine for tests: it runs the steps in this process, from texts and bytes as another process would get them.

use super::{Bundle, Engine, FailedInput, Job, JobSpec, Ran, Worker, exit_code};
use crate::{Cache, Result};
use std::sync::Mutex;

pub(super) const BUILD: &str = "1.0 of a test";

/// Runs the steps, and notes what it did.
#[derive(Debug)]
pub(super) struct Threads {
    pub(super) worker: Worker,
    /// Ranks in a bundle, and partial results that are merged together.
    pub(super) grouping: usize,
    /// RunRanks of the name of a file whose task is killed.
    pub(super) broken: Mutex<Option<String>>,
    /// The name of each question.
    pub(super) asked: Mutex<Vec<String>>,
    /// Nodes that the plans name.
    pub(super) nodes: Mutex<Vec<Option<String>>>,
}

impl Threads {
    pub(super) fn new(grouping: usize, cache: Option<Cache>) -> Self {
        let worker = Worker::new(BUILD).cache(cache).node(Some("node7".to_owned()));
        Self { worker, grouping, broken: Mutex::default(), asked: Mutex::default(), nodes: Mutex::default() }
    }
}

impl Engine for Threads {
    fn name(&self) -> String {
        "threads of a test".to_owned()
    }

    fn build(&self) -> &str {
        BUILD
    }

    fn slots(&self) -> usize {
        2
    }

    #[allow(clippy::unwrap_used)]
    fn run(&self, job: &Job<'_>) -> Result<Ran> {
        self.asked.lock().unwrap().push(job.spec.question.name().to_owned());
        let sent = serde_json::to_string(job.spec).unwrap();
        let task = || -> JobSpec { serde_json::from_str(&sent).unwrap() };
        let listed = job.bundles.map_or_else(|| self.worker.list(&task(), 2), |bundles| Ok(bundles.to_vec()))?;
        let listed: Vec<Bundle> = serde_json::from_str(&serde_json::to_string(&listed).unwrap()).unwrap();
        self.nodes.lock().unwrap().extend(listed.iter().map(|bundle| bundle.node.clone()));
        let broken = self.broken.lock().unwrap().clone();
        let is_broken = |uri: &str| broken.as_ref().is_some_and(|broken| uri.contains(broken.as_str()));
        let (bad, inputs): (Vec<_>, Vec<_>) =
            listed.into_iter().flat_map(|bundle| bundle.inputs).partition(|input| is_broken(&input.uri));
        let mut states: Vec<Vec<u8>> = Vec::new();
        for bundle in inputs.chunks(self.grouping) {
            states.push(self.worker.map(&task(), bundle, &mut |_, error| assert_eq!(exit_code(error), 1))?);
        }
        // Not in the order of the ranks.
        states.reverse();
        while states.len() > 1 {
            let merged = states.chunks(self.grouping.max(2)).map(|states| self.worker.reduce(&task(), states));
            states = merged.collect::<Result<_>>()?;
        }
        let state = match states.pop() {
            Some(state) => state,
            None => self.worker.reduce(&task(), &[[0_u8; 0]; 0])?,
        };
        let failed = bad.into_iter().map(|input| FailedInput {
            input,
            reason: "killed by signal 9".to_owned(),
            log: "a\nb".to_owned(),
        });
        Ok(Ran { state, failed: failed.collect() })
    }
}

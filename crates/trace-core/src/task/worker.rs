//! The process that runs tasks: its build, its cache, and where it is.

use crate::distributed::JobSpec;
use crate::error::DistributedReason;
use crate::{Cache, Error, Result};

/// The process that runs tasks.
#[derive(Debug, Clone, Default)]
pub struct Worker {
    pub(super) build: String,
    pub(super) cache: Option<Cache>,
    pub(super) node: Option<String>,
}

impl Worker {
    /// Creates a worker of this build.
    pub fn new(build: impl Into<String>) -> Self {
        Self { build: build.into(), ..Self::default() }
    }

    /// Keeps the columns of the ranks that it reads, and takes them from there the next time.
    #[must_use]
    pub fn cache(self, cache: Option<Cache>) -> Self {
        Self { cache, ..self }
    }

    /// Names its node, which later plans prefer for the same ranks.
    #[must_use]
    pub fn node(self, node: Option<String>) -> Self {
        Self { node, ..self }
    }

    /// Refuses what another build planned.
    pub(super) fn check(&self, task: &JobSpec) -> Result<()> {
        if task.build == self.build {
            return Ok(());
        }
        let (own, planned) = (self.build.clone(), task.build.clone());
        Err(Error::Distributed(DistributedReason::OtherBuild { own, planned }))
    }
}

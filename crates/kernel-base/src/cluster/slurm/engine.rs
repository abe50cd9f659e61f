//! The engine: what it needs of the cluster, and a folder for each question.

use super::arrays::{Arrays, Memory};
use super::commands;
use super::folder::{JobFolder, shared_program};
use super::left::folder_of;
use super::script::Script;
use crate::cluster::choice::Needs;
use crate::cluster::job_name;
use crate::cluster::listener::{Progress, tell};
use crate::provenance::build;
use crate::sync::lock;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use trace_core::error::DistributedReason;
use trace_core::task::{Bundle, Engine, Job, Ran, Worker};
use trace_core::{Error, Result};
use trace_view::format::counted;

/// Tasks that are taken to run at once where Slurm does not say.
const SLOTS: usize = 16;
/// Memory of a task besides six times its largest file, and of a merge, in bytes.
const LEAST_MEMORY: u64 = 256 << 20;
const MERGE_MEMORY: u64 = 1 << 30;

/// A Slurm cluster, and a folder that this machine and its nodes share.
#[derive(Debug)]
pub(in crate::cluster) struct Slurm {
    version: String,
    shared: PathBuf,
    needs: Needs,
    /// The program on every node; `None` copies `shipped` to the shared folder.
    on_nodes: Option<PathBuf>,
    shipped: PathBuf,
    /// Nodes and slots, if Slurm says.
    size: Option<(usize, usize)>,
    jobs: Mutex<Vec<String>>,
}

impl Slurm {
    /// Finds Slurm, and checks the shared folder.
    ///
    /// # Errors
    /// If there is no `sbatch`, or the folder cannot be written.
    pub(in crate::cluster) fn connect(shared: &Path, needs: Needs) -> Result<Self> {
        let version = commands::version().map_err(|reason| failed("Slurm", reason))?;
        let name = format!("Slurm {version}");
        let unusable = |error: std::io::Error| {
            failed(&name, format!("cannot use the shared folder {}: {error}", shared.display()))
        };
        let shared = std::path::absolute(shared).map_err(unusable)?;
        let expected = match shared.to_str() {
            None => Some("a path in UTF-8"),
            Some(text) if text.contains('\n') => {
                Some("a path without a line break, which scripts of Slurm cannot name")
            }
            Some(_) => None,
        };
        if let Some(expected) = expected {
            let shown = shared.display().to_string().replace('\n', "\\n");
            return Err(failed(&name, format!("invalid shared folder {shown}: expected {expected}")));
        }
        drop(JobFolder::create(&shared).map_err(unusable)?);
        let program = std::env::var_os("TRACEBOOK_TASK_PROGRAM").filter(|path| !path.is_empty()).map(PathBuf::from);
        let (on_nodes, shipped) = match program {
            Some(path) if path.is_absolute() => (Some(path), PathBuf::new()),
            Some(path) => (None, path),
            // The file itself, also after it was replaced.
            None => (None, PathBuf::from("/proc/self/exe")),
        };
        let cpus = needs.cpus.ceil().max(1.0) as usize;
        let size = commands::size().map(|(nodes, cores)| (nodes, (cores / cpus).max(1)));
        Ok(Self { version, shared, needs, on_nodes, shipped, size, jobs: Mutex::default() })
    }

    pub(super) fn failed(&self, reason: impl Into<String>) -> Error {
        failed(&self.name(), reason)
    }

    /// Notes a job.
    pub(super) fn note(&self, id: &str) {
        lock(&self.jobs).push(id.to_owned());
    }

    /// Returns the cores of a task.
    pub(super) fn cpus(&self) -> u64 {
        self.needs.cpus.ceil().max(1.0) as u64
    }

    /// Returns the shared folder.
    pub(super) fn shared(&self) -> &Path {
        &self.shared
    }

    /// Returns the memory of tasks: what the user set, else six times the largest file and 256 MiB; for a merge 1 GiB, or that.
    fn memory(&self, bundles: &[Bundle]) -> Memory {
        let largest = bundles.iter().flat_map(|bundle| &bundle.inputs).map(|input| input.bytes).max().unwrap_or(0);
        let map = self.needs.memory.unwrap_or_else(|| largest.saturating_mul(6).saturating_add(LEAST_MEMORY));
        Memory { map, reduce: self.needs.memory.unwrap_or_else(|| map.max(MERGE_MEMORY)) }
    }

    fn program(&self) -> Result<PathBuf> {
        if let Some(program) = &self.on_nodes {
            return Ok(program.clone());
        }
        let copied = shared_program(&self.shared, &self.shipped);
        copied.map_err(|error| {
            let (program, shared) = (self.shipped.display(), self.shared.display());
            self.failed(format!("cannot copy the program {program} to {shared}: {error}"))
        })
    }
}

impl Engine for Slurm {
    fn name(&self) -> String {
        format!("Slurm {}", self.version)
    }

    fn size(&self) -> String {
        let size = self.size.map(|(nodes, slots)| format!("{}, {}", counted(nodes, "node"), counted(slots, "slot")));
        size.unwrap_or_default()
    }

    fn jobs(&self) -> Vec<String> {
        lock(&self.jobs).clone()
    }

    fn build(&self) -> &str {
        build()
    }

    fn slots(&self) -> usize {
        self.size.map_or(SLOTS, |(_, slots)| slots)
    }

    fn run(&self, job: &Job<'_>) -> Result<Ran> {
        tell(&Progress { state: "preparing the job".to_owned(), ..Progress::of(job) });
        let bundles = match job.bundles {
            Some(bundles) => bundles.to_vec(),
            // The folder is shared, so that what nodes see is here, too; a list in storage needs its credentials here.
            None => Worker::new(build()).list(job.spec, self.slots())?,
        };
        let plan = serde_json::to_value(job.spec);
        let plan = plan.map_err(|error| self.failed(format!("the plan cannot be written: {error}")))?;
        let program = self.program()?;
        let folder = folder_of(&self.shared, &job_name(job.spec, &bundles, &self.needs));
        let (folder, left) = folder.map_err(|error| self.failed(format!("{}: {error}", self.shared.display())))?;
        let memory = self.memory(&bundles);
        let script = Script { folder: folder.path(), program: &program, cpus: self.cpus(), memory: memory.map };
        let script = folder.write("task.sh", &script.text());
        let script = script.map_err(|error| self.failed(format!("{}: {error}", folder.path().display())))?;
        Arrays::new(self, job, &folder, (plan, script, memory)).run(bundles, left)
    }
}

fn failed(engine: &str, reason: impl Into<String>) -> Error {
    Error::Distributed(DistributedReason::Engine { engine: engine.to_owned(), reason: reason.into() })
}

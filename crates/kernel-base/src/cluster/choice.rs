//! The engine that a user chooses.

use super::children::Program;
use super::processes;
use super::ray::{Address, Ray};
use super::slurm::Slurm;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use trace_core::MEMORY_VARIABLE;
use trace_core::task::Engine;

/// The words of `--engine`.
pub const ENGINES: &[&str] = &["local", "processes", "ray", "slurm"];

/// Environment variable with the address of the Ray dashboard.
const ADDRESS: &str = "TRACEBOOK_RAY_ADDRESS";

/// Environment variable with the folder that this machine shares with the nodes of a Slurm cluster.
const SHARED_FOLDER: &str = "TRACEBOOK_SLURM_FOLDER";

/// What a task needs of its node.
#[derive(Debug, Clone, PartialEq)]
pub struct Needs {
    /// Cores.
    pub cpus: f64,
    /// Memory, in bytes; `None` leaves it to the engine.
    pub memory: Option<u64>,
    /// Further resources of Ray, `NAME=AMOUNT`.
    pub resources: BTreeMap<String, f64>,
}

impl Default for Needs {
    fn default() -> Self {
        Self { cpus: 1.0, memory: None, resources: BTreeMap::new() }
    }
}

/// An engine, as it was chosen: equal choices are one engine, which answers questions about several traces with one job.
#[derive(Debug, Clone, PartialEq)]
pub enum Chosen {
    /// Children of this program.
    Processes {
        /// The resources of a task.
        needs: Needs,
        /// The folder of the cache.
        cache: Option<String>,
    },
    /// A cluster of Ray.
    Ray {
        /// The address of its Jobs API.
        address: String,
        /// The resources of a task.
        needs: Needs,
    },
    /// The Slurm cluster of this machine.
    Slurm {
        /// A folder that all nodes see.
        folder: PathBuf,
        /// The resources of a task.
        needs: Needs,
    },
}

/// Returns the address of the cluster: the one given, else that of the environment.
pub fn address(explicit: Option<&str>) -> Option<String> {
    let own = explicit.map(str::to_owned).or_else(|| std::env::var(ADDRESS).ok());
    own.filter(|address| !address.trim().is_empty())
}

/// Returns the folder that is shared with the nodes of Slurm: the one given, else that of the environment.
pub fn shared_folder(explicit: Option<PathBuf>) -> Option<PathBuf> {
    let own = explicit.or_else(|| std::env::var_os(SHARED_FOLDER).map(PathBuf::from));
    own.filter(|folder| !folder.as_os_str().is_empty())
}

/// Why there is no engine.
#[derive(Debug)]
pub enum NoEngine {
    /// The address is invalid.
    Address {
        /// The address, without secrets.
        address: String,
        /// The form of an address.
        expected: String,
    },
    /// The engine cannot be used.
    Trace(trace_core::Error),
}

/// Makes the engine of a choice.
///
/// # Errors
/// If the address is invalid, no cluster answers there, or there is no Slurm.
pub fn engine(chosen: &Chosen) -> Result<Arc<dyn Engine>, NoEngine> {
    match chosen {
        Chosen::Ray { address, needs } => {
            let checked = Address::of(address);
            let checked =
                checked.map_err(|expected| NoEngine::Address { address: Address::shown(address), expected })?;
            Ok(Arc::new(Ray::connect(checked, needs.clone()).map_err(NoEngine::Trace)?))
        }
        Chosen::Slurm { folder, needs } => {
            Ok(Arc::new(Slurm::connect(folder, needs.clone()).map_err(NoEngine::Trace)?))
        }
        Chosen::Processes { needs, cache } => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let slots = (cores as f64 / needs.cpus.max(1.0)).floor().max(1.0) as usize;
            let cache = cache.clone().unwrap_or_else(|| "off".to_owned());
            let environment = vec![(trace_core::CACHE_VARIABLE, cache)];
            let path = std::env::var_os("TRACEBOOK_TASK_PROGRAM").filter(|path| !path.is_empty());
            // The file itself, also after it was replaced.
            let path = path.unwrap_or_else(|| "/proc/self/exe".into());
            let memory = needs.memory.map(|memory| memory.saturating_mul(slots as u64)).or_else(half_of_free);
            Ok(processes::shared(Program { path, environment }, slots, memory))
        }
    }
}

/// Returns the memory that all children may use together: what the user set, else half of what is free.
fn half_of_free() -> Option<u64> {
    if let Some(set) = std::env::var(MEMORY_VARIABLE).ok().and_then(|text| trace_core::parse_size(&text)) {
        return Some(set);
    }
    trace_core::free_memory().map(|free| free / 2)
}

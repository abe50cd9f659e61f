//! The engine: packages, job, polling, the answer from the log.

use super::address::Address;
use super::http::{Http, Refusal, status_of};
use super::interrupt::{FIRST_PAUSE, interruptible, pause, pause_before, stop};
use super::log::{self, Event};
use super::package::{PROGRAM, Package, PackedProgram};
use super::token::Token;
use crate::cluster::choice::Needs;
use crate::cluster::last_lines::failed_inputs;
use crate::cluster::listener::{Progress, tell};
use crate::cluster::quoted::{quoted, quoted_end};
use crate::cluster::{FAN_IN, job_name};
use crate::provenance::build;
use crate::sync::lock;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};
use trace_core::error::DistributedReason;
use trace_core::task::{Engine, Job, Ran};
use trace_core::{Error, Result};
use trace_view::format::counted;

/// The driver that runs on the cluster.
const DRIVER: &[u8] = include_bytes!("driver.py");
/// How often Ray runs a task again that was killed.
const RETRIES: usize = 4;
/// Time between two looks at the job, first and later.
const POLLS: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(1500)];
/// After this time, looks are rarer.
const EAGER: Duration = Duration::from_secs(10);
/// How long an unreachable head is asked again.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long the answer of a job that has ended may be missing in its log.
const LATE_LOG: Duration = Duration::from_secs(10);
/// Jobs of one question that have no answer before the next is submitted.
const MOST_ATTEMPTS: usize = 500;
/// How often a dashboard may say that there is a job which it does not know.
const MOST_CONTRADICTIONS: u32 = 4;
/// Bytes of a log besides the merged partial result: lines of Ray, and of the driver about failed ranks.
const OTHER_LINES: u64 = 64 << 20;

/// A Ray cluster.
#[derive(Debug)]
pub(in crate::cluster) struct Ray {
    http: Http,
    version: String,
    needs: Needs,
    /// The program on every node; `None` ships `shipped`.
    on_nodes: Option<String>,
    shipped: PathBuf,
    python: String,
    program: OnceLock<std::result::Result<PackedProgram, String>>,
    /// Nodes and slots, once a job has counted them.
    nodes: AtomicUsize,
    slots: AtomicUsize,
    jobs: Mutex<Vec<String>>,
    /// Jobs that were stopped or have failed: the cluster may call them running for some seconds more.
    abandoned: Mutex<BTreeSet<String>>,
}

impl Ray {
    /// Connects to the cluster at an address.
    ///
    /// # Errors
    /// If no Ray dashboard answers there, or it refuses the token.
    pub(in crate::cluster) fn connect(address: Address, needs: Needs) -> Result<Self> {
        Self::connect_with(address, needs, Token::find(), std::env::var("TRACEBOOK_TASK_PROGRAM").ok())
    }

    /// Connects with this token; `program` is a path on every node, or a file here that is shipped instead of this program.
    pub(super) fn connect_with(
        address: Address,
        needs: Needs,
        token: Option<Token>,
        program: Option<String>,
    ) -> Result<Self> {
        let authority = address.authority().to_owned();
        let failed = |refusal: Refusal| failed(format!("Ray at {authority}"), refusal.reason);
        let http = Http::new(address, token).map_err(failed)?;
        let version = http.version().map_err(failed)?.ray;
        let chosen = program.unwrap_or_default();
        let on_nodes = Some(chosen.clone()).filter(|path| path.starts_with('/'));
        // The file itself, also after it was replaced.
        let shipped = if chosen.is_empty() { PathBuf::from("/proc/self/exe") } else { PathBuf::from(chosen) };
        let python = std::env::var("TRACEBOOK_RAY_PYTHON").ok().filter(|python| !python.trim().is_empty());
        Ok(Self {
            http,
            version,
            needs,
            on_nodes,
            shipped,
            python: python.unwrap_or_else(|| "python".to_owned()),
            program: OnceLock::new(),
            nodes: AtomicUsize::new(0),
            slots: AtomicUsize::new(0),
            jobs: Mutex::default(),
            abandoned: Mutex::default(),
        })
    }

    fn failed(&self, refusal: impl Into<Refusal>) -> Error {
        let refusal = refusal.into();
        if refusal.is_interrupt { Error::Interrupted } else { failed(self.name(), refusal.reason) }
    }

    fn ask<T: Send + 'static>(
        &self,
        job: &Job<'_>,
        call: impl FnOnce(&Http) -> std::result::Result<T, Refusal> + Send + 'static,
    ) -> std::result::Result<T, Refusal> {
        interruptible(&self.http, job.is_interrupted, call)
    }

    /// Returns the packed program, made at the first call; `None` if every node has it.
    fn program(&self) -> Result<Option<&PackedProgram>> {
        if self.on_nodes.is_some() {
            return Ok(None);
        }
        let folder = dirs::cache_dir().map(|folder| folder.join("tracebook").join("programs"));
        let pack = || PackedProgram::of(&self.shipped, folder.as_deref()).map_err(|error| error.to_string());
        match self.program.get_or_init(pack) {
            Ok(package) => Ok(Some(package)),
            Err(reason) => Err(self.failed(format!("cannot pack the program {}: {reason}", self.shipped.display()))),
        }
    }

    /// Makes sure that the cluster has a package, and keeps it for the job.
    fn provide(&self, job: &Job<'_>, package: &Package) -> Result<()> {
        let has = || {
            let name = package.name.clone();
            self.ask(job, move |http| http.has_package(&name)).map_err(|refusal| self.failed(refusal))
        };
        if has()? {
            return Ok(());
        }
        let Package { name, content } = package.clone();
        self.ask(job, move |http| http.put_package(&name, content)).map_err(|refusal| self.failed(refusal))?;
        // A package that was not asked for is gone the moment its job ends.
        if has()? { Ok(()) } else { Err(self.failed("the cluster lost a package that was just sent; try again")) }
    }

    /// Returns the request of a job, without its name.
    fn request(&self, job: &Job<'_>) -> Result<Value> {
        let program = self.program()?;
        let plan = json!({
            "program": self.on_nodes.as_deref().unwrap_or(PROGRAM),
            "sha256": program.map(|program| program.sha256.as_str()),
            "cpus": self.needs.cpus,
            "memory": self.needs.memory,
            "resources": self.needs.resources,
            "retries": RETRIES,
            "fan_in": FAN_IN,
            "given": job.spec,
            "bundles": job.bundles,
        });
        let work = Package::of_files(&[("driver.py", DRIVER), ("plan.json", plan.to_string().as_bytes())]);
        let work = work.map_err(|error| self.failed(format!("cannot pack the plan: {error}")))?;
        let program = program.map(|program| &program.package);
        for package in program.into_iter().chain([&work]) {
            self.provide(job, package)?;
        }
        let uri = |package: &Package| format!("gcs://{}", package.name);
        let mut environment = json!({"working_dir": uri(&work)});
        if let Some(program) = program {
            // Ray 2.60 fails on an empty list.
            environment["py_modules"] = json!([uri(program)]);
        }
        Ok(json!({
            // Ray runs this with a shell and stops the children that the shell has at that moment: a driver that it starts a moment later
            // would run on. With `exec` the driver is the process that Ray stops.
            "entrypoint": format!("exec {} driver.py", self.python),
            "runtime_env": environment,
            "metadata": {
                "tracebook": env!("CARGO_PKG_VERSION"),
                "label": job.label,
                "question": job.spec.question.name(),
            },
        }))
    }

    /// Submits a job, or finds the same job of an earlier kernel that runs, or whose answer is still in its log.
    fn submitted(&self, job: &Job<'_>, progress: &mut Progress) -> Result<Submitted> {
        let name = format!("tracebook-{}", job_name(job.spec, job.bundles.unwrap_or_default(), &self.needs));
        let (mut request, mut contradictions) = (None, 0);
        for attempt in 0..MOST_ATTEMPTS {
            pause(job.is_interrupted, pause_before(attempt))?;
            let id = if attempt == 0 { name.clone() } else { format!("{name}-{attempt}") };
            let known = self.known(job, &id).map_err(|refusal| self.failed(refusal))?;
            match known.as_ref().and_then(status_of) {
                None => {
                    let request = match &mut request {
                        Some(request) => request,
                        none => none.insert(self.request(job)?),
                    };
                    request["submission_id"] = Value::from(id.as_str());
                    if self.submit(job, &id, request.clone())? {
                        return Ok(Submitted::Runs(id, Origin::New));
                    }
                    contradictions += 1;
                    if contradictions >= MOST_CONTRADICTIONS {
                        let reason = format!("the dashboard says that job {id} exists, and does not know it");
                        return Err(self.failed(format!("{reason}; look at the log of the head, or start it again")));
                    }
                    pause(job.is_interrupted, FIRST_PAUSE * 2_u32.pow(contradictions))?;
                }
                Some("PENDING" | "RUNNING") if !lock(&self.abandoned).contains(&id) => {
                    return Ok(Submitted::Runs(id, Origin::Found));
                }
                // Files may have changed since another load; a question names size and time of each.
                Some("SUCCEEDED") if job.bundles.is_some() => {
                    let log = match self.log(job, &id) {
                        Err(refusal) if refusal.is_interrupt => return Err(Error::Interrupted),
                        log => log.unwrap_or_default(),
                    };
                    if let Some(ran) = self.read(&log, progress).ok().flatten().filter(|ran| ran.failed.is_empty()) {
                        return Ok(Submitted::HasEnded(id, ran));
                    }
                }
                Some(_) => {}
            }
        }
        Err(self.failed(format!("{MOST_ATTEMPTS} jobs of this question have failed; start the cluster again")))
    }

    /// Submits a job; `false` if there is one of this name. After an interrupt, the cluster may have it.
    fn submit(&self, job: &Job<'_>, id: &str, request: Value) -> Result<bool> {
        self.ask(job, move |http| http.submit(&request)).map_err(|refusal| {
            if refusal.is_interrupt {
                stop(&self.http, id);
            }
            self.failed(refusal)
        })
    }

    /// Returns what is known of a job.
    fn known(&self, job: &Job<'_>, id: &str) -> std::result::Result<Option<Value>, Refusal> {
        let id = id.to_owned();
        self.ask(job, move |http| http.job(&id))
    }

    /// Returns the log of a job.
    fn log(&self, job: &Job<'_>, id: &str) -> std::result::Result<String, Refusal> {
        // In base64, four characters are three bytes.
        let most = (job.spec.most_bytes / 3).saturating_mul(4).saturating_add(OTHER_LINES);
        let id = id.to_owned();
        self.ask(job, move |http| http.log(&id, most))
    }

    /// Waits for a job; `None` if it was stopped from outside.
    fn wait(&self, id: &str, job: &Job<'_>, progress: &mut Progress) -> Result<Option<Ran>> {
        let begun = Instant::now();
        let (mut unreachable, mut ended) = (None::<Instant>, None::<Instant>);
        loop {
            let looked = self.look(id, job, progress);
            match looked {
                Ok(Looked::Ended(ran)) => return Ok(Some(ran)),
                Ok(Looked::Stopped) => return Ok(None),
                Err(refusal) if refusal.is_interrupt => {
                    stop(&self.http, id);
                    return Err(Error::Interrupted);
                }
                Err(refusal) if refusal.is_passing => {
                    let since = unreachable.get_or_insert_with(Instant::now);
                    if since.elapsed() > TIMEOUT {
                        let reason = format!(
                            "lost while job {id} ran: {}; ask again, what was read stays in the nodes' caches",
                            refusal.reason
                        );
                        return Err(self.failed(reason));
                    }
                    progress.state = "the head does not answer".to_owned();
                }
                Err(refusal) => return Err(self.failed(refusal)),
                Ok(Looked::WithoutAnswer) if ended.get_or_insert_with(Instant::now).elapsed() > LATE_LOG => {
                    return Err(self.failed(format!("job {id} ended without an answer in its log; ask again")));
                }
                Ok(_) => unreachable = None,
            }
            tell(progress);
            let poll = if begun.elapsed() < EAGER { POLLS[0] } else { POLLS[1] };
            if let Err(interrupt) = pause(job.is_interrupted, poll) {
                stop(&self.http, id);
                return Err(interrupt);
            }
        }
    }

    /// Looks at a job once.
    fn look(&self, id: &str, job: &Job<'_>, progress: &mut Progress) -> std::result::Result<Looked, Refusal> {
        let gone = || {
            Refusal::lasting(format!(
                "the cluster does not know job {id} any more: its head was started again; load again"
            ))
        };
        let state = self.known(job, id)?.ok_or_else(gone)?;
        let status = status_of(&state).unwrap_or_default();
        let message = || state.get("message").and_then(Value::as_str).unwrap_or_default().trim();
        if status == "PENDING" {
            progress.state = "the cluster prepares the job".to_owned();
            return Ok(Looked::Runs);
        }
        let log = self.log(job, id)?;
        let ran = self.read(&log, progress).map_err(Refusal::lasting)?;
        match (status, ran) {
            ("SUCCEEDED", Some(ran)) => Ok(Looked::Ended(ran)),
            ("SUCCEEDED", None) => Ok(Looked::WithoutAnswer),
            ("STOPPED", _) => Ok(Looked::Stopped),
            ("FAILED", _) => Err(Refusal::lasting(self.why_failed(message(), &log))),
            _ => Ok(Looked::Runs),
        }
    }

    /// Returns why a job failed without a word of the driver.
    fn why_failed(&self, message: &str, log: &str) -> String {
        if log.contains("No module named 'ray'") {
            return format!(
                "`{}` on the head has no module ray; name the Python of Ray: TRACEBOOK_RAY_PYTHON=/path/of/python",
                self.python
            );
        }
        let reason = quoted_end(&log::tail(log, 8));
        let reason = if reason.is_empty() { quoted_end(message) } else { reason };
        format!("the job failed: {reason}")
    }

    /// Reads the log of a job: its answer, if it is there.
    fn read(&self, log: &str, progress: &mut Progress) -> std::result::Result<Option<Ran>, String> {
        let (mut failed, mut found) = (Vec::new(), None);
        for event in log::events(log) {
            match event {
                Event::Started { nodes, slots } => {
                    self.nodes.store(nodes, Ordering::Relaxed);
                    self.slots.store(slots, Ordering::Relaxed);
                    progress.state = self.size();
                }
                Event::Progress { done, whole, tasks, failed, ranks, all_ranks } => {
                    *progress = Progress { done, whole, tasks, failed, ranks, all_ranks, ..progress.clone() };
                }
                Event::Failed { inputs, reason, log } => failed.extend(failed_inputs(inputs, &reason, &log)),
                Event::Message { .. } => {}
                Event::Fatal { reason } => return Err(quoted(&reason)),
                Event::State { bytes, sha256, base64 } => found = Some(log::state(bytes, &sha256, &base64)?),
            }
        }
        Ok(found.map(|state| Ran { state, failed }))
    }
}

/// A job on the cluster.
enum Submitted {
    Runs(String, Origin),
    HasEnded(String, Ran),
}

/// Where a job comes from.
enum Origin {
    New,
    /// Another process submitted it, for the same question.
    Found,
}

/// What a look at a job found.
enum Looked {
    Runs,
    /// It has ended, and the log does not have its answer yet.
    WithoutAnswer,
    Stopped,
    Ended(Ran),
}

impl Engine for Ray {
    fn name(&self) -> String {
        format!("Ray {} at {}", self.version, self.http.address().authority())
    }

    fn size(&self) -> String {
        match self.nodes.load(Ordering::Relaxed) {
            0 => String::new(),
            nodes => format!("{}, {}", counted(nodes, "node"), counted(self.slots(), "slot")),
        }
    }

    fn jobs(&self) -> Vec<String> {
        lock(&self.jobs).clone()
    }

    fn build(&self) -> &str {
        build()
    }

    fn slots(&self) -> usize {
        self.slots.load(Ordering::Relaxed).max(1)
    }

    fn run(&self, job: &Job<'_>) -> Result<Ran> {
        let mut progress = Progress::of(job);
        progress.state = "sending the program and the plan".to_owned();
        tell(&progress);
        loop {
            let submitted = self.submitted(job, &mut progress)?;
            let (Submitted::Runs(id, _) | Submitted::HasEnded(id, _)) = &submitted;
            lock(&self.jobs).push(id.clone());
            let (id, origin) = match submitted {
                Submitted::HasEnded(_, ran) => return Ok(ran),
                Submitted::Runs(id, origin) => (id, origin),
            };
            let ran = self.wait(&id, job, &mut progress);
            if !matches!(ran, Ok(Some(_))) {
                lock(&self.abandoned).insert(id.clone());
            }
            match (ran?, origin) {
                (Some(ran), _) => return Ok(ran),
                // The process that submitted it was interrupted; this one was not.
                (None, Origin::Found) => {}
                (None, Origin::New) => {
                    return Err(self.failed(format!("job {id} was stopped from outside; ask again")));
                }
            }
        }
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self::lasting(reason)
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Self {
        Self::lasting(reason)
    }
}

fn failed(engine: String, reason: String) -> Error {
    Error::Distributed(DistributedReason::Engine { engine, reason })
}

//! Path or bytes → [`TraceSet`]: several ranks at once, with progress and a way to stop.

#[cfg(test)]
#[path = "load_fragments_tests.rs"]
mod fragments_tests;
#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;

use crate::error::NoEventsReason;
use crate::exec::abandon::abandonable;
use crate::exec::checkpoint;
use crate::exec::memory::{Budget, Task};
use crate::exec::pool::{Cores, share};
use crate::frame::{Builder, Built, Wanted, unify};
use crate::read::{Meter, Outcome, check_json, label_of, open_bytes, open_file, read_events, read_parts, trace_files};
use crate::{Compat, Error, ParserConfig, RankInfo, Result, Trace, TraceSet, Warning};
use polars::prelude::DataFrame;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// How a trace is to be loaded.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// The truth, or HTA's answer to the digit.
    pub compat: Compat,
    /// Only these ranks; `None` for all.
    pub ranks: Option<Vec<i64>>,
    /// The label; `None` makes one from the name of the file or folder.
    pub label: Option<String>,
    /// Which arguments become columns; `None` takes [`ParserConfig::get_default_cfg`].
    pub parser_config: Option<ParserConfig>,
    /// Refuse a file that is not JSON by the letter ([`Error::NotStrictJson`]), where otherwise whole events are kept and
    /// the rest is a warning. Each file is read a second time, by serde_json.
    pub strict: bool,
}

impl LoadOptions {
    fn wanted(&self) -> Result<Wanted> {
        self.parser_config.as_ref().map_or_else(|| Wanted::of(&ParserConfig::get_default_cfg()), Wanted::of)
    }
}

/// How far a load has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Bytes read from the files, as they lie on disk. A file that is read twice, since it is loaded strictly, counts half
    /// each time.
    pub bytes_read: u64,
    /// Bytes of all files.
    pub bytes_total: u64,
    /// Events seen.
    pub events: u64,
    /// Files that are done.
    pub files_done: usize,
    /// All files.
    pub files_total: usize,
    /// The file that was begun last, by name.
    pub file: String,
}

/// Loads the file or the folder at `path`, on a thread that is left behind if it blocks when the load is interrupted.
pub(crate) fn from_path(
    path: &Path,
    options: &LoadOptions,
    progress: &mut dyn FnMut(&LoadProgress) -> ControlFlow<()>,
) -> Result<TraceSet> {
    let watch = Arc::new(Watch::default());
    let work = {
        let (path, options, wanted) = (path.to_owned(), options.clone(), options.wanted()?);
        let (watch, threads) = (Arc::clone(&watch), rayon::current_num_threads());
        move || {
            let files = trace_files(&path)?;
            if options.strict && !path.is_dir() && !path.is_file() {
                let (kind, expected) = ("a pipe, and strict loading reads twice", "a file or a folder");
                return Err(Error::NotAFile { path, kind, expected });
            }
            let label = options.label.clone().unwrap_or_else(|| label_of(&path));
            let loads = watch.load(&files, &options, &wanted, threads)?;
            assemble(&label, &options, path.is_dir(), loads)
        }
    };
    let mut tell = || {
        if progress(&watch.progress(options)).is_break() || checkpoint::interrupted() {
            watch.meter.stop.store(true, Ordering::Relaxed);
        }
        if watch.meter.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let refused = |error| Error::Io { path: path.to_owned(), error };
    let loaded = abandonable(work, &mut tell).map_err(refused)?;
    match loaded {
        Some(loaded) if tell().is_continue() => loaded,
        _ => Err(Error::Interrupted),
    }
}

/// Loads one trace from memory.
pub(crate) fn from_bytes(bytes: &[u8], options: &LoadOptions) -> Result<TraceSet> {
    let meter = Meter::default();
    let label = options.label.as_deref().unwrap_or("trace");
    let reader = open_bytes(bytes, &meter)?;
    let loaded = load_one(label, options, &options.wanted()?, &meter, &|| 0, |sink, budget| {
        read_events(budget.limit(reader), label, sink)
    });
    let loaded = strictly(options, loaded, || check_json(open_bytes(bytes, &meter)?, label));
    assemble(label, options, false, vec![(label.to_owned(), loaded)])
}

/// One file, loaded.
struct Loaded {
    trace: Trace,
    warnings: Vec<Warning>,
}

/// What a file turned out to hold.
enum Content {
    /// A rank that was asked for.
    Wanted(Loaded),
    /// Another rank, whose events were not kept.
    OtherRank(i64),
}

/// What became of a file.
type Load = (String, Result<Content>);

/// What the threads of a load tell those who watch it.
#[derive(Default)]
struct Watch {
    meter: Meter,
    bytes_total: AtomicU64,
    files_total: AtomicUsize,
    files_done: AtomicUsize,
    current: Mutex<String>,
}

impl Watch {
    /// Loads the files side by side on at most so many threads.
    fn load(&self, files: &[PathBuf], options: &LoadOptions, wanted: &Wanted, threads: usize) -> Result<Vec<Load>> {
        let bytes: u64 = files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|file| file.len()).sum();
        self.bytes_total.store(bytes, Ordering::Relaxed);
        self.files_total.store(files.len(), Ordering::Relaxed);
        let cores = Cores::new(threads, files.len());
        let read = |file: &PathBuf| -> Load {
            let core = cores.begin();
            let name = file.display().to_string();
            if let Ok(mut current) = self.current.lock() {
                name.clone_into(&mut current);
            }
            let loaded = load_one(&name, options, wanted, &self.meter, &|| core.all_others(), |sink, budget| {
                let reader = budget.limit(open_file(file, &self.meter)?);
                if core.may_have_others() {
                    read_parts(reader, &|| core.others(), &name, sink)
                } else {
                    read_events(reader, &name, sink)
                }
            });
            let loaded = strictly(options, loaded, || check_json(open_file(file, &self.meter)?, &name));
            self.files_done.fetch_add(1, Ordering::Relaxed);
            (name, loaded)
        };
        // Threads of its own, not those of a pool: one that blocks is lost.
        let ((), loads) = share(threads.saturating_sub(1), || (), files.iter().collect(), read);
        if self.meter.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(loads) }
    }

    fn progress(&self, options: &LoadOptions) -> LoadProgress {
        let bytes_total = self.bytes_total.load(Ordering::Relaxed);
        let readings = if options.strict { 2 } else { 1 };
        LoadProgress {
            // A file may have grown since.
            bytes_read: (self.meter.bytes.load(Ordering::Relaxed) / readings).min(bytes_total),
            bytes_total,
            events: self.meter.events.load(Ordering::Relaxed),
            files_done: self.files_done.load(Ordering::Relaxed),
            files_total: self.files_total.load(Ordering::Relaxed),
            file: self.current.lock().map(|current| current.clone()).unwrap_or_default(),
        }
    }
}

/// What was loaded, unless it is to be valid and is not. A rank that nobody asked for is not looked at.
fn strictly(options: &LoadOptions, loaded: Result<Content>, check: impl FnOnce() -> Result<()>) -> Result<Content> {
    if options.strict
        && !matches!(
            loaded,
            Ok(Content::OtherRank(_)) | Err(Error::Interrupted | Error::MemoryBudget { .. } | Error::Io { .. })
        )
    {
        check()?;
    }
    loaded
}

/// The file that `read` puts into a builder; so many `others` help when it has been read.
fn load_one<'m>(
    file: &str,
    options: &'m LoadOptions,
    wanted: &'m Wanted,
    meter: &'m Meter,
    others: &dyn Fn() -> usize,
    read: impl FnOnce(&mut Builder<'m>, Budget) -> Result<Outcome>,
) -> Result<Content> {
    let ranks = options.ranks.as_deref();
    let mut builder = Builder::new(options.compat, ranks, wanted, meter);
    let (budget, task) = (Budget::now()?, Task::Load(file));
    budget.check(task, 0)?;
    let outcome = read(&mut builder, budget).map_err(|error| match error {
        Error::Io { error, .. } if error.kind() == ErrorKind::OutOfMemory => budget.spent(task),
        error => error,
    })?;
    let named = rank_in(&outcome.metadata).or(outcome.rank_in_text);
    let rank = named.unwrap_or(0);
    if outcome.stopped {
        return Ok(Content::OtherRank(rank));
    }
    meter.events.fetch_add(builder.untold(outcome.events), Ordering::Relaxed);
    budget.check(task, builder.bytes_to_finish())?;
    let built = builder.finish(others())?;
    budget.check(task, 0)?;
    if built.events.height() == 0 {
        return Err(Error::NoEvents { file: file.to_owned(), reason: why_empty(&outcome) });
    }
    if ranks.is_some_and(|wanted| !wanted.contains(&rank)) {
        return Ok(Content::OtherRank(rank));
    }
    let warnings = warnings(file, options.compat, named, &outcome, &built);
    let info = RankInfo {
        rank,
        file: file.to_owned(),
        events_in_file: outcome.events,
        events: built.events.height(),
        first_ts: built.first_ts,
        last_end: built.last_end,
        streams: built.streams,
        iterations: built.iterations,
        device_type: device_type(&outcome.metadata, &built.names).to_owned(),
        metadata: outcome.metadata,
    };
    Ok(Content::Wanted(Loaded { trace: Trace { info: Arc::new(info), events: built.events }, warnings }))
}

fn why_empty(outcome: &Outcome) -> NoEventsReason {
    match (&outcome.cut, outcome.events) {
        (Some(cut), 0) => NoEventsReason::EndsEarly { damage: cut.reason.clone(), byte: cut.offset },
        (_, 0) => NoEventsReason::Empty,
        (_, events) => NoEventsReason::NoneComplete { events },
    }
}

fn rank_in(metadata: &Map<String, Value>) -> Option<i64> {
    metadata.get("distributedInfo")?.get("rank")?.as_i64().filter(|rank| *rank >= 0)
}

/// HTA's rule: what the job says of its backend, else a name that only one kind of device has.
fn device_type(metadata: &Map<String, Value>, names: &[String]) -> &'static str {
    let backend = metadata.get("distributedInfo").and_then(|info| info.get("backend")).and_then(Value::as_str);
    let has = |name: &str| names.iter().any(|other| other == name);
    if backend.is_some_and(|backend| backend.contains("mtia:hccl")) {
        "MTIA"
    } else if has("cudaLaunchKernel") {
        "NVIDIA GPU"
    } else if has("hipLaunchKernel") {
        "AMD GPU"
    } else if has("runFunction - job_prep_and_submit_for_execution") {
        "MTIA"
    } else {
        "UNKNOWN GPU"
    }
}

fn warnings(file: &str, compat: Compat, rank: Option<i64>, outcome: &Outcome, built: &Built) -> Vec<Warning> {
    let file = file.to_owned();
    let mut warnings = Vec::new();
    if let Some(cut) = outcome.cut.clone() {
        let events = outcome.events - outcome.skipped.as_ref().map_or(0, |(count, _)| *count);
        warnings.push(Warning::Truncated { file: file.clone(), events, offset: cut.offset, reason: cut.reason });
    }
    if let Some(reason) = outcome.damaged.clone() {
        warnings.push(Warning::Damaged { file: file.clone(), reason });
    }
    if let Some((count, first)) = outcome.skipped.clone() {
        let (offset, reason) = (first.offset, first.reason);
        warnings.push(Warning::SkippedEvents { file: file.clone(), count, offset, reason });
    }
    let mut odd = outcome.odd.clone();
    odd.add(&built.odd);
    warnings.extend(odd.warnings(&file));
    if rank.is_none() {
        warnings.push(Warning::NoRank { file: file.clone() });
    }
    if !built.odd_steps.is_empty() {
        warnings.push(Warning::OddSteps { file: file.clone(), names: built.odd_steps.clone() });
    }
    if compat == Compat::Hta && built.negative > 0 {
        warnings.push(Warning::NegativeDurations { file, count: built.negative });
    }
    warnings
}

/// The set of what was loaded, file by file in the order of their names: of two files of one rank the later one counts.
fn assemble(label: &str, options: &LoadOptions, in_folder: bool, loads: Vec<Load>) -> Result<TraceSet> {
    let mut warnings = Vec::new();
    let mut traces: BTreeMap<i64, Trace> = BTreeMap::new();
    let mut first_error = None;
    let mut others: BTreeSet<i64> = BTreeSet::new();
    for (file, load) in loads {
        match load {
            Ok(Content::OtherRank(rank)) => {
                others.insert(rank);
            }
            Ok(Content::Wanted(loaded)) => {
                warnings.extend(loaded.warnings);
                let rank = loaded.trace.rank();
                if let Some(earlier) = traces.insert(rank, loaded.trace) {
                    let dropped = earlier.info().file.clone();
                    warnings.push(Warning::SameRank { rank, kept: file, dropped });
                }
            }
            // A folder may hold other JSON, too.
            Err(error) if in_folder && is_about_content(&error) => {
                warnings.push(Warning::SkippedFile { file, reason: error.to_string() });
                first_error.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    if traces.is_empty() {
        let wanted = options.ranks.clone().unwrap_or_default();
        if others.is_empty()
            && let Some(error) = first_error
        {
            return Err(error);
        }
        let available = others.into_iter().collect();
        return Err(Error::NoSuchRanks { label: label.to_owned(), wanted, available });
    }
    if let Some(wanted) = &options.ranks {
        let mut missing: Vec<i64> = wanted.iter().copied().filter(|rank| !traces.contains_key(rank)).collect();
        missing.sort_unstable();
        missing.dedup();
        if !missing.is_empty() {
            others.extend(traces.keys());
            let available = others.into_iter().collect();
            warnings.push(Warning::MissingRanks { label: label.to_owned(), missing, available });
        }
    }
    let mut frames: Vec<&mut DataFrame> = traces.values_mut().map(|trace| &mut trace.events).collect();
    unify(&mut frames)?;
    Ok(TraceSet::of(label, options.compat, traces.into_values().collect(), warnings))
}

fn is_about_content(error: &Error) -> bool {
    matches!(error, Error::NotATrace { .. } | Error::NoTraceEvents { .. } | Error::NoEvents { .. })
}

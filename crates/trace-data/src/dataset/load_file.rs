//! Loading of one file: its events, rank and warnings.

use super::load_options::LoadOptions;
use super::placement::{Permit, Placement};
use super::trace::Trace;
use crate::error::{NoEventsReason, SourceReason, UnusableReason};
use crate::exec::memory::{Budget, Task};
use crate::frame::{Builder, Built, Wanted};
use crate::read::{Meter, Outcome};
use crate::{Compat, Error, RankInfo, Result, SourceFile, Warning};
use serde_json::{Map, Value};
use std::io::ErrorKind;

/// A loaded rank.
pub(super) struct Loaded {
    pub(super) trace: Trace,
    pub(super) warnings: Vec<Warning>,
}

/// Content of a file.
pub(super) enum Content {
    /// A requested rank.
    Requested(Loaded),
    /// Another rank, whose events were dropped.
    OtherRank(i64),
}

/// Loader of the files of one trace.
#[derive(Clone, Copy)]
pub(super) struct FileLoader<'m> {
    pub(super) options: &'m LoadOptions,
    pub(super) wanted: &'m Wanted,
    pub(super) meter: &'m Meter,
    pub(super) placement: &'m Placement,
}

impl Content {
    /// Keeps the columns in memory if they fit, otherwise in a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn retained(self, permit: &Permit<'_>, compat: Compat) -> Result<Self> {
        match self {
            Self::Requested(Loaded { trace, warnings }) => {
                let trace = permit.retain(trace, compat, &warnings)?;
                Ok(Self::Requested(Loaded { trace, warnings }))
            }
            other => Ok(other),
        }
    }
}

impl<'m> FileLoader<'m> {
    /// Loads one file. `source` is the file as it was before; `read` parses it into the builder, within the budget; `helpers`
    /// returns how many threads may help to build the columns.
    pub(super) fn load(
        self,
        file: &str,
        source: Option<SourceFile>,
        read: impl FnOnce(&mut Builder<'m>, Budget) -> Result<Outcome>,
        helpers: impl FnOnce() -> usize,
    ) -> Result<Content> {
        let Self { options, wanted, meter, placement } = self;
        let ranks = options.ranks.as_deref();
        let mut builder = Builder::new(options.compat, ranks, wanted, meter);
        let (budget, task) = (placement.budget(), Task::Load(file));
        budget.check(task, 0)?;
        let outcome = read(&mut builder, budget).map_err(|error| match error {
            Error::Io { error, .. } if error.kind() == ErrorKind::OutOfMemory => budget.spent(task),
            error => error,
        });
        let is_about_memory = matches!(outcome, Err(Error::Interrupted | Error::MemoryBudget { .. }));
        let difference = source.as_ref().filter(|_| !is_about_memory).and_then(SourceFile::difference);
        if let Some(SourceReason::Changed { path }) = difference {
            // Part of what was read is from before.
            return Err(Error::Unusable { path, reason: UnusableReason::ChangedWhileRead });
        }
        let outcome = outcome?;
        let named = rank_in(&outcome.metadata).or(outcome.rank_in_text);
        let rank = named.unwrap_or(0);
        if outcome.stopped {
            return Ok(Content::OtherRank(rank));
        }
        builder.report(outcome.events);
        budget.check(task, builder.bytes_to_finish())?;
        let built = builder.finish(helpers())?;
        budget.check(task, 0)?;
        if built.events.height() == 0 {
            return Err(Error::NoEvents { file: file.to_owned(), reason: why_empty(&outcome) });
        }
        if ranks.is_some_and(|requested| !requested.contains(&rank)) {
            return Ok(Content::OtherRank(rank));
        }
        let warnings = warnings(file, named, &outcome, &built);
        let info = RankInfo {
            rank,
            file: file.to_owned(),
            source,
            events_in_file: outcome.events,
            events: built.events.height(),
            first_ts: built.first_ts,
            last_end: built.last_end,
            negative_durations: built.negative,
            streams: built.streams,
            track_names: built.track_names,
            iterations: built.iterations,
            device_type: device_type(&outcome.metadata, &built.names).to_owned(),
            unread_args: Some(built.unread_args),
            metadata: outcome.metadata,
        };
        Ok(Content::Requested(Loaded { trace: Trace::in_memory(info, built.events), warnings }))
    }
}

fn why_empty(outcome: &Outcome) -> NoEventsReason {
    match (&outcome.cut, &outcome.skipped, outcome.events) {
        (Some(cut), _, 0) => NoEventsReason::EndsEarly { damage: cut.reason.clone(), byte: cut.offset },
        (_, _, 0) => NoEventsReason::Empty,
        (_, Some((skipped, first)), events) => {
            NoEventsReason::LeftOut { events, skipped: *skipped, damage: first.reason.clone(), byte: first.offset }
        }
        (_, None, events) => NoEventsReason::NoneComplete { events },
    }
}

fn rank_in(metadata: &Map<String, Value>) -> Option<i64> {
    metadata.get("distributedInfo")?.get("rank")?.as_i64().filter(|rank| *rank >= 0)
}

/// Returns the device type by HTA's rule: from the backend of the job, else from a name that only one type has.
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

/// Returns what a Perfetto trace lacks, from what its decoder says of it.
fn lacks(about: &Map<String, Value>) -> Vec<String> {
    let count = |key: &str| about.get(key).and_then(Value::as_u64).unwrap_or(0);
    let mut lacks = vec!["it has no metadata (rank, size of the job, devices, versions)".to_owned()];
    if let Some(rank) = about.get("rank") {
        lacks.push(format!("rank {rank} is that of its name"));
    }
    for (key, text) in [
        ("categories inferred", "events had no category and got one by their arguments"),
        ("slices without an end", "events have no end and were left out"),
        ("ends without a slice", "ends have no event and were left out"),
        ("times of unknown clocks", "times are of a clock without a snapshot and were taken as they are"),
        ("malformed packets", "packets are malformed and were left out"),
    ] {
        if count(key) > 0 {
            lacks.push(format!("{} {text}", trace_view::format::grouped(count(key) as usize)));
        }
    }
    if let Some(first) = about.get("first malformed").and_then(Value::as_str) {
        lacks.push(format!("the first: {first}"));
    }
    lacks
}

fn warnings(file: &str, rank: Option<i64>, outcome: &Outcome, built: &Built) -> Vec<Warning> {
    let file = file.to_owned();
    let mut warnings = Vec::new();
    if let Some(cut) = outcome.cut.clone() {
        let events = outcome.events - outcome.skipped.as_ref().map_or(0, |(count, _)| *count);
        warnings.push(Warning::Truncated { file: file.clone(), events, offset: cut.offset, reason: cut.reason });
    }
    let perfetto = outcome.metadata.get("perfetto").and_then(Value::as_object);
    match outcome.damaged.clone() {
        // The text that its decoder wrote is whole.
        Some(reason) if perfetto.is_some() => warnings.push(Warning::Incomplete { file: file.clone(), reason }),
        Some(reason) => warnings.push(Warning::Damaged { file: file.clone(), reason }),
        None => {}
    }
    if let Some(about) = perfetto {
        warnings.push(Warning::Perfetto { file: file.clone(), lacks: lacks(about) });
    }
    if let Some((count, first)) = outcome.skipped.clone() {
        let (offset, reason) = (first.offset, first.reason);
        warnings.push(Warning::SkippedEvents { file: file.clone(), count, offset, reason });
    }
    let mut anomalies = outcome.anomalies.clone();
    anomalies.add(&built.anomalies);
    warnings.extend(anomalies.warnings(&file));
    if rank.is_none() {
        warnings.push(Warning::NoRank { file: file.clone() });
    }
    if !built.unnumbered_steps.is_empty() {
        warnings.push(Warning::UnnumberedSteps { file: file.clone(), names: built.unnumbered_steps.clone() });
    }
    if built.devices.len() > 1 {
        warnings.push(Warning::SeveralDevices { file: file.clone(), devices: built.devices.clone() });
    }
    if built.is_rounded && built.negative > 0 {
        warnings.push(Warning::NegativeDurations { file, count: built.negative });
    }
    warnings
}

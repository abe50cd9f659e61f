//! Warnings: repaired input, dropped files, comparisons under different conditions.

use super::proposed_marker::ProposedMarker;
use serde::{Deserialize, Serialize};
use std::fmt;
use trace_view::format::{grouped, list, numbered, numbers};

/// A repair, an omission or an assumption that limits the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Warning {
    /// The file is truncated; its whole events were kept.
    Truncated {
        /// The file.
        file: String,
        /// Whole events.
        events: u64,
        /// The offset of its end, in bytes of JSON text.
        offset: u64,
        /// How it ends: `the JSON text ends inside an event`, or the message of gzip.
        reason: String,
    },
    /// The text is complete, but a checksum of the file differs.
    Damaged {
        /// The file.
        file: String,
        /// What differs: `the gzip data is damaged (its CRC-32 differs)`.
        reason: String,
    },
    /// The file ends early or is damaged, and is not JSON text; what precedes the damage was kept.
    Incomplete {
        /// The file.
        file: String,
        /// What is wrong, and at which byte.
        reason: String,
    },
    /// A Perfetto trace, which has less than a JSON trace.
    Perfetto {
        /// The file.
        file: String,
        /// What it lacks, and what was done about it.
        lacks: Vec<String>,
    },
    /// Events that are not JSON were skipped.
    SkippedEvents {
        /// The file.
        file: String,
        /// How many.
        count: u64,
        /// The offset of the first one, in bytes of JSON text.
        offset: u64,
        /// The problem of the first one.
        reason: String,
    },
    /// Anomalous values that were repaired.
    Anomalies {
        /// The file.
        file: String,
        /// The anomaly and its repair: `NaN or Infinity, read as null`.
        what: String,
        /// How many.
        count: u64,
    },
    /// The file does not name its rank.
    NoRank {
        /// The file.
        file: String,
    },
    /// Two files have one rank: the later name wins.
    SameRank {
        /// The rank.
        rank: i64,
        /// The file that was kept.
        #[serde(rename = "kept")]
        retained: String,
        /// The file that was skipped.
        dropped: String,
    },
    /// Some of the requested ranks are in none of the files.
    MissingRanks {
        /// The trace.
        label: String,
        /// The requested ranks that are missing, ascending.
        missing: Vec<i64>,
        /// The ranks that the files hold, ascending.
        available: Vec<i64>,
    },
    /// A file could not be read where it is, so that its rank is missing.
    UnreadFile {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// Some files of the trace could not be read: answers are about the other ranks.
    PartOfRanks {
        /// The trace.
        label: String,
        /// Ranks that were read.
        read: usize,
        /// Ranks that were read, and files that could not be.
        all: usize,
    },
    /// A file of the folder is not a usable trace.
    SkippedFile {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// The events of one rank ran on several devices, which count as one.
    SeveralDevices {
        /// The file.
        file: String,
        /// The devices, ascending.
        devices: Vec<i64>,
    },
    /// Names that start with `ProfilerStep` but have no number.
    UnnumberedSteps {
        /// The file.
        file: String,
        /// The names.
        names: Vec<String>,
    },
    /// The trace has no ProfilerStep.
    NoProfilerStep {
        /// The trace.
        label: String,
    },
    /// Iterations were found in recordings without ProfilerStep: calls that repeat and launch most of the work.
    FoundSteps {
        /// The calls, with `…` for what differs.
        name: String,
        /// The regular expression that their names match.
        pattern: String,
        /// Label and number of calls of each recording.
        counts: Vec<(String, usize)>,
        /// The least share of the GPU time of a recording that they launch, in percent.
        percent: u32,
    },
    /// Calls of several kinds repeat in a recording without ProfilerStep and launch most of the work.
    ProposedSteps {
        /// The calls of each kind.
        calls: Vec<ProposedMarker>,
    },
    /// Events of one side end before they start.
    EndBeforeStart {
        /// The side.
        label: String,
        /// How many.
        count: u64,
    },
    /// One side was loaded with HTA's rounding, the other one exactly.
    MixedCompat {
        /// The side that follows HTA.
        hta: String,
        /// The side that is exact.
        exact: String,
    },
    /// The sides of a comparison were recorded under different conditions.
    UnlikeRecording {
        /// What differs.
        what: Unlike,
        /// The control side.
        control: String,
        /// Its condition.
        of_control: String,
        /// The test side.
        test: String,
        /// Its condition.
        of_test: String,
    },
    /// A run is the recording of an earlier run.
    CountedOnce {
        /// The run that is left out.
        run: String,
        /// The earlier run.
        first: String,
    },
    /// HTA's rounding made durations negative.
    NegativeDurations {
        /// The file.
        file: String,
        /// How many.
        count: u64,
    },
}

/// A condition in which two recordings differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unlike {
    /// The number of ranks of the job.
    WorldSize,
    /// The devices.
    Devices,
    /// What the profiler recorded.
    ProfilerFlags,
    /// Versions of drivers, runtimes and PyTorch.
    Software,
    /// The machines, by name.
    Machines,
    /// The clocks of the devices, where a recording names them.
    Clocks,
    /// The shapes of the inputs of most operators: another batch.
    InputShapes,
    /// The categories of events.
    EventMix,
    /// Nothing: both sides are the same recording.
    Nothing,
}

impl Unlike {
    /// Returns what differs, as in a list: `devices`, `input shapes`. `None` if nothing does.
    pub(super) fn word(self) -> Option<&'static str> {
        Some(match self {
            Self::WorldSize => "number of ranks",
            Self::Devices => "devices",
            Self::ProfilerFlags => "flags of the profiler",
            Self::Software => "software",
            Self::Machines => "machines",
            Self::Clocks => "clocks",
            Self::InputShapes => "input shapes",
            Self::EventMix => "mix of events",
            Self::Nothing => return None,
        })
    }
}

/// Recordings or counts that a sentence names one by one.
const NAMED: usize = 3;

/// Names recordings: `"old" and "new"`, or how many there are.
fn recordings(counts: &[(String, usize)]) -> String {
    if counts.len() > NAMED {
        return format!("{} recordings", counts.len());
    }
    let labels: Vec<String> = counts.iter().map(|(label, _)| format!("\"{label}\"")).collect();
    labels.join(" and ")
}

/// Names the number of calls of each recording: `8`, `8 and 9`, `8 to 12`.
fn calls(counts: &[(String, usize)]) -> String {
    let numbers: Vec<String> = counts.iter().map(|(_, count)| grouped(*count)).collect();
    let (least, most) = (counts.iter().map(|one| one.1).min(), counts.iter().map(|one| one.1).max());
    match (least, most) {
        (Some(least), Some(most)) if least == most => grouped(least),
        (Some(least), Some(most)) if numbers.len() > NAMED => format!("{} to {}", grouped(least), grouped(most)),
        _ => numbers.join(" and "),
    }
}

/// The repair of an anomaly that loses nothing.
pub const NUMBER_AS_TEXT: &str = "a number written as text, read as the number";

impl Warning {
    /// Tells whether it informs: of a repair that lost nothing, or of iterations that were found.
    pub fn is_information(&self) -> bool {
        match self {
            Self::Anomalies { what, .. } => what == NUMBER_AS_TEXT,
            _ => matches!(self, Self::FoundSteps { .. } | Self::ProposedSteps { .. }),
        }
    }

    /// Tells whether it says what another one does: of recordings that differ, the kind of the difference, whichever the runs are.
    #[doc(hidden)]
    pub fn says(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::UnlikeRecording { what, of_control, .. },
                Self::UnlikeRecording { what: other, of_control: of_other, .. },
            ) => what == other && (*what != Unlike::Nothing || of_control == of_other),
            _ => self == other,
        }
    }

    /// Returns the file that it is about, if it is about one.
    #[doc(hidden)]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Truncated { file, .. }
            | Self::Damaged { file, .. }
            | Self::Incomplete { file, .. }
            | Self::Perfetto { file, .. }
            | Self::SkippedEvents { file, .. }
            | Self::Anomalies { file, .. }
            | Self::NoRank { file }
            | Self::SeveralDevices { file, .. }
            | Self::UnnumberedSteps { file, .. }
            | Self::NegativeDurations { file, .. }
            | Self::SkippedFile { file, .. }
            | Self::UnreadFile { file, .. }
            | Self::SameRank { retained: file, .. } => Some(file),
            Self::MissingRanks { .. }
            | Self::PartOfRanks { .. }
            | Self::NoProfilerStep { .. }
            | Self::FoundSteps { .. }
            | Self::ProposedSteps { .. }
            | Self::EndBeforeStart { .. }
            | Self::MixedCompat { .. }
            | Self::CountedOnce { .. }
            | Self::UnlikeRecording { .. } => None,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { file, events, offset, reason } => write!(
                f,
                "{file} is incomplete: {reason} at byte {offset} of the JSON text; the {events} whole events before that were kept"
            ),
            Self::Damaged { file, reason } => {
                write!(f, "{file}: {reason}; every event was read, but its values may be wrong")
            }
            Self::Incomplete { file, reason } => write!(f, "{file}: {reason}; the events before that were kept"),
            Self::Perfetto { file, lacks } => write!(f, "{file} is a Perfetto trace: {}", lacks.join("; ")),
            Self::SkippedEvents { file, count, offset, reason } => write!(
                f,
                "{file}: {count} event{} left out, the first near byte {offset} of the JSON text: {reason}",
                if *count == 1 { " was" } else { "s were" }
            ),
            Self::Anomalies { file, what, count } => write!(f, "{file}: {count} × {what}"),
            Self::NoRank { file } => write!(
                f,
                "{file} does not say its rank, taken as rank 0 (a trace names it as \"distributedInfo\": {{\"rank\": 0}})"
            ),
            Self::SameRank { rank, retained, dropped } => {
                write!(f, "{retained} and {dropped} are both rank {rank}: {retained} was taken, {dropped} left out")
            }
            Self::MissingRanks { label, missing, available } => {
                write!(f, "trace \"{label}\" has no {} (has {})", numbered("rank", missing), numbers(available))
            }
            Self::UnreadFile { file, reason } => write!(f, "{file} could not be read: {reason}"),
            Self::PartOfRanks { label, read, all } => {
                write!(
                    f,
                    "trace \"{label}\": {} of {} ranks; the others could not be read",
                    grouped(*read),
                    grouped(*all)
                )
            }
            Self::SkippedFile { file, reason } => write!(f, "{file} was skipped: {reason}"),
            Self::SeveralDevices { file, devices } => write!(
                f,
                "{file}: kernels ran on {} devices ({}), which count as one: it is busy while any of them is, and streams of one number \
                 are one stream",
                devices.len(),
                numbers(devices)
            ),
            Self::UnnumberedSteps { file, names } => {
                write!(f, "{file}: no iteration number in {}; these steps were ignored", list(names))
            }
            Self::NoProfilerStep { label } => {
                write!(f, "trace \"{label}\": no ProfilerStep: the whole window counts as the one iteration")
            }
            Self::FoundSteps { name, counts, percent, .. } => write!(
                f,
                "no ProfilerStep in {}: the {} calls of {name} count as iterations, since they launch {percent} % of the work \
                 (--marker none: each recording is one iteration)",
                recordings(counts),
                calls(counts)
            ),
            Self::ProposedSteps { calls } => {
                let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
                write!(f, "calls that would divide the recording into iterations: {}", calls.join(", "))
            }
            Self::EndBeforeStart { label, count } => write!(
                f,
                "trace \"{label}\": {count} event{} before {} start{}; each counts as 0 long",
                if *count == 1 { " ends" } else { "s end" },
                if *count == 1 { "it" } else { "they" },
                if *count == 1 { "s" } else { "" },
            ),
            Self::MixedCompat { hta, exact } => write!(
                f,
                "trace \"{hta}\" was loaded with HTA's rounding, \"{exact}\" exactly: their durations differ by rounding; load both with the same compatibility mode"
            ),
            Self::UnlikeRecording { what, control, of_control, test, of_test } => match what {
                Unlike::WorldSize => write!(
                    f,
                    "the jobs differ in size: \"{control}\" ran on {of_control} ranks, \"{test}\" on {of_test}; what each \
                     rank does and how long it communicates depends on that; compare jobs of one size where you can"
                ),
                Unlike::Devices => write!(
                    f,
                    "the devices differ: \"{control}\" has {of_control}, \"{test}\" {of_test}; their kernels differ in name \
                     and duration; compare operators of the CPU (--device-type cpu), or kinds of kernels \
                     (%gpu_kernel_breakdown)"
                ),
                Unlike::ProfilerFlags => write!(
                    f,
                    "the profiler recorded more on one side: \"{control}\" {of_control}, \"{test}\" {of_test}; recording \
                     takes time on the CPU; record both with the same flags of torch.profiler"
                ),
                Unlike::Software => write!(
                    f,
                    "the software differs: \"{control}\" has {of_control}, \"{test}\" {of_test}; a change of times may come from \
                     it; record both with the same versions"
                ),
                Unlike::Machines => write!(
                    f,
                    "the machines differ: \"{control}\" was recorded on {of_control}, \"{test}\" on {of_test}; a change of times \
                     may come from them; record both on the same machines"
                ),
                Unlike::Clocks => write!(
                    f,
                    "the clocks differ: \"{control}\" ran at {of_control}, \"{test}\" at {of_test}; all times of the device \
                     change with them; lock the clocks (nvidia-smi -lgc, rocm-smi --setperfdeterminism) and record again"
                ),
                Unlike::InputShapes => write!(
                    f,
                    "most operators have inputs of other shapes: \"{control}\" {of_control}, \"{test}\" {of_test}; what a step \
                     does depends on that; compare equal batches where you can"
                ),
                Unlike::EventMix => write!(
                    f,
                    "the mix of events differs: \"{control}\" has {of_control}, \"{test}\" {of_test}; recording each event takes \
                     time; record both with the same flags of torch.profiler"
                ),
                Unlike::Nothing => write!(
                    f,
                    "\"{control}\" and \"{test}\" are the same recording ({of_control}): nothing can differ; load the other run"
                ),
            },
            Self::CountedOnce { run, first } => write!(
                f,
                "\"{run}\" and \"{first}\" are the same recording, which counts once; each run must be a fresh process, recorded once"
            ),
            Self::NegativeDurations { file, count } => write!(
                f,
                "{file}: HTA's rounding makes {count} durations −1 µs, as in HTA; load without it for exact times"
            ),
        }
    }
}

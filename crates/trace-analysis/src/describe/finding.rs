//! Findings of a description: the observation, its meaning and its remedy.

use crate::Warning;
use crate::domain::{ProposedMarker, or_by_markers};
use serde::Serialize;
use trace_view::format::{nanoseconds, numbered, numbers, ranges};

/// An anomaly of a trace that affects how its numbers are read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finding {
    /// Something was repaired, dropped or assumed while loading.
    Loading {
        /// The warning of the load.
        warning: Warning,
    },
    /// At least one percent of the device work has no launch in the trace.
    MissingCorrelation {
        /// The rank.
        rank: i64,
        /// Kernels, copies and fills without a launch.
        unlaunched: u64,
        /// Kernels, copies and fills, with a launch or without.
        work: u64,
    },
    /// No kernel, copy or fill was recorded.
    NoDeviceWork {
        /// The ranks without device work.
        ranks: Vec<i64>,
    },
    /// No CPU operator was recorded.
    NoOperators {
        /// The ranks without operators.
        ranks: Vec<i64>,
    },
    /// No iteration is marked.
    NoSteps {
        /// Calls that would divide the recording.
        calls: Vec<ProposedMarker>,
    },
    /// The last iteration has less than half the events of the earlier ones.
    LastStepCut {
        /// The rank.
        rank: i64,
        /// The iteration.
        iteration: i64,
        /// Its kernels, copies and fills, or its CPU operators if there are none.
        events: u64,
        /// The median of the earlier iterations.
        usual: u64,
    },
    /// A rank lacks iterations that other ranks have.
    MissingIterations {
        /// The rank.
        rank: i64,
        /// Numbers of the iterations that the rank lacks.
        missing: Vec<i64>,
    },
    /// Events end before they start, as recorded in the file.
    NegativeDurations {
        /// The rank.
        rank: i64,
        /// Number of events with a negative duration.
        count: u64,
    },
    /// The iterations of a rank start far from those of the other ranks.
    ClockSkew {
        /// The rank.
        rank: i64,
        /// The delay, the median over the iterations; negative if the rank is early.
        later_ns: i64,
        /// The median duration of a step.
        step_ns: i64,
    },
    /// Ranks of the job were not loaded.
    MissingRanks {
        /// Numbers of the ranks that were not loaded.
        missing: Vec<i64>,
        /// The number of ranks of the job, if a file states it; otherwise the rank numbers have gaps.
        world_size: Option<i64>,
    },
    /// A rank has less than half or more than twice the median.
    UnlikeRank {
        /// The rank.
        rank: i64,
        /// The quantity.
        measure: Measure,
        /// Its value on this rank.
        value: u64,
        /// The median over the ranks.
        median: u64,
    },
}

/// A quantity by which ranks are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Number of events.
    Events,
    /// Number of GPU streams.
    Streams,
}

impl Measure {
    fn word(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Streams => "streams",
        }
    }
}

impl Finding {
    /// Returns a stable name of the kind of finding.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Loading { .. } => "loading",
            Self::MissingCorrelation { .. } => "missing_correlation",
            Self::NoDeviceWork { .. } => "no_device_work",
            Self::NoOperators { .. } => "no_operators",
            Self::NoSteps { .. } => "no_steps",
            Self::LastStepCut { .. } => "last_step_cut",
            Self::MissingIterations { .. } => "missing_iterations",
            Self::NegativeDurations { .. } => "negative_durations",
            Self::ClockSkew { .. } => "clock_skew",
            Self::MissingRanks { .. } => "missing_ranks",
            Self::UnlikeRank { .. } => "unlike_rank",
        }
    }

    /// Returns the observation: a sentence without its full stop.
    pub fn what(&self) -> String {
        match self {
            Self::Loading { warning } => warning.to_string(),
            Self::MissingCorrelation { rank, unlaunched, work } => format!(
                "rank {rank}: {unlaunched} of {work} kernels, copies and fills ({:.1} %) have no launch in the trace",
                100.0 * *unlaunched as f64 / (*work).max(1) as f64
            ),
            Self::NoDeviceWork { ranks } => format!("{} recorded no kernel, copy or fill", numbered("rank", ranks)),
            Self::NoOperators { ranks } => format!("{} recorded no CPU operator", numbered("rank", ranks)),
            Self::NoSteps { .. } => "no event is called ProfilerStep#N".to_owned(),
            Self::LastStepCut { rank, iteration, events, usual } => format!(
                "rank {rank}: the last iteration ({iteration}) has {events} events (median of the earlier ones {usual})"
            ),
            Self::MissingIterations { rank, missing } => {
                let plural = if missing.len() == 1 { "" } else { "s" };
                format!("rank {rank} lacks the iteration{plural} {}, which other ranks have", numbers(missing))
            }
            Self::NegativeDurations { rank, count } => format!(
                "rank {rank}: {count} event{} before {} start",
                if *count == 1 { " ends" } else { "s end" },
                if *count == 1 { "its" } else { "their" }
            ),
            Self::ClockSkew { rank, later_ns, step_ns } => format!(
                "rank {rank} starts its iterations {} {} than the other ranks (median step {})",
                nanoseconds(later_ns.saturating_abs()),
                if *later_ns < 0 { "earlier" } else { "later" },
                nanoseconds(*step_ns)
            ),
            Self::MissingRanks { missing, world_size: Some(size) } => {
                let ranks = if missing.len() == 1 { "rank" } else { "ranks" };
                format!(
                    "{} of the job's {size} ranks {} not loaded: {ranks} {}",
                    missing.len(),
                    is_or_are(missing),
                    ranges(missing)
                )
            }
            Self::MissingRanks { missing, world_size: None } => {
                format!("rank numbers have gaps: {} {} missing", ranges(missing), is_or_are(missing))
            }
            Self::UnlikeRank { rank, measure, value, median } => {
                format!("rank {rank} has {value} {} (median {median})", measure.word())
            }
        }
    }

    /// Returns what the finding means for the numbers.
    pub fn meaning(&self) -> &'static str {
        match self {
            Self::Loading { warning } => loading(warning).0,
            Self::MissingCorrelation { .. } => {
                "They belong to no iteration, so comparisons of iterations and analyses of launches leave them out."
            }
            Self::NoDeviceWork { .. } => "The devices of these ranks cannot be analysed.",
            Self::NoOperators { .. } => {
                "Kernels cannot be traced back to operators, and analyses of launches leave them out."
            }
            Self::NoSteps { .. } => "The whole recording counts as one iteration, warm-up included.",
            Self::LastStepCut { .. } => {
                "The recording ended within it, so its durations and counts are too small; analyses leave it out, comparisons do not."
            }
            Self::MissingIterations { .. } => {
                "Numbers over all iterations are not comparable between this rank and the others."
            }
            Self::NegativeDurations { .. } => {
                "Each counts with duration 0 here, in analyses and in comparisons; frames keep the recorded values."
            }
            Self::ClockSkew { .. } => {
                "Either the clocks of the machines differ, or the rank ran out of step with the others: start times of \
                 different ranks cannot be compared, durations can."
            }
            Self::MissingRanks { .. } => "A straggler among the missing ranks cannot be detected.",
            Self::UnlikeRank { measure: Measure::Events, .. } => {
                "It did different work, or was recorded for a different time or with different settings; means over ranks \
                 mix unlike data."
            }
            Self::UnlikeRank { measure: Measure::Streams, .. } => {
                "It spreads its work differently, or part of it was not recorded."
            }
        }
    }

    /// Returns what to do about it.
    pub fn remedy(&self) -> String {
        let Self::NoSteps { calls } = self else { return self.fixed_remedy().to_owned() };
        format!("{}{}.", self.fixed_remedy().trim_end_matches('.'), or_by_markers(calls))
    }

    /// Returns what to do about it, whatever was found.
    fn fixed_remedy(&self) -> &'static str {
        match self {
            Self::Loading { warning } => loading(warning).1,
            Self::MissingCorrelation { .. } => {
                "Record with ProfilerActivity.CPU and CUDA together, and let the schedule warm up for a step."
            }
            Self::NoDeviceWork { .. } => "Record with ProfilerActivity.CUDA if the job used a GPU.",
            Self::NoOperators { .. } => "Record with ProfilerActivity.CPU.",
            Self::NoSteps { .. } => "Call step() of the profiler after every iteration.",
            Self::LastStepCut { .. } => "Compare earlier iterations.",
            Self::MissingIterations { .. } => "Compare iterations that all ranks have.",
            Self::NegativeDurations { .. } => {
                "List them with --where 'dur < 0us' (Rust: dur < 0) and record again if they matter."
            }
            Self::ClockSkew { .. } => "Synchronise the clocks (NTP, PTP), or check whether the files are of one run.",
            Self::MissingRanks { .. } => {
                "Load the folder with the files of all ranks, unless these were left out on purpose."
            }
            Self::UnlikeRank { .. } => "Check whether the file is of the same run; compare this rank alone.",
        }
    }
}

/// Returns meaning and remedy of a warning from loading.
fn loading(warning: &Warning) -> (&'static str, &'static str) {
    match warning {
        Warning::Truncated { .. } => (
            "Later events are missing, so sums and the last iteration are too small.",
            "Copy the file again, or wait until the profiler has written it.",
        ),
        Warning::Damaged { .. } => {
            ("The file is not the one that was written.", "Copy the file again; `gzip -t FILE` checks a copy.")
        }
        Warning::Incomplete { .. } => (
            "Later events are missing, so sums and the last iteration are too small.",
            "Copy the file again, or wait until the profiler has written it.",
        ),
        Warning::Perfetto { .. } => (
            "What the metadata would say is unknown: the size of the job, devices, versions, what was recorded.",
            "Export JSON (export_chrome_trace with a name that ends in .json.gz) if these matter.",
        ),
        Warning::SkippedEvents { .. } => {
            ("Counts and sums lack these events.", "Load with --strict to see the first error; write the file again.")
        }
        Warning::Anomalies { .. } => {
            ("The repaired values are a best guess.", "Load with --strict to see where they are.")
        }
        Warning::NoRank { .. } => (
            "Files without a rank cannot be told apart.",
            "Fine for a single process; of a distributed job record after init_process_group.",
        ),
        Warning::SameRank { .. } => {
            ("One recording of the rank is ignored.", "Keep the files of one run in a folder of their own.")
        }
        Warning::MissingRanks { .. } => {
            ("Answers are about the loaded ranks alone.", "Load without --rank to load every rank.")
        }
        Warning::SkippedFile { .. } => (
            "If it is a rank of the job, it is missing here.",
            "Move files that are not traces out of the folder, or write the file again.",
        ),
        Warning::UnreadFile { .. } => (
            "Its rank is missing here.",
            "See whether the file is whole and every node may read it, then load the trace again.",
        ),
        Warning::PartOfRanks { .. } => (
            "Answers are about the ranks that were read.",
            "Repair the files that could not be read, and load the trace again.",
        ),
        Warning::SeveralDevices { .. } => (
            "Idle time of one device is hidden where another one works.",
            "Look at one device with --where 'pid == 0', or record one process per device.",
        ),
        Warning::UnnumberedSteps { .. } => {
            ("Their events belong to no iteration.", "Leave the names ProfilerStep#N to the profiler.")
        }
        Warning::NoProfilerStep { .. } => {
            ("Warm-up counts, too.", "Call step() of the profiler after every iteration.")
        }
        Warning::FoundSteps { .. } | Warning::ProposedSteps { .. } => {
            ("Its iterations are calls of the program.", "Call step() of the profiler after every iteration.")
        }
        Warning::EndBeforeStart { .. } => {
            ("Sums and differences are too small.", "Record again, or see where the clock was set back.")
        }
        Warning::MixedCompat { .. } => ("Durations differ by rounding.", "Load both sides alike."),
        Warning::UnlikeRecording { .. } => {
            ("Differences in the answer may come from this alone.", "Record both sides alike.")
        }
        Warning::CountedOnce { .. } => {
            ("The answer is about fewer runs.", "Record each run in a fresh process (tracebook record-loop).")
        }
        Warning::NegativeDurations { .. } => {
            ("This is HTA's rounding, kept bit-exact.", "Load without --compat hta for exact times.")
        }
    }
}

fn is_or_are(missing: &[i64]) -> &'static str {
    if missing.len() == 1 { "is" } else { "are" }
}

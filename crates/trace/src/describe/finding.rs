//! What is odd about a trace, what that means, and what to do.

use crate::Warning;
use serde::Serialize;
use trace_view::format::{nanoseconds, numbered, numbers, ranges};

/// Something about a trace that a reader of its numbers should know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finding {
    /// Something was repaired, dropped or assumed while loading.
    Loading {
        /// What.
        warning: Warning,
    },
    /// Device work whose launch is not in the trace, more than one in a hundred.
    MissingCorrelation {
        /// The rank.
        rank: i64,
        /// Kernels, copies and fills without a launch.
        unlaunched: u64,
        /// All of them.
        work: u64,
    },
    /// No kernel, copy or fill was recorded.
    NoDeviceWork {
        /// The ranks.
        ranks: Vec<i64>,
    },
    /// No CPU operator was recorded.
    NoOperators {
        /// The ranks.
        ranks: Vec<i64>,
    },
    /// No iteration is marked.
    NoSteps,
    /// The last iteration holds less than half of what the others hold.
    LastStepCut {
        /// The rank.
        rank: i64,
        /// The iteration.
        iteration: i64,
        /// What it holds: kernels, copies and fills, or CPU operators where there are none.
        events: u64,
        /// The median of the iterations before.
        usual: u64,
    },
    /// A rank lacks iterations that others have.
    MissingIterations {
        /// The rank.
        rank: i64,
        /// The iterations.
        missing: Vec<i64>,
    },
    /// Events that end before they start, as the file has them.
    NegativeDurations {
        /// The rank.
        rank: i64,
        /// How many.
        count: u64,
    },
    /// The iterations of a rank start far from those of the others.
    ClockSkew {
        /// The rank.
        rank: i64,
        /// How much later than those of the others, in the median over the iterations; negative is earlier.
        later_ns: i64,
        /// How long a step lasts, in the median.
        step_ns: i64,
    },
    /// Ranks of the job that were not loaded.
    MissingRanks {
        /// The ranks.
        missing: Vec<i64>,
        /// How many ranks the job had, if a file says so; else there is a gap in the numbers.
        world_size: Option<i64>,
    },
    /// A rank has less than half, or more than twice, of what ranks have in the median.
    UnlikeRank {
        /// The rank.
        rank: i64,
        /// Of what.
        measure: Measure,
        /// How many it has.
        value: u64,
        /// The median over the ranks.
        median: u64,
    },
}

/// What ranks are held against each other by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Rows.
    Events,
    /// GPU streams.
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
    /// A stable word for what it is about.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Loading { .. } => "loading",
            Self::MissingCorrelation { .. } => "missing_correlation",
            Self::NoDeviceWork { .. } => "no_device_work",
            Self::NoOperators { .. } => "no_operators",
            Self::NoSteps => "no_steps",
            Self::LastStepCut { .. } => "last_step_cut",
            Self::MissingIterations { .. } => "missing_iterations",
            Self::NegativeDurations { .. } => "negative_durations",
            Self::ClockSkew { .. } => "clock_skew",
            Self::MissingRanks { .. } => "missing_ranks",
            Self::UnlikeRank { .. } => "unlike_rank",
        }
    }

    /// What was found: a sentence without its full stop.
    pub fn what(&self) -> String {
        match self {
            Self::Loading { warning } => warning.to_string(),
            Self::MissingCorrelation { rank, unlaunched, work } => format!(
                "rank {rank}: {unlaunched} of {work} kernels, copies and fills ({:.1} %) have no launch in the trace",
                100.0 * *unlaunched as f64 / (*work).max(1) as f64
            ),
            Self::NoDeviceWork { ranks } => format!("{} recorded no kernel, copy or fill", numbered("rank", ranks)),
            Self::NoOperators { ranks } => format!("{} recorded no CPU operator", numbered("rank", ranks)),
            Self::NoSteps => "no event is called ProfilerStep#N".to_owned(),
            Self::LastStepCut { rank, iteration, events, usual } => format!(
                "rank {rank}: the last iteration, {iteration}, holds {events} events where the others hold about {usual}"
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
                "rank {rank} starts its iterations {} {} than the others, where a step lasts {}",
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
                format!("the numbers of the ranks have gaps: {} {} missing", ranges(missing), is_or_are(missing))
            }
            Self::UnlikeRank { rank, measure, value, median } => {
                format!("rank {rank} has {value} {0}, where ranks have {median} {0} in the median", measure.word())
            }
        }
    }

    /// What follows for whoever reads the numbers.
    pub fn meaning(&self) -> &'static str {
        match self {
            Self::Loading { warning } => loading(warning).0,
            Self::MissingCorrelation { .. } => {
                "They belong to no iteration, so comparisons of iterations and questions about launches leave them out."
            }
            Self::NoDeviceWork { .. } => "Nothing can be said about the device of these ranks.",
            Self::NoOperators { .. } => {
                "Kernels cannot be traced back to operators, and what needs launches leaves them out."
            }
            Self::NoSteps => "The whole recording counts as one iteration, warm-up included.",
            Self::LastStepCut { .. } => {
                "The recording ended within it, so its durations and counts are too small; questions leave it out, comparisons do not."
            }
            Self::MissingIterations { .. } => {
                "Numbers over all iterations are not comparable between this rank and the others."
            }
            Self::NegativeDurations { .. } => {
                "Each counts as 0 long, here, in questions and in comparisons; frames have them as they stand."
            }
            Self::ClockSkew { .. } => {
                "Either the clocks of the machines differ, or the rank ran apart from the others: moments of different ranks \
                 cannot be compared, durations can."
            }
            Self::MissingRanks { .. } => "A straggler among the missing ranks cannot be detected.",
            Self::UnlikeRank { measure: Measure::Events, .. } => {
                "It did other work, or was recorded for another time or with other settings; means over ranks mix unlike things."
            }
            Self::UnlikeRank { measure: Measure::Streams, .. } => {
                "It spreads its work differently, or part of it was not recorded."
            }
        }
    }

    /// What to do.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Loading { warning } => loading(warning).1,
            Self::MissingCorrelation { .. } => {
                "Record with ProfilerActivity.CPU and CUDA together, and let the schedule warm up for a step."
            }
            Self::NoDeviceWork { .. } => "Record with ProfilerActivity.CUDA if the job used a GPU.",
            Self::NoOperators { .. } => "Record with ProfilerActivity.CPU.",
            Self::NoSteps => "Call step() of the profiler after every iteration.",
            Self::LastStepCut { .. } => "Compare earlier iterations.",
            Self::MissingIterations { .. } => "Compare iterations that all ranks have.",
            Self::NegativeDurations { .. } => {
                "Look at them with --where 'dur < 0us' (Rust: dur < 0) and record again if they matter."
            }
            Self::ClockSkew { .. } => "Synchronise the clocks (NTP, PTP), or see whether the files are of one run.",
            Self::MissingRanks { .. } => {
                "Load the folder with the files of all ranks, unless these were left out on purpose."
            }
            Self::UnlikeRank { .. } => "See whether the file is of the same run; compare this rank alone.",
        }
    }
}

/// What a warning of loading means, and what to do.
fn loading(warning: &Warning) -> (&'static str, &'static str) {
    match warning {
        Warning::Truncated { .. } => (
            "What came after is missing, so sums and the last iteration are too small.",
            "Copy the file again, or wait until the profiler has written it.",
        ),
        Warning::Damaged { .. } => {
            ("The file is not the one that was written.", "Copy the file again; `gzip -t FILE` checks a copy.")
        }
        Warning::SkippedEvents { .. } => (
            "Counts and sums lack these events.",
            "Load with --strict to see the first wrong place; write the file again.",
        ),
        Warning::Anomalies { .. } => {
            ("The repaired values are a best guess.", "Load with --strict to see where they stand.")
        }
        Warning::NoRank { .. } => (
            "Files without a rank cannot be told apart.",
            "Fine for a single process; of a distributed job record after init_process_group.",
        ),
        Warning::SameRank { .. } => {
            ("One recording of the rank is not seen.", "Keep the files of one run in a folder of their own.")
        }
        Warning::MissingRanks { .. } => {
            ("Answers are about the loaded ranks alone.", "Load without --rank to load every rank.")
        }
        Warning::SkippedFile { .. } => (
            "If it is a rank of the job, it is missing here.",
            "Move what is no trace out of the folder, or write the file again.",
        ),
        Warning::UnnumberedSteps { .. } => {
            ("Their events belong to no iteration.", "Leave the names ProfilerStep#N to the profiler.")
        }
        Warning::NoProfilerStep { .. } => {
            ("Warm-up counts, too.", "Call step() of the profiler after every iteration.")
        }
        Warning::EndBeforeStart { .. } => {
            ("Sums and differences are too small.", "Record again, or see where the clock was set back.")
        }
        Warning::MixedCompat { .. } => ("Durations differ by rounding.", "Load both sides alike."),
        Warning::UnlikeRecording { .. } => {
            ("What differs in the answer may come from it alone.", "Record both sides alike.")
        }
        Warning::NegativeDurations { .. } => {
            ("It is HTA's rounding, kept to the digit.", "Load without --compat hta for exact times.")
        }
    }
}

fn is_or_are(missing: &[i64]) -> &'static str {
    if missing.len() == 1 { "is" } else { "are" }
}

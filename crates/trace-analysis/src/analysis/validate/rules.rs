//! The rules, with their meaning and what to do where they are broken.

use serde::{Deserialize, Serialize};

/// A rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: RuleName,
    pub(super) source: &'static str,
    pub(super) meaning: &'static str,
    pub(super) advice: &'static str,
}

/// The name of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum RuleName {
    LaunchesAtStart,
    LaunchesHaveKernels,
    LaunchesAtEnd,
    KernelsHaveLaunches,
    KernelAfterLaunch,
    WaitNamesRecord,
    RecordBeforeWait,
    StreamIsDrained,
    CollectiveIsDescribed,
    SizesAgree,
    OneBackwardPerNumber,
    DurationsArePositive,
    ArgumentTypes,
}

impl RuleName {
    /// The name in tables.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::LaunchesAtStart => "launches_at_start",
            Self::LaunchesHaveKernels => "launches_have_kernels",
            Self::LaunchesAtEnd => "launches_at_end",
            Self::KernelsHaveLaunches => "kernels_have_launches",
            Self::KernelAfterLaunch => "kernel_after_launch",
            Self::WaitNamesRecord => "wait_names_record",
            Self::RecordBeforeWait => "record_before_wait",
            Self::StreamIsDrained => "stream_is_drained",
            Self::CollectiveIsDescribed => "collective_is_described",
            Self::SizesAgree => "sizes_agree",
            Self::OneBackwardPerNumber => "one_backward_per_number",
            Self::DurationsArePositive => "durations_are_positive",
            Self::ArgumentTypes => "argument_types",
        }
    }
}

const PYTORCH: &str = "PyTorch";
const HTA: &str = "HTA";
const OURS: &str = "Tracebook";

const fn rule(name: RuleName, source: &'static str, meaning: &'static str, advice: &'static str) -> Rule {
    Rule { name, source, meaning, advice }
}

/// All rules, in the order of the table.
pub(super) const RULES: &[Rule] = &[
    rule(
        RuleName::LaunchesAtStart,
        OURS,
        "the first launches of kernels in the recording have their kernels",
        "the profiler dropped kernels while it started, which no warning says: leave these launches out, or record a warm-up step before",
    ),
    rule(
        RuleName::LaunchesHaveKernels,
        OURS,
        "every launch between the first and the last one with a kernel has one, except while a graph is captured",
        "the profiler lost kernels: GPU times are too small; record fewer steps, or with a larger CUPTI buffer",
    ),
    rule(
        RuleName::LaunchesAtEnd,
        OURS,
        "the last launches of kernels in the recording have their kernels",
        "the recording ended before these kernels ran: leave the last step out, or synchronise the device before the profiler stops",
    ),
    rule(
        RuleName::KernelsHaveLaunches,
        OURS,
        "every kernel, copy and fill has the call that launched it",
        "launched before the recording began, or the call was not recorded: it has no operator and no iteration",
    ),
    rule(
        RuleName::KernelAfterLaunch,
        PYTORCH,
        "a kernel, copy or fill starts at or after its call; tied by correlation, in PyTorch by the first of an External id",
        "the clocks of CPU and GPU differ: do not believe delays between them, and record again with a longer warm-up",
    ),
    rule(
        RuleName::WaitNamesRecord,
        PYTORCH,
        "a wait for an event names the call that recorded the event",
        "the causes of waits are unknown: %critical_path and %explain may charge the wrong stream",
    ),
    rule(
        RuleName::RecordBeforeWait,
        PYTORCH,
        "the call that a stream waits for is in the recording and begins before the wait; found by correlation alone",
        "the event was recorded before the recording began, or the profiler named the wrong one: this wait has no cause",
    ),
    rule(
        RuleName::StreamIsDrained,
        PYTORCH,
        "when the wait for a stream ends, no kernel runs there that was launched before the wait; PyTorch asks it of the begin, where \
         kernels run rightly",
        "the clocks of CPU and GPU differ, or the stream is the wrong one: do not believe times across them",
    ),
    rule(
        RuleName::CollectiveIsDescribed,
        PYTORCH,
        "record_param_comms has Collective name, dtype, In msg nelems, Out msg nelems and Group size",
        "%collectives has no bandwidth of these: record with a newer PyTorch",
    ),
    rule(
        RuleName::SizesAgree,
        OURS,
        "the ranks of a collective recorded the same size (as %collectives compares them)",
        "the ranks do not call the same collectives in the same order: the job may hang or compute nonsense",
    ),
    rule(
        RuleName::OneBackwardPerNumber,
        PYTORCH,
        "a sequence number of a forward thread belongs to one backward function; in PyTorch a number of any thread",
        "forward and backward of these operators cannot be tied together",
    ),
    rule(
        RuleName::DurationsArePositive,
        OURS,
        "no event ends before it starts",
        "a clock was set back: the durations count as 0",
    ),
    rule(
        RuleName::ArgumentTypes,
        HTA,
        "the values of arguments have the types that HTA expects",
        "columns of these arguments lack the values: see the table arguments",
    ),
];

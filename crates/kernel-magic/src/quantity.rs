//! Quantities of a trace that more than one magic shows.

/// A quantity that several magics show. Their answers must agree: `tests/consistency` asks all of them about every shared trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// Events of a rank.
    Events,
    /// Time from the first event of a rank to the end of its last.
    Span,
    /// Length of a step.
    Step,
    /// Time during which something runs on the device of a rank, and during which nothing does.
    Busy,
    /// Calls of each operator.
    Operators,
    /// Sum of the durations of each kernel.
    Kernels,
    /// Idle time of a step by cause.
    IdleByCause,
    /// Bottleneck of a step: host, GPU, communication, loading data.
    Bound,
    /// The ranks that other ranks wait for.
    Straggler,
    /// Time that a step saves with a faster operator or kernel.
    Saving,
}

impl Quantity {
    /// All quantities.
    pub const ALL: [Self; 10] = [
        Self::Events,
        Self::Span,
        Self::Step,
        Self::Busy,
        Self::Operators,
        Self::Kernels,
        Self::IdleByCause,
        Self::Bound,
        Self::Straggler,
        Self::Saving,
    ];
}

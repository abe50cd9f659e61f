//! The question for HTA's critical path.

/// The question for HTA's critical path: its parameters, and its switches.
///
/// # Source
/// HTA `TraceAnalysis.critical_path_analysis`; the switches are its environment variables
/// `CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE`, `CRITICAL_PATH_STRICT_NEGATIVE_WEIGHT_CHECKS` and `HTA_DISABLE_NS_ROUNDING`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HtaCriticalPath {
    /// The rank; `None` for the first. HTA has no default.
    pub rank: Option<i64>,
    /// Text that the names of annotations contain; an empty text is everything. Annotations are counted in HTA's order: those of
    /// the GPU, which have the same names, before those of the CPU.
    pub annotation: String,
    /// The first and the last instance of the annotation, from 0 on.
    pub instances: (usize, usize),
    /// Events that load data: those whose names contain one of these texts have nodes; of these, time counts as loading whose
    /// short name matches one as a regular expression.
    pub data_load_events: Vec<String>,
    /// Whether every kernel hangs on its launch, if only by an edge without weight: for simulations.
    pub add_zero_weight_launch_edges: bool,
    /// Whether a negative weight is an error, instead of counting as 0 in the search.
    pub strict_negative_weights: bool,
    /// Whether times stay exact in a trace that was loaded exactly. Otherwise starts are rounded up and ends down to whole µs,
    /// as when it is loaded with [`Compat::Hta`](crate::Compat::Hta).
    pub exact_times: bool,
}

//! A group of regions of an explanation.

use call_tree::Class;

/// Regions of the same operator, kernel and grade; with a filter either all of them are chosen, or none.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The innermost call above the kernel; empty if there is none.
    pub(super) operator: String,
    /// Short name of the kernel, of both sides where they differ: `gemm_a → gemm_b`; of host work its name.
    pub(super) kernel: String,
    pub(super) grade: &'static str,
    pub(super) class: Class,
    /// Ids of the regions, ascending.
    pub(super) regions: Vec<usize>,
    pub(super) is_chosen: bool,
    /// Control, test, change, by count; µs a step.
    pub(super) times: [f64; 4],
}

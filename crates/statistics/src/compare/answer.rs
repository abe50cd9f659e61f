//! The answer of a comparison.

use super::quantity::Scope;
use super::verdict::{FEWEST, FEWEST_PAIRS, Verdict};
use crate::effect::shift::Shift;
use crate::many::controls::Controls;
use crate::numbers::interval::Interval;

/// The answer of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The question that was answered.
    pub scope: Scope,
    /// Samples of control and test: iterations, runs, or pairs.
    pub samples: [usize; 2],
    /// Whether samples are pairs ([`crate::Options::paired`]).
    pub paired: bool,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether q are from the max-T permutation over runs or pairs, not from Benjamini and Hochberg.
    pub max_t: bool,
    /// What unchanged quantities of the GPU say of the recordings, if there are enough.
    pub gpu: Option<Controls>,
    /// The same of the host.
    pub host: Option<Controls>,
    /// Whether the recordings can be compared.
    pub comparability: Comparability,
    /// One for each quantity, in their order.
    pub changes: Vec<Change>,
}

impl Answer {
    /// The fewest samples a side with which there are verdicts.
    pub fn fewest(&self) -> usize {
        if self.paired { FEWEST_PAIRS } else { FEWEST }
    }
}

/// Whether two recordings can be compared, by their internal controls. In the scope of programs this is a remark, as runs measure
/// themselves how much recordings differ; in the scope of recordings there is no verdict without it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparability {
    /// They can; 1 for no spread, 0.5 at the limit.
    Comparable {
        /// 1 ÷ (1 + (excess ÷ limit)²), of the GPU where it has controls, else of the host.
        score: f64,
    },
    /// The spread of unchanged quantities, beyond what their samples explain, is too wide: above 10 % on the GPU or, without controls
    /// there, above 20 % on the host.
    NotComparable {
        /// As above, below 0.5.
        score: f64,
    },
    /// There are too few unchanged quantities to say.
    Unknown,
    /// Fewer than half of the quantities are unchanged, so they are no measure of the recording.
    MostChanged,
}

/// The change of one quantity. Absent where the samples are too few.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Mean of control, each run with the same weight.
    pub control: f64,
    /// Mean of test.
    pub test: f64,
    /// `test` − `control`.
    pub difference: f64,
    /// BCa interval of the difference.
    pub interval: Option<Interval>,
    /// Hodges–Lehmann shift.
    pub shift: Option<Shift>,
    /// Hodges–Lehmann ratio; absent if a value is not positive.
    pub ratio: Option<Shift>,
    /// The probability that a sample of test is larger than one of control, of pairs that of its own.
    pub superiority: Option<f64>,
    /// Effective sizes of control and test: smaller than the real ones if iterations are correlated.
    pub effective: [f64; 2],
    /// Two-sided p; in the scope of recordings at least that of the internal controls.
    pub p: Option<f64>,
    /// Two-sided p of the test over the samples alone: of the values as recorded, whatever other quantities do.
    pub p_of_samples: Option<f64>,
    /// p corrected for all quantities of the level; absent below what was not kept.
    pub q: Option<f64>,
    /// The relevant change that it was judged by, as a share: what is inside of it does not matter.
    pub relevance: f64,
    /// What can be said.
    pub verdict: Verdict,
}

//! Choices for judging changes.

use statistics::{Options, Scope, TestKind};

/// The smallest change that matters by default, as a share of the quantity.
pub(crate) const RELEVANT: f64 = 0.01;

/// The test that p comes from, and the smallest change that matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judging {
    pub(crate) method: TestKind,
    /// A share of the quantity.
    pub(crate) relevant: f64,
}

impl Judging {
    /// Returns the options of a comparison. What matters of the step is never more than what matters of a quantity.
    pub(crate) fn options(self, scope: Scope, paired: bool) -> Options {
        let defaults = Options::new(scope);
        Options {
            test: self.method,
            paired,
            relevance: self.relevant,
            of_step: defaults.of_step.min(self.relevant),
            ..defaults
        }
    }
}

impl Default for Judging {
    fn default() -> Self {
        Self { method: TestKind::default(), relevant: RELEVANT }
    }
}

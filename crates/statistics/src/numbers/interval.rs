//! An interval with the level it holds.

/// A confidence or prediction interval, ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The level that it holds, 0.95 for 95 %. With few values an exact interval reaches only some levels; this is the one reached.
    pub level: f64,
}

impl Interval {
    /// Whether a value is inside, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Half of the width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The interval with both ends mapped by an increasing function.
    pub(crate) fn map(&self, function: impl Fn(f64) -> f64) -> Interval {
        Interval { low: function(self.low), high: function(self.high), level: self.level }
    }
}

//! Means of both sides, and their difference without rounding.

/// A sum over samples, whose mean is exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mean {
    /// Sum over all samples.
    pub total: i64,
    /// Number of samples; 0 if there are none.
    pub samples: u32,
}

impl Mean {
    /// Returns the mean, 0 without samples.
    pub fn value(self) -> f64 {
        if self.samples == 0 { 0.0 } else { self.total as f64 / f64::from(self.samples) }
    }
}

/// The same measure of both sides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    /// Control.
    pub control: Mean,
    /// Test.
    pub test: Mean,
}

impl Mean {
    fn plus(self, other: Self) -> Self {
        Self { total: self.total + other.total, samples: self.samples.max(other.samples) }
    }
}

/// The sum of two measures of the same samples.
impl std::ops::Add for Change {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { control: self.control.plus(other.control), test: self.test.plus(other.test) }
    }
}

impl Change {
    /// Returns test − control, of means.
    pub fn delta(self) -> f64 {
        // One division: sums of deltas stay exact as long as they fit a float.
        let (n, m) = (i128::from(self.control.samples.max(1)), i128::from(self.test.samples.max(1)));
        (self.numerator() as f64) / ((n * m) as f64)
    }

    /// Returns the delta times the numbers of samples of both sides, which is a whole number: sums of it are exact.
    pub fn numerator(self) -> i128 {
        let (n, m) = (i128::from(self.control.samples.max(1)), i128::from(self.test.samples.max(1)));
        i128::from(self.test.total) * n - i128::from(self.control.total) * m
    }
}

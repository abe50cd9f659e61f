//! Means of both sides, and their difference without rounding.

/// A sum over samples, whose mean is exact: each run counts the same, in a run each of its iterations, and in an iteration each of its
/// ranks ([`Weights`](crate::Weights)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mean {
    /// Sum over all samples.
    pub total: i64,
    /// Number of samples; 0 if there are none.
    pub samples: u32,
    /// Sum over all samples, each times its weight.
    pub weighted: i128,
    /// Sum of the weights of all samples; 0 if there are none.
    pub weight: u64,
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
    /// Returns the mean, 0 without samples.
    pub fn value(self) -> f64 {
        if self.weight == 0 { 0.0 } else { self.weighted as f64 / self.weight as f64 }
    }

    /// Adds what one sample of this weight took.
    pub(super) fn add(&mut self, value: i64, weight: u64) {
        self.total += value;
        self.weighted += i128::from(value) * i128::from(weight);
    }
}

/// The sum of two measures of the same samples.
impl std::ops::Add for Mean {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            samples: self.samples.max(other.samples),
            weighted: self.weighted + other.weighted,
            weight: self.weight.max(other.weight),
        }
    }
}

/// The sum of two measures of the same samples.
impl std::ops::Add for Change {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { control: self.control + other.control, test: self.test + other.test }
    }
}

impl Change {
    /// Returns test − control, of means.
    pub fn delta(self) -> f64 {
        // One division: sums of deltas stay exact as long as they fit a float.
        let [n, m] = self.weights();
        (self.numerator() as f64) / ((n * m) as f64)
    }

    /// Returns the delta times the weights of both sides, which is a whole number: sums of it are exact.
    pub fn numerator(self) -> i128 {
        let [n, m] = self.weights();
        // Only times that no recording has are beyond.
        self.test.weighted.saturating_mul(n).saturating_sub(self.control.weighted.saturating_mul(m))
    }

    fn weights(self) -> [i128; 2] {
        [self.control.weight, self.test.weight].map(|weight| i128::from(weight.max(1)))
    }
}

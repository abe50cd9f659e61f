//! Exact moments of whole numbers, mergeable in any order.

/// Count, sum, sum of squares, minimum and maximum of integers: exact, and independent of their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Moments {
    /// How many numbers there are.
    pub count: i64,
    /// Their sum.
    pub sum: i64,
    /// The sum of their squares.
    pub squares: i128,
    /// The smallest; above `max` without numbers.
    pub min: i64,
    /// The largest.
    pub max: i64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, sum: 0, squares: 0, min: i64::MAX, max: i64::MIN }
    }
}

impl Moments {
    /// Adds a number.
    pub fn add(&mut self, value: i64) {
        self.merge(Self { count: 1, sum: value, squares: i128::from(value).pow(2), min: value, max: value });
    }

    /// Merges the numbers of another.
    pub fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.squares = self.squares.saturating_add(other.squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Returns the mean; `None` without numbers.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Returns the standard deviation of a sample (n − 1); `None` for less than two numbers.
    pub fn deviation(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let (count, sum) = (i128::from(self.count), i128::from(self.sum));
        // n·Σx² − (Σx)², exact where it fits.
        let spread = match (count.checked_mul(self.squares), sum.checked_mul(sum)) {
            (Some(squares), Some(square)) => (squares - square) as f64,
            _ => count as f64 * self.squares as f64 - (sum as f64).powi(2),
        };
        Some((spread.max(0.0) / (count as f64 * (count - 1) as f64)).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_do_not_depend_on_the_order() {
        let of = |values: &[i64]| {
            let mut moments = Moments::default();
            values.iter().for_each(|&value| moments.add(value));
            moments
        };
        let mut merged = of(&[9, -1]);
        merged.merge(of(&[4]));
        assert_eq!(merged, of(&[4, 9, -1]));
        assert_eq!((merged.mean(), merged.deviation()), (Some(4.0), Some(5.0)));
        assert_eq!((of(&[7]).deviation(), of(&[]).mean()), (None, None));
    }
}

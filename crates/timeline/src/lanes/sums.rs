//! The sum of any range of values.

/// Values below one sum.
const BLOCK: usize = 64;

/// Sums of blocks of values: an eighth of a byte per value.
///
/// The values stay where they are: every call gets the same function from places to values.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    /// The sum of all values before each block, and of all.
    before: Vec<i64>,
}

impl Sums {
    /// The sums of so few values that they are added one by one.
    pub(super) const EMPTY: Self = Self { before: Vec::new() };

    /// Adds up the values of the places `0..len`.
    pub(super) fn new(len: usize, value: impl Fn(usize) -> i64) -> Self {
        let mut before = Vec::with_capacity(len.div_ceil(BLOCK) + 1);
        let mut sum = 0_i64;
        before.push(sum);
        for from in (0..len).step_by(BLOCK) {
            sum = sum.saturating_add(scan(from, (from + BLOCK).min(len), &value));
            before.push(sum);
        }
        Self { before }
    }

    /// Returns the sum of a range of values that are not negative.
    pub(super) fn of(&self, from: usize, to: usize, value: impl Fn(usize) -> i64) -> i64 {
        let (first, last) = (from.div_ceil(BLOCK), to / BLOCK);
        match (self.before.get(first), self.before.get(last)) {
            (Some(until_first), Some(until_last)) if first < last => (until_last - until_first)
                .saturating_add(scan(from, first * BLOCK, &value))
                .saturating_add(scan(last * BLOCK, to, &value)),
            _ => scan(from, to, &value),
        }
    }

    /// Memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.before.capacity() * size_of::<i64>()
    }
}

/// Returns the sum of `from..to`.
fn scan(from: usize, to: usize, value: &impl Fn(usize) -> i64) -> i64 {
    (from..to).fold(0_i64, |sum, index| sum.saturating_add(value(index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sum_of_any_range_is_found() {
        for len in [1, 63, 64, 65, 200] {
            let values: Vec<i64> = (0..len as i64).map(|n| (n * 7919) % 31).collect();
            let sums = Sums::new(len, |index| values[index]);
            for from in 0..len {
                for to in from..=len {
                    let expected: i64 = values[from..to].iter().sum();
                    assert_eq!(sums.of(from, to, |index| values[index]), expected, "{from}..{to} of {len}");
                }
            }
        }
    }

    #[test]
    fn sums_beyond_64_bits_do_not_wrap() {
        let sums = Sums::new(200, |_| i64::MAX);
        assert_eq!(sums.of(0, 200, |_| i64::MAX), i64::MAX);
    }
}

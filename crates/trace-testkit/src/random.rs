//! Random number generator without dependencies: splitmix64.

/// The generator splitmix64 (Steele, Lea, Flood 2014): one 64-bit word of state.
pub struct Random(u64);

impl Random {
    /// Creates a generator; equal seeds give equal numbers.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub const fn below(&mut self, end: usize) -> usize {
        let end = if end == 0 { 1 } else { end as u64 };
        (self.next() % end) as usize
    }

    /// Returns one of `choices`, which must not be empty.
    pub const fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Returns a duration within `percent` of `nanos`; at least 1.
    pub(crate) const fn around(&mut self, nanos: u64, percent: u64) -> u64 {
        let reach = nanos * percent / 100;
        let least = nanos - reach;
        let drawn = least + self.next() % (2 * reach + 1);
        if drawn == 0 { 1 } else { drawn }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn random_numbers_are_those_of_splitmix64() {
        // The published test vector for seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn random_duration_stays_in_range() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            assert!((900..=1100).contains(&random.around(1000, 10)));
        }
        assert_eq!(random.around(0, 10), 1);
    }
}

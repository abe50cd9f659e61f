//! Lags of causes in 4 bytes each: few are above two seconds.

/// Stands for a lag that 4 bytes do not hold.
const LONG: i32 = i32::MIN;

/// Times in ns by the number of a cause.
#[derive(Debug, Default)]
pub(crate) struct Lags {
    short: Vec<i32>,
    /// Numbers of causes with longer lags, ascending.
    long: Vec<(u32, i64)>,
}

impl Lags {
    pub(crate) fn reserve_exact(&mut self, causes: usize) {
        self.short.reserve_exact(causes);
    }

    pub(crate) fn push(&mut self, ns: i64) {
        match i32::try_from(ns) {
            Ok(short) if short != LONG => self.short.push(short),
            _ => {
                self.long.push((self.short.len() as u32, ns));
                self.short.push(LONG);
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, cause: usize) -> i64 {
        let short = self.short[cause];
        if short == LONG { self.long_lag(cause as u32) } else { i64::from(short) }
    }

    #[cold]
    fn long_lag(&self, cause: u32) -> i64 {
        let found = self.long.binary_search_by_key(&cause, |&(cause, _)| cause);
        found.map_or(i64::from(LONG), |at| self.long[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lags_of_any_length_are_returned() {
        let all =
            [0, -1, 7, i64::from(i32::MAX), i64::from(i32::MIN), 1 << 40, i64::MIN, i64::from(i32::MIN) + 1, i64::MAX];
        let mut lags = Lags::default();
        all.iter().for_each(|&ns| lags.push(ns));
        assert_eq!((0..all.len()).map(|cause| lags.get(cause)).collect::<Vec<_>>(), all);
        assert_eq!(lags.long.len(), 4);
    }
}

//! The rows of a rank in a file that analyses see, found once and kept as bits.

use std::sync::{Arc, OnceLock};

/// The rows of a rank: those of the GPU ascending, then those of the CPU ascending, with a bit per event in each run. A clone is the
/// same.
///
/// ```text
/// rows     1 4 5 | 0 2 3 6
/// runs     0100110  1011001
/// ```
#[derive(Debug, Clone, Default)]
pub(super) struct RetainedRows(Arc<OnceLock<Option<Runs>>>);

#[derive(Debug)]
struct Runs {
    rows: usize,
    bits: [Vec<u64>; 2],
}

impl RetainedRows {
    /// Returns the rows, if they were kept.
    pub(super) fn rows(&self) -> Option<Vec<u32>> {
        let runs = self.0.get()?.as_ref()?;
        let mut rows = Vec::with_capacity(runs.rows);
        for bits in &runs.bits {
            for (index, &word) in bits.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    rows.push((index * 64) as u32 + rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
        }
        Some(rows)
    }

    /// Keeps rows, unless they are kept already or are not of two ascending runs.
    pub(super) fn keep(&self, rows: &[u32]) {
        self.0.get_or_init(|| Runs::of(rows));
    }
}

impl Runs {
    fn of(rows: &[u32]) -> Option<Self> {
        let mut runs = rows.chunk_by(|one, other| one < other);
        let mut next = || {
            let run = runs.next().unwrap_or_default();
            let mut bits = vec![0_u64; run.last().map_or(0, |&last| last as usize / 64 + 1)];
            for &row in run {
                bits[row as usize / 64] |= 1 << (row % 64);
            }
            bits
        };
        let bits = [next(), next()];
        runs.next().is_none().then_some(Self { rows: rows.len(), bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ascending_runs_are_kept_exactly() {
        for rows in [vec![], vec![0, 1, 2, 200], vec![1, 4, 5, 0, 2, 3, 6, 64, 127, 128], vec![7, 3]] {
            let retained = RetainedRows::default();
            assert_eq!(retained.rows(), None);
            retained.keep(&rows);
            assert_eq!(retained.clone().rows(), Some(rows));
        }
    }

    #[test]
    fn repeated_rows_are_not_kept() {
        // As HTA has a kernel once for each launch with its id.
        for rows in [vec![4, 4, 5, 0, 2], vec![3, 2, 1]] {
            let retained = RetainedRows::default();
            retained.keep(&rows);
            assert_eq!(retained.rows(), None);
        }
    }
}

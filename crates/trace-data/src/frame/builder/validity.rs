//! Validity of a column that is being built: a bit for each row.

use polars_arrow::bitmap::Bitmap;

/// Valid rows. A row costs a bit, whether valid or not; rows after the last valid one cost nothing.
pub(super) struct Validity {
    /// A bit for each row, the lowest bit first.
    words: Vec<u64>,
}

impl Validity {
    /// Returns the validity of rows that are all valid.
    pub(super) fn of_valid(rows: usize) -> Self {
        let mut words = vec![u64::MAX; rows / ROWS];
        if !rows.is_multiple_of(ROWS) {
            words.push(u64::MAX >> (ROWS - rows % ROWS));
        }
        Self { words }
    }

    /// Returns the word of a row and the bit of the row; `None` without one, which [`Self::set`] adds.
    #[inline]
    pub(super) fn word(&mut self, row: usize) -> Option<(&mut u64, u64)> {
        self.words.get_mut(row / ROWS).map(|word| (word, 1 << (row % ROWS)))
    }

    /// Makes a row valid, and adds words up to its own.
    pub(super) fn set(&mut self, row: usize) {
        self.words.resize(self.words.len().max(row / ROWS + 1), 0);
        self.words[row / ROWS] |= 1 << (row % ROWS);
    }

    /// Makes the rows of a later fragment valid that are valid there; its first row is `row` here.
    pub(super) fn append(&mut self, row: usize, fragment: &Self) {
        let (first, shift) = (row / ROWS, row % ROWS);
        self.words.resize(self.words.len().max(first + fragment.words.len() + usize::from(shift > 0)), 0);
        for (at, &word) in fragment.words.iter().enumerate() {
            self.words[first + at] |= word << shift;
            if shift > 0 {
                self.words[first + at + 1] |= word >> (ROWS - shift);
            }
        }
    }

    /// Returns the first row and the bits of each 64 rows; rows after them are not valid.
    #[inline]
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, u64)> {
        self.words.iter().enumerate().map(|(at, &word)| (at * ROWS, word))
    }

    /// Returns the validity of `rows` rows, at least as many as there are up to the last valid one.
    pub(super) fn finish(self, rows: usize) -> Bitmap {
        let mut bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(rows.div_ceil(8), 0);
        Bitmap::from_u8_vec(bytes, rows)
    }
}

/// Rows of a word.
const ROWS: usize = u64::BITS as usize;

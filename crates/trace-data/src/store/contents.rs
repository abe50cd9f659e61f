//! Content of a file: where its columns are, and whether they are those that were written.
//!
//! The time of the last change tells of nearly every write; a program can set it back. The system's own time of change (of
//! content, mode, names or times) cannot be set, but changes for harmless reasons, too: then checksums decide.

use super::identity::Status;
use flate2::Crc;
use polars_arrow::bitmap::Bitmap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a column is in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes of the values.
    pub(super) values: Range<usize>,
    /// Bytes of the bitmap of values that are there; `None` if all are.
    pub(super) validity: Option<Range<usize>>,
    /// Rows, where a value has one bit; the last byte of a bitmap may contain further bits.
    pub(super) rows: usize,
    pub(super) is_bits: bool,
}

/// The columns of a file and their checksums.
#[derive(Debug)]
pub(super) struct Contents {
    columns: Vec<(Extent, u32)>,
}

impl Contents {
    /// Creates the contents of a file with these columns, in order, and their checksums.
    pub(super) fn new(extents: Vec<Extent>, checksums: impl IntoIterator<Item = u32>) -> Self {
        Self { columns: extents.into_iter().zip(checksums).collect() }
    }

    /// Whether a column is the one that was written.
    pub(super) fn is_intact(&self, column: usize, file: &[u8]) -> bool {
        self.columns.get(column).is_some_and(|(extent, expected)| extent.checksum(file) == Some(*expected))
    }

    /// Whether all columns are those that were written.
    pub(super) fn are_intact(&self, file: &[u8]) -> bool {
        (0..self.columns.len()).all(|column| self.is_intact(column, file))
    }
}

impl Extent {
    fn checksum(&self, file: &[u8]) -> Option<u32> {
        let mut crc = Crc::new();
        let values = file.get(self.values.clone())?;
        if self.is_bits {
            add_bits(&mut crc, values, self.rows);
        } else {
            crc.update(values);
        }
        if let Some(validity) = &self.validity {
            add_bits(&mut crc, file.get(validity.clone())?, self.rows);
        }
        Some(crc.sum())
    }
}

/// Adds the first `rows` bits; those behind them count as 0.
pub(super) fn add_bits(crc: &mut Crc, bytes: &[u8], rows: usize) {
    let (whole, rest) = (rows / 8, rows % 8);
    crc.update(bytes.get(..whole).unwrap_or(bytes));
    if let Some(last) = bytes.get(whole).filter(|_| rest > 0) {
        crc.update(&[last & ((1 << rest) - 1)]);
    }
}

/// Returns bits as the bytes of a file: from the first bit of a byte on, with zeros behind the last.
pub(super) fn bytes_of_bits(bits: &Bitmap) -> Vec<u8> {
    let (bytes, offset, length) = bits.as_slice();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let (first, shift) = (offset / 8, offset % 8);
    let bytes = (first..first + length.div_ceil(8)).map(|at| match shift {
        0 => byte(at),
        shift => byte(at) >> shift | byte(at + 1) << (8 - shift),
    });
    let mut bytes: Vec<u8> = bytes.collect();
    if let Some(last) = bytes.last_mut().filter(|_| length % 8 > 0) {
        *last &= (1 << (length % 8)) - 1;
    }
    bytes
}

/// What was verified of a file, as long as the system saw no change of it.
#[derive(Debug, Default)]
pub(super) struct Verified(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The file's status when it was.
    status: Option<Status>,
    contents: Option<Arc<Contents>>,
    columns: Vec<bool>,
}

impl Verified {
    /// Returns the contents of a file of this status, and which of its columns were verified; `None` if it changed since.
    pub(super) fn of(&self, status: Status) -> Option<(Arc<Contents>, Vec<bool>)> {
        let state = self.lock();
        let contents = state.contents.as_ref().filter(|_| state.status == Some(status))?;
        Some((Arc::clone(contents), state.columns.clone()))
    }

    /// Notes where the columns of a file of this status are; none of them is verified.
    pub(super) fn begin(&self, status: Status, contents: &Arc<Contents>) {
        let mut state = self.lock();
        *state = State {
            status: Some(status),
            contents: Some(Arc::clone(contents)),
            columns: vec![false; contents.columns.len()],
        };
    }

    /// Notes that a column of a file of this status was verified.
    pub(super) fn add(&self, status: Status, column: usize) {
        let mut state = self.lock();
        if state.status == Some(status)
            && let Some(is_verified) = state.columns.get_mut(column)
        {
            *is_verified = true;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_count_from_their_first_one_to_their_last() {
        let bits: Vec<bool> = (0..77).map(|at| at % 3 == 0 || at % 7 == 1).collect();
        let whole: Bitmap = bits.iter().copied().collect();
        for (from, rows) in [(0, 77), (0, 64), (3, 70), (8, 13), (13, 1)] {
            let part = whole.clone().sliced(from, rows);
            let own: Bitmap = bits[from..from + rows].iter().copied().collect();
            let sum = |bytes: &[u8]| {
                let mut crc = Crc::new();
                add_bits(&mut crc, bytes, rows);
                crc.sum()
            };
            assert_eq!(sum(&bytes_of_bits(&part)), sum(own.as_slice().0), "{from} {rows}");
        }
    }
}

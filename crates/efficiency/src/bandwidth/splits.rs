//! Bytes by peer of a collective with different sizes.

use crate::operand::data_type::DataType;
use crate::operand::nested::{Nested, read};

/// The shares of a list of split sizes, one for each peer.
#[derive(Debug, Clone, PartialEq)]
pub struct Splits {
    /// Bytes for each peer, in the order of ranks in the group.
    pub bytes: Vec<u128>,
    /// Whether the recording has the first peers only: torch writes 30.
    pub is_cut: bool,
}

impl Splits {
    /// Reads a recorded list (`[8, 24, 0, 32]`, also `[1, 2, ...]`) of elements for each peer. `row`: values of each element, where
    /// sizes count rows. `None` for an empty list, which means equal shares, and for other texts.
    pub fn parse(text: &str, row: u64, element: DataType) -> Option<Self> {
        let Some(Nested::List(list)) = read(text) else { return None };
        let is_cut = matches!(list.last(), Some(Nested::Word(word)) if word == "...");
        let sizes = list.get(..list.len() - usize::from(is_cut))?;
        let bytes = sizes.iter().map(|size| {
            let Nested::Word(size) = size else { return None };
            let elements = u128::from(size.parse::<u64>().ok()?).saturating_mul(row.into());
            Some(elements.saturating_mul(element.half_bytes()) / 2)
        });
        let bytes: Vec<u128> = bytes.collect::<Option<_>>()?;
        (!bytes.is_empty()).then_some(Self { bytes, is_cut })
    }

    /// Returns the bytes of all peers.
    pub fn total(&self) -> u128 {
        self.bytes.iter().fold(0, |sum, &bytes| sum.saturating_add(bytes))
    }

    /// Returns the peer with the most bytes, the first of several.
    pub fn largest(&self) -> Option<(usize, u128)> {
        self.bytes.iter().copied().enumerate().rev().max_by_key(|(_, bytes)| *bytes)
    }

    /// Returns the most bytes of a peer divided by the mean: 1 if all are equal, the number of peers if one gets everything. `None`
    /// without bytes.
    pub fn imbalance(&self) -> Option<f64> {
        let mean = self.total() as f64 / self.bytes.len() as f64;
        let (_, most) = self.largest()?;
        (mean > 0.0).then(|| most as f64 / mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_peers_show_their_imbalance() {
        let splits = Splits::parse("[8, 24, 0, 32]", 2, DataType::F32).unwrap();
        assert_eq!(splits.bytes, [64, 192, 0, 256]);
        assert_eq!((splits.total(), splits.largest(), splits.imbalance()), (512, Some((3, 256)), Some(2.0)));
        assert_eq!(Splits::parse("[5, 5]", 1, DataType::I8).unwrap().imbalance(), Some(1.0));
        assert_eq!(Splits::parse("[0, 0]", 1, DataType::I8).unwrap().imbalance(), None);
    }

    #[test]
    fn cut_and_empty_lists_are_recognised() {
        let cut = Splits::parse("[1, 2, ...]", 1, DataType::I8).unwrap();
        assert_eq!((cut.bytes.as_slice(), cut.is_cut), (&[1, 2][..], true));
        for text in ["[]", "", "[...]", "[-1]", "x"] {
            assert_eq!(Splits::parse(text, 1, DataType::I8), None, "{text}");
        }
    }
}

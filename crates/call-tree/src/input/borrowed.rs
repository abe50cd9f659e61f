//! Calls that a companion recording lends to the kernels of graphs.

use super::label::LabelId;

/// Calls above kernels whose own recording has none, since one launch of a graph replays them all.
#[derive(Debug, Clone, Default)]
pub struct Borrowed {
    /// By call: the call around it, or `u32::MAX`, and its labels. A call stands behind the one around it.
    calls: Vec<(u32, LabelId)>,
    /// Rows of GPU events, ascending, each with its innermost call.
    of: Vec<(u32, u32)>,
}

impl Borrowed {
    /// Takes calls, each behind the one around it, and the innermost call of each row.
    pub(crate) fn new(calls: Vec<(u32, LabelId)>, mut of: Vec<(u32, u32)>) -> Self {
        of.sort_unstable();
        Self { calls, of }
    }

    /// Number of GPU events that have calls.
    pub fn kernels(&self) -> usize {
        self.of.len()
    }

    /// Labels of all calls.
    pub(crate) fn labels(&self) -> impl Iterator<Item = LabelId> {
        self.calls.iter().map(|&(_, label)| label)
    }

    /// Returns the innermost call of a row.
    pub(crate) fn innermost(&self, row: u32) -> Option<u32> {
        let at = self.of.binary_search_by_key(&row, |&(row, _)| row).ok()?;
        Some(self.of[at].1)
    }

    /// Returns a call and those around it with their labels, the innermost first.
    pub(crate) fn around(&self, call: u32) -> impl Iterator<Item = (u32, LabelId)> {
        let mut at = call;
        std::iter::from_fn(move || {
            let &(up, label) = self.calls.get(at as usize)?;
            Some((std::mem::replace(&mut at, up), label))
        })
    }
}

//! Calls that companion recordings lend to the kernels of graphs.

use super::label::LabelId;
use serde::{Deserialize, Serialize};

/// No call.
const NONE: u32 = u32::MAX;

/// A call of a companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BorrowedCall {
    /// The call around it, which stands before it, or `u32::MAX`.
    pub around: u32,
    /// Its labels.
    pub label: LabelId,
    /// Number of its recording among the companions.
    pub run: u32,
    /// Its row in that recording.
    pub row: u32,
    /// Whether the inputs of the row are known to be those of the kernel: not if several captures, which differ in inputs only, fit its graph.
    pub has_inputs: bool,
}

/// Calls above kernels whose own recording has none, since one launch of a graph replays them all.
#[derive(Debug, Clone, Default)]
pub struct Borrowed {
    /// Calls, each behind the one around it.
    calls: Vec<BorrowedCall>,
    /// Rows of GPU events of graphs, ascending, each with its innermost call, or `u32::MAX`.
    of: Vec<(u32, u32)>,
    /// Rows of those without a call since captures that differ fit their graph, ascending.
    ambiguous: Vec<u32>,
}

impl Borrowed {
    /// Takes calls, each behind the one around it, the innermost call of each row, and the rows that fit several captures.
    pub(crate) fn new(calls: Vec<BorrowedCall>, mut of: Vec<(u32, u32)>, mut ambiguous: Vec<u32>) -> Self {
        of.sort_unstable();
        ambiguous.sort_unstable();
        Self { calls, of, ambiguous }
    }

    /// Returns all calls, each behind the one around it.
    pub fn calls(&self) -> &[BorrowedCall] {
        &self.calls
    }

    /// Returns the rows of all GPU events of graphs, ascending, each with its innermost call.
    pub fn kernels(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.of.iter().map(|&(row, call)| (row, Some(call).filter(|&call| call != NONE)))
    }

    /// Tells whether a row has no call since captures that differ fit its graph.
    pub fn is_ambiguous(&self, row: u32) -> bool {
        self.ambiguous.binary_search(&row).is_ok()
    }

    /// Returns the calls above a row by their numbers, the innermost first; none if it has no calls.
    pub fn above(&self, row: u32) -> impl Iterator<Item = u32> {
        self.around(self.innermost(row).unwrap_or(NONE))
    }

    /// Labels of all calls.
    pub(crate) fn labels(&self) -> impl Iterator<Item = LabelId> {
        self.calls.iter().map(|call| call.label)
    }

    /// Returns the innermost call of a row.
    pub(crate) fn innermost(&self, row: u32) -> Option<u32> {
        let at = self.of.binary_search_by_key(&row, |&(row, _)| row).ok()?;
        Some(self.of[at].1).filter(|&call| call != NONE)
    }

    /// Returns a call and those around it by their numbers, the innermost first.
    pub(crate) fn around(&self, call: u32) -> impl Iterator<Item = u32> {
        let mut at = call;
        std::iter::from_fn(move || {
            let around = self.calls.get(at as usize)?.around;
            Some(std::mem::replace(&mut at, around))
        })
    }
}

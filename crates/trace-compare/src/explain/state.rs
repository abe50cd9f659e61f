//! The partial result of an explanation: what each rank contributes, without its events.

use crate::certainty::EventMix;
use crate::collective::Collectives;
use crate::companion::LoanCount;
use call_tree::{Partial, Portable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name of the comparison, in plans and errors.
pub(super) const NAME: &str = "explain";

/// Names of the iterations of a rank, by number.
pub(super) type Phases = BTreeMap<i64, String>;

/// Ranks of both sides, by the place of their run and their number; merged in any order, they are equal.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ExplainState {
    pub(super) control: BTreeMap<(usize, i64), RankState>,
    pub(super) test: BTreeMap<(usize, i64), RankState>,
}

/// One rank of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum RankState {
    /// It is compared: its part with the texts of its labels, its collectives if other ranks of its run are compared, too, the
    /// number of its kernels of graphs, and of those to which a companion lent operators, and its events by category.
    Compared {
        partial: Box<Portable<Partial>>,
        phases: Phases,
        collectives: Collectives,
        borrowed: LoanCount,
        mix: EventMix,
    },
    /// It is not selected: time in ns and number of its GPU events.
    Other { ns: i64, events: u64 },
}

impl ExplainState {
    /// Adds other ranks.
    pub(super) fn merge(&mut self, other: Self) {
        self.control.extend(other.control);
        self.test.extend(other.test);
    }

    /// Returns the memory of the largest rank in bytes.
    pub(super) fn largest(&self) -> usize {
        let bytes = self.control.values().chain(self.test.values()).map(|state| match state {
            RankState::Compared { partial, .. } => partial.value().bytes(),
            RankState::Other { .. } => 0,
        });
        bytes.max().unwrap_or(0)
    }
}

/// Returns the error of a partial result that does not fit the plan.
pub(super) fn wrong(reason: String) -> crate::Error {
    crate::Error::WrongState { question: NAME.to_owned(), reason }
}

//! Collectives of several ranks, matched with each other, and the ranks that other ranks wait for in them.

mod kind;
mod matching;
mod straggler;

pub(crate) use kind::{RecordedKinds, known, texts};
pub(crate) use matching::{COLUMNS, Collectives, Matched, is_plausible};
pub(crate) use straggler::Charges;
pub use straggler::{ChargedRank, Stragglers};

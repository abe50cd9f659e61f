//! Collectives of several ranks, matched with each other, and the ranks that other ranks wait for in them.

mod kind;
mod matching;
mod numbering;
mod straggler;

pub(crate) use matching::{Collectives, Matched, is_plausible};
pub(crate) use numbering::{COLUMNS, Numbered, Numbering};
pub(crate) use straggler::Charges;
pub use straggler::{ChargedRank, Stragglers};

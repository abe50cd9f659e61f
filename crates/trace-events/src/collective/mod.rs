//! Collectives of several ranks, matched with each other, and the ranks that other ranks wait for in them.

mod kind;
mod matching;
mod numbering;
mod straggler;

pub use matching::{Collectives, Matched, is_plausible};
pub use numbering::{COLUMNS, Numbered, Numbering};
pub use straggler::Charges;
pub use straggler::{ChargedRank, Stragglers};

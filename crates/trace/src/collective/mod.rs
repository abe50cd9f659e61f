//! Collectives of several ranks, matched with each other.

mod matching;

pub(crate) use matching::{COLUMNS, Collectives, Matched, is_plausible, waits_for_all};

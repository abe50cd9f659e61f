//! Text of numbers and names in messages.

mod lists;

pub(crate) use lists::{numbers, ranges, ranks_in_words, texts};

//! Where the difference of two steps comes from.

pub(crate) mod change;
pub(crate) mod divide;
pub(crate) mod explanation;

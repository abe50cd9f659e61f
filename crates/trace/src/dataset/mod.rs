//! Loaded traces.

pub(crate) mod load;

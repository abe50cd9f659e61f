//! Input of the graph: the events of ranks, and the words for causes.

pub(crate) mod check;
pub(crate) mod event;
pub(crate) mod rank;
pub(crate) mod word;

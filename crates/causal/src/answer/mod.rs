//! Answers of a graph: its edges as data, replays with other lags, and the path of a window.

pub(crate) mod edge;
pub(crate) mod path;
pub(crate) mod replay;

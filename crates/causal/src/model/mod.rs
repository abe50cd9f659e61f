//! From events to points and causes.

pub(crate) mod base;
pub(crate) mod clock;
pub(crate) mod draft;
pub(crate) mod graph;
pub(crate) mod hand_over;
mod lags;
pub(crate) mod meeting;
pub(crate) mod number;
pub(crate) mod order;
pub(crate) mod segment;
pub(crate) mod stream;
pub(crate) mod stream_wait;
pub(crate) mod thread;
pub(crate) mod thread_role;
pub(crate) mod wait;

//! Input of the crate: events, their labels, and the time of iterations.

pub(crate) mod batch;
pub(crate) mod below_launch;
pub(crate) mod borrowed;
pub(crate) mod event;
pub(crate) mod family;
pub(crate) mod kind;
pub(crate) mod label;
pub(crate) mod meeting;
pub(crate) mod reason;
pub(crate) mod recording;
pub(crate) mod vendor;
pub(crate) mod window;

//! The engine Ray: one job per question by the Jobs API, over HTTP; a driver that this program carries makes a task of each bundle.

mod address;
mod engine;
mod http;
mod interrupt;
mod log;
mod package;
mod token;

pub(super) use address::Address;
pub(super) use engine::Ray;

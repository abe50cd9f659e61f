//! Events by name, rank, iteration and device.

mod event_query;

pub use event_query::EventQuery;

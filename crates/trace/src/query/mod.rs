//! Events by name, rank, iteration and device.

mod event_query;
mod frequent_names;

pub use event_query::EventQuery;

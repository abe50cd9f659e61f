//! What a cell shows, on its way to the front end.

mod output;

pub use output::{Output, Sink};

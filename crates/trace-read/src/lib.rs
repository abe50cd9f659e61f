//! The reader of traces: files, archives and storage to raw events, without data frames.

#![deny(missing_docs)]

pub mod read;

use trace_base::{Error, Result, domain, error, exec};

//! Our answers equal those that HTA 0.6.1 gave on the same traces, recorded as goldens.
//!
//! Traces and goldens are outside of the repository, in `$TRACEBOOK_SHARED` (by default `../shared` next to it). Without that
//! folder every test says that it skips; a file missing from a folder that is there fails.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod analyses;
mod call_graphs;
mod critical_paths;
mod diff;
mod drawn;
mod drawn_paths;
mod events;
mod every_trace;
mod exact;
mod explained;
mod figures;
mod goldens;
mod kernel_types;
mod ledger;
mod loaded;
mod overlays;
mod parser_config;
mod rest;
mod summary;
mod symbols;

//! HTA's own rules where they differ from ours: its critical path ([`critical_path`]) and its call graphs ([`call_graph`]), with
//! their quirks, for answers that must equal those of HTA (`--compat hta`).
//!
//! The crate knows nothing of files and frames: rows are numbers that the caller gives, times are integers. What the other crates
//! answer does not depend on it.

pub mod call_graph;
pub mod critical_path;

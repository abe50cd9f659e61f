//! The causal graph on recorded, hand-made and random events, and what HTA's critical path says of the same edits.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod load;
mod micro;
mod noisy;
mod program;
mod random;
mod simulated;
mod situations;
mod truth;

//! The causal graph on recorded, hand-made and random events, and HTA's critical path.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod hta;
mod load;
mod micro;
mod noisy;
mod program;
mod random;
mod simulated;
mod situations;

//! The demo pair: two runs of one training job, simulated, with known differences.
//!
//! A small transformer is trained on four ranks. [`Side::Control`] is rank 3 of the job as it was, [`Side::Test`]
//! rank 1 of the job after a change that somebody hopes is an improvement. What differs is listed in
//! [`COUNT_CHANGES`], [`DURATION_CHANGES`] and, in words, in `notebooks/data/README.md`.
//!
//! Everything is computed in whole nanoseconds from one seed: the same seed gives the same bytes on every machine.

mod autograd;
mod changes;
mod event;
mod kernels;
mod machine;
mod model;
mod random;
mod side;
mod training;

pub use changes::{COUNT_CHANGES, CountChange, DURATION_CHANGES, Device, DurationChange};
pub use event::{Event, Phase};
pub use side::Side;
pub use training::{ITERATIONS, events};

/// The trace file of one side, as PyTorch's profiler writes it.
pub fn json(side: Side) -> String {
    event::trace_file(side, &events(side))
}

//! The demo data: runs of one training job, simulated, with known differences and known troubles.
//!
//! A small transformer is trained on four ranks. [`Run::Control`] is rank 3 of the job as it was, [`Run::Test`]
//! rank 1 of the job after a change that somebody hopes is an improvement. What differs is listed in
//! [`COUNT_CHANGES`], [`DURATION_CHANGES`] and, in words, in `notebooks/data/README.md`. [`Run::JOB`] is another hour of
//! the job as it was, on all four ranks, each with a trouble of its own.
//!
//! Everything is computed in whole nanoseconds from one seed: the same seed gives the same bytes on every machine.

mod autograd;
mod changes;
mod event;
mod job;
mod kernels;
mod machine;
mod model;
mod run;
mod training;

pub use changes::{COUNT_CHANGES, CountChange, DURATION_CHANGES, Device, DurationChange};
pub use event::{Event, Phase};
pub use run::{QUEUE, Run};
pub use training::{ITERATIONS, PIECES};

/// Everything that one run recorded, in the order of the file.
pub fn events(run: Run) -> Vec<Event> {
    match run {
        Run::Control | Run::Test => training::train(run, Vec::new()).0,
        Run::Job(_) => job::events(run),
    }
}

/// The trace file of one run, as PyTorch's profiler writes it.
pub fn json(run: Run) -> String {
    event::trace_file(run, &events(run))
}

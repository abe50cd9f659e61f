//! Simulator of the demo data: runs of one training job with known differences and known problems.
//!
//! The job trains a small transformer on four ranks. [`Run::Control`] is rank 3 of the original job, [`Run::Test`] rank 1 of the
//! job after a change that was meant as an improvement. [`COUNT_CHANGES`], [`DURATION_CHANGES`] and `notebooks/data/README.md`
//! list the differences. [`Run::JOB`] is the original job at another time, on all four ranks, each with a problem of its own.
//! [`Run::SYNCHRONIZED`] is a pair in which compute gets faster and the step slower.
//!
//! Everything is computed in integer nanoseconds from one seed: equal seeds give equal bytes on every machine.

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

/// Returns the events of a run, in the order of the file.
pub fn events(run: Run) -> Vec<Event> {
    match run {
        Run::Control | Run::Test | Run::Ahead | Run::Waiting => training::train(run, Vec::new()).0,
        Run::Job(_) => job::events(run),
    }
}

/// Returns the trace file of a run, in the format of PyTorch's profiler.
pub fn json(run: Run) -> String {
    event::trace_file(run, &events(run))
}

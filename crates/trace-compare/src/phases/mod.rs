//! Phases of iterations, such as prefill and decode: by the names of annotations, or by kernels and times.

mod choice;
mod sentence;
mod structure;

pub use choice::PhaseSteps;
pub(crate) use choice::{PhaseChoice, SideIterations, Wanted, choose_phase, phase_name};
pub(crate) use sentence::phase_sentence;
pub(crate) use structure::{IterationWork, Work};

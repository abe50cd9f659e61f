//! Iterations of recordings without the profiler's steps: a call that repeats and launches most of the work, or launches that repeat.

mod family;
mod find;
mod launches;
mod marker;
mod period;
mod repeating;
mod work;

pub use find::FoundSteps;
pub use marker::StepMarker;

#[cfg(test)]
mod tests;

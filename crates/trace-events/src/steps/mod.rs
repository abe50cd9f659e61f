//! Iterations of recordings without the profiler's steps: a call that repeats, and launches most of the work.

mod family;
mod find;
mod work;

pub use find::{FoundSteps, StepMarker};

#[cfg(test)]
mod tests;

//! Annotations that inference servers write around their steps: requests, tokens and phase of each, and sizes of captured graphs.

mod annotation;
mod capture;
mod notation;
mod step;

pub use capture::CapturedGraph;
pub use step::{RequestSums, ServedPhase, ServedStep, Server};

#[cfg(test)]
mod tests;

//! Annotations that inference servers write around their steps: requests, tokens and phase of each, and sizes of captured graphs.

mod annotated;
mod annotation;
mod capture;
mod notation;
mod step;

pub use annotated::Annotated;
pub use capture::CapturedGraph;
pub use step::{RequestSums, ServedPhase, ServedStep, Server};

#[cfg(test)]
mod tests;

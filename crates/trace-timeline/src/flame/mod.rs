//! Flame graphs of a step: operators by call stack, as wide as their CPU time, their GPU time or their part of the step.

mod calls;
mod collector;
mod files;
mod graph;
mod launched;
mod output;

pub use calls::FlameTime;
pub use graph::{FlameGraph, FlameQuery};

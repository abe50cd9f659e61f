//! The noise floor of operators: how much they vary within a run, and between runs of one program.

mod floor;
mod measured;
mod sentences;

pub use floor::{Noise, OperatorNoise};
pub use measured::MeasuredNoise;

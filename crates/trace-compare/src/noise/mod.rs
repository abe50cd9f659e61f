//! The noise floor of operators: how much they vary within a run, and between runs of one program.

mod floor;
mod measured;
mod operator_noise;
mod sentences;

pub use floor::Noise;
pub use measured::MeasuredNoise;
pub use operator_noise::OperatorNoise;

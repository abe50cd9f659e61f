//! Division of a step's time, and the explanation of a difference.

pub(crate) mod cause;
pub(crate) mod change;
pub(crate) mod divide;
pub(crate) mod explanation;
mod hosts;
mod packed;
pub(crate) mod partial;
pub(crate) mod sample;
mod side;
mod spent;
pub(crate) mod waiting;
pub(crate) mod waits;
pub(crate) mod weights;

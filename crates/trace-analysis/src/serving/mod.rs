//! Steps of an inference server: requests, tokens and phases by its annotations, their times, and what the GPU did in them.
//!
//! `rank_steps` makes one pass over the events of a rank, `windows` divides its time among its steps, `replicas` joins the ranks that run
//! the same steps, `phases` sums steps up; `answer` is the whole of it, `change` two of them, and the rest shows both.

mod answer;
mod change;
mod change_present;
mod figure;
mod json;
mod padding;
mod phases;
mod present;
mod query;
mod rank_steps;
mod replicas;
mod sentences;
mod tables;
#[cfg(test)]
mod tests;
mod windows;

pub use answer::{ServingAnswer, StepSource};
pub use change::{QuantityChange, ServingChange};
pub use padding::Padding;
pub use phases::{PhaseSummary, Spread};
pub use query::Serving;
pub use replicas::Replica;
pub use windows::TimedStep;

//! Conclusions of a comparison: words of verdicts, sentences, comparability of the sides. Explanations, comparisons by name,
//! gates and baselines share them.

mod comparability;
mod findings;
mod judging;
mod score;
mod sentence;
mod vendors;
mod words;

pub(crate) use comparability::{EventMix, InputShapes};
pub(crate) use findings::{CountOf, Findings, StepFinding, structure};
pub(crate) use judging::{Judging, RELEVANT};
pub use score::score;
pub use sentence::Sentence;
pub use sentence::lines;
pub(crate) use vendors::{both_names, join_vendors};
pub use words::SampleKind;
pub use words::{ALPHA, VERDICTS, percent, smallest, verdict_in_row, verdict_word};

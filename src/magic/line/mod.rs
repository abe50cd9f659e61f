//! A magic's line: parsed, run, explained and completed, by the table of magics.

mod candidate;
mod code;
mod complete;
mod expand;
mod foreign;
mod inspect;
mod parse;
mod paths;
mod reference;
mod run;
mod sql;

pub use candidate::{Candidate, CandidateKind};
pub use complete::{Completion, complete};
pub(crate) use foreign::magic_of_hta;
pub use inspect::inspect;
pub(crate) use parse::{Invocation, parse_words};
pub use reference::reference;
pub(super) use run::unknown_magic;
pub use run::{Next, run};

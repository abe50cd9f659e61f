//! A magic's line: what it takes, what was typed, help and completion.

mod argument;
mod call;
mod complete;
mod expand;
mod help;
mod parse;
mod paths;
mod reference;
mod run;
mod suggest;
mod value;

pub use argument::{Argument, Form, Group, Kind};
pub use call::Call;
pub use complete::{Candidate, CandidateKind, Completion, complete};
pub use help::inspect;
pub use reference::{reference, table};
pub use run::run;
pub use value::Value;

pub(super) use parse::{Asked, parse_words};
pub(super) use suggest::did_you_mean;

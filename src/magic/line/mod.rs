//! A magic's line: what it takes, what was typed, help and completion.

mod argument;
mod call;
mod complete;
mod elsewhere;
mod expand;
mod help;
mod next;
mod parse;
mod paths;
mod percent;
mod reference;
mod run;
mod suggest;
mod value;

pub use argument::{Argument, Form, Group, Kind, Listed};
pub use call::Call;
pub use complete::{Candidate, CandidateKind, Completion, complete};
pub use help::inspect;
pub use next::{Next, Timing};
pub use reference::{reference, table};
pub use run::run;
pub use value::Value;

pub(super) use help::page as help_page;
pub(super) use parse::{Asked, parse_words};
pub(super) use percent::Percent;
pub(super) use run::no_such_magic;
pub(super) use suggest::did_you_mean;

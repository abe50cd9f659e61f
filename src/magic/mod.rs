//! The lines that call magics, the magic of SQL, and the table of all magics; the others are in `kernel-magic`.

mod line;
mod magics;
mod trace_sql;

pub use kernel_magic::{
    Argument, Call, Context, Form, Group, IdKind, Kind, Magic, Percentage, Quantity, SHOWN, TOPICS, Timing, Value,
};
pub use line::{Candidate, CandidateKind, Completion, Next, complete, inspect, reference, run};
pub(crate) use line::{Invocation, magic_of_hta, parse_words};
pub use magics::{MAGICS, find};

#[cfg(test)]
mod tests;

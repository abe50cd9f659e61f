//! Traces whose ranks other processes read: what such a process is given, who runs it, and what comes back.
//!
//! A question is a plan, made from facts of all ranks; an engine maps each rank where it is, merges the partial results, and hands the
//! merged one back; the notebook finishes it. Loading is a question, too: its partial result is the facts of each rank. The functions that
//! such a process runs are in the room `task`.

mod bundle;
mod engine;
mod envelope;
mod given;
mod head;
mod remote;

pub use bundle::{Bundle, bundles};
pub use engine::{Engine, FailedInput, Job, Ran};
pub(crate) use envelope::{extracted, packed};
pub(crate) use given::LOAD;
pub use given::{Given, GivenTrace, Input, Query};
pub(crate) use head::{Head, HeadContent, Heads};
pub use remote::UnreadFile;
pub(crate) use remote::{ElsewhereRank, Remote};

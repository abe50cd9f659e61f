//! Traces whose ranks other processes read: what such a process is given, who runs it, and what comes back.
//!
//! A question is a plan, made from facts of all ranks; an engine maps each rank where it is, merges the partial results, and hands the
//! merged one back; the notebook finishes it. Loading is a question, too: its partial result is the facts of each rank. The functions that
//! such a process runs are in the room `task`.

mod bundle;
mod engine;
mod envelope;
mod head;
mod job_spec;
mod remote;

pub use bundle::{Bundle, bundles};
pub use engine::{Engine, FailedInput, Job, Ran};
pub use envelope::{extracted, packed};
pub use head::{Head, HeadContent, Heads};
pub use job_spec::LOAD;
pub use job_spec::{Input, JobSpec, Query, TraceSpec};
pub use remote::UnreadFile;
pub use remote::{ElsewhereRank, Remote};

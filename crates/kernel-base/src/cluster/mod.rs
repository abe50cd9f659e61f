//! Engines: processes of this machine, Ray clusters and Slurm, that read the ranks of a trace and answer questions about them.
//!
//! An engine runs `tracebook task list|map|reduce` (`docs/task.md`) somewhere, and brings one partial result back. Which questions
//! there are, what they need and how partial results become answers is the library's (`trace::task`).

mod children;
mod choice;
mod frames;
mod job_name;
mod last_lines;
mod listener;
mod own_files;
mod processes;
mod quoted;
mod ray;
mod slurm;

pub use choice::{Chosen, ENGINES, Needs, NoEngine, address, engine, shared_folder};
pub use frames::{read_frames, write_frame};
use job_name::job_name;
pub use listener::{Listener, Progress, listen};

/// Partial results that are merged together.
pub const FAN_IN: usize = 64;

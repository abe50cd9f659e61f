//! Requests and replies: one file per request; around each of them `busy`, outputs, reply, `idle`.
//!
//! Cells run one at a time on their own thread. Every other request is answered at once, also while a cell runs, from a view
//! of the notebook that is renewed after each cell. Conversations (`src/comm`) have threads of their own.

mod cell_sink;
mod comm;
mod complete;
mod cursor;
mod descendants;
mod execute;
mod history;
mod history_file;
mod inspect;
mod is_complete;
mod kernel;
mod kernel_info;
mod name_help;
mod parent_process;
mod reply;
mod runner;
mod rust_time;
mod shutdown;
mod signals;
mod stdin;
mod timeit;
mod timing;

pub use history_file::path as history_path;
pub use kernel::{run, run_with};

//! Plain types that every room may use: how a trace is read (Compat), what a kernel does, what was repaired, numbers of ranks.

mod archive_path;
mod compat;
mod diff_side;
mod environment;
mod event_kind;
mod kernel_type;
mod numbers;
mod pick;
mod proposed_marker;
mod secrets;
mod short_name;
mod warning;
mod warning_sentences;

pub use archive_path::{archive_of, canonical, file_of};
pub use compat::{Compat, UnknownCompat};
pub use diff_side::DiffSide;
pub use environment::{CACHE_VARIABLE, MEMORY_VARIABLE, STORAGE_TIMEOUT_VARIABLE};
pub use event_kind::{EventKind, is_device_work, is_graph_launch};
pub use kernel_type::{KernelType, memory_kernel_type};
pub use kernel_type::{is_collective, is_cpu_collective};
pub use numbers::{Iteration, Rank, Stream};
pub use pick::Pick;
pub use proposed_marker::{ProposedMarker, or_by_markers};
pub use secrets::has_secret;
pub use secrets::without_secrets;
pub use short_name::shorten_name;
pub use warning::NUMBER_AS_TEXT;
pub use warning::{Unlike, Warning};

//! Plain types that every room may use: how a trace is read (Compat), what a kernel does, what was repaired, numbers of ranks.

mod compat;
mod environment;
mod kernel_type;
mod numbers;
mod pick;
mod warning;

pub use compat::Compat;
pub use environment::{CACHE_VARIABLE, MEMORY_VARIABLE};
pub(crate) use kernel_type::is_device_work;
pub use kernel_type::{KernelType, memory_kernel_type};
pub use numbers::{Iteration, Rank, Stream};
pub use pick::Pick;
pub use warning::{Unlike, Warning};

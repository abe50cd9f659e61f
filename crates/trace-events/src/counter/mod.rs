//! Counters over time: the queue length of each stream, the memory bandwidth of each kind of copy.

mod memory_bandwidth;
mod points;
mod queue_length;

pub use memory_bandwidth::{Bandwidth, BandwidthPoint, memory_bandwidth};
pub use points::{Point, read_points, write_points};
pub use queue_length::{QueuePoint, Queues, queue_lengths};

//! Counters over time: the queue length of each stream, the memory bandwidth of each kind of copy.

mod memory_bandwidth;
mod points;
mod queue_length;

pub(crate) use memory_bandwidth::{Bandwidth, BandwidthPoint, memory_bandwidth};
pub(crate) use points::{Point, read_points, write_points};
pub(crate) use queue_length::{QueuePoint, Queues, queue_lengths};

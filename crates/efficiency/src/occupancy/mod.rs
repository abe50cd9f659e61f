//! Occupancy of a device by the launch of a kernel.

pub(crate) mod launch;
pub(crate) mod limits;
pub(crate) mod multiprocessor;
pub(crate) mod waves;

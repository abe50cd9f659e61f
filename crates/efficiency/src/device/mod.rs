//! Devices and their peaks.

pub(crate) mod device_match;
pub(crate) mod overrides;
pub(crate) mod peaks;

//! The table of targets.

use super::Target;
use super::echo::Echo;
use super::session::LoadedTraces;
use super::timeline::Timelines;

/// Every kind of conversation: one file and one row each.
pub const TARGETS: &[&dyn Target] = &[&Echo, &LoadedTraces, &Timelines];

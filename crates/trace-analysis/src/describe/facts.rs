//! Facts of a trace that are known without its events.

use crate::domain::ProposedMarker;
use crate::{Compat, RankInfo, Warning};

/// What is known of a trace without its events.
pub(super) struct Facts<'f> {
    pub(super) label: &'f str,
    pub(super) compat: Compat,
    pub(super) ranks: &'f [&'f RankInfo],
    pub(super) warnings: &'f [Warning],
    /// Calls that would divide a recording without the profiler's steps.
    pub(super) calls: Vec<ProposedMarker>,
}

//! Facts of a trace that are known without its events.

use crate::{Compat, RankInfo, Warning};

/// What is known of a trace without its events.
pub(super) struct Facts<'f> {
    pub(super) label: &'f str,
    pub(super) compat: Compat,
    pub(super) ranks: &'f [&'f RankInfo],
    pub(super) warnings: &'f [Warning],
}

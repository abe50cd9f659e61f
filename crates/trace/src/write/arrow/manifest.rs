//! Manifest of a saved trace: what its file holds besides events.

use crate::{Compat, RankInfo, TraceSet, Warning};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the file of a trace holds besides events.
#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) label: String,
    pub(super) compat: Compat,
    pub(super) warnings: Vec<Warning>,
    pub(super) ranks: Vec<RankInfo>,
    /// The columns that each rank has; a batch has those of all.
    pub(super) columns: Vec<Vec<String>>,
    /// The columns of codes.
    pub(super) categorical: BTreeSet<String>,
    /// The texts by code, for all codes up to the highest that occurs.
    pub(super) texts: Vec<String>,
}

impl Manifest {
    /// Creates the manifest of a trace, without columns and texts.
    pub(super) fn of(trace: &TraceSet) -> Self {
        Self {
            label: trace.label().to_owned(),
            compat: trace.compat(),
            warnings: trace.warnings().to_vec(),
            ranks: trace.info().into_iter().cloned().collect(),
            columns: Vec::new(),
            categorical: BTreeSet::new(),
            texts: Vec::new(),
        }
    }
}

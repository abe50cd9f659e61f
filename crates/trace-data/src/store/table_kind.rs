//! Tables of a rank.

use serde::{Deserialize, Serialize};

/// Which table of a rank a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TableKind {
    /// The complete events.
    Events,
    /// The instants.
    Instants,
    /// The counters.
    Counters,
    /// Arguments of the complete events that were read later.
    Args,
}

impl TableKind {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Events, Self::Instants, Self::Counters, Self::Args];

    /// Returns its name, as in names of files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Instants => "instants",
            Self::Counters => "counters",
            Self::Args => "args",
        }
    }
}

//! What a notebook holds: loaded traces by label, frames that magics bound, and a view of it for completion.

mod cells;
mod view;

pub use cells::{Binding, Cells, Variable};
pub use view::View;

use std::collections::BTreeMap;
use std::sync::Arc;
use trace::TraceSet;

/// What a notebook holds.
#[derive(Default)]
pub struct Session {
    traces: BTreeMap<String, Arc<TraceSet>>,
}

impl Session {
    /// The loaded traces, by label.
    pub fn traces(&self) -> &BTreeMap<String, Arc<TraceSet>> {
        &self.traces
    }
}

//! Analyses of ranks that an engine reads.

use super::{Analysis, Mapped, TraceAnalysis};
use crate::dataset::{RunRanks, ask};
use crate::distributed::Query;
use crate::state::opened;
use crate::{Result, Trace};
use serde_json::Value;
use std::collections::BTreeSet;

/// The name of the question for iterations, in partial results.
pub const ITERATIONS: &str = "iterations";

impl TraceAnalysis {
    /// Returns the merged result of the ranks at these positions.
    ///
    /// # Errors
    /// If the engine fails, or a rank cannot be read any more.
    pub(super) fn mapped_elsewhere<A: Analysis>(&self, analysis: &A, ranks: &[usize]) -> Result<Mapped<A::State>> {
        let text = super::catalog::text(analysis);
        let parameters = match serde_json::from_str(&text) {
            Ok(Value::Object(parameters)) => parameters,
            _ => serde_json::Map::new(),
        };
        let plan = self.plan.for_ranks()?;
        let question = Query::Analysis { name: A::NAME.to_owned(), parameters, plan };
        let ranks = ranks.iter().filter_map(|&at| self.traces.traces().get(at).cloned()).collect();
        let mut merged = Mapped::default();
        for state in self.asked(&question, ranks)? {
            merged = opened(A::NAME, &text, &state)?;
        }
        Ok(merged)
    }

    /// Returns the iterations of the analysed rows.
    ///
    /// # Errors
    /// As [`Self::mapped_elsewhere`].
    pub(super) fn iterations_elsewhere(&self) -> Result<BTreeSet<i64>> {
        let question = Query::Iterations { plan: self.plan.for_ranks()? };
        let mut merged = BTreeSet::new();
        for state in self.asked(&question, self.traces.traces().to_vec())? {
            merged = opened(ITERATIONS, "", &state)?;
        }
        Ok(merged)
    }

    /// Asks ranks of this trace: one partial result, since they have one engine; none without ranks.
    fn asked(&self, question: &Query, ranks: Vec<Trace>) -> Result<Vec<Vec<u8>>> {
        let (label, all) = (self.traces.label(), self.traces.traces());
        ask(question, vec![RunRanks { label, all, ranks, side: None }])
    }
}

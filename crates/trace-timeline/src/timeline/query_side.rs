//! The sides of a question about one trace, or about control and test: which ranks and iterations of each.

use crate::{Error, Iteration, LabeledTrace, Pick, Rank, Result, Trace};

/// What is asked of one trace.
#[derive(Debug, Clone)]
pub(crate) struct QuerySide {
    pub trace: LabeledTrace,
    pub ranks: Option<Pick<Rank>>,
    pub iterations: Option<Pick<Iteration>>,
}

/// One trace, or control and test.
#[derive(Debug, Clone)]
pub(crate) struct QuerySides(Vec<QuerySide>);

impl QuerySides {
    /// Asks about these traces, control first: about their first ranks and all iterations.
    pub(crate) fn of(traces: impl IntoIterator<Item = LabeledTrace>) -> Self {
        Self(traces.into_iter().map(|trace| QuerySide { trace, ranks: None, iterations: None }).collect())
    }

    /// Sets the ranks of one side, or of all.
    pub(crate) fn set_ranks(&mut self, side: Option<usize>, ranks: impl Into<Pick<Rank>>) {
        let ranks = ranks.into();
        self.chosen(side).for_each(|side| side.ranks = Some(ranks.clone()));
    }

    /// Sets the iterations of one side, or of all.
    pub(crate) fn set_iterations(&mut self, side: Option<usize>, iterations: impl Into<Pick<Iteration>>) {
        let iterations = iterations.into();
        self.chosen(side).for_each(|side| side.iterations = Some(iterations.clone()));
    }

    fn chosen(&mut self, wanted: Option<usize>) -> impl Iterator<Item = &mut QuerySide> {
        self.0
            .iter_mut()
            .enumerate()
            .filter(move |(at, _)| wanted.is_none_or(|wanted| wanted == *at))
            .map(|(_, side)| side)
    }

    /// Returns the sides, control first.
    pub(crate) fn each(&self) -> &[QuerySide] {
        &self.0
    }
}

impl QuerySide {
    /// Returns the ranks that are asked about; the first by default.
    ///
    /// # Errors
    /// If there is no such rank.
    pub(crate) fn traces(&self) -> Result<Vec<Trace>> {
        self.trace.ranks_picked(self.ranks.as_ref())
    }

    /// Returns the iterations that are asked about, of those that are `available`; `None` for all.
    ///
    /// # Errors
    /// If there is no such iteration.
    pub(crate) fn iterations_of(&self, available: Vec<i64>) -> Result<Option<Vec<i64>>> {
        let Some(wanted) = self.iterations.as_ref().map(|wanted| wanted.numbers().to_vec()) else { return Ok(None) };
        match wanted.iter().find(|iteration| !available.contains(iteration)) {
            Some(&iteration) => {
                Err(Error::UnknownIteration { label: self.trace.label().to_owned(), iteration, available })
            }
            None => Ok(Some(wanted)),
        }
    }
}

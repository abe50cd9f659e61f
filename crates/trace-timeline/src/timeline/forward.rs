//! Forward operators of backward operators where no column has them: read from the trace file when the first arrow is wanted.

use crate::exec::checkpoint::{cancellable, interrupted};
use crate::frame::columns::INDEX;
use crate::frame::{IntColumn, autograd_args, forward_rows};
use crate::{Error, LoadOptions, ParserConfig, Result, Trace, TraceSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The forward operators of a rank with their backward operators, as positions in the trace file.
#[derive(Debug, Default)]
pub(super) struct ForwardOperators {
    /// Forward and backward operator, by the former.
    by_forward: Vec<(i64, i64)>,
    /// Backward and forward operator, by the former.
    by_backward: Vec<(i64, i64)>,
}

impl ForwardOperators {
    /// Returns the operators of a rank, by the numbers that autograd gives them. Of a rank whose file is not there any more none are known.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(super) fn of(trace: &Trace) -> Result<Arc<Self>> {
        trace.derived("forward operators", Self::bytes, || Self::read(trace))
    }

    fn read(trace: &Trace) -> Result<Self> {
        let Some(source) = trace.info().unchanged_source() else {
            return Ok(Self::default());
        };
        let options = LoadOptions { parser_config: Some(ParserConfig::new(autograd_args())), ..LoadOptions::default() };
        let mut go_on = |_: &_| if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        match TraceSet::load_with(&source.path, &options, &mut go_on) {
            Ok(read) => {
                read.traces().iter().find(|read| read.rank() == trace.rank()).map_or(Ok(Self::default()), Self::found)
            }
            Err(Error::Interrupted) => Err(Error::Interrupted),
            // Arrows are no reason for an error: the file may not fit the memory budget now.
            Err(_) => Ok(Self::default()),
        }
    }

    /// The operators of a rank with the arguments of autograd.
    fn found(trace: &Trace) -> Result<Self> {
        let events = trace.frame()?;
        let index = IntColumn::of(&events, INDEX)?;
        let rows = forward_rows(&events)?;
        let mut by_forward: Vec<(i64, i64)> = cancellable(rows)
            .filter_map(|(forward, backward)| Some((index.get(forward)?, index.get(backward)?)))
            .collect();
        let mut by_backward: Vec<(i64, i64)> =
            by_forward.iter().map(|&(forward, backward)| (backward, forward)).collect();
        by_forward.sort_unstable();
        by_backward.sort_unstable();
        Ok(Self { by_forward, by_backward })
    }

    /// Memory, in bytes.
    fn bytes(&self) -> usize {
        (self.by_forward.capacity() + self.by_backward.capacity()) * size_of::<(i64, i64)>()
    }

    /// Returns the forward operators of an operator.
    pub(super) fn forward_of(&self, backward: i64) -> impl Iterator<Item = i64> {
        partners(&self.by_backward, backward)
    }

    /// Returns the backward operators of an operator.
    pub(super) fn backward_of(&self, forward: i64) -> impl Iterator<Item = i64> {
        partners(&self.by_forward, forward)
    }
}

fn partners(pairs: &[(i64, i64)], of: i64) -> impl Iterator<Item = i64> {
    let from = pairs.partition_point(|&(first, _)| first < of);
    pairs[from..].iter().take_while(move |&&(first, _)| first == of).map(|&(_, second)| second)
}

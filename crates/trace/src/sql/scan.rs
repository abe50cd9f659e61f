//! Lazy tables of the loaded traces: scans that look at one rank after the other, and only at the columns and ranks that a
//! statement needs.

use super::rank_rows::{bytes_needed, rows};
use super::views::{TRACE, View};
use crate::dataset::RankScan;
use crate::exec::memory::{Budget, Task};
use crate::frame::columns::RANK;
use crate::store::checked;
use crate::{Error, Execution, Result, TraceSet};
use polars::prelude::{
    AnonymousScan, AnonymousScanArgs, Column, DataFrame, LazyFrame, PolarsError, PolarsResult, ScanArgsAnonymous,
    SchemaRef,
};
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// The first error of the library in the scans of a statement: polars passes on only texts.
#[derive(Clone, Default)]
pub(super) struct FirstError(Arc<Mutex<Option<Error>>>);

impl FirstError {
    /// Returns the error, if a scan failed.
    pub(super) fn take(&self) -> Option<Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps the error, and returns one for polars.
    fn keep(&self, error: Error) -> PolarsError {
        let message = error.to_string();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        PolarsError::ComputeError(message.into())
    }
}

/// Returns a lazy table of these traces.
///
/// # Errors
/// If polars refuses.
pub(super) fn lazy(view: View, traces: &[TraceSet], failed: &FirstError) -> Result<LazyFrame> {
    let schema = Arc::new(view.schema(traces));
    let scan = ViewScan {
        view,
        traces: traces.to_vec(),
        schema: Arc::clone(&schema),
        execution: Execution::current(),
        failed: failed.clone(),
    };
    let args = ScanArgsAnonymous { schema: Some(schema), name: "TRACES", ..ScanArgsAnonymous::default() };
    Ok(LazyFrame::anonymous_scan(Arc::new(scan), args)?)
}

struct ViewScan {
    view: View,
    traces: Vec<TraceSet>,
    schema: SchemaRef,
    /// The context of the statement: polars may scan on a thread of its own.
    execution: Execution,
    failed: FirstError,
}

impl AnonymousScan for ViewScan {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn schema(&self, _: Option<usize>) -> PolarsResult<SchemaRef> {
        Ok(Arc::clone(&self.schema))
    }

    fn allows_predicate_pushdown(&self) -> bool {
        true
    }

    fn allows_projection_pushdown(&self) -> bool {
        true
    }

    fn scan(&self, args: AnonymousScanArgs) -> PolarsResult<DataFrame> {
        let found = self.execution.run(|| checked(|| self.rows(&args)));
        found.map_err(|error| self.failed.keep(error))
    }
}

impl ViewScan {
    fn rows(&self, args: &AnonymousScanArgs) -> Result<DataFrame> {
        let scan = RankScan::of(args, &self.schema);
        let budgets: Vec<Budget> = self.traces.iter().map(TraceSet::budget).collect::<Result<_>>()?;
        let sets = self.traces.iter().zip(budgets);
        let ranks = sets.flat_map(|(set, budget)| set.traces().iter().map(move |trace| (set, trace, budget)));
        let no_rows = DataFrame::empty_with_schema(&self.schema).select(scan.names.iter().cloned())?;
        let all = scan.collect(
            Some(no_rows),
            ranks,
            |(set, trace, _)| vec![Column::new(TRACE.into(), [set.label()]), Column::new(RANK.into(), [trace.rank()])],
            |&(set, trace, budget), names| {
                budget.check(Task::Sql, bytes_needed(self.view, trace, names))?;
                rows(self.view, set, trace, names, &self.schema)
            },
        )?;
        Budget::now()?.check(Task::Sql, 0)?;
        Ok(all)
    }
}

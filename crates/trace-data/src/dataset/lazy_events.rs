//! Lazy events of all ranks: a scan that looks at one rank after the other.

use super::rank_scan::RankScan;
use super::stack::{stacked_schema, with_rank};
use crate::exec::changed_files::checked;
use crate::exec::memory::{Budget, Task};
use crate::frame::columns::RANK;
use crate::{Error, Result, Trace, TraceSet};
use polars::prelude::{
    AnonymousScan, AnonymousScanArgs, Column, DataFrame, LazyFrame, PolarsError, PolarsResult, ScanArgsAnonymous,
    SchemaRef,
};
use std::any::Any;
use std::sync::Arc;

impl TraceSet {
    /// Returns the events of all ranks as a lazy frame, with a leading column `rank`; the columns are those of
    /// [`Trace::events`].
    ///
    /// Nothing is read before `collect`. Then the ranks are looked at one after the other, and only the columns that the query
    /// uses: conditions of `filter` that look at one row at a time, and `select`, are applied to each rank before the next, so
    /// that a rank whose events are in a file takes memory only while its turn lasts. What is left of all ranks is in memory
    /// together when it is grouped, sorted or joined. Ranks that a condition such as `col("rank").eq(lit(3))` rules out are
    /// not read.
    ///
    /// `collect` fails if what is left of all ranks exceeds the memory budget, or the call is cancelled.
    ///
    /// # Errors
    /// If polars refuses, which no trace should cause.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let job = TraceSet::load("../../notebooks/data/job")?;
    /// let busiest = job
    ///     .lazy_events()?
    ///     .filter(col("stream").is_not_null())
    ///     .group_by([col("rank")])
    ///     .agg([col("dur").sum()])
    ///     .sort(["rank"], Default::default())
    ///     .collect()?;
    /// assert_eq!(busiest.shape(), (4, 2));
    /// # Ok(())
    /// # }
    /// ```
    pub fn lazy_events(&self) -> Result<LazyFrame> {
        let schema = Arc::new(stacked_schema(self.traces()));
        let scan = AllEvents { traces: self.traces().to_vec(), schema: Arc::clone(&schema) };
        let args = ScanArgsAnonymous { schema: Some(schema), name: "RANKS", ..ScanArgsAnonymous::default() };
        Ok(LazyFrame::anonymous_scan(Arc::new(scan), args)?)
    }
}

/// Table of the events of all ranks.
struct AllEvents {
    traces: Vec<Trace>,
    schema: SchemaRef,
}

impl AnonymousScan for AllEvents {
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
        checked(|| self.rows(&args)).map_err(|error| match error {
            Error::Polars(error) => error,
            error => PolarsError::ComputeError(error.to_string().into()),
        })
    }
}

impl AllEvents {
    fn rows(&self, args: &AnonymousScanArgs) -> Result<DataFrame> {
        let budget = Budget::now()?;
        let constant = |trace: &&Trace| vec![Column::new(RANK.into(), [trace.rank()])];
        RankScan::of(args, &self.schema).collect(&self.traces, constant, |trace, names| {
            budget.check(Task::Answer("lazy_events"), trace.bytes_of(names))?;
            with_rank(trace, names, &self.schema)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::CancellationToken;
    use polars::prelude::{IdxSize, IntoLazy, SortMultipleOptions, col, len, lit};

    type Query = fn(LazyFrame) -> LazyFrame;

    /// Returns a trace in memory, and the same in files of the folder.
    fn both(folder: &tempfile::TempDir) -> [TraceSet; 2] {
        let memory = TraceSet::load("../../notebooks/data/job").unwrap();
        let stored = memory.stored_in(folder.path()).unwrap();
        [memory, stored]
    }

    #[test]
    fn queries_answer_as_on_the_stacked_events() {
        let folder = tempfile::tempdir().unwrap();
        for traces in both(&folder) {
            let stacked = traces.events();
            let dur = || col("dur");
            let queries: [(&str, Query); 14] = [
                ("longest", |events| {
                    let longest = events.filter(col("dur").gt(lit(1000)));
                    let down = SortMultipleOptions::default().with_order_descending(true).with_maintain_order(true);
                    longest.sort(["dur"], down).limit(3).select([col("dur")])
                }),
                ("all", |events| events),
                ("columns", |events| events.select([col("dur"), col("rank"), col("name")])),
                ("rows", |events| events.filter(col("dur").gt(lit(1000)).and(col("stream").is_not_null()))),
                ("rank", |events| events.filter(col("rank").eq(lit(2))).select([col("name")])),
                ("two ranks", |events| events.filter(col("rank").gt(lit(1)).and(col("cat").eq(lit("kernel"))))),
                ("none", |events| events.filter(col("rank").eq(lit(99)))),
                ("mean", |events| events.filter(col("dur").gt(col("dur").mean()))),
                ("window", |events| events.filter(col("dur").eq(col("dur").max().over([col("name")]).unwrap()))),
                ("shift", |events| events.filter(col("dur").gt(col("dur").shift(lit(1))))),
                ("count", |events| events.select([len()])),
                ("first", |events| events.select([col("ts")]).limit(7)),
                ("slice", |events| events.filter(col("stream").is_not_null()).slice(5000, 9)),
                ("groups", |events| {
                    events
                        .group_by([col("rank"), col("name")])
                        .agg([len(), col("dur").sum()])
                        .sort(["rank", "name"], Default::default())
                }),
            ];
            assert!(stacked.clone().lazy().filter(dur().gt(dur().mean())).collect().unwrap().height() > 0);
            for (name, query) in queries {
                let expected = query(stacked.clone().lazy()).collect().unwrap();
                let found = query(traces.lazy_events().unwrap()).collect().unwrap();
                assert_eq!(found.schema(), expected.schema(), "{name}");
                assert!(found.equals_missing(&expected), "{name}: {found} {expected}");
            }
        }
    }

    #[test]
    fn only_named_columns_are_mapped() {
        let folder = tempfile::tempdir().unwrap();
        for traces in both(&folder) {
            let rank = &traces.traces()[1];
            let some = rank.frame_of(&["name".into(), "dur".into(), "unknown".into()]).unwrap();
            assert_eq!(some.get_column_names(), ["name", "dur"].map(|name| name));
            assert_eq!(rank.frame_of(&[]).unwrap().shape(), (rank.info().events, 0));
        }
    }

    #[test]
    fn cancelled_scan_fails() {
        let job = TraceSet::load("../../notebooks/data/job").unwrap();
        let count = || job.lazy_events().unwrap().select([len()]).collect();
        let rows = IdxSize::try_from(job.event_count()).unwrap();
        assert_eq!(count().unwrap().column("len").unwrap().idx().unwrap().get(0), Some(rows));
        let error = CancellationToken::new(|| true).run(count).unwrap_err();
        assert!(error.to_string().contains("interrupted"), "{error}");
    }
}

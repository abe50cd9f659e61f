//! The schemas of the data frames among the variables, reported to the kernel for the completion of column names.

use crate::channel::send;
use crate::store::VariableStore;
use polars::prelude::{Column, DataFrame, DslPlan, LazyFrame, Series};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use trace_view::FrameSchema;
use trace_view::envelope::Envelope;

/// The most frames that are reported, and the most steps of a reported lazy frame: reporting must not delay a cell.
const MAX_FRAMES: usize = 200;
const MAX_STEPS: usize = 50;

type Schemas = BTreeMap<String, FrameSchema>;

/// The schemas that were reported last.
static REPORTED: Mutex<Option<Schemas>> = Mutex::new(None);

/// Reports the frames in the store, if they differ from the last report.
pub(crate) fn report(store: &VariableStore) {
    let frames = schemas(store);
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.as_ref() != Some(&frames) {
        send(&Envelope::Frames { frames: frames.clone() });
        *reported = Some(frames);
    }
}

fn schemas(store: &VariableStore) -> Schemas {
    let frames = store.iter().filter_map(|(name, value)| Some((name.to_owned(), schema(value)?)));
    frames.take(MAX_FRAMES).collect()
}

fn schema(value: &dyn Any) -> Option<FrameSchema> {
    if let Some(frame) = value.downcast_ref::<DataFrame>() {
        return Some(trace::frame_schema(frame));
    }
    if let Some(frame) = value.downcast_ref::<LazyFrame>() {
        return lazy(frame);
    }
    let one = |name: &str, dtype: String, rows| FrameSchema::new(Some(rows), [(name.to_owned(), dtype)].into_iter());
    if let Some(column) = value.downcast_ref::<Column>() {
        return Some(one(column.name(), column.dtype().to_string(), column.len()));
    }
    value.downcast_ref::<Series>().map(|series| one(series.name(), series.dtype().to_string(), series.len()))
}

/// Returns the columns of a lazy frame; `None` if finding them would read a file, call back, or take long.
fn lazy(frame: &LazyFrame) -> Option<FrameSchema> {
    let mut steps = 0;
    for step in &frame.logical_plan {
        steps += 1;
        if steps > MAX_STEPS || matches!(step, DslPlan::Scan { .. } | DslPlan::PipeWithSchema { .. }) {
            return None;
        }
    }
    let _silenced = crate::panics::SilencedPanics::new();
    let mut frame = frame.clone();
    let schema = catch_unwind(AssertUnwindSafe(|| frame.collect_schema())).ok()?.ok()?;
    let columns: Vec<_> = schema.iter().map(|(name, dtype)| (name.to_string(), dtype.to_string())).collect();
    Some(FrameSchema::new(None, columns.into_iter()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use polars::df;
    use polars::prelude::{IntoLazy, col};

    fn columns(schema: &FrameSchema) -> Vec<(&str, &str)> {
        schema.columns.iter().map(|(name, dtype)| (name.as_str(), dtype.as_str())).collect()
    }

    #[test]
    fn frames_among_the_variables_are_found() {
        let mut store = VariableStore::default();
        let df = df!("name" => ["a", "b"], "dur" => [1_i64, 2]).unwrap();
        store.put_variable("lazy", df.clone().lazy().select([col("dur").sum().alias("total")]));
        store.put_variable("wrong", df.clone().lazy().select([col("nothing")]));
        store.put_variable("column", df.column("dur").unwrap().clone());
        store.put_variable("df", df);
        store.put_variable("number", 1);
        let found = schemas(&store);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["column", "df", "lazy"]);
        assert_eq!(columns(&found["df"]), [("name", "str"), ("dur", "i64")]);
        assert_eq!((found["df"].rows, found["lazy"].rows), (Some(2), None));
        assert_eq!(columns(&found["lazy"]), [("total", "i64")]);
    }

    #[test]
    fn long_plan_of_lazy_frame_is_not_reported() {
        let mut frame = df!("a" => [1]).unwrap().lazy();
        for _ in 0..100 {
            frame = frame.filter(col("a").gt(0));
        }
        assert_eq!(lazy(&frame), None);
    }
}

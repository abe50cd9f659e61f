//! Analyses of timelines written by hand.

#![allow(clippy::unwrap_used)]

mod annotations;
mod bandwidth;
mod borrowed;
mod breakdowns;
mod budget;
mod catalog;
mod compare_ranks;
mod counters;
mod erased;
mod hostile;
mod idle;
mod kernels;
mod launches;
mod many_ranks;
mod merging;
mod queue;
mod sequences;
mod stored;
mod two_sides;
mod view;

use super::{Answer, RankView, TraceAnalysis};
use crate::{Compat, LoadOptions, TraceSet};
use polars::prelude::DataFrame;
use trace_testkit::TraceBuilder;

/// Loads several ranks as one trace.
pub(super) fn ranks(builders: &[TraceBuilder]) -> TraceSet {
    loaded(builders, Compat::Exact)
}

fn loaded(builders: &[TraceBuilder], compat: Compat) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    for (index, builder) in builders.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{index}.json")), builder.json()).unwrap();
    }
    let options = LoadOptions { compat, label: Some("t".to_owned()), ..LoadOptions::default() };
    TraceSet::load_with(folder.path(), &options, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
}

/// The numbers of a column; null is NaN.
pub(super) fn column(df: &DataFrame, name: &str) -> Vec<f64> {
    let column = df.column(name).unwrap().cast(&polars::prelude::DataType::Float64).unwrap();
    column.f64().unwrap().iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}

/// The texts of a column.
pub(super) fn texts(df: &DataFrame, name: &str) -> Vec<String> {
    df.column(name).unwrap().str().unwrap().iter().map(|text| text.unwrap().to_owned()).collect()
}

/// The views of the ranks.
pub(super) fn views(analysis: &TraceAnalysis) -> Vec<RankView> {
    analysis.views().collect::<crate::Result<_>>().unwrap()
}

pub(super) fn main_table(answer: &Answer) -> &DataFrame {
    &answer.tables[0].frame
}

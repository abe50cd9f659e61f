//! The innermost operator above each GPU event of a rank, as columns.

use super::borrowed_calls::{BorrowedCalls, Partner};
use super::companions::in_words;
use crate::callstack::RankGraph;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::{Categories, READ_COLUMNS, RankEvents, categorical};
use crate::{Compat, Result, Trace, TraceSet};
use polars::prelude::{Column as FrameColumn, IntoColumn, NewChunkedArray, PlSmallStr, UInt32Chunked};
use trace_view::{Column, Unit};

/// The operator above a GPU event.
pub const OPERATOR: &str = "operator";
/// Where that operator was recorded.
pub const OPERATOR_SOURCE: &str = "operator_source";

/// The columns of operators above GPU events.
pub const OPERATOR_COLUMNS: [Column; 2] = [
    Column::new(OPERATOR, Unit::None, "of a GPU event, with a companion: the innermost operator above it"),
    Column::new(
        OPERATOR_SOURCE,
        Unit::None,
        "recorded, or borrowed from a companion, whose label follows: of a kernel of a graph the operator of its capture",
    ),
];

/// Returns the columns [`OPERATOR_COLUMNS`] of all events of a rank: of GPU events the innermost operator above them, which is that of their
/// launch, or of a kernel of a graph that which companions lend.
///
/// # Errors
/// If events cannot be read.
pub fn operator_columns(trace: &Trace, compat: Compat, companions: &[TraceSet]) -> Result<[FrameColumn; 2]> {
    let events = trace.frame_of(&READ_COLUMNS.map(PlSmallStr::from_static))?;
    let rows = trace.rank_events(&events, compat)?;
    let found = operators(&rows, &BorrowedCalls::of_rows(trace, &rows, companions)?);
    let categories = Categories::shared();
    let sources = categories.codes(["recorded", &format!("borrowed from {}", in_words(companions))].into_iter())?;
    let names = found.iter().map(|found| found.map(|(name, _)| name));
    let of_source = found.iter().map(|found| found.map(|(_, is_borrowed)| sources[usize::from(is_borrowed)]));
    let column = |name: &str, codes: Vec<Option<u32>>| {
        categorical(UInt32Chunked::from_slice_options(name.into(), &codes), &categories).into_column()
    };
    Ok([column(OPERATOR, names.collect()), column(OPERATOR_SOURCE, of_source.collect())])
}

/// Returns by row the code of the name of the operator above a GPU event, and whether it is borrowed.
fn operators(rows: &RankEvents, calls: &BorrowedCalls) -> Vec<Option<(u32, bool)>> {
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    let graph = RankGraph::of(rows, &all, Compat::Exact);
    let mut found = vec![None; rows.len()];
    let kinds = rows.kinds();
    for row in cancellable(0..rows.len()).filter(|&row| kinds[row].is_device_work()) {
        found[row] = graph.operator_above(rows, row).map(|operator| (rows.name(operator), false));
    }
    // The operators around the launch of a graph.
    let (mut launch, mut around) = (None, Vec::new());
    for &(row, partner) in cancellable(calls.kernels()) {
        let Partner::Call(call) = partner else { continue };
        let of = rows.partner(row as usize);
        if of.is_some() && launch != of {
            around = of.map(|of| graph.operators_above(rows, of)).unwrap_or_default();
            launch = of;
        }
        let operators = calls.around(call).filter(|(_, call)| call.kind == EventKind::Operator);
        // A call that is around the launch, too, is that one.
        if let Some(name) = operators.map(|(_, call)| call.name).find(|name| !around.contains(name)) {
            found[row as usize] = Some((name, true));
        }
    }
    found
}

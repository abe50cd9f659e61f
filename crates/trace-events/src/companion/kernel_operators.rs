//! The innermost operator above each GPU event of a rank, as columns.

use super::borrowed_calls::{BorrowedCalls, Partner};
use super::companions::retained;
use super::loan::Lending;
use crate::callstack::RankGraph;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::{Categories, READ_COLUMNS, RankEvents, categorical};
use crate::{Compat, Result, Trace, TraceSet};
use polars::prelude::{Column as FrameColumn, IntoColumn, NewChunkedArray, PlSmallStr, UInt32Chunked};
use std::sync::Arc;
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

/// The innermost operator above a GPU event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelOperator {
    /// Code of its name.
    pub name: u32,
    /// Whether a companion lends it, instead of its own recording.
    pub is_borrowed: bool,
}

/// The innermost operators above the GPU events of a rank: one value for all that name them.
#[derive(Debug, Clone, Default)]
pub struct KernelOperators {
    /// Rows of GPU events that have one, ascending.
    found: Vec<(u32, KernelOperator)>,
    /// How many events the rank has.
    events: usize,
    lending: Lending,
    /// Keeps the ranks that lend in use, so that they are told apart from others.
    _calls: Arc<BorrowedCalls>,
}

impl KernelOperators {
    /// Finds the operators above the GPU events of a rank: the operator around the launch; of a kernel of a graph the operator that companions
    /// lend.
    ///
    /// # Errors
    /// If events cannot be read.
    pub fn of(trace: &Trace, compat: Compat, companions: &[TraceSet]) -> Result<Arc<Self>> {
        let events = trace.frame_of(&READ_COLUMNS.map(PlSmallStr::from_static))?;
        Self::of_rows(trace, &trace.rank_events(&events, compat)?, companions)
    }

    /// Finds the operators as [`Self::of`] does; `rows` are the events of the rank. Of a rank in memory they are found once.
    ///
    /// # Errors
    /// If events cannot be read.
    pub fn of_rows(trace: &Trace, rows: &RankEvents, companions: &[TraceSet]) -> Result<Arc<Self>> {
        retained(trace, ("operators of kernels", rows.compat()), companions, Self::bytes, || {
            let calls = BorrowedCalls::of_rows(trace, rows, companions)?;
            let lending = calls.lending(rows, |_| true);
            Ok(Self { found: operators(rows, &calls), events: rows.len(), lending, _calls: calls })
        })
    }

    /// Returns the operator above a row.
    pub fn above(&self, row: u32) -> Option<KernelOperator> {
        let at = self.found.binary_search_by_key(&row, |&(row, _)| row).ok()?;
        Some(self.found[at].1)
    }

    /// Returns the rows of GPU events with operators, ascending.
    pub fn rows(&self) -> &[(u32, KernelOperator)] {
        &self.found
    }

    /// Returns how many kernels of graphs borrow.
    pub fn lending(&self) -> &Lending {
        &self.lending
    }

    /// Returns where an operator was recorded, in words: `recorded`, or `borrowed from capture`.
    pub fn source(&self, operator: KernelOperator) -> String {
        if operator.is_borrowed { format!("borrowed from {}", self.lending.companion) } else { "recorded".to_owned() }
    }

    /// Returns its memory in bytes.
    pub fn bytes(&self) -> usize {
        self.found.capacity() * size_of::<(u32, KernelOperator)>()
    }
}

/// Returns the columns [`OPERATOR_COLUMNS`] of all events of a rank, as [`KernelOperators`] finds them.
///
/// # Errors
/// If events cannot be read.
pub fn operator_columns(trace: &Trace, compat: Compat, companions: &[TraceSet]) -> Result<[FrameColumn; 2]> {
    let operators = KernelOperators::of(trace, compat, companions)?;
    let categories = Categories::shared();
    let sources = [false, true].map(|is_borrowed| operators.source(KernelOperator { name: 0, is_borrowed }));
    let sources = categories.codes(sources.iter().map(String::as_str))?;
    let mut columns = [OPERATOR, OPERATOR_SOURCE].map(|name| (name, vec![None; operators.events]));
    for &(row, operator) in operators.rows() {
        let codes = [operator.name, sources[usize::from(operator.is_borrowed)]];
        columns.iter_mut().zip(codes).for_each(|((_, column), code)| column[row as usize] = Some(code));
    }
    Ok(columns.map(|(name, codes)| {
        categorical(UInt32Chunked::from_slice_options(name.into(), &codes), &categories).into_column()
    }))
}

/// Returns the rows of GPU events with the operators above them, ascending.
fn operators(rows: &RankEvents, calls: &BorrowedCalls) -> Vec<(u32, KernelOperator)> {
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    let graph = RankGraph::of(rows, &all, Compat::Exact);
    let kinds = rows.kinds();
    let of_gpu = cancellable(0..rows.len()).filter(|&row| kinds[row].is_device_work());
    let recorded = of_gpu.filter_map(|row| Some((row as u32, graph.operator_above(rows, row)?)));
    let mut found: Vec<(u32, KernelOperator)> = recorded
        .map(|(row, operator)| (row, KernelOperator { name: rows.name(operator), is_borrowed: false }))
        .collect();
    // The operators around the launch of a graph.
    let (mut launch, mut around, mut borrowed) = (None, Vec::new(), Vec::new());
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
            borrowed.push((row, KernelOperator { name, is_borrowed: true }));
        }
    }
    if !borrowed.is_empty() {
        found.retain(|&(row, _)| borrowed.binary_search_by_key(&row, |&(row, _)| row).is_err());
        found.extend(borrowed);
        found.sort_unstable_by_key(|&(row, _)| row);
    }
    found
}

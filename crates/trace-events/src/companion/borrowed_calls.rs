//! Calls above the kernels of graphs of a rank, borrowed from companions: one value for all that show them.

use super::companions::{Companions, in_words, lending_rank, retained};
use super::loan::{Lending, LoanCount};
use super::recordings::graphs;
use crate::domain::EventKind;
use crate::frame::{READ_COLUMNS, RankEvents};
use crate::{Compat, Result, Trace, TraceSet};
use call_tree::{Kind, Labels, kernel_name};
use polars::prelude::PlSmallStr;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A call of a companion above kernels of graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BorrowedCall {
    /// The call around it, which stands before it.
    pub around: Option<u32>,
    /// What it is.
    pub kind: EventKind,
    /// Code of its name.
    pub name: u32,
    /// Number of its companion among [`BorrowedCalls::lenders`].
    pub lender: u32,
    /// Its row there.
    pub row: u32,
    /// Whether the inputs of that row are those of the kernels that borrow it.
    pub has_inputs: bool,
}

/// What was found for a kernel of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partner {
    /// The innermost call above it.
    Call(u32),
    /// Its graph fits captures that differ.
    Ambiguous,
    /// No kernel of a companion.
    None,
}

/// The calls that companions lend to the kernels of the graphs of a rank: one value for all that show operators of kernels.
#[derive(Debug, Clone, Default)]
pub struct BorrowedCalls {
    companion: String,
    calls: Vec<BorrowedCall>,
    /// Rows of the kernels of graphs, ascending.
    kernels: Vec<(u32, Partner)>,
    lenders: Vec<Trace>,
}

impl BorrowedCalls {
    /// Finds the calls above the kernels of graphs of a rank, in companions: of each that of the same rank, else of its first one.
    ///
    /// # Errors
    /// If events cannot be read.
    pub fn of(trace: &Trace, compat: Compat, companions: &[TraceSet]) -> Result<Arc<Self>> {
        let events = trace.frame_of(&READ_COLUMNS.map(PlSmallStr::from_static))?;
        Self::of_rows(trace, &trace.rank_events(&events, compat)?, companions)
    }

    /// Finds the calls as [`Self::of`] does; `rows` are the events of the rank. Of a rank in memory they are found once.
    ///
    /// # Errors
    /// If events cannot be read.
    pub fn of_rows(trace: &Trace, rows: &RankEvents, companions: &[TraceSet]) -> Result<Arc<Self>> {
        let about = ("borrowed calls", rows.compat());
        retained(trace, about, companions, Self::bytes, || Self::found(trace, rows, companions))
    }

    fn found(trace: &Trace, rows: &RankEvents, companions: &[TraceSet]) -> Result<Self> {
        let mut labels = Labels::default();
        let mut recording = graphs(trace, rows, &mut labels)?;
        if !recording.events.iter().any(|event| event.kind == Kind::GraphLaunch) {
            let lenders = companions.iter().filter_map(|run| lending_rank(run, trace)).cloned().collect();
            return Ok(Self { companion: in_words(companions), lenders, ..Self::default() });
        }
        let (planned, lenders) = Companions::of_rank(companions, trace)?;
        planned.lend(trace, &mut recording, &mut labels);
        let borrowed = recording.borrowed;
        let names = |lender: &Trace| lender.frame_of(&READ_COLUMNS.map(PlSmallStr::from_static));
        let events = lenders.iter().map(names).collect::<Result<Vec<_>>>()?;
        let of_lenders: Vec<RankEvents> = events
            .iter()
            .zip(&lenders)
            .map(|(events, lender)| lender.rank_events(events, rows.compat()))
            .collect::<Result<_>>()?;
        let call = |call: &call_tree::BorrowedCall| {
            let of_lender = &of_lenders[call.run as usize];
            BorrowedCall {
                around: Some(call.around).filter(|&around| around != u32::MAX),
                kind: of_lender.kind(call.row as usize),
                name: of_lender.name(call.row as usize),
                lender: call.run,
                row: call.row,
                has_inputs: call.has_inputs,
            }
        };
        let partner = |(row, call): (u32, Option<u32>)| {
            let partner = match call {
                Some(call) => Partner::Call(call),
                None if borrowed.is_ambiguous(row) => Partner::Ambiguous,
                None => Partner::None,
            };
            (row, partner)
        };
        Ok(Self {
            companion: planned.labels().to_owned(),
            calls: borrowed.calls().iter().map(call).collect(),
            kernels: borrowed.kernels().map(partner).collect(),
            lenders,
        })
    }

    /// Returns its memory in bytes.
    fn bytes(&self) -> usize {
        self.calls.capacity() * size_of::<BorrowedCall>() + self.kernels.capacity() * size_of::<(u32, Partner)>()
    }

    /// Returns all calls, each behind the one around it.
    pub fn calls(&self) -> &[BorrowedCall] {
        &self.calls
    }

    /// Returns the rows of the kernels of graphs, ascending, each with what was found for it.
    pub fn kernels(&self) -> &[(u32, Partner)] {
        &self.kernels
    }

    /// Returns the ranks of the companions that lend.
    pub fn lenders(&self) -> &[Trace] {
        &self.lenders
    }

    /// Returns a call and those around it, the innermost first.
    pub fn around(&self, call: u32) -> impl Iterator<Item = (u32, &BorrowedCall)> {
        let mut at = Some(call);
        std::iter::from_fn(move || {
            let number = at?;
            let call = self.calls.get(number as usize)?;
            at = call.around;
            Some((number, call))
        })
    }

    /// Counts the kernels of graphs whose rows pass, and those of them that borrow; `rows` are the events of the rank.
    pub fn lending(&self, rows: &RankEvents, mut passes: impl FnMut(u32) -> bool) -> Lending {
        let mut count = LoanCount::default();
        let mut unmatched: BTreeMap<u32, u64> = BTreeMap::new();
        for &(row, partner) in self.kernels.iter().filter(|(row, _)| passes(*row)) {
            count.kernels += 1;
            match partner {
                Partner::Call(call) => {
                    count.with_operators += 1;
                    let has_inputs = self.calls.get(call as usize).is_some_and(|call| call.has_inputs);
                    count.without_shapes += u64::from(!has_inputs);
                }
                Partner::Ambiguous => count.ambiguous += 1,
                Partner::None => *unmatched.entry(rows.name(row as usize)).or_default() += 1,
            }
        }
        for (name, kernels) in unmatched {
            *count.unmatched.entry(kernel_name(rows.text(name))).or_default() += kernels;
        }
        Lending::of(&self.companion, count)
    }
}

//! Plans of scans: which conditions, which order and which columns a table takes over from SQLite.

use crate::condition::{Condition, Operand, Test, is_comparable};
use crate::order::{OrderKey, Ordered, Purpose};
use crate::rows::may_pass;
use crate::store::TableState;
use crate::value::{OwnedValue, Value};
use std::sync::Mutex;

/// A condition that SQLite offers.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    /// The number of the column; none for the row id.
    pub(crate) column: Option<usize>,
    /// How it is compared; none for what only SQLite can test.
    pub(crate) test: Option<Test>,
    /// Whether its operand is known when the scan starts.
    pub(crate) is_usable: bool,
    /// Its operand, if it is written in the statement.
    pub(crate) literal: Option<OwnedValue>,
    /// Whether texts are compared by their bytes.
    pub(crate) is_binary: bool,
    /// Whether it is the LIMIT or the OFFSET of the statement.
    pub(crate) bound: Option<RowBound>,
}

/// A bound of the number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowBound {
    Limit,
    Offset,
}

/// What SQLite asks of a table.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) offers: Vec<Offer>,
    /// Columns by which rows are to be ordered; empty if the table cannot know them all.
    pub(crate) order: Vec<OrderKey>,
    pub(crate) purpose: Option<Purpose>,
    /// A bit for each column that the statement uses; the last bit stands for all further ones.
    pub(crate) used: u64,
}

/// What becomes of an offer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The place of the operand among the arguments of the scan, from 1; 0 if the offer is not used.
    pub(crate) argument: usize,
    /// Whether SQLite need not test it again.
    pub(crate) is_exact: bool,
    /// Whether all values of an `IN` come at once.
    pub(crate) is_list: bool,
}

/// A plan, and what SQLite is told of it.
pub(crate) struct Choice {
    pub(crate) plan: Plan,
    pub(crate) usage: Vec<Usage>,
    pub(crate) rows: f64,
    pub(crate) cost: f64,
}

/// How a scan finds its rows.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) conditions: Vec<Condition>,
    /// Columns whose index is asked for rows.
    pub(crate) looked_up: Vec<usize>,
    pub(crate) order: Vec<OrderKey>,
    pub(crate) purpose: Option<Purpose>,
    /// The places of LIMIT and OFFSET among the arguments of the scan.
    pub(crate) limit: Option<usize>,
    pub(crate) offset: Option<usize>,
    /// For each argument of a table function, its place among the arguments of the scan.
    pub(crate) call: Vec<Option<usize>>,
    /// The columns that are read.
    pub(crate) columns: Vec<usize>,
    /// Those of them that SQLite asks for.
    pub(crate) shown: Vec<usize>,
    /// The operands that come as lists.
    pub(crate) lists: Vec<usize>,
}

/// Chooses a plan; none if an argument of a table function is not known yet.
pub(crate) fn choose(state: &TableState, request: &Request) -> Option<Choice> {
    let columns = state.table.columns();
    let mut plan = Plan { call: vec![None; state.arguments], ..Plan::default() };
    let mut usage = vec![Usage::default(); request.offers.len()];
    let mut next = 0;
    let mut argument = || {
        next += 1;
        next
    };
    // Whether a condition is left for SQLite, so that it may drop rows after the scan.
    let mut is_left = false;
    let mut known: Vec<Option<OwnedValue>> = Vec::new();
    for (offer, usage) in request.offers.iter().zip(&mut usage) {
        if offer.bound.is_some() {
            continue;
        }
        let Some(column) = offer.column else {
            is_left = true;
            continue;
        };
        if let Some(parameter) = column.checked_sub(state.first_argument()) {
            if offer.test != Some(Test::Equal) || plan.call.get(parameter).is_none_or(Option::is_some) {
                is_left = true;
                continue;
            }
            if !offer.is_usable {
                return None;
            }
            *usage = Usage { argument: argument(), is_exact: true, is_list: false };
            plan.call[parameter] = Some(usage.argument - 1);
            known.push(offer.literal.clone());
            continue;
        }
        let Some(test) = offer.test.filter(|_| offer.is_usable) else {
            is_left = true;
            continue;
        };
        let kind = columns[column].kind;
        let is_comparable = |value: &OwnedValue| is_comparable(kind, value.borrowed());
        let is_exact = offer.is_binary && (!test.has_operand() || offer.literal.as_ref().is_some_and(is_comparable));
        if !offer.is_binary || (matches!(test, Test::Like | Test::Regexp) && !is_exact) {
            is_left = true;
            continue;
        }
        is_left |= !is_exact;
        // SQLite gives the operand of IS NULL, too.
        *usage = Usage { argument: argument(), is_exact, is_list: test == Test::In };
        known.push(offer.literal.clone());
        let position = usage.argument - 1;
        if test == Test::In {
            plan.lists.push(position);
        }
        let is_sought = matches!(test, Test::Equal) || (test.is_bound() && kind == crate::value::Kind::Int);
        let is_fixed = state.table.parts().iter().any(|part| part.fixed.iter().any(|(fixed, _)| *fixed == column));
        if is_sought && offer.literal.is_none() && !is_fixed && !plan.looked_up.contains(&column) {
            plan.looked_up.push(column);
        }
        let argument = test.has_operand().then_some(position);
        plan.conditions.push(Condition { column, test, argument, matches: Mutex::new(None) });
    }
    let (rows, cost) = estimate(state, &plan, &known);
    let fits = || state.host.fits(Ordered::bytes_needed(rows as usize));
    if !request.order.is_empty() && rows < f64::from(u32::MAX) && fits() {
        plan.order.clone_from(&request.order);
        plan.purpose = request.purpose;
    }
    if !is_left && plan.order.len() == request.order.len() {
        for (offer, usage) in request.offers.iter().zip(&mut usage) {
            let Some(bound) = offer.bound.filter(|_| offer.is_usable) else { continue };
            *usage = Usage { argument: argument(), ..Usage::default() };
            match bound {
                RowBound::Limit => plan.limit = Some(usage.argument - 1),
                RowBound::Offset => plan.offset = Some(usage.argument - 1),
            }
        }
    }
    plan.columns = columns_read(state, &plan, request.used);
    plan.shown = plan.columns.iter().copied().filter(|column| is_used(*column, request.used)).collect();
    Some(Choice { plan, usage, rows, cost })
}

/// Whether SQLite asks for a column.
fn is_used(column: usize, used: u64) -> bool {
    used & (1 << column.min(63)) != 0
}

/// Returns the columns that a scan reads: those of the statement, of conditions, and of the order.
fn columns_read(state: &TableState, plan: &Plan, used: u64) -> Vec<usize> {
    let further = |column: usize| {
        plan.conditions.iter().any(|condition| condition.column == column)
            || plan.order.iter().any(|key| key.column == column)
    };
    (0..state.first_argument()).filter(|&column| is_used(column, used) || further(column)).collect()
}

/// Estimates the rows of a scan and what it costs, in the time of one row of SQLite's.
fn estimate(state: &TableState, plan: &Plan, known: &[Option<OwnedValue>]) -> (f64, f64) {
    let operands: Vec<Operand> =
        known.iter().map(|value| Operand::One(value.clone().unwrap_or(OwnedValue::Null))).collect();
    let is_known = |condition: &&Condition| condition.argument.is_none_or(|at| known[at].is_some());
    let parts = state.table.parts();
    let mut rows: usize = 0;
    for part in parts {
        let is_left = plan
            .conditions
            .iter()
            .filter(is_known)
            .all(|condition| may_pass(state, &part.fixed, std::slice::from_ref(condition), &operands));
        rows += if is_left { part.rows } else { 0 };
    }
    let all = rows as f64;
    let is_fixed = |column: usize| parts.iter().any(|part| part.fixed.iter().any(|(fixed, _)| *fixed == column));
    let mut rows = all;
    for condition in &plan.conditions {
        let is_literal = is_known(&condition);
        rows *= match condition.test {
            _ if is_fixed(condition.column) && is_literal => 1.0,
            Test::Equal | Test::Is if is_fixed(condition.column) => 1.0 / parts.len().max(1) as f64,
            Test::Equal | Test::Is if is_literal => 0.05,
            Test::Equal | Test::Is => 0.001,
            Test::In | Test::Like | Test::Regexp => 0.1,
            Test::IsNull | Test::IsNotNull => 0.5,
            test if test.is_bound() && is_literal => 0.33,
            test if test.is_bound() => 0.1,
            _ => 0.9,
        };
    }
    let rows = rows.max(1.0);
    let sought = if plan.looked_up.is_empty() { all * 0.05 } else { 5.0 };
    (rows, 10.0 + sought + rows)
}

/// Returns a bound of rows: none for a negative one, which is no bound.
pub(crate) fn row_bound(operand: Option<&Operand>) -> Option<usize> {
    match operand {
        Some(Operand::One(value)) => match value.borrowed() {
            Value::Int(bound) => usize::try_from(bound).ok(),
            _ => None,
        },
        _ => None,
    }
}

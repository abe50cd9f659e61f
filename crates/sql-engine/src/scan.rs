//! Scans: the rows of a table in the order of a plan, one after the other.

use crate::block::{Block, Gathered};
use crate::condition::Operand;
use crate::order::{Chosen, Ordered, Purpose};
use crate::plan::{Plan, row_bound};
use crate::rows::{RowSet, may_pass, passing};
use crate::store::{Loaded, Stop, TableState};
use crate::value::OwnedValue;
use std::collections::VecDeque;
use std::sync::Arc;

/// Rows between two reports of progress.
const REPORTED: usize = 1 << 16;

/// The most rows of a scan that are kept for the next one with the same operands.
const MOST_CACHED: usize = 1 << 22;

/// A scan of a table, and its place.
#[derive(Default)]
pub(crate) struct Scan {
    plan: Option<Arc<Plan>>,
    operands: Vec<Operand>,
    call: Vec<OwnedValue>,
    /// Parts that come after the present one.
    waiting: VecDeque<usize>,
    /// Parts that a scan with the same plan and call has read.
    loaded: Vec<(usize, Arc<Loaded>)>,
    /// Rows of parts that a scan with the same plan and operands found.
    cached: Vec<(usize, RowSet)>,
    ordered: Option<Arc<Ordered>>,
    block: Block,
    at: Option<Position>,
    /// Rows since the last report of progress.
    unreported: usize,
}

/// The place of a scan: a row of a part.
struct Position {
    part: usize,
    loaded: Arc<Loaded>,
    rows: RowSet,
    /// The place among the rows, or among the ordered rows.
    next: usize,
    row: usize,
}

impl Scan {
    /// Starts at the first row.
    ///
    /// # Errors
    /// Those of the table, and an interrupt.
    pub(crate) fn start(&mut self, state: &TableState, plan: Arc<Plan>, operands: Vec<Operand>) -> Result<(), Stop> {
        let is_same_plan = self.plan.as_ref().is_some_and(|known| Arc::ptr_eq(known, &plan));
        if !is_same_plan || !plan.call.is_empty() {
            self.loaded.clear();
        }
        if !is_same_plan || self.operands != operands {
            self.cached.clear();
            self.ordered = None;
            self.block.clear();
            let argument = |position: &Option<usize>| match position.and_then(|position| operands.get(position)) {
                Some(Operand::One(value)) => value.clone(),
                _ => OwnedValue::Null,
            };
            self.call = plan.call.iter().map(argument).collect();
            self.operands = operands;
        }
        self.at = None;
        let parts = state.table.parts();
        let left = |part: &usize| may_pass(state, &parts[*part].fixed, &plan.conditions, &self.operands);
        self.waiting.clear();
        self.waiting.extend((0..parts.len()).filter(left));
        self.plan = Some(Arc::clone(&plan));
        if plan.order.is_empty() {
            return self.next_part(state);
        }
        if self.ordered.is_none() {
            self.ordered = Some(Arc::new(self.order(state, &plan)?));
        }
        self.waiting.clear();
        self.go_to_ordered(0);
        Ok(())
    }

    fn order(&mut self, state: &TableState, plan: &Plan) -> Result<Ordered, Stop> {
        let mut chosen = Vec::new();
        while let Some(part) = self.waiting.pop_front() {
            let (loaded, rows) = self.rows(state, part)?;
            chosen.push(Chosen { part, loaded, rows });
        }
        let purpose = plan.purpose.unwrap_or(Purpose { is_grouping: false, is_distinct: false });
        let limit = plan.limit.and_then(|at| row_bound(self.operands.get(at)));
        let offset = plan.offset.map_or(0, |at| row_bound(self.operands.get(at)).unwrap_or(0));
        Ordered::of(state, chosen, &plan.order, purpose, limit.map(|limit| limit.saturating_add(offset)))
    }

    /// Returns a part and its rows.
    fn rows(&mut self, state: &TableState, part: usize) -> Result<(Arc<Loaded>, RowSet), Stop> {
        let Some(plan) = self.plan.clone() else { return Err(Stop::Interrupted) };
        let loaded = match self.loaded.iter().find(|(of, _)| *of == part) {
            Some((_, loaded)) => Arc::clone(loaded),
            None => {
                let loaded = state.part(part, &plan.columns, &self.call)?;
                // Parts of large jobs make room for each other.
                if plan.looked_up.is_empty() {
                    self.loaded.clear();
                }
                self.loaded.push((part, Arc::clone(&loaded)));
                loaded
            }
        };
        if let Some((_, rows)) = self.cached.iter().find(|(of, _)| *of == part) {
            return Ok((loaded, rows.clone()));
        }
        let rows = passing(state, &loaded, &plan.conditions, &plan.looked_up, &self.operands)?;
        let cached: usize = self.cached.iter().map(|(_, rows)| rows.len()).sum();
        if plan.looked_up.is_empty() && cached + rows.len() <= MOST_CACHED {
            self.cached.push((part, rows.clone()));
        }
        Ok((loaded, rows))
    }

    /// Goes to the first row of the next part that has one.
    fn next_part(&mut self, state: &TableState) -> Result<(), Stop> {
        self.at = None;
        while let Some(part) = self.waiting.pop_front() {
            let (loaded, rows) = self.rows(state, part)?;
            if rows.len() > 0 {
                let row = rows.row(0);
                self.at = Some(Position { part, loaded, rows, next: 1, row });
                return Ok(());
            }
        }
        Ok(())
    }

    fn go_to_ordered(&mut self, position: usize) {
        let Some(ordered) = &self.ordered else { return };
        if let Some(plan) = &self.plan {
            self.block.cover(ordered, position, &plan.shown);
        }
        let Some((chosen, row)) = ordered.at(position) else {
            self.at = None;
            return;
        };
        match &mut self.at {
            Some(at) if at.part == chosen.part => (at.next, at.row) = (position + 1, row),
            at => {
                let loaded = Arc::clone(&chosen.loaded);
                *at = Some(Position { part: chosen.part, loaded, rows: RowSet::Range(0..0), next: position + 1, row });
            }
        }
    }

    /// Goes to the next row.
    ///
    /// # Errors
    /// Those of the table, and an interrupt.
    pub(crate) fn next(&mut self, state: &TableState) -> Result<(), Stop> {
        let Some(at) = &mut self.at else { return Ok(()) };
        self.unreported += 1;
        if self.unreported == REPORTED {
            self.unreported = 0;
            state.host.rows_read(REPORTED);
        }
        if self.ordered.is_some() {
            let next = at.next;
            self.go_to_ordered(next);
            return Ok(());
        }
        if at.next < at.rows.len() {
            at.row = at.rows.row(at.next);
            at.next += 1;
            return Ok(());
        }
        self.next_part(state)
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at.is_none()
    }

    /// Returns the present part, and the row in it.
    pub(crate) fn position(&self) -> Option<(usize, &Loaded, usize)> {
        self.at.as_ref().map(|at| (at.part, &*at.loaded, at.row))
    }

    /// Returns the value of a column of the present row, if it was read ahead.
    pub(crate) fn read_ahead(&self, column: usize) -> Option<Gathered> {
        self.ordered.as_ref()?;
        self.block.value(self.at.as_ref()?.next.checked_sub(1)?, column)
    }

    /// Returns the value of an argument of the table function.
    pub(crate) fn argument(&self, argument: usize) -> Option<&OwnedValue> {
        self.call.get(argument)
    }
}

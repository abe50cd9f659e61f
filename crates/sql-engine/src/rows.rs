//! Rows of a part that pass the conditions of a scan.

use crate::column::Column;
use crate::condition::{Check, Condition, Operand, Test, is_comparable};
use crate::index::{Bounds, Index, key};
use crate::store::{Loaded, Stop, TableState};
use crate::value::{Kind, OwnedValue, Value};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use std::ops::Range;
use std::sync::Arc;

/// Rows that are tested at once, between two looks at interrupts.
const CHUNK: usize = 1 << 16;

/// Rows of a part, in its order or in that of an index.
#[derive(Clone)]
pub(crate) enum RowSet {
    Range(Range<usize>),
    List(Arc<[u32]>),
    Indexed(Arc<Index>, Range<usize>),
}

impl RowSet {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Range(range) | Self::Indexed(_, range) => range.len(),
            Self::List(rows) => rows.len(),
        }
    }

    /// Returns the row at a place; a place beyond the end has none.
    pub(crate) fn row(&self, position: usize) -> usize {
        match self {
            Self::Range(range) => range.start + position,
            Self::List(rows) => rows.get(position).map_or(usize::MAX, |&row| row as usize),
            Self::Indexed(index, range) => index.row(range.start + position) as usize,
        }
    }
}

/// Returns the rows of a part that pass the conditions, as far as these can be told here: SQLite tests again what it was not promised.
///
/// # Errors
/// An interrupt.
pub(crate) fn passing(
    state: &TableState,
    part: &Loaded,
    conditions: &[Condition],
    looked_up: &[usize],
    operands: &[Operand],
) -> Result<RowSet, Stop> {
    let operand = |condition: &Condition| condition.argument.and_then(|at| operands.get(at));
    let mut candidates: Option<RowSet> = None;
    // The column whose keys tell exactly which rows pass.
    let mut settled: Option<usize> = None;
    for &column in looked_up {
        let of_column = conditions.iter().filter(|condition| condition.column == column);
        let kind = state.kind(column);
        let mut bounds: Option<Bounds> = None;
        let mut is_whole = true;
        for condition in of_column.filter(|condition| is_sought(condition)) {
            let of_condition = match operand(condition) {
                Some(Operand::One(value)) => bounds_of(state, part, column, condition.test, value.borrowed()),
                _ => None,
            };
            let Some((from, to)) = of_condition else {
                is_whole = false;
                continue;
            };
            let known = bounds.unwrap_or((i64::MIN, i64::MAX));
            bounds = Some((known.0.max(from), known.1.min(to)));
        }
        let Some(bounds) = bounds else { continue };
        let Some(values) = part.column(column) else { continue };
        let Some(index) = part.index(state, column, kind)? else { continue };
        let positions = index.within(values, bounds);
        if candidates.as_ref().is_none_or(|known| positions.len() < known.len()) {
            settled = (is_whole && is_exact(kind, values)).then_some(column);
            candidates = Some(match index.ascends() {
                true => RowSet::Range(positions),
                false => RowSet::Indexed(index, positions),
            });
        }
    }
    let candidates = candidates.unwrap_or(RowSet::Range(0..part.rows()));
    let is_settled = |condition: &&Condition| settled == Some(condition.column) && is_sought(condition);
    let checks: Vec<Check<'_>> = conditions
        .iter()
        .filter(|condition| !is_settled(condition))
        .filter_map(|condition| {
            condition.check(state.kind(condition.column), part.column(condition.column), operand(condition))
        })
        .collect();
    if checks.is_empty() || candidates.len() == 0 {
        return Ok(candidates);
    }
    if checks.iter().any(|check| matches!(check, Check::Never)) {
        return Ok(RowSet::Range(0..0));
    }
    let pass = |positions: Range<usize>| -> Vec<u32> {
        let rows = positions.map(|position| candidates.row(position));
        rows.filter(|&row| checks.iter().all(|check| check.passes(row))).map(|row| row as u32).collect()
    };
    let count = candidates.len();
    if count <= CHUNK {
        return Ok(RowSet::List(pass(0..count).into()));
    }
    let chunks: Result<Vec<Vec<u32>>, Stop> = (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            state.check()?;
            Ok(pass(chunk * CHUNK..((chunk + 1) * CHUNK).min(count)))
        })
        .collect();
    Ok(RowSet::List(chunks?.concat().into()))
}

/// Whether an index finds the rows of a condition.
fn is_sought(condition: &Condition) -> bool {
    condition.test == Test::Equal || condition.test.is_bound()
}

/// Whether equal keys of a column are equal values.
fn is_exact(kind: Kind, values: &dyn Column) -> bool {
    kind == Kind::Int || values.dictionary().is_some()
}

/// Returns the keys of an index between which the rows are that may pass; none if the index does not tell.
fn bounds_of(state: &TableState, part: &Loaded, column: usize, test: Test, value: Value<'_>) -> Option<Bounds> {
    let kind = state.kind(column);
    if !is_comparable(kind, value) {
        return None;
    }
    if test == Test::Equal {
        let dictionary = part.column(column)?.dictionary();
        let key = match (value, dictionary) {
            (Value::Text(text), Some(dictionary)) => i64::from(dictionary.code(text)?),
            // Beyond these, a number and the integer that is equal to it have other keys.
            (Value::Int(value), _) if kind == Kind::Real && value.unsigned_abs() >= 1 << 53 => return None,
            (Value::Real(value), _) if kind == Kind::Int && value.abs() >= 9e18 => return None,
            (value, _) => key(value)?,
        };
        return Some((key, key));
    }
    if kind != Kind::Int {
        return None;
    }
    // The least integer above, and the greatest below, a number.
    let (floor, ceiling) = match value {
        Value::Int(value) => (value, value),
        Value::Real(value) if value.abs() < 9e18 => (value.floor() as i64, value.ceil() as i64),
        _ => return None,
    };
    let nothing = (1, 0);
    Some(match test {
        Test::Greater => floor.checked_add(1).map_or(nothing, |from| (from, i64::MAX)),
        Test::GreaterOrEqual => (ceiling, i64::MAX),
        Test::Less => ceiling.checked_sub(1).map_or(nothing, |to| (i64::MIN, to)),
        Test::LessOrEqual => (i64::MIN, floor),
        _ => return None,
    })
}

/// Whether the value that a part has in all its rows passes the conditions on it.
pub(crate) fn may_pass(
    state: &TableState,
    fixed: &[(usize, OwnedValue)],
    conditions: &[Condition],
    operands: &[Operand],
) -> bool {
    conditions.iter().all(|condition| {
        let Some((_, value)) = fixed.iter().find(|(column, _)| *column == condition.column) else { return true };
        let operand = condition.argument.and_then(|at| operands.get(at));
        let kind = state.kind(condition.column);
        crate::condition::passes_fixed(kind, condition.test, value.borrowed(), operand).unwrap_or(true)
    })
}

//! Aggregates, which are window functions with any frame too. The rows of a frame leave it in the order in which they came.

use super::argument::{Call, Number, compare, owned, shown};
use rusqlite::Result;
use rusqlite::functions::{Aggregate, Context, WindowAggregate};
use rusqlite::types::{Value, ValueRef};
use std::collections::VecDeque;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// What an aggregate keeps of the rows of its frame.
pub(super) trait State: Default + Send + UnwindSafe + RefUnwindSafe + 'static {
    /// What it takes from a row.
    type Row;

    /// Reads a row; none, if the aggregate leaves it out.
    fn read(&self, call: &Call<'_>) -> Result<Option<Self::Row>>;

    /// Adds a row.
    fn add(&mut self, row: Self::Row);

    /// Removes the row that was added first.
    fn remove(&mut self, row: Self::Row);
}

/// An aggregate: what it keeps, and its value.
pub(super) struct Aggregation<S> {
    pub(super) name: &'static str,
    pub(super) value: fn(&mut S) -> Value,
}

impl<S: State> Aggregation<S> {
    fn read(&self, context: &Context<'_>, state: &S) -> Result<Option<S::Row>> {
        state.read(&Call { name: self.name, context })
    }
}

impl<S: State> Aggregate<S, Value> for Aggregation<S> {
    fn init(&self, _: &mut Context<'_>) -> Result<S> {
        Ok(S::default())
    }

    fn step(&self, context: &mut Context<'_>, state: &mut S) -> Result<()> {
        if let Some(row) = self.read(context, state)? {
            state.add(row);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, state: Option<S>) -> Result<Value> {
        Ok((self.value)(&mut state.unwrap_or_default()))
    }
}

impl<S: State> WindowAggregate<S, Value> for Aggregation<S> {
    fn value(&self, state: Option<&mut S>) -> Result<Value> {
        Ok(match state {
            Some(state) => (self.value)(state),
            None => (self.value)(&mut S::default()),
        })
    }

    fn inverse(&self, context: &mut Context<'_>, state: &mut S) -> Result<()> {
        if let Some(row) = self.read(context, state)? {
            state.remove(row);
        }
        Ok(())
    }
}

/// The first value of the frame, or the first that is not NULL. Equal values in a row are kept as one with their number.
#[derive(Default)]
pub(super) struct First<const SKIPS_NULL: bool> {
    runs: VecDeque<(Value, u64)>,
}

impl<const SKIPS_NULL: bool> State for First<SKIPS_NULL> {
    type Row = Value;

    fn read(&self, call: &Call<'_>) -> Result<Option<Value>> {
        Ok(Some(owned(call.value(0))).filter(|value| !SKIPS_NULL || *value != Value::Null))
    }

    fn add(&mut self, row: Value) {
        match self.runs.back_mut() {
            Some((value, rows)) if *value == row => *rows += 1,
            _ => self.runs.push_back((row, 1)),
        }
    }

    fn remove(&mut self, _: Value) {
        match self.runs.front_mut() {
            Some((_, rows @ 2..)) => *rows -= 1,
            _ => drop(self.runs.pop_front()),
        }
    }
}

impl<const SKIPS_NULL: bool> First<SKIPS_NULL> {
    pub(super) fn value(&mut self) -> Value {
        self.runs.front().map_or(Value::Null, |(value, _)| value.clone())
    }
}

/// The last value of the frame.
#[derive(Default)]
pub(super) struct Last {
    rows: u64,
    value: Option<Value>,
}

impl State for Last {
    type Row = Value;

    fn read(&self, call: &Call<'_>) -> Result<Option<Value>> {
        Ok(Some(owned(call.value(0))))
    }

    fn add(&mut self, row: Value) {
        self.rows += 1;
        self.value = Some(row);
    }

    fn remove(&mut self, _: Value) {
        self.rows = self.rows.saturating_sub(1);
        if self.rows == 0 {
            self.value = None;
        }
    }
}

impl Last {
    pub(super) fn value(&mut self) -> Value {
        self.value.clone().unwrap_or(Value::Null)
    }
}

/// The value of the row with the largest or smallest key; of equal ones, of the first. Rows without one of both are left out.
#[derive(Default)]
pub(super) struct Extreme<const LARGEST: bool> {
    /// The rows that may become the result once those before them have left, with their numbers.
    candidates: VecDeque<(u64, Value, Value)>,
    added: u64,
    removed: u64,
}

impl<const LARGEST: bool> State for Extreme<LARGEST> {
    type Row = (Value, Value);

    fn read(&self, call: &Call<'_>) -> Result<Option<Self::Row>> {
        let row = (owned(call.value(0)), owned(call.value(1)));
        Ok(Some(row).filter(|(value, key)| *value != Value::Null && *key != Value::Null))
    }

    fn add(&mut self, (value, key): Self::Row) {
        let is_better = |other: &Value| {
            let order = compare(ValueRef::from(&key), ValueRef::from(other));
            if LARGEST { order.is_gt() } else { order.is_lt() }
        };
        while self.candidates.pop_back_if(|(_, _, other)| is_better(other)).is_some() {}
        self.candidates.push_back((self.added, value, key));
        self.added += 1;
    }

    fn remove(&mut self, _: Self::Row) {
        let _ = self.candidates.pop_front_if(|(number, ..)| *number == self.removed);
        self.removed += 1;
    }
}

impl<const LARGEST: bool> Extreme<LARGEST> {
    pub(super) fn value(&mut self) -> Value {
        self.candidates.front().map_or(Value::Null, |(_, value, _)| value.clone())
    }
}

/// How many values are true, and how many are false.
#[derive(Default)]
pub(super) struct Truths {
    counts: [i64; 2],
}

impl State for Truths {
    type Row = bool;

    fn read(&self, call: &Call<'_>) -> Result<Option<bool>> {
        Ok(call.numeric(0)?.map(|number| number.real() != 0.0))
    }

    fn add(&mut self, row: bool) {
        self.counts[usize::from(row)] += 1;
    }

    fn remove(&mut self, row: bool) {
        self.counts[usize::from(row)] -= 1;
    }
}

impl Truths {
    pub(super) fn all(&mut self) -> Value {
        if self.counts == [0, 0] { Value::Null } else { (self.counts[0] == 0).into() }
    }

    pub(super) fn any(&mut self) -> Value {
        if self.counts == [0, 0] { Value::Null } else { (self.counts[1] > 0).into() }
    }

    /// Of no rows 0, as every count.
    pub(super) fn count(&mut self) -> Value {
        Value::Integer(self.counts[1])
    }
}

/// How many integers there are, and how many of them have each bit, from the lowest.
pub(super) struct Bits {
    rows: u64,
    counts: [u64; 64],
}

impl Default for Bits {
    fn default() -> Self {
        Self { rows: 0, counts: [0; 64] }
    }
}

impl State for Bits {
    type Row = i64;

    fn read(&self, call: &Call<'_>) -> Result<Option<i64>> {
        match call.numeric(0)? {
            Some(Number::Int(int)) => Ok(Some(int)),
            Some(Number::Real(_)) => Err(call.refusal(&format!("expected integers, found {}", shown(call.value(0))))),
            None => Ok(None),
        }
    }

    fn add(&mut self, row: i64) {
        self.rows = self.rows.wrapping_add(1);
        self.counts.iter_mut().enumerate().for_each(|(bit, count)| *count += row as u64 >> bit & 1);
    }

    fn remove(&mut self, row: i64) {
        self.rows = self.rows.wrapping_sub(1);
        self.counts.iter_mut().enumerate().for_each(|(bit, count)| *count -= row as u64 >> bit & 1);
    }
}

impl Bits {
    pub(super) fn and(&mut self) -> Value {
        self.those(|count, rows| count == rows)
    }

    pub(super) fn or(&mut self) -> Value {
        self.those(|count, _| count > 0)
    }

    pub(super) fn xor(&mut self) -> Value {
        self.those(|count, _| count % 2 == 1)
    }

    /// Returns the integer of the bits of which the number of rows that have them fits.
    fn those(&self, fits: fn(u64, u64) -> bool) -> Value {
        if self.rows == 0 {
            return Value::Null;
        }
        let bits = self.counts.iter().enumerate().map(|(bit, &count)| u64::from(fits(count, self.rows)) << bit);
        Value::Integer(bits.fold(0, |all, bit| all | bit) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_frames, assert_same, refused};

    const ROWS: &str = "FROM (VALUES (NULL, 3), (2, 1), (5, 9), (NULL, 9), (4, 9), (6, 0), (7, 0), (9, NULL))";

    #[test]
    fn the_first_and_the_last_value_may_be_null() {
        assert_same(&format!("first(column1), last(column1), any_value(column1) {ROWS}"), "NULL, 9, 2");
        assert_same(&format!("last(column2), first(column1 ORDER BY column2 DESC, column1) {ROWS}"), "NULL, NULL");
        assert_same(&format!("first(column1), last(column1), any_value(column1) {ROWS} WHERE 0"), "NULL, NULL, NULL");
        assert_same("any_value(column1) FROM (VALUES (NULL), (NULL))", "NULL");
        assert_same("first(column1), last(column1) FROM (VALUES ('a'), (x'01'))", "'a', x'01'");
    }

    #[test]
    fn the_first_of_equal_keys_has_the_extreme_value() {
        assert_same(&format!("arg_max(column1, column2), arg_min(column1, column2) {ROWS}"), "5, 6");
        assert_same(&format!("max_by(column1, column2), min_by(column1, column2) {ROWS} WHERE column2 < 9"), "2, 6");
        assert_same(&format!("arg_max(column1, column2) {ROWS} WHERE column1 IS NULL"), "NULL");
        assert_same("arg_max(column1, column2) FROM (VALUES (1, 'a'), (2, 'b'), (3, 10))", "2");
    }

    #[test]
    fn truths_are_counted_without_null() {
        assert_same(&format!("bool_and(column1 > 1), bool_or(column1 > 8), count_if(column1 > 4) {ROWS}"), "1, 1, 4");
        assert_same(&format!("bool_and(column1 > 2), bool_or(column1 > 9), count_if(column1) {ROWS}"), "0, 0, 6");
        assert_same(&format!("bool_and(column1), bool_or(column1), count_if(column1) {ROWS} WHERE 0"), "NULL, NULL, 0");
        assert_eq!(refused("bool_or('abc')"), "bool_or: expected numbers, found the text 'abc'");
    }

    #[test]
    fn bits_are_combined_without_null() {
        let rows = "FROM (VALUES (7), (NULL), (6), (12))";
        assert_same(&format!("bit_and(column1), bit_or(column1), bit_xor(column1) {rows}"), "4, 15, 13");
        assert_same(&format!("bit_and(column1), bit_or(column1), bit_xor(column1) {rows} WHERE 0"), "NULL, NULL, NULL");
        assert_same("bit_and(-1), bit_or(-9223372036854775808), bit_xor('3')", "-1, -9223372036854775808, 3");
        assert_eq!(refused("bit_and(1.5)"), "bit_and: expected integers, found 1.5");
        assert_eq!(refused("bit_xor(x'01')"), "bit_xor: expected numbers, found a blob");
    }

    #[test]
    fn frames_agree_with_their_rows() {
        for call in [
            "first(x)",
            "first(s)",
            "last(x)",
            "any_value(x)",
            "arg_max(k, x)",
            "arg_min(s, y)",
            "max_by(x, s)",
            "min_by(k, i)",
            "bool_and(x)",
            "bool_or(y > 4)",
            "count_if(x > 8)",
            "bit_and(i)",
            "bit_or(i)",
            "bit_xor(i)",
        ] {
            assert_frames(call);
        }
        assert_frames("first(x) FILTER (WHERE i > 4)");
    }
}

//! Rows of several parts in the order of some columns.

use crate::rows::RowSet;
use crate::store::{Loaded, Stop, TableState};
use crate::value::{Kind, Value};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use rayon::slice::ParallelSliceMut;
use std::ops::{BitOr, Shl, Shr};
use std::sync::Arc;

/// A column of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OrderKey {
    pub(crate) column: usize,
    pub(crate) is_descending: bool,
}

/// What an order is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Purpose {
    /// Rows with equal keys are to be neighbours, whatever the order of the groups.
    pub(crate) is_grouping: bool,
    /// One row of those with equal keys is enough.
    pub(crate) is_distinct: bool,
}

/// A part and the rows of it that are ordered.
pub(crate) struct Chosen {
    pub(crate) part: usize,
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) rows: RowSet,
}

/// Rows in an order.
pub(crate) struct Ordered {
    chosen: Vec<Chosen>,
    /// The number of rows before each part.
    starts: Vec<usize>,
    /// Numbers of rows, counted through all parts.
    order: Vec<u32>,
}

impl Ordered {
    /// Returns the memory that an order of so many rows needs at most, in bytes.
    pub(crate) fn bytes_needed(rows: usize) -> usize {
        rows.saturating_mul(32)
    }

    /// Orders the rows, and keeps the first `limit` of them.
    ///
    /// # Errors
    /// An interrupt.
    pub(crate) fn of(
        state: &TableState,
        chosen: Vec<Chosen>,
        keys: &[OrderKey],
        purpose: Purpose,
        limit: Option<usize>,
    ) -> Result<Self, Stop> {
        let mut starts = Vec::with_capacity(chosen.len());
        let mut count = 0;
        for part in &chosen {
            starts.push(count);
            count += part.rows.len();
        }
        let mut order: Vec<u32> = Vec::new();
        // Columns are packed into integers, from the last one; what does not fit into one integer is sorted in several turns.
        let ordinal_bits = bits(count.saturating_sub(1) as u64);
        let mut at = keys.len();
        while at > 0 {
            let mut columns = Vec::new();
            let mut width = 0;
            while at > 0 {
                state.check()?;
                let column = packed_column(state, &chosen, keys[at - 1], purpose.is_grouping);
                if !columns.is_empty() && width + column.bits + ordinal_bits > 128 {
                    break;
                }
                width += column.bits;
                columns.insert(0, column);
                at -= 1;
            }
            let is_whole = at == 0 && columns.len() == keys.len();
            let sorting = Sorting {
                columns,
                count,
                ordinal_bits,
                is_distinct: purpose.is_distinct && is_whole,
                limit: limit.filter(|_| is_whole),
            };
            order = sorting.sorted(order);
        }
        if keys.is_empty() {
            order = (0..count as u32).collect();
        }
        if let Some(limit) = limit {
            order.truncate(limit);
        }
        Ok(Self { chosen, starts, order })
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns the part and the row at a place.
    pub(crate) fn at(&self, position: usize) -> Option<(&Chosen, usize)> {
        let number = *self.order.get(position)? as usize;
        let part = match self.starts.len() {
            1 => 0,
            _ => self.starts.partition_point(|&start| start <= number) - 1,
        };
        let chosen = self.chosen.get(part)?;
        Some((chosen, chosen.rows.row(number - self.starts[part])))
    }
}

/// The number of bits of a number.
fn bits(number: u64) -> u32 {
    64 - number.leading_zeros()
}

/// A column as numbers in its order: 0 is NULL.
struct PackedColumn {
    keys: Vec<u64>,
    bits: u32,
}

/// Columns that are sorted at once.
struct Sorting {
    columns: Vec<PackedColumn>,
    count: usize,
    ordinal_bits: u32,
    is_distinct: bool,
    limit: Option<usize>,
}

impl Sorting {
    /// Returns the rows in the order of the columns; rows with equal values stay in the order `before`, which is empty at first.
    fn sorted(self, before: Vec<u32>) -> Vec<u32> {
        let width: u32 = self.columns.iter().map(|column| column.bits).sum();
        if before.is_empty() && self.limit.is_none() && width <= 24 && (1_usize << width) <= self.count.max(1 << 16) {
            return self.counted(width);
        }
        if width + self.ordinal_bits <= 64 { self.packed::<u64>(&before) } else { self.packed::<u128>(&before) }
    }

    fn key(&self, row: usize) -> u64 {
        self.columns.iter().fold(0, |key, column| key << column.bits | column.keys[row])
    }

    /// Sorts by counting the rows of each key.
    fn counted(&self, width: u32) -> Vec<u32> {
        let mut starts = vec![0_u32; (1 << width) + 1];
        for row in 0..self.count {
            starts[self.key(row) as usize + 1] += 1;
        }
        if self.is_distinct {
            let mut first = vec![u32::MAX; 1 << width];
            for row in (0..self.count).rev() {
                first[self.key(row) as usize] = row as u32;
            }
            first.retain(|&row| row != u32::MAX);
            return first;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut order = vec![0_u32; self.count];
        for row in 0..self.count {
            let next = &mut starts[self.key(row) as usize];
            order[*next as usize] = row as u32;
            *next += 1;
        }
        order
    }

    /// Sorts integers of the keys and the place of the row before.
    fn packed<P>(&self, before: &[u32]) -> Vec<u32>
    where
        P: Copy + Ord + Send + From<u64> + Shl<u32, Output = P> + Shr<u32, Output = P> + BitOr<Output = P> + LowBits,
    {
        let row = |position: usize| before.get(position).map_or(position, |&row| row as usize);
        let mut packed: Vec<P> = (0..self.count)
            .map(|position| {
                let row = row(position);
                let key = |key: P, column: &PackedColumn| key << column.bits | P::from(column.keys[row]);
                self.columns.iter().fold(P::from(0), key) << self.ordinal_bits | P::from(position as u64)
            })
            .collect();
        match self.limit {
            Some(0) => packed.clear(),
            Some(limit) if limit < packed.len() && !self.is_distinct => {
                packed.select_nth_unstable(limit - 1);
                packed.truncate(limit);
            }
            _ => {}
        }
        packed.par_sort_unstable();
        if self.is_distinct {
            packed.dedup_by_key(|packed| *packed >> self.ordinal_bits);
        }
        packed.into_iter().map(|packed| row(packed.low(self.ordinal_bits)) as u32).collect()
    }
}

/// Integers whose last bits can be taken.
trait LowBits {
    fn low(self, bits: u32) -> usize;
}

impl LowBits for u64 {
    fn low(self, bits: u32) -> usize {
        (self & ((1 << bits) - 1)) as usize
    }
}

impl LowBits for u128 {
    fn low(self, bits: u32) -> usize {
        (self & ((1 << bits) - 1)) as usize
    }
}

/// Returns a column of the rows as numbers from 0 in its order, as narrow as they can be.
fn packed_column(state: &TableState, chosen: &[Chosen], key: OrderKey, is_grouping: bool) -> PackedColumn {
    let kind = state.kind(key.column);
    let mut keys: Vec<Option<u64>> = match kind {
        Kind::Text => of_texts(chosen, key.column, is_grouping),
        Kind::Int | Kind::Real => {
            of_rows(chosen, key.column).map(|value| of_number(value.unwrap_or(Value::Null), kind)).collect()
        }
    };
    let least = keys.iter().flatten().min().copied().unwrap_or(0);
    let most = keys.iter().flatten().max().copied().unwrap_or(0);
    let mut span = most - least;
    if span == u64::MAX {
        // No number is left for NULL: the numbers are counted in place of their distances.
        let mut known: Vec<u64> = keys.iter().flatten().copied().collect();
        known.sort_unstable();
        known.dedup();
        span = known.len() as u64;
        for key in keys.iter_mut().flatten() {
            *key = known.partition_point(|other| other < key) as u64;
        }
        return packed(keys, 0, span, key.is_descending);
    }
    packed(keys, least, span, key.is_descending)
}

fn packed(keys: Vec<Option<u64>>, least: u64, span: u64, is_descending: bool) -> PackedColumn {
    let most = span + 1;
    let number = |key: Option<u64>| {
        let key = key.map_or(0, |key| key - least + 1);
        if is_descending { most - key } else { key }
    };
    PackedColumn { keys: keys.into_iter().map(number).collect(), bits: bits(most) }
}

fn of_rows(chosen: &[Chosen], column: usize) -> impl Iterator<Item = Option<Value<'_>>> {
    chosen.iter().flat_map(move |part| {
        let values = part.loaded.column(column);
        (0..part.rows.len()).map(move |position| values.map(|values| values.value(part.rows.row(position))))
    })
}

/// Returns a number in whose order numbers are.
fn of_number(value: Value<'_>, kind: Kind) -> Option<u64> {
    const SIGN: u64 = 1 << 63;
    match (value, kind) {
        (Value::Int(value), Kind::Int) => Some(value as u64 ^ SIGN),
        (Value::Int(value), _) => of_number(Value::Real(value as f64), kind),
        (Value::Real(value), _) if value.is_nan() => None,
        (Value::Real(value), _) => {
            // -0.0 is equal to 0.0.
            let bits = (value + 0.0).to_bits();
            Some(if bits & SIGN == 0 { bits | SIGN } else { !bits })
        }
        _ => None,
    }
}

/// Returns the places of texts among all texts of the column; of one dictionary, the codes are enough to group.
fn of_texts(chosen: &[Chosen], column: usize, is_grouping: bool) -> Vec<Option<u64>> {
    let columns = || chosen.iter().filter_map(|part| Some((part, part.loaded.column(column)?)));
    let mut dictionaries = columns().map(|(_, values)| values.dictionary());
    let first = dictionaries.next().flatten();
    let is_one =
        first.is_some_and(|first| dictionaries.all(|other| other.is_some_and(|other| Arc::ptr_eq(first, other))));
    let coded = |of_code: &dyn Fn(usize, u32) -> u64| {
        let mut keys = Vec::new();
        for (at, part) in chosen.iter().enumerate() {
            let values = part.loaded.column(column);
            let rows = (0..part.rows.len()).map(|position| part.rows.row(position));
            keys.extend(rows.map(|row| values.and_then(|values| values.code(row)).map(|code| of_code(at, code))));
        }
        keys
    };
    if is_grouping && is_one {
        return coded(&|_, code| u64::from(code));
    }
    // The texts that occur, ascending.
    let mut texts: HashSet<&str, FixedState> = HashSet::default();
    for (part, values) in columns() {
        let rows = (0..part.rows.len()).map(|position| part.rows.row(position));
        match values.dictionary() {
            Some(dictionary) => {
                let mut occurs = vec![false; dictionary.size()];
                for code in rows.filter_map(|row| values.code(row)) {
                    if let Some(occurs) = occurs.get_mut(code as usize) {
                        *occurs = true;
                    }
                }
                let codes = occurs.iter().enumerate().filter(|(_, occurs)| **occurs);
                texts.extend(codes.map(|(code, _)| dictionary.text(code as u32)));
            }
            None => texts.extend(rows.filter_map(|row| match values.value(row) {
                Value::Text(text) => Some(text),
                _ => None,
            })),
        }
    }
    let mut sorted: Vec<&str> = texts.into_iter().collect();
    sorted.sort_unstable();
    let positions: HashMap<&str, u64, FixedState> = sorted.into_iter().zip(0..).collect();
    let position = |text: &str| positions.get(text).copied().unwrap_or(0);
    if first.is_some() && columns().all(|(_, values)| values.dictionary().is_some()) {
        let tables: Vec<Vec<u64>> = chosen
            .iter()
            .map(|part| {
                let dictionary = part.loaded.column(column).and_then(|values| values.dictionary());
                dictionary.map_or_else(Vec::new, |dictionary| {
                    (0..dictionary.size() as u32).map(|code| position(dictionary.text(code))).collect()
                })
            })
            .collect();
        return coded(&|at, code| tables[at].get(code as usize).copied().unwrap_or(0));
    }
    of_rows(chosen, column)
        .map(|value| match value {
            Some(Value::Text(text)) => Some(position(text)),
            _ => None,
        })
        .collect()
}

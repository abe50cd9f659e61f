//! Median and quantiles, of any frame.

use super::argument::{Call, Number, shown};
use super::statistics::State;
use rusqlite::Result;
use rusqlite::types::Value;
use std::mem::take;

/// How many numbers a chunk of [`Quantile`] has at first; twice as many at most.
const CHUNK: usize = 512;

/// Median and quantiles. Numbers in ascending order, in chunks, so that to add or remove one moves few others.
#[derive(Default)]
pub(super) struct Quantile {
    chunks: Vec<Vec<Number>>,
    /// Numbers that were added since the last value, in any order: without a window, all are sorted at once.
    unsorted: Vec<Number>,
    length: usize,
    share: Option<f64>,
}

impl State for Quantile {
    type Row = (Number, Option<f64>);

    fn read(&self, call: &Call<'_>) -> Result<Option<Self::Row>> {
        let share = if call.context.len() > 1 { Some(share(call, self.share)?) } else { None };
        Ok(call.numeric(0)?.map(|number| (number, share)))
    }

    fn add(&mut self, (number, share): Self::Row) {
        self.share = share;
        self.length += 1;
        self.unsorted.push(number);
    }

    fn remove(&mut self, (number, _): Self::Row) {
        self.sort();
        let at = self.chunk_of(&number);
        let Some(chunk) = self.chunks.get_mut(at) else { return };
        if let Ok(index) = chunk.binary_search_by(|other| other.compare(&number)) {
            chunk.remove(index);
            self.length -= 1;
        }
        if chunk.is_empty() {
            self.chunks.remove(at);
        }
    }
}

/// Reads the share of a quantile, which all rows have in common.
fn share(call: &Call<'_>, earlier: Option<f64>) -> Result<f64> {
    let share = call
        .real(1)
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| call.refusal(&format!("expected a share between 0 and 1, found {}", shown(call.value(1)))))?;
    match earlier {
        Some(earlier) if earlier != share => {
            Err(call.refusal(&format!("expected one share for all rows, found {earlier} and {share}")))
        }
        _ => Ok(share),
    }
}

impl Quantile {
    pub(super) fn median(&mut self) -> Value {
        self.between(0.5)
    }

    pub(super) fn continuous(&mut self) -> Value {
        self.between(self.share.unwrap_or_default())
    }

    /// The least number that has the share of all numbers at or below it.
    pub(super) fn discrete(&mut self) -> Value {
        let length = self.length as f64;
        // The smallest rank of at least `share * length`. Subtracted from the length as DuckDB does, a product that is above a whole
        // number by a rounding error only is that number.
        let rank = length - (length - self.share.unwrap_or_default() * length).floor();
        self.sort();
        self.get((rank as usize).saturating_sub(1)).map_or(Value::Null, Value::from)
    }

    fn between(&mut self, share: f64) -> Value {
        let rank = self.length.saturating_sub(1) as f64 * share;
        self.sort();
        let Some(low) = self.get(rank as usize).map(Number::real) else { return Value::Null };
        let high = self.get(rank.ceil() as usize).map_or(low, Number::real);
        // Infinite numbers have no difference.
        Value::Real(if low == high { low } else { low + (high - low) * rank.fract() })
    }

    fn get(&self, mut rank: usize) -> Option<Number> {
        for chunk in &self.chunks {
            match chunk.get(rank) {
                Some(&number) => return Some(number),
                None => rank -= chunk.len(),
            }
        }
        None
    }

    /// Puts the unsorted numbers in their places: many at once, few one by one.
    fn sort(&mut self) {
        let unsorted = take(&mut self.unsorted);
        if unsorted.len() > self.length / 8 {
            let mut all: Vec<Number> = take(&mut self.chunks).into_iter().flatten().chain(unsorted).collect();
            all.sort_by(Number::compare);
            self.chunks = all.chunks(CHUNK).map(<[Number]>::to_vec).collect();
        } else {
            unsorted.into_iter().for_each(|number| self.insert(number));
        }
    }

    fn insert(&mut self, number: Number) {
        let at = self.chunk_of(&number).min(self.chunks.len().saturating_sub(1));
        let Some(chunk) = self.chunks.get_mut(at) else { return self.chunks.push(vec![number]) };
        chunk.insert(chunk.partition_point(|other| other.compare(&number).is_lt()), number);
        if chunk.len() > 2 * CHUNK {
            let upper = chunk.split_off(CHUNK);
            self.chunks.insert(at + 1, upper);
        }
    }

    /// Returns the first chunk that has a number at or above this one.
    fn chunk_of(&self, number: &Number) -> usize {
        self.chunks.partition_point(|chunk| chunk.last().is_some_and(|last| last.compare(number).is_lt()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_frames, assert_same, database, refused};
    use super::*;

    #[test]
    fn quantiles_of_few_numbers_are_those_by_hand() {
        let rows = "FROM (VALUES (4), (NULL), (1), (3), (2))";
        assert_same(&format!("median(column1), quantile_cont(column1, 0.25) {rows}"), "2.5, 1.75");
        assert_same(&format!("quantile_cont(column1, 0), quantile_cont(column1, 1) {rows}"), "1.0, 4.0");
        assert_same(&format!("quantile_disc(column1, 0.25), quantile_disc(column1, 0.26) {rows}"), "1, 2");
        assert_same(&format!("quantile_disc(column1, 0), quantile_disc(column1, 1) {rows}"), "1, 4");
        assert_same("median(column1) FROM (VALUES (1), (2.5), (9))", "2.5");
        assert_same("median(7), median('7'), quantile_disc(7.5, 0.5)", "7.0, 7.0, 7.5");
    }

    #[test]
    fn a_share_that_is_a_whole_number_of_rows_is_not_rounded_up() {
        let rows = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 100)";
        // 0.07 * 100 is 7.000000000000001.
        let sql = format!("{rows} SELECT quantile_disc(k, 0.07) FROM n");
        assert_eq!(database().query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap(), 7);
    }

    #[test]
    fn no_numbers_have_no_quantile() {
        assert_same("median(NULL), quantile_cont(NULL, 0.5), quantile_disc(NULL, 0.5)", "NULL, NULL, NULL");
        assert_same("median(column1), quantile_disc(column1, 0.5) FROM (VALUES (1)) WHERE 0", "NULL, NULL");
    }

    #[test]
    fn infinite_numbers_have_quantiles() {
        assert_same("median(column1) FROM (VALUES (9e999), (9e999))", "9e999");
        assert_same("median(column1) FROM (VALUES (-9e999), (1), (9e999))", "1.0");
    }

    #[test]
    fn shares_outside_and_texts_are_refused() {
        assert_eq!(refused("quantile_cont(1, 1.5)"), "quantile_cont: expected a share between 0 and 1, found 1.5");
        assert_eq!(refused("quantile_disc(1, NULL)"), "quantile_disc: expected a share between 0 and 1, found NULL");
        assert_eq!(
            refused("quantile_cont(1, 'a')"),
            "quantile_cont: expected a share between 0 and 1, found the text 'a'"
        );
        assert_eq!(
            refused("quantile_cont(column1, column1) FROM (VALUES (0.5), (0.25))"),
            "quantile_cont: expected one share for all rows, found 0.5 and 0.25"
        );
        assert_eq!(refused("median('abc')"), "median: expected numbers, found the text 'abc'");
        assert_eq!(refused("median(x'31')"), "median: expected numbers, found a blob");
    }

    #[test]
    fn frames_agree_with_their_rows() {
        for call in ["median(x)", "quantile_cont(x, 0.9)", "quantile_disc(x, 0.3)", "median(y) FILTER (WHERE i > 4)"] {
            assert_frames(call);
        }
    }

    /// Numbers that come and go in any order, with many chunks, compared with a sorted list.
    #[test]
    fn chunks_stay_sorted() {
        let (mut quantile, mut expected) = (Quantile::default(), Vec::new());
        let mut state = 1_u64;
        for round in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let int = (state >> 50) as i64;
            let number = if int % 3 == 0 { Number::Real(int as f64) } else { Number::Int(int) };
            quantile.add((number, Some(0.5)));
            expected.insert(expected.partition_point(|other: &Number| other.compare(&number).is_lt()), number);
            if round > 8_000 {
                for _ in 0..round % 3 {
                    let number = expected.remove((state >> 33) as usize % expected.len());
                    quantile.remove((number, Some(0.5)));
                }
            }
            if round % 50 > 20 {
                let rank = expected.len() / 3;
                quantile.sort();
                assert_eq!(quantile.get(rank), Some(expected[rank]));
            }
        }
        quantile.sort();
        assert_eq!(quantile.chunks.concat(), expected);
        assert_eq!(quantile.length, expected.len());
    }

    /// Were each value a sort of all numbers before it, this would take minutes.
    #[test]
    fn a_growing_frame_of_many_rows_takes_little_time() {
        let rows = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 100000)";
        let sql = format!("{rows} SELECT sum(m) FROM (SELECT median(k * 7919 % 100003) OVER (ORDER BY k) AS m FROM n)");
        let start = std::time::Instant::now();
        database().query_row(&sql, [], |row| row.get::<_, f64>(0)).unwrap();
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }
}

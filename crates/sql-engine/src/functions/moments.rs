//! Variance, covariance and correlation, of any frame.

use super::argument::{Call, Number};
use super::statistics::State;
use rusqlite::Result;
use rusqlite::types::Value;

/// Means, and sums of squares and products of distances from them.
#[derive(Clone, Copy, Default)]
struct Moments {
    rows: f64,
    mean: [f64; 2],
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Moments {
    fn of([x, y]: [f64; 2]) -> Self {
        Self { rows: 1.0, mean: [x, y], ..Self::default() }
    }

    /// Returns the moments of the rows of both (Chan, Golub and LeVeque). Nothing is subtracted that would cancel.
    fn with(self, other: Self) -> Self {
        if self.rows == 0.0 || other.rows == 0.0 {
            return if self.rows == 0.0 { other } else { self };
        }
        let rows = self.rows + other.rows;
        let [dx, dy] = [other.mean[0] - self.mean[0], other.mean[1] - self.mean[1]];
        let weight = self.rows * (other.rows / rows);
        Self {
            rows,
            mean: [self.mean[0] + dx * (other.rows / rows), self.mean[1] + dy * (other.rows / rows)],
            xx: self.xx + other.xx + dx * dx * weight,
            xy: self.xy + other.xy + dx * dy * weight,
            yy: self.yy + other.yy + dy * dy * weight,
        }
    }
}

/// Variance, covariance and correlation of pairs of numbers; of one number, pairs of it with itself.
///
/// Pairs of integers are kept as exact sums, from which a row is removed without a trace of it. Others are kept themselves, since a
/// number that is subtracted from a sum of reals leaves its rounding errors.
#[derive(Default)]
pub(super) struct Pairs {
    exact: Exact,
    /// The oldest pairs, the last of them first: each with the moments of itself and those that came after it up to the newest here.
    old: Vec<Moments>,
    /// The pairs that came after those, and their moments.
    new: Vec<[f64; 2]>,
    new_moments: Moments,
}

impl State for Pairs {
    type Row = [Number; 2];

    fn read(&self, call: &Call<'_>) -> Result<Option<Self::Row>> {
        let x = call.numeric(0)?;
        let y = if call.context.len() > 1 { call.numeric(1)? } else { x };
        Ok(x.zip(y).map(|(x, y)| [x, y]))
    }

    fn add(&mut self, pair: Self::Row) {
        if let Some(distances) = self.exact.distances(pair) {
            return self.exact.change(distances, 1);
        }
        let pair = pair.map(Number::real);
        self.new.push(pair);
        self.new_moments = self.new_moments.with(Moments::of(pair));
    }

    fn remove(&mut self, pair: Self::Row) {
        if let Some(distances) = self.exact.distances(pair) {
            return self.exact.change(distances, -1);
        }
        // The moments of what is left after each removal are summed when the old pairs are used up: one addition for each pair.
        if self.old.is_empty() {
            self.new_moments = Moments::default();
            let mut moments = Moments::default();
            for pair in self.new.drain(..).rev() {
                moments = moments.with(Moments::of(pair));
                self.old.push(moments);
            }
        }
        self.old.pop();
    }
}

impl Pairs {
    fn moments(&self) -> Moments {
        self.exact.moments().with(self.old.last().copied().unwrap_or_default()).with(self.new_moments)
    }

    pub(super) fn covar_pop(&mut self) -> Value {
        let moments = self.moments();
        over(moments.xy, moments.rows)
    }

    pub(super) fn covar_samp(&mut self) -> Value {
        let moments = self.moments();
        over(moments.xy, moments.rows - 1.0)
    }

    pub(super) fn stddev_pop(&mut self) -> Value {
        root(self.covar_pop())
    }

    pub(super) fn stddev_samp(&mut self) -> Value {
        root(self.covar_samp())
    }

    /// NULL, where one of the two is constant. Rounding errors do not lead out of -1 to 1.
    pub(super) fn corr(&mut self) -> Value {
        let moments = self.moments();
        Value::Real((moments.xy / (moments.xx.sqrt() * moments.yy.sqrt())).clamp(-1.0, 1.0))
    }
}

fn over(sum: f64, rows: f64) -> Value {
    // An infinite sum is of numbers with an infinite one among them, or too large to say.
    if rows > 0.0 && sum.is_finite() { Value::Real(sum / rows) } else { Value::Null }
}

fn root(value: Value) -> Value {
    match value {
        Value::Real(real) => Value::Real(real.sqrt()),
        other => other,
    }
}

/// Exact sums over pairs of integers, of their distances from the first pair.
///
/// Squares of any integers of 64 bits would not fit: 2^126 each. From the first pair, integers of a trace are less than 2^46 away (20
/// hours in ns), and the sum of 2^32 squares is below 2^124. Pairs that are further away count as reals.
#[derive(Default)]
struct Exact {
    origin: Option<[i64; 2]>,
    rows: i128,
    x: i128,
    y: i128,
    xx: i128,
    xy: i128,
    yy: i128,
}

impl Exact {
    /// Returns the distances of a pair, if it is one of those with exact sums. It is for as long as the frame exists.
    fn distances(&mut self, pair: [Number; 2]) -> Option<[i128; 2]> {
        let [Number::Int(x), Number::Int(y)] = pair else { return None };
        let origin = self.origin.get_or_insert([x, y]);
        let distances = [i128::from(x) - i128::from(origin[0]), i128::from(y) - i128::from(origin[1])];
        distances.iter().all(|distance| distance.unsigned_abs() < 1 << 46).then_some(distances)
    }

    fn change(&mut self, [x, y]: [i128; 2], sign: i128) {
        self.rows += sign;
        self.x += sign * x;
        self.y += sign * y;
        self.xx += sign * x * x;
        self.xy += sign * x * y;
        self.yy += sign * y * y;
    }

    fn moments(&self) -> Moments {
        let (Some(origin), rows @ 1..) = (self.origin, self.rows) else { return Moments::default() };
        // The means are a whole number and a rest of at most half a row: Σ(d - m)² = Σ(d - whole)² - rest² / rows, where the first sum
        // is exact and at least twice the second term.
        let whole = |sum: i128| (2 * sum + rows).div_euclid(2 * rows);
        let (whole_x, whole_y) = (whole(self.x), whole(self.y));
        let (rest_x, rest_y) = (self.x - whole_x * rows, self.y - whole_y * rows);
        let mean =
            |origin: i64, whole: i128, rest: i128| (i128::from(origin) + whole) as f64 + rest as f64 / rows as f64;
        let about = |products: i128, whole: i128, sum: i128, other_whole: i128, rest: i128, other_rest: i128| {
            let exact = products - whole * sum - other_whole * rest;
            exact as f64 - rest as f64 * other_rest as f64 / rows as f64
        };
        Moments {
            rows: rows as f64,
            mean: [mean(origin[0], whole_x, rest_x), mean(origin[1], whole_y, rest_y)],
            xx: about(self.xx, whole_x, self.x, whole_x, rest_x, rest_x),
            xy: about(self.xy, whole_x, self.y, whole_y, rest_x, rest_y),
            yy: about(self.yy, whole_y, self.y, whole_y, rest_y, rest_y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_frames, assert_same, database, is_near, refused, select};
    use super::*;

    fn assert_near(expression: &str, expected: f64) {
        let found = select(expression);
        assert!(is_near(&found[0], &Value::Real(expected)), "{expression} is {found:?}, not {expected}");
    }

    #[test]
    fn variances_of_few_numbers_are_those_by_hand() {
        let rows = "FROM (VALUES (2), (4), (NULL), (4), (4), (5), (5), (7), (9))";
        assert_same(&format!("var_pop(column1), stddev_pop(column1) {rows}"), "4.0, 2.0");
        for name in ["variance", "var_samp"] {
            assert_near(&format!("{name}(column1) {rows}"), 32.0 / 7.0);
            assert_near(&format!("{name}(column1 + 0.5) {rows}"), 32.0 / 7.0);
        }
        for name in ["stddev", "stddev_samp", "stdev"] {
            assert_near(&format!("{name}(column1) {rows}"), (32.0_f64 / 7.0).sqrt());
        }
        assert_same("var_pop(column1) FROM (VALUES (1), (1.5), ('2'))", "1.0 / 6");
    }

    #[test]
    fn covariances_of_few_pairs_are_those_by_hand() {
        let rows = "FROM (VALUES (1, 2), (2, 4), (3, 9), (NULL, 1), (1, NULL))";
        assert_near(&format!("covar_pop(column1, column2) {rows}"), 7.0 / 3.0);
        assert_near(&format!("covar_samp(column1, column2) {rows}"), 3.5);
        assert_near(&format!("corr(column1, column2) {rows}"), 0.9707253433941511);
        assert_near(&format!("corr(column1, -column1) {rows}"), -1.0);
        assert_near("covar_pop(column1, column2) FROM (VALUES (1, 2.5), (2, 4), (3.5, 9))", 101.0 / 36.0);
    }

    #[test]
    fn too_few_rows_and_constants_give_null() {
        assert_same(
            "var_samp(1), stddev(1), var_pop(1), stddev_pop(1.5), covar_samp(1, 2)",
            "NULL, NULL, 0.0, 0.0, NULL",
        );
        assert_same("corr(1, 2), variance(NULL), stddev_pop(NULL), covar_pop(1, NULL)", "NULL, NULL, NULL, NULL");
        assert_same("corr(column1, 3) FROM (VALUES (1), (2))", "NULL");
        assert_same("variance(column1) FROM (VALUES (9e999), (1))", "NULL");
    }

    #[test]
    fn large_integers_are_exact() {
        // Times in ns since 1970 as reals are multiples of 256.
        let rows = "FROM (VALUES (1700000000000000001), (1700000000000000002), (1700000000000000003))";
        assert_same(&format!("var_pop(column1), var_samp(column1) {rows}"), "2.0 / 3, 1.0");
        assert_same("var_pop(column1) FROM (VALUES (1000000000000), (1000000000001))", "0.25");
        assert_near("var_pop(column1) FROM (VALUES (-9223372036854775808), (9223372036854775807))", 2_f64.powi(126));
    }

    #[test]
    fn the_spread_of_integers_far_apart_is_that_of_reals() {
        let mut state = 7_u64;
        for bits in [4, 20, 45, 46, 47, 60] {
            let (mut pairs, mut reals) = (Pairs::default(), Moments::default());
            for _ in 0..1_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let (x, y) = ((state >> (64 - bits)) as i64, (state.wrapping_mul(31) >> (64 - bits)) as i64 - 5);
                pairs.add([Number::Int(x), Number::Int(y)]);
                reals = reals.with(Moments::of([x as f64, y as f64]));
            }
            let moments = pairs.moments();
            for (found, expected) in [(moments.xx, reals.xx), (moments.yy, reals.yy), (moments.mean[1], reals.mean[1])]
            {
                assert!((found / expected - 1.0).abs() < 1e-12, "{bits}: {found} and {expected}");
            }
            assert!((moments.xy - reals.xy).abs() < 1e-12 * (reals.xx * reals.yy).sqrt(), "{bits}");
        }
    }

    #[test]
    fn a_large_number_that_leaves_a_frame_leaves_no_trace() {
        for large in ["1e18", "9000000000000000000", "1e200"] {
            let sql = format!(
                "WITH t(k, x) AS (VALUES (1, {large}), (2, 0.1), (3, 0.2), (4, 0.3))
                 SELECT stddev_pop(x) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t ORDER BY k DESC"
            );
            let found: f64 = database().query_row(&sql, [], |row| row.get(0)).unwrap();
            assert!((found - 0.05).abs() < 1e-16, "{large}: {found}");
        }
    }

    #[test]
    fn texts_are_refused() {
        assert_eq!(refused("stdev('abc')"), "stdev: expected numbers, found the text 'abc'");
        assert_eq!(refused("corr(1, 'abc')"), "corr: expected numbers, found the text 'abc'");
    }

    #[test]
    fn frames_agree_with_their_rows() {
        for call in [
            "stddev(x)",
            "stddev_pop(i)",
            "variance(x)",
            "var_pop(i)",
            "var_samp(y)",
            "covar_pop(y * 0.7, i)",
            "covar_samp(i, k)",
            "covar_samp(i, y)",
            "corr(y, i)",
            "var_pop(y) FILTER (WHERE i > 4)",
        ] {
            assert_frames(call);
        }
    }

    #[test]
    fn growing_and_sliding_frames_of_many_rows_take_little_time() {
        let rows = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 100000)";
        for frame in ["", "ROWS BETWEEN 50000 PRECEDING AND CURRENT ROW"] {
            let sql = format!(
                "{rows} SELECT sum(m) FROM (SELECT stddev(k * 7919 % 100003 / 7.0) OVER (ORDER BY k {frame}) AS m FROM n)"
            );
            let start = std::time::Instant::now();
            database().query_row(&sql, [], |row| row.get::<_, f64>(0)).unwrap();
            assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
        }
    }
}

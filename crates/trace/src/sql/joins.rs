//! Joins whose rows would not fit in memory: counted before they run, since polars cannot be stopped in one.

use super::join_sides::{Between, Side, Sides, conjuncts};
use super::messages::nowhere;
use super::pairs::{Less, by_one, by_two};
use super::scan::FirstError;
use crate::exec::checkpoint;
use crate::exec::memory::Budget;
use crate::{Error, Result};
use polars::prelude::{DataFrame, DataType, DslPlan, Expr, JoinArgs, JoinType, LazyFrame, PlSmallStr, col, len};
use trace_view::format::grouped;

/// Bytes of a row of a join before its columns: the rows of both sides.
const BYTES_PER_ROW: f64 = 16.0;

/// Joins with fewer rows are not looked at.
const FEWEST_ROWS: f64 = 2e7;

/// The most ranges of a join of which all pairs are counted.
const MOST_RANGES: usize = 4;

/// What to write instead of a join on equal columns, and of one by ranges.
const REWRITES: [&str; 2] = [
    "join on more columns, such as trace, rank and id, or group before the join",
    "pair rows whose times intersect with intersect(a, b), join on trace and rank, too, or choose rows first: (SELECT … WHERE …) AS a",
];

/// Counts the rows of the joins of a plan whose tables have at most `most` rows each.
///
/// # Errors
/// [`Error::Sql`] if the rows of a join do not fit the memory budget; errors of scans.
pub(super) fn check_joins(frame: &LazyFrame, most: usize, failed: &FirstError) -> Result<()> {
    if (most as f64).powi(2) < FEWEST_ROWS {
        return Ok(());
    }
    check(&frame.logical_plan, &[], failed)
}

/// Checks a plan of whose rows only those stay that meet `conditions`: polars applies them to the sides of a join.
fn check(plan: &DslPlan, conditions: &[Expr], failed: &FirstError) -> Result<()> {
    match plan {
        DslPlan::Join { input_left, input_right, left_on, right_on, predicates, options } => {
            check(input_left, &[], failed)?;
            check(input_right, &[], failed)?;
            // Of semi joins each row is kept once.
            if matches!(options.args.how, JoinType::Semi | JoinType::Anti) {
                return Ok(());
            }
            let mut inputs = [input_left, input_right].map(|plan| LazyFrame::from(DslPlan::clone(plan)));
            // Of outer joins a condition on one side does not choose its rows.
            let conditions =
                if matches!(options.args.how, JoinType::Inner | JoinType::Cross) { conditions } else { &[] };
            let join = Join::of(&mut inputs, [left_on, right_on], predicates, conditions, options.args.suffix())?;
            let Some(join) = join else { return Ok(()) };
            refuse_if_too_many(join.rows(inputs, failed)?, REWRITES[usize::from(join.keys.is_empty())])
        }
        DslPlan::Filter { input, predicate } => {
            let mut conditions = conditions.to_vec();
            conjuncts(predicate, &mut conditions);
            check(input, &conditions, failed)
        }
        DslPlan::Select { input, .. }
        | DslPlan::GroupBy { input, .. }
        | DslPlan::HStack { input, .. }
        | DslPlan::Distinct { input, .. }
        | DslPlan::Sort { input, .. }
        | DslPlan::Slice { input, .. }
        | DslPlan::MapFunction { input, .. }
        | DslPlan::Cache { input, .. } => check(input, &[], failed),
        DslPlan::IR { dsl, .. } => check(dsl, conditions, failed),
        DslPlan::Union { inputs, .. } | DslPlan::HConcat { inputs, .. } => {
            inputs.iter().try_for_each(|input| check(input, &[], failed))
        }
        _ => Ok(()),
    }
}

/// What of a join decides how many rows it has.
struct Join {
    /// Expressions of the left and of the right side that must be equal.
    keys: Vec<(Expr, Expr)>,
    /// Ranges: polars makes all pairs that meet two of them, and looks at further ones later.
    ranges: Vec<(Expr, Expr, Less)>,
}

impl Join {
    /// Reads a join, and applies conditions on one side to it; `None` if its rows cannot be counted.
    fn of(
        inputs: &mut [LazyFrame; 2],
        on: [&Vec<Expr>; 2],
        predicates: &[Expr],
        conditions: &[Expr],
        suffix: &str,
    ) -> Result<Option<Self>> {
        let keys: Vec<(Expr, Expr)> = on[0].iter().cloned().zip(on[1].iter().cloned()).collect();
        let mut join = Self { keys, ranges: Vec::new() };
        let is_cross = join.keys.is_empty() && predicates.is_empty();
        if predicates.is_empty() && conditions.is_empty() {
            return Ok(Some(join));
        }
        // What polars refuses is refused when the join runs.
        let (Ok(left), Ok(right)) = (inputs[0].collect_schema(), inputs[1].collect_schema()) else { return Ok(None) };
        let sides = Sides { left: &left, right: &right, suffix };
        let mut parts = Vec::new();
        predicates.iter().for_each(|predicate| conjuncts(predicate, &mut parts));
        for condition in parts.iter().chain(conditions) {
            match sides.of(condition) {
                Some(Side::Left(own)) => inputs[0] = inputs[0].clone().filter(own),
                Some(Side::Right(own)) => inputs[1] = inputs[1].clone().filter(own),
                // polars looks at further conditions on both sides when the rows of equal keys are there.
                None if !on[0].is_empty() => {}
                None => match sides.between(condition) {
                    Some(Between::Equal(left, right)) => join.keys.push((left, right)),
                    Some(Between::Less(left, right, less)) => join.ranges.push((left, right, less)),
                    None => {}
                },
            }
        }
        // Pairs that other conditions of ON choose are looked at piece by piece, and not kept.
        Ok((!join.keys.is_empty() || !join.ranges.is_empty() || is_cross).then_some(join))
    }

    /// Returns the number of rows; `None` if polars cannot count them.
    fn rows(&self, inputs: [LazyFrame; 2], failed: &FirstError) -> Result<Option<f64>> {
        checkpoint::check()?;
        let [left, right] = inputs;
        if !self.keys.is_empty() {
            return self.rows_of_keys(left, right, failed);
        }
        if !self.ranges.is_empty() {
            return self.rows_of_ranges(left, right, failed);
        }
        let of = |frame: LazyFrame| number(frame.select([len().cast(DataType::Float64)]), failed);
        Ok(of(left)?.zip(of(right)?).map(|(a, b)| a * b))
    }

    fn rows_of_keys(&self, left: LazyFrame, right: LazyFrame, failed: &FirstError) -> Result<Option<f64>> {
        let names: Vec<PlSmallStr> =
            (0..self.keys.len()).map(|at| PlSmallStr::from_string(format!("key {at}"))).collect();
        let counted = |frame: LazyFrame, keys: Vec<&Expr>, count: &str| {
            let keys = keys.into_iter().zip(&names).map(|(key, name)| key.clone().alias(name.clone()));
            frame.group_by(keys.collect::<Vec<_>>()).agg([len().cast(DataType::Float64).alias(count)])
        };
        let on: Vec<Expr> = names.iter().map(|name| col(name.clone())).collect();
        let both = counted(left, self.keys.iter().map(|(key, _)| key).collect(), "left rows").join(
            counted(right, self.keys.iter().map(|(_, key)| key).collect(), "right rows"),
            on.clone(),
            on,
            JoinArgs::new(JoinType::Inner),
        );
        number(both.select([(col("left rows") * col("right rows")).sum()]), failed)
    }

    /// Counts the pairs of the two ranges that have most: polars chooses which two it uses.
    fn rows_of_ranges(&self, left: LazyFrame, right: LazyFrame, failed: &FirstError) -> Result<Option<f64>> {
        let of = |frame: LazyFrame, bounds: Vec<&Expr>| {
            let names = (0..bounds.len()).map(|at| PlSmallStr::from_string(format!("bound {at}")));
            let bounds = bounds.into_iter().zip(names).map(|(bound, name)| bound.clone().alias(name));
            values(frame.select(bounds.collect::<Vec<_>>()), failed)
        };
        let left = of(left, self.ranges.iter().map(|(bound, ..)| bound).collect())?;
        checkpoint::check()?;
        let right = of(right, self.ranges.iter().map(|(_, bound, _)| bound).collect())?;
        let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
        if let [(.., less)] = self.ranges.as_slice() {
            return by_one(&left[0], &right[0], *less).map(Some);
        }
        let mut most: f64 = 0.0;
        for (other, (.., second)) in self.ranges.iter().enumerate().take(MOST_RANGES) {
            for (one, (.., first)) in self.ranges[..other].iter().enumerate() {
                let rows = |side: &[Vec<f64>]| -> Vec<[f64; 2]> {
                    side[one].iter().zip(&side[other]).map(|(first, second)| [*first, *second]).collect()
                };
                most = most.max(by_two(&rows(&left), &rows(&right), [*first, *second])?);
            }
        }
        Ok(Some(most))
    }
}

fn number(frame: LazyFrame, failed: &FirstError) -> Result<Option<f64>> {
    let rows = collected(frame, failed)?;
    Ok(rows.and_then(|rows| rows.columns().first().and_then(|column| column.f64().ok()?.get(0))))
}

/// Returns the numbers of each column; NaN where a value is missing or is none.
fn values(frame: LazyFrame, failed: &FirstError) -> Result<Option<Vec<Vec<f64>>>> {
    let Some(rows) = collected(frame, failed)? else { return Ok(None) };
    let numbers = |column: &polars::prelude::Column| {
        Some(column.f64().ok()?.iter().map(|value| value.unwrap_or(f64::NAN)).collect())
    };
    Ok(rows.columns().iter().map(numbers).collect())
}

/// Returns the rows; `None` where polars refuses, as keys that do not fit each other are refused when the join runs.
fn collected(frame: LazyFrame, failed: &FirstError) -> Result<Option<DataFrame>> {
    match frame.collect() {
        Ok(rows) => Ok(Some(rows)),
        Err(_) => failed.take().map_or(Ok(None), Err),
    }
}

fn refuse_if_too_many(rows: Option<f64>, rewrite: &str) -> Result<()> {
    let Some(rows) = rows.filter(|rows| *rows >= FEWEST_ROWS) else { return Ok(()) };
    let left = Budget::now()?.left() as f64;
    if rows * BYTES_PER_ROW <= left {
        return Ok(());
    }
    let message =
        format!("cannot run the statement: a join has {} rows, which do not fit in memory", grouped(rows as usize));
    Err(Error::Sql(Box::new(nowhere(message, rewrite.to_owned()))))
}

//! Instances of generic code that many cells use, compiled once here.
//!
//! A cell is compiled at opt-level 0 and links the instances of generic functions that this library contains for the same types
//! (rustc's shared generics, enabled for a library at opt-level `s`, which the installer sets). Without them every cell that
//! groups a frame would compile 680 functions of its own, which copy and drop each part of an expression. rustc does not share
//! the half of them that are drops.

use polars::prelude::*;
use trace::TraceSet;

/// Names the instances; it is never called.
///
/// # Errors
/// Those of polars; irrelevant, since it is never called.
#[doc(hidden)]
pub fn instances(frame: DataFrame, lazy: LazyFrame, expr: Expr, traces: TraceSet) -> PolarsResult<Vec<DataFrame>> {
    let column = || lazy.clone().select([expr.clone()]);
    let two = || [expr.clone(), expr.clone()];
    let three = || [expr.clone(), expr.clone(), expr.clone()];
    let filtered = frame.clone().lazy().filter(expr.clone().gt(lit(1)).and(expr.clone().lt(lit(1i64))));
    let compared = vec![
        expr.clone().gt(lit(1.0)),
        expr.clone().eq(lit("text")),
        expr.clone().neq(expr.clone()),
        expr.clone().gt_eq(expr.clone()).or(expr.clone().lt_eq(expr.clone())),
        expr.clone().sum().alias("sum"),
        expr.clone().mean(),
        expr.clone().min(),
        expr.clone().max(),
        expr.clone().count(),
        expr.clone() / lit(1000),
        expr.clone() * lit(2.0),
        expr.clone() + expr.clone() - expr.clone(),
        col("name"),
        len(),
        when(expr.clone()).then(expr.clone()).otherwise(expr.clone()),
    ];
    let order = SortMultipleOptions::default().with_order_descending(true);
    let frames = vec![
        column().collect()?,
        column().select(two()).select(three()).select(compared).collect()?,
        column().with_columns([expr.clone()]).with_columns(two()).with_column(expr.clone()).collect()?,
        column().group_by([expr.clone()]).agg([expr.clone()]).collect()?,
        column().group_by(two()).agg(two()).group_by([expr.clone()]).agg(three()).collect()?,
        column().sort(["name"], order.clone()).sort(["name", "name"], Default::default()).limit(5).collect()?,
        column().sort_by_exprs([expr.clone()], order).collect()?,
        column().join(column(), [expr.clone()], [expr.clone()], JoinArgs::new(JoinType::Inner)).collect()?,
        filtered.collect()?,
        frame.select(["name"])?,
        frame.select(["name", "name"])?,
        frame.sort(["name"], Default::default())?,
        frame.head(Some(5)),
        df!("a" => [1, 2], "b" => [1.0, 2.0], "c" => ["x", "y"], "d" => [true, false])?,
        traces.events(),
    ];
    let values = (frame.column("name")?.clone(), frame.column("name")?.as_materialized_series().clone());
    drop((values, traces, expr, lazy));
    Ok(frames)
}

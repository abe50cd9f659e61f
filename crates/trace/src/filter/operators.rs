//! HTA's filters of events around an operator.

use crate::frame::columns::*;
use crate::{Error, Result, Trace};
use polars::prelude::{DataType, Expr, Int64Chunked};
use std::collections::BTreeSet;

/// Events while an operator runs: on its stream (of an operator on the CPU: all of the CPU), started and ended inside
/// it. `position` says which of the operators of this very name: 0 is the first by start, −1 the last. With
/// `include_gpu_kernels` the events on the GPU come along that the runtime calls among them launched.
///
/// # Errors
/// [`Error::WrongFilter`] if there is no such operator.
///
/// # Source
/// HTA `UnderOperatorFilter`.
pub fn under_operator(trace: &Trace, operator: &str, position: i64, include_gpu_kernels: bool) -> Result<Expr> {
    around(trace, operator, position, include_gpu_kernels, |event, root| event.0 >= root.0 && event.1 <= root.1)
}

/// Events that start when an operator has ended, or later; otherwise as [`under_operator`].
///
/// # Errors
/// As [`under_operator`].
///
/// # Source
/// HTA `AfterOperatorFilter`.
pub fn after_operator(trace: &Trace, operator: &str, position: i64, include_gpu_kernels: bool) -> Result<Expr> {
    around(trace, operator, position, include_gpu_kernels, |event, root| event.0 >= root.1)
}

/// Events that end when an operator starts, or earlier; otherwise as [`under_operator`].
///
/// # Errors
/// As [`under_operator`].
///
/// # Source
/// HTA `BeforeOperatorFilter`.
pub fn before_operator(trace: &Trace, operator: &str, position: i64, include_gpu_kernels: bool) -> Result<Expr> {
    around(trace, operator, position, include_gpu_kernels, |event, root| event.1 <= root.0)
}

/// Start and end.
type Stretch = (i64, i64);

fn around(
    trace: &Trace,
    operator: &str,
    position: i64,
    include_gpu_kernels: bool,
    takes: fn(Stretch, Stretch) -> bool,
) -> Result<Expr> {
    let events = trace.events();
    let int = |name: &str| -> Result<Int64Chunked> { Ok(events.column(name)?.i64()?.rechunk().into_owned()) };
    let (index, ts, end, stream) = (int(INDEX)?, int(TS)?, int(END)?, int(STREAM)?);
    let stretch = |row: usize| Some((ts.get(row)?, end.get(row)?));
    let text = |name: &str| events.column(name)?.as_materialized_series().cast(&DataType::String);
    let (names, cats) = (text(NAME)?, text(CAT)?);
    let (names, cats) = (names.str()?, cats.str()?);

    let mut roots: Vec<usize> = (0..events.height()).filter(|&row| names.get(row) == Some(operator)).collect();
    roots.sort_by_key(|&row| ts.get(row));
    let place = if position < 0 { position + roots.len() as i64 } else { position };
    let root = usize::try_from(place).ok().and_then(|place| roots.get(place)).copied();
    let root = root.and_then(|row| Some((row, stretch(row)?))).ok_or_else(|| Error::WrongFilter {
        reason: format!("rank {} has `{operator}` {} times, none at place {position}", trace.rank(), roots.len()),
    })?;
    let mut rows: BTreeSet<usize> = (0..events.height())
        .filter(|&row| stream.get(row) == stream.get(root.0))
        .filter(|&row| stretch(row).is_some_and(|event| takes(event, root.1)))
        .collect();
    if include_gpu_kernels {
        let partner = int(INDEX_CORRELATION)?;
        let launches: BTreeSet<i64> = rows
            .iter()
            .filter(|&&row| cats.get(row).is_some_and(|cat| cat.ends_with("_runtime")))
            .filter_map(|&row| index.get(row))
            .collect();
        let launched = |row: &usize| partner.get(*row).is_some_and(|launch| launches.contains(&launch));
        rows.extend((0..events.height()).filter(|&row| stream.get(row).is_some()).filter(launched));
    }
    let wanted: Vec<i64> = rows.into_iter().filter_map(|row| index.get(row)).collect();
    Ok(super::test::int_in(INDEX, wanted))
}

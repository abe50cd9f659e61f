//! Conditions on the rows of a table, and rows that are summed by groups.

use super::columns::column;
use crate::Error;
use crate::argument::Call;
use crate::{Problem, UsageError};
use trace_core::filter::Where;
use trace_core::polars::prelude::{DataFrame, Expr, IntoLazy, col, len};
use trace_view::{Header, Kind, Unit};

/// The column with the number of rows of a group.
pub(crate) const ROWS_IN_GROUP: &str = "rows";

/// Returns the rows that meet a condition.
///
/// # Errors
/// If the frame lacks a column of the condition, or has values of another type in it.
pub(super) fn meeting(call: &Call<'_>, df: &DataFrame, condition: &Where) -> Result<DataFrame, Error> {
    condition.check(df).map_err(|error| rejected(call, &error))?;
    Ok(df.clone().lazy().filter(condition.expr()).collect().map_err(trace_core::Error::from)?)
}

fn rejected(call: &Call<'_>, error: &trace_core::Error) -> UsageError {
    call.usage(Problem::Rejected { what: "--where".to_owned(), reason: error.to_string() })
}

/// Returns one row for equal values of the keys, in the order in which they first occur: the keys, the number of rows, and of the
/// other columns what adds up. Sums of durations, counts and sizes; the first start, the last end; the largest and the smallest value
/// of columns that say so. Ids, texts, percentages, ratios and means do not add up, and are left out.
///
/// # Errors
/// If a key is no column.
pub(super) fn grouped_by(call: &Call<'_>, df: &DataFrame, keys: &[String]) -> Result<DataFrame, Error> {
    for (index, key) in keys.iter().enumerate() {
        column(call, df, key)?;
        if keys[..index].contains(key) {
            return Err(call.invalid("--group-by", &keys.join(","), format!("{key} only once")).into());
        }
    }
    let headers = trace_core::frame_table(&df.head(Some(1)), "", 1).headers;
    let is_key = |name: &str| keys.iter().any(|key| key == name);
    let mut sums: Vec<Expr> = Vec::new();
    if !is_key(ROWS_IN_GROUP) {
        sums.push(len().alias(ROWS_IN_GROUP));
    }
    for header in headers.iter().filter(|header| !is_key(&header.name) && header.name != ROWS_IN_GROUP) {
        let is_number = df.column(&header.name).is_ok_and(|column| column.dtype().is_primitive_numeric());
        sums.extend(is_number.then(|| sum(header)).flatten());
    }
    let by: Vec<Expr> = keys.iter().map(|key| col(key.as_str())).collect();
    Ok(df.clone().lazy().group_by_stable(by).agg(sums).collect().map_err(trace_core::Error::from)?)
}

/// Returns what a column becomes of a group; `None` if it does not add up.
fn sum(header: &Header) -> Option<Expr> {
    let name = header.name.as_str();
    let values = col(name);
    let words: Vec<&str> = name.split(['_', ' ']).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let is_id = header.kind == Kind::Id
        || has(&["rank", "device", "event", "region", "instance", "position", "depth", "height"]);
    let is_ratio = has(&["mean", "avg", "average", "median", "std", "stddev", "var", "ratio", "percent", "share", "q"]);
    // Ends of intervals of certainty, and savings, of which each assumes that the rest stays.
    if is_id || is_ratio || has(&["interval", "saved"]) {
        return None;
    }
    if matches!(name, "ts" | "start" | "first_kernel_start") || (name.ends_with("_ts") && !name.ends_with("end_ts")) {
        return Some(values.min());
    }
    if matches!(name, "end" | "last_kernel_end") || name.ends_with("end_ts") {
        return Some(values.max());
    }
    if has(&["max", "longest", "largest"]) {
        return Some(values.max());
    }
    if has(&["min", "shortest", "smallest"]) {
        return Some(values.min());
    }
    let adds_up = match header.unit {
        Unit::Percent | Unit::GigabytesPerSecond => false,
        // Numbers of another frame; of the library's own the rest are ratios, depths and the like.
        Unit::None => header.meaning.is_empty(),
        _ => true,
    };
    adds_up.then(|| values.sum())
}

//! Figures of a comparison.

use crate::error::FrameReason;
use crate::frame::columns::{
    COUNTS_SUFFIX, DIFF_COUNTS, DIFF_DURATION, DURATION_SUFFIX, MEAN_SUFFIX, NAME, SHORT_NAME,
};
use crate::{By, Comparison, Error, Result};
use polars::prelude::{DataFrame, DataType};
use trace_view::{Axis, BarMode, Figure, Mark, Points, Series, Unit};

/// Draws counts of both sides, and their difference.
pub(super) fn counts(df: &DataFrame) -> Result<Figure> {
    let y = Axis { title: "Counts".to_owned(), unit: Unit::Count, whole: true, ..Axis::default() };
    bars(df, "Ops Count Comparison", COUNTS_SUFFIX, DIFF_COUNTS, y)
}

/// Draws durations of both sides, and their difference.
pub(super) fn durations(df: &DataFrame) -> Result<Figure> {
    let has_means = df.get_column_names().iter().any(|name| name.ends_with(MEAN_SUFFIX));
    let (title, suffix) =
        if has_means { ("Duration in an Iteration", MEAN_SUFFIX) } else { ("Total Duration", DURATION_SUFFIX) };
    let y = Axis { title: title.to_owned(), unit: Unit::Micros, ..Axis::default() };
    bars(df, "Ops Duration Comparison", suffix, DIFF_DURATION, y)
}

fn bars(df: &DataFrame, title: &str, suffix: &str, difference: &str, y: Axis) -> Result<Figure> {
    let (control, test) = labels(df)?;
    let (control, test) = (control.as_str(), test.as_str());
    let names = names(df)?;
    let bar = |name: &str, column: &str| -> Result<Series> {
        Ok(Series { name: name.to_owned(), mark: Mark::Bar, x: Points::Names(names.clone()), y: numbers(df, column)? })
    };
    Ok(Figure {
        title: title.to_owned(),
        y,
        bars: BarMode::Group,
        series: vec![
            bar(control, &format!("{control}{suffix}"))?,
            bar(test, &format!("{test}{suffix}"))?,
            bar("Difference", difference)?,
        ],
        ..Figure::default()
    })
}

/// Returns the labels of the two sides. Only for a frame without the marker, such as one read from a CSV file, they are the
/// prefixes of its two columns of durations, control first: the caller states that it is a comparison.
fn labels(df: &DataFrame) -> Result<(String, String)> {
    if let Some(sides) = Comparison::of(df) {
        return Ok((sides.control().to_owned(), sides.test().to_owned()));
    }
    let mut labels = df.get_column_names().into_iter().filter_map(|name| name.strip_suffix(DURATION_SUFFIX));
    match (labels.next(), labels.next()) {
        (Some(control), Some(test)) => Ok((control.to_owned(), test.to_owned())),
        _ => Err(Error::NotAComparison { reason: FrameReason::NoDurations { suffix: DURATION_SUFFIX } }),
    }
}

fn names(df: &DataFrame) -> Result<Vec<String>> {
    let column = df
        .column(NAME)
        .or_else(|_| df.column(SHORT_NAME))
        .map_err(|_| Error::NotAComparison { reason: FrameReason::NoNames })?;
    let texts = column.as_materialized_series().cast(&DataType::String)?;
    let texts: Vec<String> = texts.str()?.iter().map(|name| name.unwrap_or_default().to_owned()).collect();
    // Rows of one operator differ by their group.
    let group = By::EACH.into_iter().find_map(|by| Some((by, df.column(by.word()).ok()?.cast(&DataType::Int64).ok()?)));
    let Some((by, group)) = group else { return Ok(texts) };
    let named = |(name, group): (String, Option<i64>)| match group {
        Some(group) => format!("{by} {group} · {name}"),
        None => name,
    };
    Ok(texts.into_iter().zip(group.i64()?.iter()).map(named).collect())
}

fn numbers(df: &DataFrame, name: &str) -> Result<Vec<f64>> {
    let missing = |_| Error::NotAComparison { reason: FrameReason::no_column_of(name, "numbers") };
    let floats =
        df.column(name).and_then(|column| column.as_materialized_series().cast(&DataType::Float64)).map_err(missing)?;
    Ok(floats.f64()?.iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

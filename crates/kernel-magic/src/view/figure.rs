//! Any data frame as a figure: bars of its numbers, or a histogram of a column.

use super::columns::{column, name_column, numbers};
use super::rows::SelectedRows;
use crate::Error;
use crate::argument::{Argument, Call, Group, Kind};
use trace_core::columns::{DIFF_DURATION, DUR};
use trace_core::polars::prelude::{DataFrame, DataType};
use trace_core::{Comparison, frame_table};
use trace_view::{Axis, Figure, Header, Kind as Shown, Mark, Points, Series, Unit, grouped};

/// Default of `--top`.
const TOP: u64 = 50;
/// Default of `--bins`.
const BINS: u64 = 40;
/// Upper bound of `--bins`.
const MAX_BINS: u64 = 10_000;

/// Flags of the figure.
pub(crate) const FIGURE: Group = Group::new(
    "Figure",
    &[
        Argument::flag("as", Kind::Choice(&["table", "bar", "histogram"]), "form in which the rows are shown")
            .or("table"),
        Argument::flag("x", Kind::Column, "bar: the column of names; histogram: the column whose values are counted")
            .or("see below"),
        Argument::flag("y", Kind::Columns, "bar: the columns of numbers").or("see below"),
        Argument::flag("bins", Kind::Whole, "histogram: maximum number of bars").or("40"),
        Argument::flag("log", Kind::Switch, "a logarithmic axis"),
        Argument::flag("height", Kind::Whole, "height of the figure in pixels"),
        Argument::flag("html", Kind::File, "write a page with the interactive figure; works offline"),
        Argument::flag("png", Kind::File, "write a picture of the figure"),
    ],
);

/// Notes of the help page on the order of rows and the choice of columns.
pub(crate) const FIGURE_NOTES: &str = "Rows keep the order of the variable unless --sort is given.\n\n\
    --as bar draws the first 50 rows (or --top) in their order. Names come from --x: by default name or short_name, else \
    the first column of text, else the first column of ids such as rank. Bars come from --y: by default both durations \
    of a comparison and their difference, else the first column of numbers.\n\n\
    --as histogram counts the values of --x in bars of equal width: by default dur, else the first column of durations, \
    else the first column of numbers.";

/// Flags, and the forms of `--as` that they apply to.
const APPLIES_TO: &[(&str, &[&str])] = &[
    ("x", &["bar", "histogram"]),
    ("y", &["bar"]),
    ("bins", &["histogram"]),
    ("log", &["bar", "histogram"]),
    ("height", &["bar", "histogram"]),
    ("html", &["bar", "histogram"]),
    ("png", &["bar", "histogram"]),
    ("columns", &["table"]),
    ("min-us", &["table"]),
    ("unit", &["table"]),
];

/// Returns the form of `--as`, and checks that all flags apply to it.
///
/// # Errors
/// The first flag that does not.
pub(crate) fn check_form<'c>(call: &'c Call<'_>) -> Result<&'c str, Error> {
    let form = call.text("as").unwrap_or("table");
    for (flag, forms) in APPLIES_TO {
        if call.has(flag) && !forms.contains(&form) {
            let reason = format!("it applies only to --as {}", forms.join(" or --as "));
            return Err(call.cannot(format!("use --{flag} with --as {form}"), reason).into());
        }
    }
    Ok(form)
}

/// Draws bars of the columns `--y` at the names in `--x`.
///
/// # Errors
/// If a column is missing or not numeric, or the units of the columns differ.
pub fn bars(call: &Call<'_>, rows: &SelectedRows, title: &str) -> Result<Figure, Error> {
    let df = &rows.df;
    let x = match call.text("x") {
        Some(name) => Some(column(call, df, name)?),
        None => name_column(df).or_else(|| identifier(df)),
    };
    let y = match call.words("y") {
        Some(names) => names.iter().map(|name| numeric(call, df, "y", name)).collect::<Result<_, _>>()?,
        None => of_comparison(df).map_or_else(|| first(call, df, x.as_deref()).map(|one| vec![one]), Ok)?,
    };
    let headers = headers(df);
    let unit = |name: &str| headers.iter().find(|header| header.name == name).map_or(Unit::None, |header| header.unit);
    if let Some(other) = y.iter().find(|name| unit(name) != unit(&y[0])) {
        let reason = format!("their units differ ({} and {})", words(unit(&y[0])), words(unit(other)));
        let error = call.cannot(format!("draw {} and {other} in one figure", y[0]), reason);
        return Err(error.hint("draw one at a time").into());
    }
    let top = match call.whole("top").unwrap_or(TOP) {
        0 => df.height(),
        top => usize::try_from(top).unwrap_or(usize::MAX),
    };
    let shown = df.head(Some(top));
    let names = match &x {
        Some(x) => texts(&shown, x)?,
        None => (0..shown.height()).map(|row| row.to_string()).collect(),
    };
    let mut series: Vec<Series> = Vec::new();
    for name in &y {
        let values = numbers(&shown, name).unwrap_or_default();
        let y = values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        series.push(Series { name: name.clone(), mark: Mark::Bar, x: Points::Names(names.clone()), y });
    }
    let unit = fitting(unit(&y[0]), &mut series);
    Ok(Figure {
        title: format!("{} by {}", y.join(", "), x.as_deref().unwrap_or("row")),
        subtitle: subtitle(title, shown.height(), rows),
        x: Axis { title: x.unwrap_or_else(|| "row".to_owned()), ..Axis::default() },
        y: Axis {
            title: if let [one] = y.as_slice() { one.clone() } else { String::new() },
            unit,
            log: call.switch("log"),
            ..Axis::default()
        },
        series,
        height: height(call),
        ..Figure::default()
    })
}

/// Draws the histogram of the column `--x`.
///
/// # Errors
/// If the column is missing or not numeric.
pub(crate) fn histogram(call: &Call<'_>, rows: &SelectedRows, title: &str) -> Result<Figure, Error> {
    let df = &rows.df;
    let x = match call.text("x") {
        Some(name) => numeric(call, df, "x", name)?,
        None => durations(df).map_or_else(|| first(call, df, None), Ok)?,
    };
    let most = match call.whole("bins").unwrap_or(BINS) {
        bins @ 1..=MAX_BINS => bins as usize,
        bins => {
            let expected = format!("1 to {}", grouped(MAX_BINS as usize));
            return Err(call.invalid("--bins", &bins.to_string(), expected).into());
        }
    };
    let whole = df.column(&x).is_ok_and(|column| column.dtype().is_integer());
    let values: Vec<f64> =
        numbers(df, &x).unwrap_or_default().into_iter().flatten().filter(|v| v.is_finite()).collect();
    let header = headers(df).into_iter().find(|header| header.name == x).unwrap_or_default();
    let mut series = vec![binned(&x, &values, most, whole && !header.unit.measures_durations(&x))];
    let unit = along(header.unit, &mut series);
    let missing = df.height() - values.len();
    let mut subtitle = subtitle(title, df.height(), rows);
    if missing > 0 {
        subtitle.push_str(&format!(" · {} rows without a value", grouped(missing)));
    }
    Ok(Figure {
        title: format!("Histogram of {x}"),
        subtitle,
        x: Axis { title: x, unit, ..Axis::default() },
        y: Axis {
            title: "Rows".to_owned(),
            unit: Unit::Count,
            log: call.switch("log"),
            whole: true,
            ..Axis::default()
        },
        series,
        height: height(call),
        ..Figure::default()
    })
}

/// Counts the values in at most `most` bars of equal width, each drawn at its middle; bars of integers have integer width.
fn binned(name: &str, values: &[f64], most: usize, whole: bool) -> Series {
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    let (mut x, mut y) = (Vec::new(), Vec::new());
    if low <= high {
        let (low, width, bins) = if whole {
            let width = ((high - low + 1.0) / most as f64).ceil().max(1.0);
            // A bar of one integer is centred on it.
            (low - 0.5, width, (((high - low + 1.0) / width).ceil() as usize).clamp(1, most))
        } else if high > low {
            (low, (high - low) / most as f64, most)
        } else {
            (low - 0.5, 1.0, 1)
        };
        let mut counts = vec![0_u64; bins];
        for value in values {
            let bin = ((value - low) / width) as usize;
            counts[bin.min(bins - 1)] += 1;
        }
        for (bin, count) in counts.into_iter().enumerate() {
            x.push(low + (bin as f64 + 0.5) * width);
            y.push(count as f64);
        }
    }
    Series { name: name.to_owned(), mark: Mark::Bar, x: Points::Numbers(x), y }
}

fn headers(df: &DataFrame) -> Vec<Header> {
    frame_table(df, "", 0).headers
}

/// Returns the columns of numbers that are not ids, in order.
fn measures(df: &DataFrame) -> Vec<Header> {
    let measures = |header: &Header| header.kind != Shown::Id && numbers(&df.head(Some(0)), &header.name).is_some();
    headers(df).into_iter().filter(measures).collect()
}

/// Returns the first column of ids: rank, stream.
fn identifier(df: &DataFrame) -> Option<String> {
    headers(df).into_iter().find(|header| header.kind == Shown::Id).map(|header| header.name)
}

/// Returns `dur`, else the first column of durations.
fn durations(df: &DataFrame) -> Option<String> {
    let measures = measures(df);
    let dur = measures.iter().find(|header| header.name == DUR);
    dur.or_else(|| measures.iter().find(|header| header.is_duration())).map(|header| header.name.clone())
}

/// Returns both durations of a comparison and their difference.
fn of_comparison(df: &DataFrame) -> Option<Vec<String>> {
    let [control, test] = Comparison::of(df)?.durations();
    let names = vec![control, test, DIFF_DURATION.to_owned()];
    names.iter().all(|name| df.column(name).is_ok()).then_some(names)
}

/// Returns the first column of numbers other than `taken`.
fn first(call: &Call<'_>, df: &DataFrame, taken: Option<&str>) -> Result<String, Error> {
    let found = measures(df).into_iter().find(|header| Some(header.name.as_str()) != taken);
    found.map(|header| header.name).ok_or_else(|| {
        let error = call.cannot("draw the frame", "it has no column of numbers besides ids");
        error.hint("choose columns with --x and --y, or show the rows with --as table").into()
    })
}

/// Returns the column `name`.
///
/// # Errors
/// If it is missing or not numeric.
fn numeric(call: &Call<'_>, df: &DataFrame, flag: &str, name: &str) -> Result<String, Error> {
    let name = column(call, df, name)?;
    if numbers(&df.head(Some(0)), &name).is_some() {
        return Ok(name);
    }
    let dtype = df.column(&name).map_or_else(|_| String::new(), |column| column.dtype().to_string());
    let numeric: Vec<String> = measures(df).into_iter().map(|header| header.name).collect();
    let hint = if numeric.is_empty() { String::new() } else { format!("numeric columns: {}", numeric.join(", ")) };
    Err(call.invalid(&format!("--{flag}"), &name, format!("a column of numbers, not of {dtype}")).hint(hint).into())
}

fn texts(df: &DataFrame, name: &str) -> Result<Vec<String>, Error> {
    let column = df.column(name).and_then(|column| column.cast(&DataType::String)).map_err(trace_core::Error::from)?;
    let texts = column.str().map_err(trace_core::Error::from)?;
    Ok(texts.iter().map(|text| text.unwrap_or("null").to_owned()).collect())
}

/// Converts durations to the unit that fits the largest; returns the unit.
fn fitting(unit: Unit, series: &mut [Series]) -> Unit {
    let largest =
        series.iter().flat_map(|series| &series.y).filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
    let (to, factor) = suited(unit, largest);
    series.iter_mut().flat_map(|series| &mut series.y).for_each(|value| *value *= factor);
    to
}

/// Like [`fitting`], for the values of the x axis.
fn along(unit: Unit, series: &mut [Series]) -> Unit {
    let at = |series: &Series| if let Points::Numbers(x) = &series.x { x.clone() } else { Vec::new() };
    let largest = series.iter().flat_map(at).fold(0.0, |most: f64, value| most.max(value.abs()));
    let (to, factor) = suited(unit, largest);
    for series in series {
        if let Points::Numbers(x) = &mut series.x {
            x.iter_mut().for_each(|value| *value *= factor);
        }
    }
    to
}

fn suited(unit: Unit, largest: f64) -> (Unit, f64) {
    let Some(seconds) = unit.seconds() else { return (unit, 1.0) };
    let to = Unit::fitting(largest * seconds);
    (to, to.seconds().map_or(1.0, |to| seconds / to))
}

/// `df · 50 of 1,284 rows · sorted by dur ↓`
fn subtitle(title: &str, shown: usize, rows: &SelectedRows) -> String {
    let mut parts = vec![title.to_owned()];
    if shown < rows.total {
        parts.push(format!("{} of {} rows", grouped(shown), grouped(rows.total)));
    }
    parts.extend(rows.order.clone());
    parts.join(" · ")
}

fn height(call: &Call<'_>) -> Option<u32> {
    call.whole("height").and_then(|height| u32::try_from(height).ok())
}

fn words(unit: Unit) -> &'static str {
    match unit {
        Unit::None => "none",
        Unit::Count => "a number",
        unit => unit.symbol(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64], most: usize, whole: bool) -> Vec<(f64, f64)> {
        let series = binned("x", values, most, whole);
        let Points::Numbers(x) = series.x else { return Vec::new() };
        x.into_iter().zip(series.y).collect()
    }

    #[test]
    fn values_are_counted_in_bars_of_equal_width() {
        assert_eq!(of(&[0.0, 1.0, 2.5, 10.0], 4, false), [(1.25, 2.0), (3.75, 1.0), (6.25, 0.0), (8.75, 1.0)]);
        assert_eq!(of(&[7.0, 7.0], 4, false), [(7.0, 2.0)]);
        assert_eq!(of(&[], 4, false), []);
    }

    #[test]
    fn integers_are_counted_in_bars_of_integer_width() {
        assert_eq!(of(&[1.0, 3.0, 3.0], 40, true), [(1.0, 1.0), (2.0, 0.0), (3.0, 2.0)]);
        // 1 to 10 in four bars: three numbers each.
        assert_eq!(of(&[1.0, 4.0, 10.0], 4, true), [(2.0, 1.0), (5.0, 1.0), (8.0, 0.0), (11.0, 1.0)]);
    }
}

//! Any data frame as a figure: bars of its numbers, or how often its values fall where.

use super::rows::{SelectedRows, column, name_column, numbers};
use crate::Error;
use crate::magic::argument::{Argument, Call, Group, Kind};
use trace::polars::prelude::{DataFrame, DataType};
use trace::{Comparison, frame_table};
use trace_view::{Axis, Figure, Header, Kind as Shown, Mark, Points, Series, Unit, grouped};

/// Bars of a figure that does not say how many; nobody reads more.
const TOP: u64 = 50;
/// Bars of a histogram that does not say how many.
const BINS: u64 = 40;
/// The most bars of a histogram.
const MOST_BINS: u64 = 10_000;

/// How a frame is drawn.
pub(crate) const FIGURE: Group = Group::new(
    "Figure",
    &[
        Argument::flag("as", Kind::Choice(&["table", "bar", "histogram"]), "how the rows are shown").or("table"),
        Argument::flag("x", Kind::Column, "bar: the column of names; histogram: the column whose values are counted")
            .or("see below"),
        Argument::flag("y", Kind::Columns, "bar: the columns of numbers").or("see below"),
        Argument::flag("bins", Kind::Whole, "histogram: how many bars at most").or("40"),
        Argument::flag("log", Kind::Switch, "a logarithmic axis"),
        Argument::flag("height", Kind::Whole, "height of the figure in pixels"),
        Argument::flag("html", Kind::File, "write a page with the live figure; works without a network"),
        Argument::flag("png", Kind::File, "write a picture of the figure"),
    ],
);

/// What the help page says of the order of rows and of the choice of columns.
pub(crate) const FIGURE_NOTES: &str = "The rows stand in the order of the variable unless --sort is given.\n\n\
    --as bar draws up to 50 rows (--top says otherwise) in their order: at \
    the names in --x (a column called name or short_name, else the first of texts, else the first of numbers that name \
    something, such as rank) the numbers of --y (of a comparison both durations and their difference, else the first \
    column of numbers). --as histogram counts the values of --x (dur, else the first column of durations, else the first \
    of numbers) in bars of equal width.";

/// Flags that belong to one way of drawing only, and which.
const ONLY: &[(&str, &[&str])] = &[
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

/// Checks that the flags belong to what `--as` says.
///
/// # Errors
/// The first flag that does not.
pub(crate) fn fits<'c>(call: &'c Call<'_>) -> Result<&'c str, Error> {
    let way = call.text("as").unwrap_or("table");
    for (flag, ways) in ONLY {
        if call.given(flag) && !ways.contains(&way) {
            return Err(call.usage(format!("--{flag} goes with --as {}, not with a {way}.", ways.join(" or --as "))));
        }
    }
    Ok(way)
}

/// Bars of the numbers of `--y` at the names of `--x`.
///
/// # Errors
/// If a column is missing or holds no numbers, or the columns have different units.
pub(crate) fn bars(call: &Call<'_>, rows: &SelectedRows, title: &str) -> Result<Figure, Error> {
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
        return Err(call.usage(format!(
            "--y: {} and {other} have different units ({} and {}); draw one at a time.",
            y[0],
            words(unit(&y[0])),
            words(unit(other))
        )));
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

/// How often the values of `--x` fall into bars of equal width.
///
/// # Errors
/// If the column is missing or holds no numbers.
pub(crate) fn histogram(call: &Call<'_>, rows: &SelectedRows, title: &str) -> Result<Figure, Error> {
    let df = &rows.df;
    let x = match call.text("x") {
        Some(name) => numeric(call, df, "x", name)?,
        None => durations(df).map_or_else(|| first(call, df, None), Ok)?,
    };
    let most = match call.whole("bins").unwrap_or(BINS) {
        bins @ 1..=MOST_BINS => bins as usize,
        _ => return Err(call.usage(format!("--bins: expected 1 to {}.", grouped(MOST_BINS as usize)))),
    };
    let whole = df.column(&x).is_ok_and(|column| column.dtype().is_integer());
    let values: Vec<f64> =
        numbers(df, &x).unwrap_or_default().into_iter().flatten().filter(|v| v.is_finite()).collect();
    let header = headers(df).into_iter().find(|header| header.name == x).unwrap_or_default();
    let mut series = vec![counted(&x, &values, most, whole && !header.unit.measures_durations(&x))];
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
        y: Axis { title: "Rows".to_owned(), unit: Unit::Count, log: call.switch("log"), whole: true },
        series,
        height: height(call),
        ..Figure::default()
    })
}

/// The values in at most `most` bars of equal width, each at its middle; whole numbers in bars of whole width.
fn counted(name: &str, values: &[f64], most: usize, whole: bool) -> Series {
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    let (mut x, mut y) = (Vec::new(), Vec::new());
    if low <= high {
        let (low, width, bins) = if whole {
            let width = ((high - low + 1.0) / most as f64).ceil().max(1.0);
            // A bar of one number stands at this number.
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

/// The columns of numbers that measure something, in order.
fn measures(df: &DataFrame) -> Vec<Header> {
    let measures = |header: &Header| header.kind != Shown::Id && numbers(&df.head(Some(0)), &header.name).is_some();
    headers(df).into_iter().filter(measures).collect()
}

/// The first column of numbers that names something: a rank, a stream.
fn identifier(df: &DataFrame) -> Option<String> {
    headers(df).into_iter().find(|header| header.kind == Shown::Id).map(|header| header.name)
}

/// `dur`, or the first column of durations.
fn durations(df: &DataFrame) -> Option<String> {
    let measures = measures(df);
    let dur = measures.iter().find(|header| header.name == "dur");
    dur.or_else(|| measures.iter().find(|header| header.is_duration())).map(|header| header.name.clone())
}

/// Both durations of a comparison, and their difference.
fn of_comparison(df: &DataFrame) -> Option<Vec<String>> {
    let [control, test] = Comparison::of(df)?.durations();
    let names = vec![control, test, "diff_duration".to_owned()];
    names.iter().all(|name| df.column(name).is_ok()).then_some(names)
}

/// The first column of numbers that is not `taken`.
fn first(call: &Call<'_>, df: &DataFrame, taken: Option<&str>) -> Result<String, Error> {
    let found = measures(df).into_iter().find(|header| Some(header.name.as_str()) != taken);
    found.map(|header| header.name).ok_or_else(|| {
        call.usage("there is no column of numbers to draw; --as table shows the rows, --x and --y name columns.")
    })
}

/// The column called `name`, if it holds numbers.
fn numeric(call: &Call<'_>, df: &DataFrame, flag: &str, name: &str) -> Result<String, Error> {
    let name = column(call, df, name)?;
    if numbers(&df.head(Some(0)), &name).is_some() {
        return Ok(name);
    }
    let dtype = df.column(&name).map_or_else(|_| String::new(), |column| column.dtype().to_string());
    let there: Vec<String> = measures(df).into_iter().map(|header| header.name).collect();
    let there = if there.is_empty() { "There are none.".to_owned() } else { format!("Numbers: {}.", there.join(", ")) };
    Err(call.usage(format!("--{flag}: column \"{name}\" holds no numbers ({dtype}). {there}")))
}

fn texts(df: &DataFrame, name: &str) -> Result<Vec<String>, Error> {
    let column = df.column(name).and_then(|column| column.cast(&DataType::String)).map_err(trace::Error::from)?;
    let texts = column.str().map_err(trace::Error::from)?;
    Ok(texts.iter().map(|text| text.unwrap_or("null").to_owned()).collect())
}

/// Expresses the values in the unit of time that suits the largest.
fn fitting(unit: Unit, series: &mut [Series]) -> Unit {
    let largest =
        series.iter().flat_map(|series| &series.y).filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
    let (to, factor) = suited(unit, largest);
    series.iter_mut().flat_map(|series| &mut series.y).for_each(|value| *value *= factor);
    to
}

/// The same for the values along the first axis.
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
    if shown < rows.of {
        parts.push(format!("{} of {} rows", grouped(shown), grouped(rows.of)));
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
        let series = counted("x", values, most, whole);
        let Points::Numbers(x) = series.x else { return Vec::new() };
        x.into_iter().zip(series.y).collect()
    }

    #[test]
    fn values_fall_into_bars_of_equal_width_the_largest_into_the_last() {
        assert_eq!(of(&[0.0, 1.0, 2.5, 10.0], 4, false), [(1.25, 2.0), (3.75, 1.0), (6.25, 0.0), (8.75, 1.0)]);
        assert_eq!(of(&[7.0, 7.0], 4, false), [(7.0, 2.0)]);
        assert_eq!(of(&[], 4, false), []);
    }

    #[test]
    fn whole_numbers_stand_in_bars_of_whole_width() {
        assert_eq!(of(&[1.0, 3.0, 3.0], 40, true), [(1.0, 1.0), (2.0, 0.0), (3.0, 2.0)]);
        // 1 to 10 in four bars: three numbers each.
        assert_eq!(of(&[1.0, 4.0, 10.0], 4, true), [(2.0, 1.0), (5.0, 1.0), (8.0, 0.0), (11.0, 1.0)]);
    }
}

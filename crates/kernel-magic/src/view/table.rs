//! Delivery of a frame as file, variable and table, by the flags of a call.
//!
//! `--filter`, `--category`, `--where`, `--group-by`, `--sort` and `--columns` shape all three. The default order, `--top`, `--min-us` and `--unit`
//! shape only the table.

use super::columns::{column, numbers};
use super::csv::write_csv;
use super::rows::SelectedRows;
use crate::Error;
use crate::argument::Call;
use crate::context::Context;
use trace_core::columns::RANK;
use trace_core::display_table;
use trace_core::polars::prelude::DataFrame;
use trace_view::grouped;
use trace_view::{EventCells, Header, Page, Part, Report, Table, Unit};

/// Default of `--top`.
const TOP: u64 = 20;

/// A frame to deliver.
pub struct Frame<'a> {
    /// The rows, in HTA's order.
    pub df: DataFrame,
    /// The caption of the table.
    pub caption: &'a str,
    /// The column whose magnitude orders the table, unless `--sort` does.
    pub order: &'a str,
    /// The columns of the table unless `--columns` chooses; all if `None`.
    pub columns: Option<Vec<String>>,
    /// The cells that list the events of a row.
    pub events: Option<EventCells>,
    /// The columns of times in ns, where more is known than their names and types say.
    pub times: Option<Vec<String>>,
}

impl<'a> Frame<'a> {
    /// Creates a frame whose table has all columns, in the order of the rows.
    pub fn of(df: DataFrame, caption: &'a str) -> Self {
        Self { df, caption, order: "", columns: None, events: None, times: None }
    }
}

/// Writes the file, binds the variable `bind` and shows the table, as the call demands.
///
/// # Errors
/// If a flag names a missing column, or the file cannot be written; nothing is bound or shown then.
pub fn deliver(call: &Call<'_>, context: &mut Context<'_>, frame: Frame<'_>, bind: Option<&str>) -> Result<(), Error> {
    let Frame { df, caption, order, columns: shown, events, times } = frame;
    let rows = SelectedRows::select(call, df)?;
    let columns = chosen(call, &rows.df)?;
    let file = select(&rows.df, &columns)?;
    // The table is made first, so that a wrong flag leaves no file and no variable behind.
    // Groups have other columns, and stand for several names.
    let (shown, events) = if call.has("group-by") { (None, None) } else { (shown, events) };
    let shown = if columns.is_some() { &columns } else { &shown };
    let draw = |df: &DataFrame, rows: usize| with_times(display_table(df, caption, rows), times.as_deref());
    let table = table(call, rows, shown, order, draw)?;
    let table = Table { events, ..table };
    if let Some(name) = bind {
        context.check_free(call, name)?;
    }
    if let Some(path) = call.path("csv") {
        write_csv(&path, &file)?;
    }
    if let Some(name) = bind {
        context.bind_frame(call, name, &file)?;
    }
    if call.shows() {
        context.show(&Report::of(Part::Table(table)));
    }
    if call.quiet() {
        return Ok(());
    }
    if let Some(name) = bind {
        context.print_line(format!("{name}: DataFrame {}", size(&file)));
    }
    if let Some(path) = call.path("csv") {
        context.print_line(format!("wrote {}: {}", path.display(), size(&file)));
    }
    Ok(())
}

/// Sets the unit of columns with the name of a time: ns of these, none of the rest. `None` leaves the units as they are.
fn with_times(mut table: Table, times: Option<&[String]>) -> Table {
    let Some(times) = times else { return table };
    for header in &mut table.headers {
        if times.contains(&header.name) {
            header.unit = Unit::Nanos;
        } else if header.unit == Unit::Nanos {
            (header.unit, header.meaning) = (Unit::None, String::new());
        }
    }
    table
}

/// `1,284 × 8`
pub(crate) fn size(df: &DataFrame) -> String {
    format!("{} × {}", grouped(df.height()), df.width())
}

/// Returns the columns of `--columns`.
///
/// # Errors
/// If one does not exist or is repeated.
pub fn chosen(call: &Call<'_>, df: &DataFrame) -> Result<Option<Vec<String>>, Error> {
    let Some(names) = call.words("columns") else { return Ok(None) };
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(call.invalid("--columns", &names.join(","), format!("{name} only once")).into());
        }
    }
    names.iter().map(|name| column(call, df, name)).collect::<Result<_, _>>().map(Some)
}

/// Returns the frame with these columns; all if `None`.
///
/// # Errors
/// If polars refuses.
pub fn select(df: &DataFrame, columns: &Option<Vec<String>>) -> Result<DataFrame, Error> {
    match columns {
        Some(columns) => Ok(df.select(columns.iter().map(String::as_str)).map_err(trace_core::Error::from)?),
        None => Ok(df.clone()),
    }
}

/// Makes the table of some rows, by the flags of a call. `draw` makes a table of the first n rows of a frame; `columns`
/// are shown.
///
/// # Errors
/// If a flag names a missing column.
pub fn table(
    call: &Call<'_>,
    rows: SelectedRows,
    columns: &Option<Vec<String>>,
    order: &str,
    draw: impl Fn(&DataFrame, usize) -> Table,
) -> Result<Table, Error> {
    let (of, matched) = (rows.total, rows.df.height());
    let mut rows = rows.or_by_magnitude(order)?;
    let mut notes: Vec<String> = rows.order.take().into_iter().collect();
    if matched < of {
        notes.push(format!("{} of {} rows match", grouped(matched), grouped(of)));
    }
    if let Some(least) = call.number("min-us").filter(|&least| least > 0.0) {
        let keep = long_enough(&rows.df, &draw(&rows.df, 0).headers, least);
        rows = rows.keep(&keep)?;
        let hidden = matched - rows.df.height();
        if hidden > 0 {
            notes.push(format!("{} rows below {least} µs hidden", grouped(hidden)));
        }
    }
    let df = rows.df;
    let top = match call.whole("top").unwrap_or(TOP) {
        0 => df.height(),
        top => usize::try_from(top).unwrap_or(usize::MAX),
    };
    // The extension pages through the rows after the first page.
    let mut table = draw(&df, top.max(Table::MOST_ROWS));
    table = match columns {
        Some(columns) => table.select(columns),
        // Only in the table: frames and files keep HTA's order of columns.
        None => table.with_first_id(RANK),
    };
    table.notes = notes;
    table.page = (top < df.height()).then(|| Page {
        rows: top,
        more: if top < 50 && df.height() > 50 { "--top 50 shows more" } else { "--top 0 shows all" }.to_owned(),
    });
    table.rest = "`--filter` searches all".to_owned();
    Ok(match call.text("unit") {
        Some("us") => table.in_time_unit(Unit::Micros),
        Some("ms") => table.in_time_unit(Unit::Millis),
        Some("s") => table.in_time_unit(Unit::Seconds),
        _ => table.in_fitting_time_unit(),
    })
}

/// Returns which rows have a duration of at least `least` µs, in any column of durations.
fn long_enough(df: &DataFrame, headers: &[Header], least: f64) -> Vec<bool> {
    let mut long = vec![false; df.height()];
    for header in headers.iter().filter(|header| header.is_duration()) {
        let Some(factor) = header.unit.seconds().map(|seconds| seconds * 1e6) else { continue };
        let Some(values) = numbers(df, &header.name) else { continue };
        for (long, value) in long.iter_mut().zip(values) {
            *long |= value.is_some_and(|value| value.abs() * factor >= least);
        }
    }
    long
}

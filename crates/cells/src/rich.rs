//! Types that are shown as tables and figures, and containers of them.

use crate::plot;
use polars::prelude::{Column, DataFrame, LazyFrame, Series};
use std::collections::{BTreeMap, HashMap};
use std::fmt::{Debug, Display};
use std::rc::Rc;
use std::sync::Arc;
use trace::{Answer, Comparison, Description, OpsDiff, Trace, TraceSet};
use trace_view::{Bundle, EventCell, EventCells, Figure, Page, Present, Report, Table};

/// The bundles of a value, in order, or the text of an error value.
pub type Shown = Result<Vec<Bundle>, String>;

/// Rows on the first page of a data frame; the line below the table says how many there are.
const ROWS: usize = 20;
/// Rows that the extension can page through. Cells show frames often, and every table is saved in the notebook.
const MOST_ROWS: usize = 500;

/// A type with a rich form.
pub trait Rich {
    /// Returns the bundles, in order.
    ///
    /// # Errors
    /// The text of an error value.
    fn bundles(&self) -> Shown;
}

fn table(frame: &DataFrame, caption: &str) -> Shown {
    let mut table = trace::display_table(frame, caption, MOST_ROWS);
    table.page = (frame.height() > ROWS).then(|| Page { rows: ROWS, more: String::new() });
    if frame.height() > MOST_ROWS {
        let name = crate::variable_name::take_name();
        let name = name.as_deref().unwrap_or("VARIABLE");
        // `%show` pages through more rows, but not through any number.
        table.rest = if frame.height() <= Table::MOST_ROWS {
            format!("`%show {name} --top 0` shows all")
        } else {
            format!("`%show {name} --filter 'TEXT'` searches all")
        };
    }
    table.events = event_cells(frame);
    Ok(trace_render::bundles(&table.present()))
}

/// Returns the notebook cells that list the events behind the rows of a comparison: all events of the traces with its labels.
fn event_cells(frame: &DataFrame) -> Option<EventCells> {
    let sides = Comparison::of(frame)?;
    let (name, flag) = [("name", "--name"), ("short_name", "--short-name")]
        .into_iter()
        .find(|(name, _)| frame.column(name).is_ok())?;
    let cell = |(label, counts): (&str, String)| EventCell {
        title: format!("events in {label}"),
        before: format!("%events {label} {flag} "),
        after: String::new(),
        counts,
    };
    let cells = [sides.control(), sides.test()].into_iter().zip(sides.counts()).map(cell).collect();
    Some(EventCells { name: name.to_owned(), rank: None, cells })
}

impl Rich for DataFrame {
    fn bundles(&self) -> Shown {
        table(self, "DataFrame")
    }
}

impl Rich for Series {
    fn bundles(&self) -> Shown {
        table(&self.clone().into_frame(), "Series")
    }
}

impl Rich for Column {
    fn bundles(&self) -> Shown {
        table(&self.clone().into_frame(), "Column")
    }
}

impl Rich for Trace {
    fn bundles(&self) -> Shown {
        table(&self.events(), &format!("Trace · rank {}", self.rank()))
    }
}

impl Rich for LazyFrame {
    fn bundles(&self) -> Shown {
        let plan = self.describe_plan().map_err(|error| error.to_string())?;
        Ok(vec![Bundle::text(format!("LazyFrame; `.collect()?` turns it into a DataFrame\n{plan}"))])
    }
}

impl Rich for plotly::Plot {
    fn bundles(&self) -> Shown {
        plot::bundle(self).map(|bundle| vec![bundle])
    }
}

impl Rich for Bundle {
    fn bundles(&self) -> Shown {
        Ok(vec![self.clone()])
    }
}

macro_rules! presented {
    ($($type:ty),*) => {$(
        impl Rich for $type {
            fn bundles(&self) -> Shown {
                Ok(trace_render::bundles(&self.present()))
            }
        }
    )*};
}

presented!(Answer, Description, Figure, OpsDiff, Report, Table, TraceSet);

/// A diverging expression, `panic!(…)`, is never shown. Rust has no stable name for its type.
impl Rich for <fn() -> ! as ReturnType>::Type {
    fn bundles(&self) -> Shown {
        *self
    }
}

/// A function type, for the type that it returns.
pub trait ReturnType {
    /// The returned type.
    type Type;
}

impl<T> ReturnType for fn() -> T {
    type Type = T;
}

macro_rules! pointers {
    ($($type:ty),*) => {$(
        impl<T: Rich + ?Sized> Rich for $type {
            fn bundles(&self) -> Shown {
                (**self).bundles()
            }
        }
    )*};
}

pointers!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

impl<T: Rich> Rich for [T] {
    fn bundles(&self) -> Shown {
        if self.is_empty() {
            return Ok(vec![Bundle::text("[]")]);
        }
        each(self)
    }
}

impl<T: Rich, const N: usize> Rich for [T; N] {
    fn bundles(&self) -> Shown {
        self.as_slice().bundles()
    }
}

impl<T: Rich> Rich for Vec<T> {
    fn bundles(&self) -> Shown {
        self.as_slice().bundles()
    }
}

impl<T: Rich> Rich for Option<T> {
    fn bundles(&self) -> Shown {
        self.as_ref().map_or_else(|| Ok(vec![Bundle::text("None")]), T::bundles)
    }
}

impl<T: Rich, E: Display> Rich for Result<T, E> {
    fn bundles(&self) -> Shown {
        self.as_ref().map_err(ToString::to_string).and_then(T::bundles)
    }
}

impl<K: Debug, V: Rich> Rich for BTreeMap<K, V> {
    fn bundles(&self) -> Shown {
        keyed(self.iter().map(|(key, value)| (format!("{key:?}"), value)).collect())
    }
}

impl<K: Debug, V: Rich, S> Rich for HashMap<K, V, S> {
    /// In the order of the keys' text, since the map has none of its own.
    fn bundles(&self) -> Shown {
        let mut entries: Vec<(String, &V)> = self.iter().map(|(key, value)| (format!("{key:?}"), value)).collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        keyed(entries)
    }
}

impl<A: Rich, B: Rich> Rich for (A, B) {
    fn bundles(&self) -> Shown {
        Ok([self.0.bundles()?, self.1.bundles()?].concat())
    }
}

impl<A: Rich, B: Rich, C: Rich> Rich for (A, B, C) {
    fn bundles(&self) -> Shown {
        Ok([self.0.bundles()?, self.1.bundles()?, self.2.bundles()?].concat())
    }
}

/// Returns the bundles of each value, after its key.
fn keyed<V: Rich>(entries: Vec<(String, &V)>) -> Shown {
    if entries.is_empty() {
        return Ok(vec![Bundle::text("{}")]);
    }
    let mut bundles = Vec::new();
    for (key, value) in entries {
        bundles.push(Bundle::text(format!("{key}:")));
        bundles.extend(value.bundles()?);
    }
    Ok(bundles)
}

fn each<T: Rich>(values: &[T]) -> Shown {
    let shown: Result<Vec<Vec<Bundle>>, String> = values.iter().map(T::bundles).collect();
    Ok(shown?.concat())
}

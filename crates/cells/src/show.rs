//! How the value of a cell's last expression shows itself.

use crate::channel::{send, send_all, send_result};
use polars::prelude::{Column, DataFrame, LazyFrame, Series};
use std::any::Any;
use std::fmt::Debug;
use trace::{OpsDiff, Trace, TraceSet};
use trace_view::envelope::Envelope;
use trace_view::{Bundle, Figure, Part, Present, Report, Table};

/// Rows of a data frame that a cell shows; the caption says how many there are.
const ROWS: usize = 20;

/// Shows a value: richly where we know the type, as Rust's debug text otherwise.
///
/// evcxr calls `evcxr_display` on the last expression of a cell. With this trait in scope that call always compiles,
/// which saves the second compilation that evcxr would need for a type without such a method.
pub trait Show {
    /// The alternatives, one bundle per part.
    ///
    /// # Errors
    /// The message of an error value.
    fn bundles(&self) -> Result<Vec<Bundle>, String>;

    /// Shows the value as the cell's result.
    fn evcxr_display(&self) {
        match self.bundles() {
            Ok(bundles) => send_result(bundles),
            Err(message) => send(&Envelope::Failure { message }),
        }
    }
}

impl<T: Debug + 'static> Show for T {
    fn bundles(&self) -> Result<Vec<Bundle>, String> {
        show_any(self).unwrap_or_else(|| {
            if (self as &dyn Any).is::<()>() {
                return Ok(Vec::new());
            }
            Ok(vec![Bundle::text(format!("{self:?}"))])
        })
    }
}

/// Shows a lazy frame, which has no debug text, as its plan.
pub trait ShowPlan {
    /// Shows the plan as the cell's result.
    fn evcxr_display(&self);
}

impl ShowPlan for LazyFrame {
    fn evcxr_display(&self) {
        let plan = self.describe_plan().unwrap_or_else(|error| error.to_string());
        send_result(vec![Bundle::text(format!("LazyFrame; `.collect()?` makes a DataFrame of it\n{plan}"))]);
    }
}

/// Shows `value` here and now, in the middle of a cell.
///
/// # Example
/// ```no_run
/// # use cells::display;
/// for rank in 0..2 {
///     display(&format!("rank {rank}"));
/// }
/// ```
pub fn display<T: Show + ?Sized>(value: &T) {
    match value.bundles() {
        Ok(bundles) => send_all(bundles),
        Err(message) => send(&Envelope::Failure { message }),
    }
}

/// Shows `value` under an id, so that [`update_display`] can replace it later.
pub fn display_id<T: Show + ?Sized>(id: &str, value: &T) {
    if let Some(bundle) = value.bundles().ok().and_then(|bundles| bundles.into_iter().next()) {
        send(&Envelope::Display { bundle, id: Some(id.to_owned()) });
    }
}

/// Replaces what was shown under `id`.
pub fn update_display<T: Show + ?Sized>(id: &str, value: &T) {
    if let Some(bundle) = value.bundles().ok().and_then(|bundles| bundles.into_iter().next()) {
        send(&Envelope::Update { bundle, id: id.to_owned() });
    }
}

type Shown = Result<Vec<Bundle>, String>;

/// The rich form of the types we know, and of the containers of them that a cell ends in.
fn show_any(value: &dyn Any) -> Option<Shown> {
    if let Some(shown) = known(value) {
        return Some(Ok(shown));
    }
    containers::<DataFrame>(value)
        .or_else(|| containers::<Figure>(value))
        .or_else(|| containers::<Table>(value))
        .or_else(|| containers::<Report>(value))
        .or_else(|| containers::<TraceSet>(value))
        .or_else(|| containers::<Trace>(value))
        .or_else(|| containers::<OpsDiff>(value))
        .or_else(|| containers::<Series>(value))
}

/// One value of a type we know.
fn known(value: &dyn Any) -> Option<Vec<Bundle>> {
    let report = if let Some(frame) = value.downcast_ref::<DataFrame>() {
        frame_report(frame)
    } else if let Some(series) = value.downcast_ref::<Series>() {
        frame_report(&series.clone().into_frame())
    } else if let Some(column) = value.downcast_ref::<Column>() {
        frame_report(&column.clone().into_frame())
    } else if let Some(figure) = value.downcast_ref::<Figure>() {
        figure.present()
    } else if let Some(table) = value.downcast_ref::<Table>() {
        table.present()
    } else if let Some(report) = value.downcast_ref::<Report>() {
        report.clone()
    } else if let Some(traces) = value.downcast_ref::<TraceSet>() {
        traces.present()
    } else if let Some(trace) = value.downcast_ref::<Trace>() {
        frame_report(&trace.events())
    } else if let Some(diff) = value.downcast_ref::<OpsDiff>() {
        diff.present()
    } else if let Some(bundle) = value.downcast_ref::<Bundle>() {
        Report::of(Part::Bundle(bundle.clone()))
    } else if let Some(text) = value.downcast_ref::<&'static str>() {
        Report::of(Part::Text(format!("{text:?}")))
    } else {
        return None;
    };
    Some(report.bundles())
}

fn containers<T: Any>(value: &dyn Any) -> Option<Shown> {
    let one = |value: &T| known(value).unwrap_or_default();
    if let Some(list) = value.downcast_ref::<Vec<T>>() {
        return Some(Ok(list.iter().flat_map(one).collect()));
    }
    if let Some(option) = value.downcast_ref::<Option<T>>() {
        return Some(Ok(option.as_ref().map_or_else(|| vec![Bundle::text("None")], one)));
    }
    if let Some(shown) = value.downcast_ref::<trace::Result<T>>() {
        return Some(shown.as_ref().map(one).map_err(ToString::to_string));
    }
    if let Some(shown) = value.downcast_ref::<polars::prelude::PolarsResult<T>>() {
        return Some(shown.as_ref().map(one).map_err(ToString::to_string));
    }
    None
}

fn frame_report(frame: &DataFrame) -> Report {
    trace::frame_table(frame, "DataFrame", ROWS).present()
}

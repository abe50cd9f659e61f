//! Operators against the limits of the device: the roofline.

use super::call_trees::CallTrees;
use super::{
    Analysis, Answer, AnswerTable, Parameter, ParameterKind, RankView, TableSchema, TraceAnalysis, nothing_on,
};
use crate::Result;
use crate::companion::borrowed_in_words;
use crate::stats::micros;
use efficiency::{BoundBy, PeakClass, Peaks};
use polars::df;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use trace_view::format::list;
use trace_view::{Column, Unit};

mod compared;
mod counted_work;
mod figure;
mod limits;
mod row;
mod share;
mod state;

use compared::Compared;
pub(super) use counted_work::{CallTimes, CountedCall, CountedWork, VALUES, types_in_words};
use figure::figure;
pub(super) use limits::{device_of, peaks, reached};
use row::Row;
pub use share::RooflineShare;
pub(super) use state::State;

/// Operators by shape against the roofline of their device: operations, bytes, what was reached, and the limit that binds.
///
/// Work is counted from the recorded inputs ([`efficiency::work`]); on each path of the call trees the outermost operator with a model
/// counts, so nothing counts twice. The time of a call is that of the kernels below it; in a recording without GPU work that of the call.
///
/// # Columns
/// One row per operator, shapes and types, the longest first: `COLUMNS`; a second table `peaks` has the limits and their sources. Ranks
/// are added up.
///
/// # Example
/// ```
/// use trace::analysis::Roofline;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let df = TraceAnalysis::new(&job)?.roofline(&Roofline::default())?;
/// assert!(df.column("roofline").is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roofline {
    /// A known device, `h100-sxm`, or limits in TFLOP/s and GB/s that replace those of the recorded device, `bf16=900,bandwidth=3000`.
    pub peak: Option<String>,
}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("name", Unit::None, "operator"),
    Column::new("shapes", Unit::None, "shapes of its inputs"),
    Column::new("types", Unit::None, "types of its inputs"),
    Column::new("family", Unit::None, "kind of work, by which it is counted"),
    Column::new("count", Unit::Count, "calls"),
    Column::new("time (us)", Unit::Micros, "time of their kernels; of the calls, where nothing ran on a GPU"),
    Column::new("share_of_time", Unit::Percent, "of the time of all kernels, or of all counted calls"),
    Column::new("gflop", Unit::None, "billions of operations of a call; a multiplication and an addition are two"),
    Column::new("megabytes", Unit::None, "millions of bytes that a call must at least move"),
    Column::new("TFLOP/s", Unit::None, "operations that were reached"),
    Column::new("GB/s", Unit::GigabytesPerSecond, "traffic that was reached"),
    Column::new("intensity", Unit::None, "operations for each byte"),
    Column::new(
        "roofline",
        Unit::Percent,
        "least time that the device allows, of the time that passed; not cut above 100",
    ),
    Column::new("bound_by", Unit::None, "limit that binds: compute or memory"),
    Column::new("peak", Unit::None, "peak of operations that counts, by type"),
    Column::new("device", Unit::None, "device whose limits count"),
    Column::new("note", Unit::None, "remark on the count"),
    Column::new("borrowed (us)", Unit::Micros, "with a companion: of the time that of calls which it lends to graphs"),
];

/// Number of columns of an answer without a companion.
const WITHOUT_COMPANION: usize = 17;

/// The columns of the limits.
const PEAK_COLUMNS: &[Column] = &[
    Column::new("device", Unit::None, "variant of a device"),
    Column::new("limit", Unit::None, "type of operations (TFLOP/s), or bandwidth (GB/s)"),
    Column::new("value", Unit::None, "limit of dense operations"),
    Column::new("reachable", Unit::None, "what measurements are known to reach"),
    Column::new("source", Unit::None, "origin of the number"),
];

/// Rows that are a note when they are slow or not counted: this many names at most.
const NAMED: usize = 4;

/// Why a rank has no row.
pub(super) const WITHOUT_WORK: &str = "No operator with recorded shapes and a model (profile with record_shapes=True)";

/// Why counts of a rank are less exact.
pub(super) const WITHOUT_VALUES: &str = "The trace file is not there or has changed, so values of inputs are unknown (strides, groups, masks of convolutions and \
     attention)";

/// Returns the share that all ranks reach of the roofline; `None` without rows.
///
/// # Errors
/// None without `peak`.
pub(super) fn roofline_share(state: &State) -> Result<Option<RooflineShare>> {
    Ok(RooflineShare::of(state, &Compared::of(Roofline::NAME, state, None)?.rows))
}

impl Analysis for Roofline {
    const NAME: &'static str = "roofline";
    const SUMMARY: &'static str =
        "Compare operators with what the device could do: FLOP/s, GB/s, share of the roofline.";
    const PARAMETERS: &'static [Parameter] = &[Parameter::new(
        "peak",
        ParameterKind::Text,
        "a known device, h100-sxm, or limits in TFLOP/s and GB/s: bf16=900,bandwidth=3000",
    )];
    const TABLES: &'static [TableSchema] = &[
        TableSchema::new("", COLUMNS).of_named_events().joined(
            &["name", "shapes", "types"],
            &["time (us)", "count", "TFLOP/s", "GB/s", "roofline", "bound_by", "borrowed (us)"],
        ),
        TableSchema::new("peaks", PEAK_COLUMNS),
    ];
    const NOTES: &'static str = "Operations and bytes are counted from the shapes, types and values of inputs (profile with \
        record_shapes=True); docs/efficiency-models.md has each formula. On each path of the call trees the outermost operator with a \
        model counts, so that nothing counts twice. Bytes are the least traffic: what a cache serves may put a row above 100 %, which is \
        not cut. With a companion (--companion) the operators of the capture of a graph count for its kernels, with their shapes; borrowed is \
        the time of these. Peaks are dense ones of the recorded variant of the device; TF32 is not recorded, so products of fp32 use the peak of fp32.";
    const BORROWS: bool = true;
    const BYTES_PER_ROW: usize = 128;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        State::of(rank, &CallTrees::of(rank)?)
    }

    fn finish(&self, state: State) -> Result<Answer> {
        let Compared { rows, devices, mut notes } = Compared::of(Self::NAME, &state, self.peak.as_deref())?;
        let share = RooflineShare::of(&state, &rows);
        let whole = share.map_or(0, |share| share.whole_ns);
        notes.splice(0..0, headline(&state, &rows, share));
        notes.extend(state.lending.as_ref().map(|lending| borrowed_in_words(&[(lending, "")])));
        let ranks = |ranks: &BTreeSet<i64>| ranks.iter().copied().collect::<Vec<i64>>();
        let (without_rows, without_values) = (ranks(&state.without_rows), ranks(&state.without_values));
        notes.extend(nothing_on(&without_rows, WITHOUT_WORK));
        if rows.len() > without_rows.len() {
            notes.extend(nothing_on(&without_values, WITHOUT_VALUES));
        }
        let figure = figure(&rows, &devices);
        let borrows = state.lending.is_some();
        let mut table = AnswerTable::new(&Self::TABLES[0], frame(&rows, whole, borrows)?);
        table.columns = if borrows { COLUMNS } else { &COLUMNS[..WITHOUT_COMPANION] };
        let mut answer = Answer::of(table, figure, notes);
        let used: Vec<(&Peaks, BTreeSet<PeakClass>)> = used(&rows, &devices);
        answer.tables.push(AnswerTable::new(&Self::TABLES[1], limits(&used)?).shown_if(!used.is_empty()));
        Ok(answer)
    }
}

impl TraceAnalysis {
    /// Returns operators by shape against the roofline of their device.
    ///
    /// # Columns
    /// Those of [`Roofline`]; times in µs.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn roofline(&self, query: &Roofline) -> Result<DataFrame> {
        Ok(self.ask(query)?.main())
    }
}

/// Returns the sentences on what is counted, what it reached, and what is not counted.
fn headline(state: &State, rows: &[Row], whole: Option<RooflineShare>) -> Vec<String> {
    let Some(whole) = whole else { return Vec::new() };
    let share = |ns: i64| 100.0 * ns as f64 / whole.whole_ns.max(1) as f64;
    let mut notes = vec![format!("{}.", whole.sentence())];
    let above = rows.iter().filter(|row| row.reached.is_some_and(|(share, _)| share > 1.0)).count();
    if above > 0 {
        notes.push(format!(
            "{above} of {} rows are above 100 %: their traffic was cached, the clock was above that of the peak, or the count is an \
             upper bound.",
            rows.len()
        ));
    }
    let mut parts: Vec<String> = Vec::new();
    let without_model: i64 = state.without_model.values().sum();
    if without_model > 0 {
        let mut names: Vec<(&String, i64)> = state.without_model.iter().map(|(name, ns)| (name, *ns)).collect();
        names.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        let more = names.len().saturating_sub(NAMED);
        let mut named: Vec<String> =
            names.into_iter().take(NAMED).map(|(name, ns)| format!("{name} ({:.1} %)", share(ns))).collect();
        if more > 0 {
            named.push(format!("{more} more"));
        }
        parts.push(format!("{:.1} % in operators without a model: {}", share(without_model), list(&named)));
    }
    for (ns, what) in [
        (state.communication, "in collectives"),
        (state.without_shapes, "in operators without recorded shapes"),
        (state.without_operator, "in kernels without an operator, such as those of graphs (--companion)"),
    ] {
        if ns > 0 {
            parts.push(format!("{:.1} % {what}", share(ns)));
        }
    }
    if !parts.is_empty() {
        notes.push(format!("Not counted: {}.", parts.join("; ")));
    }
    notes
}

fn frame(rows: &[Row], whole: i64, borrows: bool) -> Result<DataFrame> {
    let text = |of: fn(&Row) -> &str| rows.iter().map(of).map(str::to_owned).collect::<Vec<String>>();
    let number = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
    let bound = |row: &Row| match row.reached?.1 {
        BoundBy::Compute => Some("compute"),
        BoundBy::Memory => Some("memory"),
    };
    let mut frame = df!(
        COLUMNS[0].name => text(|row| &row.name),
        COLUMNS[1].name => text(|row| &row.shapes),
        COLUMNS[2].name => text(|row| &row.types),
        COLUMNS[3].name => text(|row| &row.family),
        COLUMNS[4].name => rows.iter().map(|row| row.count as i64).collect::<Vec<i64>>(),
        COLUMNS[5].name => number(&|row| micros(row.ns)),
        COLUMNS[6].name => number(&|row| 100.0 * row.ns as f64 / whole.max(1) as f64),
        COLUMNS[7].name => number(&|row| row.flops as f64 / 1e9),
        COLUMNS[8].name => number(&|row| row.bytes as f64 / 1e6),
        COLUMNS[9].name => number(&|row| row.tflops),
        COLUMNS[10].name => number(&|row| row.gigabytes),
        COLUMNS[11].name => number(&|row| row.intensity),
        COLUMNS[12].name => rows.iter().map(|row| row.reached.map(|(share, _)| 100.0 * share)).collect::<Vec<Option<f64>>>(),
        COLUMNS[13].name => rows.iter().map(bound).collect::<Vec<Option<&str>>>(),
        COLUMNS[14].name => text(|row| &row.peak),
        COLUMNS[15].name => text(|row| &row.device),
        COLUMNS[16].name => text(|row| &row.note),
    )?;
    if borrows {
        frame = frame.hstack(df!(COLUMNS[17].name => number(&|row| micros(row.borrowed)))?.columns())?;
    }
    Ok(frame)
}

/// Returns the devices that rows were compared with, each with the peaks that count.
fn used<'p>(rows: &[Row], devices: &'p BTreeMap<String, Peaks>) -> Vec<(&'p Peaks, BTreeSet<PeakClass>)> {
    let classes = |peaks: &Peaks| {
        let of_device = rows.iter().filter(|row| row.device == peaks.label && row.reached.is_some());
        of_device.filter_map(|row| PeakClass::named(&row.peak)).collect::<BTreeSet<PeakClass>>()
    };
    devices.values().map(|peaks| (peaks, classes(peaks))).filter(|(_, classes)| !classes.is_empty()).collect()
}

/// The table of the limits that count, with their sources.
fn limits(used: &[(&Peaks, BTreeSet<PeakClass>)]) -> Result<DataFrame> {
    let mut rows: Vec<(&str, String, f64, Option<f64>, &str)> = Vec::new();
    for (peaks, classes) in used {
        for &class in classes {
            let Some(figure) = peaks.peak(class) else { continue };
            let reachable = peaks.reachable(class).map(|figure| figure.value);
            rows.push((&peaks.label, format!("{} (TFLOP/s)", class.word()), figure.value, reachable, &figure.source));
        }
        if let Some(figure) = &peaks.bandwidth {
            rows.push((&peaks.label, "bandwidth (GB/s)".to_owned(), figure.value, None, &figure.source));
        }
    }
    Ok(df!(
        PEAK_COLUMNS[0].name => rows.iter().map(|row| row.0).collect::<Vec<_>>(),
        PEAK_COLUMNS[1].name => rows.iter().map(|row| row.1.as_str()).collect::<Vec<_>>(),
        PEAK_COLUMNS[2].name => rows.iter().map(|row| row.2).collect::<Vec<f64>>(),
        PEAK_COLUMNS[3].name => rows.iter().map(|row| row.3).collect::<Vec<Option<f64>>>(),
        PEAK_COLUMNS[4].name => rows.iter().map(|row| row.4).collect::<Vec<_>>(),
    )?)
}

#[cfg(test)]
mod tests;

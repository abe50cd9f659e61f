//! Operators against the limits of the device: the roofline.

use super::call_trees::CallTrees;
use super::{
    Analysis, Answer, AnswerTable, Parameter, ParameterKind, RankView, TableSchema, TraceAnalysis, nothing_on,
};
use crate::Result;
use crate::companion::borrowed_in_words;
use crate::present::{answer_frame, declared};
use efficiency::{PeakClass, Peaks};
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use trace_view::Column;
use trace_view::format::list;

mod batches;
mod compared;
mod counted_work;
mod figure;
mod limits;
mod row;
mod share;
mod state;

use compared::Compared;
pub(super) use counted_work::{CallTimes, CountedCall, CountedWork, types_in_words};
use figure::figure;
pub(super) use limits::{device_of, peaks, reached};
use row::{Limit, Row};
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

const COLUMNS: [Column; 18] = declared(&Row::COLUMNS);
const LIMITS: [Column; 5] = declared(&Limit::COLUMNS);

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
        TableSchema::new("", &COLUMNS).of_named_events().joined(
            &["name", "shapes", "types"],
            &["time (us)", "count", "TFLOP/s", "GB/s", "roofline", "bound_by", "borrowed (us)"],
        ),
        TableSchema::new("peaks", &LIMITS),
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
        let trees = CallTrees::of(rank)?;
        State::of(rank, &trees)
    }

    fn finish(&self, state: State) -> Result<Answer> {
        let Compared { mut rows, devices, mut notes } = Compared::of(Self::NAME, &state, self.peak.as_deref())?;
        let share = RooflineShare::of(&state, &rows);
        let whole = share.map_or(1, |share| share.whole_ns.max(1));
        rows.iter_mut().for_each(|row| row.share = 100.0 * row.ns as f64 / whole as f64);
        notes.splice(0..0, headline(&state, &rows, share));
        notes.extend(state.lending.as_ref().map(|lending| borrowed_in_words(&[(lending, "")])));
        let ranks = |ranks: &BTreeSet<i64>| ranks.iter().copied().collect::<Vec<i64>>();
        let (without_rows, without_values) = (ranks(&state.without_rows), ranks(&state.without_values));
        notes.extend(nothing_on(&without_rows, WITHOUT_WORK));
        if rows.len() > without_rows.len() {
            notes.extend(nothing_on(&without_values, WITHOUT_VALUES));
        }
        let figure = figure(&rows, &devices);
        let shown = if state.lending.is_some() { COLUMNS.len() } else { Row::WITHOUT_COMPANION };
        let mut table = AnswerTable::new(&Self::TABLES[0], answer_frame(&rows, &Row::COLUMNS[..shown])?);
        table.columns = &Self::TABLES[0].columns[..shown];
        let mut answer = Answer::of(table, figure, notes);
        let used: Vec<(&Peaks, BTreeSet<PeakClass>)> = used(&rows, &devices);
        answer.tables.push(
            AnswerTable::new(&Self::TABLES[1], answer_frame(&limits(&used), &Limit::COLUMNS)?)
                .shown_if(!used.is_empty()),
        );
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

/// Returns the devices that rows were compared with, each with the peaks that count.
fn used<'p>(rows: &[Row], devices: &'p BTreeMap<String, Peaks>) -> Vec<(&'p Peaks, BTreeSet<PeakClass>)> {
    let classes = |peaks: &Peaks| {
        let of_device = rows.iter().filter(|row| row.device == peaks.label && row.reached.is_some());
        of_device.filter_map(|row| PeakClass::named(&row.peak)).collect::<BTreeSet<PeakClass>>()
    };
    devices.values().map(|peaks| (peaks, classes(peaks))).filter(|(_, classes)| !classes.is_empty()).collect()
}

/// Returns the limits that count.
fn limits<'p>(used: &[(&'p Peaks, BTreeSet<PeakClass>)]) -> Vec<Limit<'p>> {
    let mut rows = Vec::new();
    for (peaks, classes) in used {
        let device = &peaks.label;
        for &class in classes {
            let Some(figure) = peaks.peak(class) else { continue };
            let reachable = peaks.reachable(class).map(|figure| figure.value);
            let limit = format!("{} (TFLOP/s)", class.word());
            rows.push(Limit { device, limit, value: figure.value, reachable, source: &figure.source });
        }
        if let Some(figure) = &peaks.bandwidth {
            let limit = "bandwidth (GB/s)".to_owned();
            rows.push(Limit { device, limit, value: figure.value, reachable: None, source: &figure.source });
        }
    }
    rows
}

#[cfg(test)]
mod tests;

//! Kernels by launch configuration: occupancy and what limits it, waves, short kernels and what one launch for them would save.

mod columns;
mod device;
mod figure;
mod filled;
mod notes;
mod recorded;
mod replay;
mod source;

use super::{Analysis, Answer, AnswerTable, Parameter, RankView, TableSchema, TraceAnalysis};
use crate::Result;
use crate::stats::micros;
use efficiency::{LimitedBy, fused_operators};
use figure::figure;
use filled::{Filled, Row, rows};
use polars::df;
use polars::prelude::DataFrame;
use recorded::State;
use replay::{CHANGES, Replay, Step, slowest};
use serde::{Deserialize, Serialize};
use trace_view::{Column, Unit};

/// Kernels by launch configuration: time, occupancy and what limits it, waves of blocks, and where compiled kernels come from.
///
/// ```text
/// stream   |--one--|              time of one
///              |--other--|        time of other: what one leaves of it
/// ```
///
/// Each moment of a stream counts once, for the kernel that began first, so the times of kernels of a stream are never counted twice.
/// A recorded occupancy is taken as it is; otherwise it is computed from registers, shared memory and threads
/// ([`efficiency::occupancy`]). Savings of graphs and of fusion are those of a replay of a step, of each rank by itself.
///
/// # Columns
/// One row per kernel and launch configuration, the longest first: `COLUMNS`; `savings`: `SAVING_COLUMNS`. Ranks are added up.
///
/// # Example
/// ```
/// use trace::analysis::Kernels;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let df = TraceAnalysis::new(&job)?.kernels(&Kernels::default())?;
/// assert!(df.column("occupancy").is_ok() && df.height() > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernels {}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("name", Unit::None, "kernel"),
    Column::new("grid", Unit::None, "blocks of the grid in three dimensions"),
    Column::new("block", Unit::None, "threads of a block in three dimensions"),
    Column::new("registers", Unit::Count, "registers of a thread"),
    Column::new("shared_memory", Unit::Bytes, "shared memory of a block"),
    Column::new("count", Unit::Count, "kernels"),
    Column::new("time (us)", Unit::Micros, "their time on their streams, in which nothing runs that began earlier"),
    Column::new("mean (us)", Unit::Micros, "mean duration"),
    Column::new(
        "share_of_busy",
        Unit::Percent,
        "of the time in which streams are busy with kernels and copies, each stream by itself",
    ),
    Column::new("threads", Unit::Count, "threads of a block"),
    Column::new("blocks", Unit::Count, "blocks of the grid"),
    Column::new("active_blocks", Unit::Count, "blocks that run on a multiprocessor at once"),
    Column::new("waves", Unit::None, "waves of blocks; below 1 the grid does not fill the device"),
    Column::new("tail_efficiency", Unit::Percent, "waves by whole waves: less if the last one is not full"),
    Column::new("occupancy", Unit::Percent, "share of the threads of a multiprocessor that its active blocks have"),
    Column::new("achieved", Unit::Percent, "share that the grid reaches on the average of multiprocessors"),
    Column::new("limited_by", Unit::None, "what limits the active blocks"),
    Column::new(
        "occupancy_by",
        Unit::None,
        "origin of the occupancy: recorded limits, computed, or the estimate of the profiler (achieved alone)",
    ),
    Column::new("fused", Unit::None, "operators that a compiled kernel fuses, by its name"),
    Column::new("compiled", Unit::None, "compiler and configuration of a compiled kernel"),
    Column::new("source", Unit::None, "file of the source of a compiled kernel"),
    Column::new("device", Unit::None, "device"),
];

/// The columns of the savings.
const SAVING_COLUMNS: &[Column] = &[
    Column::new("change", Unit::None, "change, as %what_if takes it"),
    Column::new("meaning", Unit::None, "what takes no time"),
    Column::new("step", Unit::None, "annotation that is replayed; of several ranks that of the slowest"),
    Column::new("before (us)", Unit::Micros, "step as recorded"),
    Column::new("after (us)", Unit::Micros, "step with the change"),
    Column::new("saved (us)", Unit::Micros, "what the change saves"),
    Column::new("saved", Unit::Percent, "share of the step"),
];

impl Analysis for Kernels {
    const NAME: &'static str = "kernels";
    const SUMMARY: &'static str =
        "Show kernels by launch configuration: occupancy and its limits, waves, short kernels.";
    const PARAMETERS: &'static [Parameter] = &[];
    const TABLES: &'static [TableSchema] = &[
        TableSchema::new("", COLUMNS).of_named_events().with_short_names().joined(
            &["name", "grid", "block"],
            &["time (us)", "count", "mean (us)", "occupancy", "waves", "limited_by"],
        ),
        TableSchema::new("savings", SAVING_COLUMNS),
    ];
    const NOTES: &'static str = "Occupancy is what the profiler recorded of it, else it is computed from registers, shared memory and \
        threads of the launch and from the properties of the device; where neither is possible a sentence says what is missing. A grid that \
        is a multiple of the multiprocessors within one wave may be that of a persistent kernel: it has no waves only if its name says so.\n\n\
        Short kernels take less than 10 µs. A run of them is one on a stream whose launches follow each other on a thread within an \
        iteration, without a wait or another launch in between. Savings are a replay of the second step (the first, if there is one only), \
        of each rank by itself: %what_if NAME 'graphs x 0' replays all ranks together. A graph would also spare the host what it does around \
        the first and the last launch of a run; what a fused kernel saves of the memory traffic is not known.";
    /// With the graph of a rank that is replayed.
    const BYTES_PER_ROW: usize = 288;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        State::of(rank)
    }

    fn finish(&self, state: State) -> Result<Answer> {
        let rows = rows(&state);
        let steps = state.ranks.0.values().filter_map(|rank| match &rank.replay {
            Replay::Step(step) => Some(step),
            _ => None,
        });
        let step = slowest(steps);
        let notes = notes::notes(&state, &rows, step.as_ref());
        let busy = state.ranks.0.values().fold(0_i64, |sum, rank| sum.saturating_add(rank.on_streams));
        let savings = savings(step.as_ref().filter(|step| step.runs > 0))?;
        let has_savings = savings.height() > 0;
        let table = AnswerTable::new(&Self::TABLES[0], frame(&rows, busy)?);
        let mut answer = Answer::of(table, figure(&state), notes);
        answer.tables.push(AnswerTable::new(&Self::TABLES[1], savings).shown_if(has_savings));
        Ok(answer)
    }
}

impl TraceAnalysis {
    /// Returns kernels by launch configuration, with how their launches fill the device.
    ///
    /// # Columns
    /// Those of [`Kernels`]; times in µs.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn kernels(&self, query: &Kernels) -> Result<DataFrame> {
        Ok(self.ask(query)?.main())
    }
}

fn frame(rows: &[Row<'_>], busy: i64) -> Result<DataFrame> {
    let known = |text: String| Some(text).filter(|text| !text.is_empty());
    let text = |of: &dyn Fn(&Row<'_>) -> String| rows.iter().map(|row| known(of(row))).collect::<Vec<_>>();
    let filled = |of: &dyn Fn(&Filled) -> Option<f64>| {
        rows.iter().map(|row| row.filled.as_ref().ok().and_then(of)).collect::<Vec<Option<f64>>>()
    };
    let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
    let whole = |number: Option<u64>| number.and_then(|number| i64::try_from(number).ok());
    let launch = |of: &dyn Fn(&efficiency::Launch) -> u64| {
        rows.iter().map(|row| whole(row.launch.as_ref().map(of))).collect::<Vec<Option<i64>>>()
    };
    let estimate = |row: &Row<'_>| row.of.estimate.map(|percent| percent as f64);
    let achieved = |row: &Row<'_>| {
        let found = row.filled.as_ref().ok().and_then(|filled| percent(filled.achieved));
        found.or_else(|| estimate(row))
    };
    let origin = |row: &Row<'_>| match &row.filled {
        Ok(filled) if filled.is_recorded => Some("recorded"),
        Ok(_) => Some("computed"),
        Err(_) => row.of.estimate.map(|_| "estimate"),
    };
    let limits = |row: &Row<'_>| {
        let limits = row.filled.as_ref().map_or(&[][..], |filled| &filled.limited_by);
        limits.iter().map(|limit| LimitedBy::word(*limit)).collect::<Vec<&str>>().join(", ")
    };
    let fused = |row: &Row<'_>| fused_operators(&row.of.name).unwrap_or_default().join(", ");
    Ok(df!(
        COLUMNS[0].name => rows.iter().map(|row| row.of.name.as_str()).collect::<Vec<_>>(),
        COLUMNS[1].name => text(&|row| row.launch.map_or_else(String::new, |launch| sizes(launch.grid))),
        COLUMNS[2].name => text(&|row| row.launch.map_or_else(String::new, |launch| sizes(launch.block))),
        COLUMNS[3].name => rows.iter().map(|row| whole(row.of.registers)).collect::<Vec<_>>(),
        COLUMNS[4].name => rows.iter().map(|row| whole(row.of.shared_memory)).collect::<Vec<_>>(),
        COLUMNS[5].name => rows.iter().map(|row| row.sums.count as i64).collect::<Vec<_>>(),
        COLUMNS[6].name => rows.iter().map(|row| micros(row.sums.own)).collect::<Vec<_>>(),
        COLUMNS[7].name => rows.iter().map(|row| micros(row.sums.durations) / row.sums.count.max(1) as f64).collect::<Vec<_>>(),
        COLUMNS[8].name => rows.iter().map(|row| 100.0 * row.sums.own as f64 / busy.max(1) as f64).collect::<Vec<_>>(),
        COLUMNS[9].name => launch(&|launch| launch.threads()),
        COLUMNS[10].name => launch(&|launch| u64::try_from(launch.blocks()).unwrap_or(u64::MAX)),
        COLUMNS[11].name => rows.iter().map(|row| whole(row.filled.as_ref().ok().map(|filled| filled.active_blocks))).collect::<Vec<_>>(),
        COLUMNS[12].name => filled(&|filled| filled.waves),
        COLUMNS[13].name => filled(&|filled| percent(filled.tail_efficiency)),
        COLUMNS[14].name => filled(&|filled| percent(filled.theoretical)),
        COLUMNS[15].name => rows.iter().map(achieved).collect::<Vec<_>>(),
        COLUMNS[16].name => text(&limits),
        COLUMNS[17].name => rows.iter().map(origin).collect::<Vec<_>>(),
        COLUMNS[18].name => text(&fused),
        COLUMNS[19].name => text(&|row| row.of.compiled.clone()),
        COLUMNS[20].name => text(&|row| row.of.file.clone()),
        COLUMNS[21].name => text(&|row| row.of.device.name.clone()),
    )?)
}

/// Writes sizes in three dimensions without those of 1 at the end: `128×2`.
fn sizes([x, y, z]: [u64; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (y, 1) => format!("{x}×{y}"),
        (y, z) => format!("{x}×{y}×{z}"),
    }
}

/// Returns what changes would save of a step.
fn savings(step: Option<&Step>) -> Result<DataFrame> {
    let rows = step.into_iter().flat_map(|step| CHANGES.iter().zip(step.after).map(move |of| (step, of)));
    let rows: Vec<(&Step, &replay::Change, i64)> = rows.map(|(step, (change, after))| (step, change, after)).collect();
    let saved = |(step, _, after): &(&Step, &replay::Change, i64)| step.before - after;
    let name = |step: &Step| if step.annotation.is_empty() { "recording".to_owned() } else { step.annotation.clone() };
    Ok(df!(
        SAVING_COLUMNS[0].name => rows.iter().map(|(_, change, _)| change.text).collect::<Vec<_>>(),
        SAVING_COLUMNS[1].name => rows.iter().map(|(_, change, _)| change.meaning).collect::<Vec<_>>(),
        SAVING_COLUMNS[2].name => rows.iter().map(|(step, ..)| name(step)).collect::<Vec<_>>(),
        SAVING_COLUMNS[3].name => rows.iter().map(|(step, ..)| micros(step.before)).collect::<Vec<_>>(),
        SAVING_COLUMNS[4].name => rows.iter().map(|(.., after)| micros(*after)).collect::<Vec<_>>(),
        SAVING_COLUMNS[5].name => rows.iter().map(|row| micros(saved(row))).collect::<Vec<_>>(),
        SAVING_COLUMNS[6].name => rows.iter().map(|row| 100.0 * saved(row) as f64 / row.0.before.max(1) as f64).collect::<Vec<_>>(),
    )?)
}

#[cfg(test)]
mod tests;

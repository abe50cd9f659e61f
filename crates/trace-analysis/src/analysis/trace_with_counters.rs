//! A copy of the trace with queue lengths and memory bandwidths as counter events.

use super::listed::{AnswerFiles, Listed};
use super::nothing_on;
use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, ParameterKind, RankView, TableSchema};
use crate::counter::{Bandwidth, BandwidthPoint, Point, Queues, read_points, write_points};
use crate::error::ParameterReason;
use crate::store::SpilledBytes;
use crate::write::{TraceCopy, TraceEdit, micros_text};
use crate::{Error, Result};
use polars::df;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::Result as IoResult;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_view::{Column, Unit};

/// A copy of each rank's trace file with counter events, which Perfetto and chrome://tracing draw as graphs: `Queue Length`
/// of every stream, and the memory bandwidth of every kind of copy.
///
/// The copy is written to the folder of its source, `trace.json.gz` → `trace_with_counters.json.gz`, or to `output`; the
/// source is never changed. It is compressed with gzip unless its name ends in `.json`. A trace with nothing to count gets
/// no copy.
///
/// # Columns
/// One row per copy: `COLUMNS`.
///
/// # Errors
/// If `output` cannot be the name of a trace, or is the name of a loaded one.
///
/// # Source
/// HTA `TraceAnalysis.generate_trace_with_counters`, which writes gzip into files whose names end in `.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceWithCounters {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
    /// The counters to write.
    pub time_series: Vec<TimeSeries>,
    /// The suffix appended to the name of the source, unless `output` is a file.
    pub output_suffix: String,
    /// A file that ends in `.json` or `.gz` (with several ranks `.rank0` and so on is added to its name), or a folder; `None`
    /// for the folder of the source.
    pub output: Option<PathBuf>,
}

/// A kind of counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeSeries {
    /// Launches that wait in each stream.
    QueueLength,
    /// Bandwidth of copies and fills.
    MemcpyBandwidth,
}

impl Default for TraceWithCounters {
    fn default() -> Self {
        Self {
            ranks: None,
            time_series: vec![TimeSeries::QueueLength, TimeSeries::MemcpyBandwidth],
            output_suffix: "_with_counters".to_owned(),
            output: None,
        }
    }
}

/// The bytes of a point in a file, about.
const POINT_BYTES: usize = 8;

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("file", Unit::None, "the copy"),
    Column::new("queue_length_events", Unit::Count, "counter events of queue lengths"),
    Column::new("memcpy_bandwidth_events", Unit::Count, "counter events of memory bandwidths"),
];

/// The partial result of one rank.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    source: PathBuf,
    events: u64,
    counters: Listed<Counters, CountersInFile>,
}

/// The counters of one rank, in a file.
#[derive(Debug)]
struct CountersInFile {
    counts: (usize, usize),
    points: SpilledBytes,
}

/// The counters of one rank, on the clock of its trace.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Counters {
    queues: Queues,
    bandwidth: Bandwidth,
}

impl Analysis for TraceWithCounters {
    const NAME: &'static str = "trace_with_counters";
    const SUMMARY: &'static str = "Write a copy of the trace with queue lengths and memory bandwidths as counters.";
    const NOTES: &'static str = "The copy opens in Perfetto (ui.perfetto.dev) and chrome://tracing. It is written to the folder \
        of its source as trace_with_counters.json.gz, unless --output names another file or folder; %trace_load of the \
        folder skips it. Events outside of the analysed iterations or steps are copied, but not counted.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new(
            "time_series",
            ParameterKind::Choices(&["queue_length", "memcpy_bandwidth"]),
            "counters to write",
        ),
        Parameter::new("output_suffix", ParameterKind::Text, "suffix appended to the name of the source"),
        Parameter::new("output", ParameterKind::Path, "write to this file (.json or .json.gz) or folder"),
    ];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS)];
    const FIRST_RANK_ONLY: bool = true;
    // A counter per launch, kernel and copy.
    const KEEPS_EVENTS: bool = true;
    const LAUNCHES: bool = true;
    type State = ByRank<State>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let mut counters = Counters::default();
        if self.time_series.contains(&TimeSeries::QueueLength) {
            counters.queues = rank.queue_lengths()?;
        }
        if self.time_series.contains(&TimeSeries::MemcpyBandwidth) {
            counters.bandwidth = rank.memory_bandwidth()?;
        }
        let info = rank.info();
        let counters = Listed::Found(counters);
        Ok(ByRank::of(rank.rank(), State { source: info.file.clone().into(), events: info.events_in_file, counters }))
    }

    fn move_to_files(&self, state: Self::State, files: &AnswerFiles) -> Result<Self::State> {
        state.try_map(|rank, State { source, events, counters }| {
            let moved = |counters: &Counters| -> Result<CountersInFile> {
                let counts = counters.counts();
                let bytes = (counts.0 + counts.1).saturating_mul(POINT_BYTES);
                let points =
                    files.bytes(rank, bytes, |out| write_points(&counters.queues, &counters.bandwidth, out))?;
                Ok(CountersInFile { counts, points })
            };
            let counters = match counters {
                Listed::Found(counters) => Listed::Finished(moved(&counters)?),
                finished => finished,
            };
            Ok(State { source, events, counters })
        })
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let several = state.0.len() > 1;
        let (mut copies, mut counts, mut without) = (Vec::new(), Vec::new(), Vec::new());
        for (rank, State { source, events, counters }) in state.0 {
            let (queue, bandwidth) = counters.counts();
            let edit: Arc<dyn TraceEdit> = match counters {
                Listed::Found(counters) => Arc::new(counters),
                Listed::Finished(counters) => Arc::new(counters),
            };
            if queue + bandwidth == 0 {
                without.push(rank);
                continue;
            }
            let target = self.target(&source, several.then_some(rank))?;
            counts.push((queue as i64, bandwidth as i64));
            copies.push(TraceCopy { rank, source, target, events, edit });
        }
        let frame = df!(
            "rank" => copies.iter().map(|copy| copy.rank).collect::<Vec<i64>>(),
            "file" => copies.iter().map(|copy| copy.target.display().to_string()).collect::<Vec<String>>(),
            "queue_length_events" => counts.iter().map(|count| count.0).collect::<Vec<i64>>(),
            "memcpy_bandwidth_events" => counts.iter().map(|count| count.1).collect::<Vec<i64>>(),
        )?;
        Ok(Answer {
            tables: vec![AnswerTable::new(&Self::TABLES[0], frame)],
            notes: nothing_on(&without, "Nothing to count, hence no copy,").into_iter().collect(),
            copies,
            ..Answer::default()
        })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

impl TraceWithCounters {
    /// Returns the path of the copy of `source`; `rank` is given if there are several.
    fn target(&self, source: &Path, rank: Option<i64>) -> Result<PathBuf> {
        let default_name = || {
            let name = source.file_name().unwrap_or_default().to_string_lossy();
            let stem = name.strip_suffix(".gz").unwrap_or(&name);
            let stem = stem.strip_suffix(".json").unwrap_or(stem);
            format!("{stem}{}.json.gz", self.output_suffix)
        };
        let Some(output) = &self.output else { return Ok(source.with_file_name(default_name())) };
        if output.is_dir() || output.as_os_str().to_string_lossy().ends_with('/') {
            return Ok(output.join(default_name()));
        }
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let Some(ending) = [".json.gz", ".json", ".gz"].into_iter().find(|ending| name.ends_with(ending)) else {
            let expected = "an existing folder, or a file that ends in .json or .gz".to_owned();
            let reason = ParameterReason::Invalid { name: "output", value: output.display().to_string(), expected };
            return Err(Error::WrongParameter { analysis: Self::NAME, reason });
        };
        let Some(rank) = rank else { return Ok(output.clone()) };
        let stem = name.strip_suffix(ending).unwrap_or(&name);
        Ok(output.with_file_name(format!("{stem}.rank{rank}{ending}")))
    }
}

impl Counters {
    /// Returns the number of counter events of queues and of bandwidths.
    fn counts(&self) -> (usize, usize) {
        (self.queues.streams.values().map(Vec::len).sum(), self.bandwidth.values().map(Vec::len).sum())
    }
}

impl Listed<Counters, CountersInFile> {
    /// Returns the number of counter events of queues and of bandwidths.
    fn counts(&self) -> (usize, usize) {
        match self {
            Self::Found(counters) => counters.counts(),
            Self::Finished(counters) => counters.counts,
        }
    }
}

impl TraceEdit for CountersInFile {
    fn added(&self, write: &mut dyn FnMut(&[u8]) -> IoResult<()>) -> IoResult<()> {
        read_points(&mut self.points.reader(), &mut |point| write(event(point).as_bytes()))
    }
}

impl TraceEdit for Counters {
    fn added(&self, write: &mut dyn FnMut(&[u8]) -> IoResult<()>) -> IoResult<()> {
        for (&stream, points) in &self.queues.streams {
            for point in points {
                let (ts, pid, length) = (point.ts, point.pid.unwrap_or(0), point.length);
                write(event(Point::Queue { stream, ts, pid, length }).as_bytes())?;
            }
        }
        for (kind, points) in &self.bandwidth {
            for &point in points {
                write(event(Point::Bandwidth { kind, point }).as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Returns the text of a counter event.
fn event(point: Point<'_>) -> String {
    match point {
        Point::Queue { stream, ts, pid, length } => {
            let ts = micros_text(ts);
            format!(
                r#"{{"ph": "C", "name": "Queue Length", "id": {stream}, "pid": {pid}, "ts": {ts}, "args": {{"Queue Length": {length}}}}}"#
            )
        }
        Point::Bandwidth { kind, point: BandwidthPoint { ts, pid, gbps } } => {
            let (name, ts, pid, gbps) = (json!(kind), micros_text(ts), pid.unwrap_or(0), json!(gbps));
            format!(r#"{{"ph": "C", "name": {name}, "pid": {pid}, "ts": {ts}, "args": {{"Memcpy BW": {gbps}}}}}"#)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn copy_goes_to_the_folder_of_its_source_or_to_output() {
        let default = |source: &str| TraceWithCounters::default().target(Path::new(source), Some(1)).unwrap();
        assert_eq!(default("job/a.json.gz"), Path::new("job/a_with_counters.json.gz"));
        assert_eq!(default("a.json"), Path::new("a_with_counters.json.gz"));
        assert_eq!(default("a.pt.trace.gz"), Path::new("a.pt.trace_with_counters.json.gz"));
        let to = |output: &str, rank| {
            let analysis = TraceWithCounters { output: Some(output.into()), ..TraceWithCounters::default() };
            analysis.target(Path::new("job/a.json"), rank)
        };
        assert_eq!(to("out.json", None).unwrap(), Path::new("out.json"));
        assert_eq!(to("x/out.json.gz", Some(3)).unwrap(), Path::new("x/out.rank3.json.gz"));
        assert_eq!(to("new/", Some(3)).unwrap(), Path::new("new/a_with_counters.json.gz"));
        assert!(to("out.txt", None).unwrap_err().to_string().contains("ends in .json or .gz"));
    }
}

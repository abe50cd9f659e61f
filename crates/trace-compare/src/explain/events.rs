//! The GPU events of an explanation: which region each is in, or why it is in none.

use super::explanation::Explanation;
use super::gpu_rows::GpuRows;
use super::sides::RecordedRank;
use crate::Result;
use crate::error::ExplainReason;
use crate::exec::checkpoint;
use crate::frame::IntColumn;
use crate::frame::columns::*;
use call_tree::{AssignedEvent, Assignment, Reason};
use foldhash::HashMap;
use polars::prelude::{
    Column, CsvWriter, DataFrame, DataType, IdxCa, NamedFrom, PlSmallStr, PolarsError, SerWriter, Series,
};
use polars_io::prelude::{ParquetCompression, ParquetWriter};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The form of a file of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EventFile {
    /// Comma-separated values.
    #[default]
    Csv,
    /// Parquet, a row group for each rank.
    Parquet,
}

impl EventFile {
    /// Returns the form that the ending of a path asks for: Parquet for `.parquet`, else CSV.
    pub fn of(path: &Path) -> Self {
        let is_parquet = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
        if is_parquet { Self::Parquet } else { Self::Csv }
    }
}

/// The words of the sides.
pub(super) const SIDES: [&str; 2] = ["control", "test"];

impl Explanation {
    /// Returns the GPU events of the recordings, a frame for each rank of each run, control first; also those that are left out.
    /// The frames are made one by one, as they are asked for. Needs [`Explain::keep_events`](crate::Explain::keep_events).
    ///
    /// # Columns
    /// `side` (control, test), `run` (its place in the side, from 0), `rank`, `iteration` (of the launch; null outside of all),
    /// `ts` and `dur` (ns, as recorded), `stream`, `name`, `region` (null if left out), `grade` (of the region; if left out the
    /// reason), `attributed_ns` (share of the selected steps in which it runs).
    ///
    /// # Errors
    /// If the places of events were not kept; each frame, if its rank cannot be read any more.
    pub fn events(&self) -> Result<impl Iterator<Item = Result<DataFrame>> + '_> {
        if !self.keeps_events {
            return Err(ExplainReason::EventsNotRetained.into());
        }
        let sides = self.ranks.iter().enumerate();
        Ok(sides.flat_map(move |(side, ranks)| ranks.iter().map(move |rank| self.events_of(side, rank))))
    }

    /// Writes the frames of [`Explanation::events`] one by one.
    ///
    /// # Errors
    /// If the events cannot be read or written; an error of the library is the source of the error.
    pub fn write_events(&self, form: EventFile, out: &mut dyn Write) -> std::io::Result<()> {
        let mut frames = self.events().map_err(std::io::Error::other)?;
        match form {
            EventFile::Csv => {
                let mut is_first = true;
                for frame in frames {
                    let mut frame = frame.map_err(std::io::Error::other)?;
                    let mut writer = CsvWriter::new(&mut *out).include_header(std::mem::take(&mut is_first));
                    writer.finish(&mut frame).map_err(of_polars)?;
                }
            }
            EventFile::Parquet => {
                // There is always a rank, whose frame may be empty.
                let Some(first) = frames.next() else { return Ok(()) };
                let first = first.map_err(std::io::Error::other)?;
                let writer = ParquetWriter::new(&mut *out)
                    .with_compression(ParquetCompression::Zstd(None))
                    .set_parallel(false)
                    .batched(first.schema());
                let mut writer = writer.map_err(of_polars)?;
                for frame in std::iter::once(Ok(first)).chain(frames) {
                    let frame = frame.map_err(std::io::Error::other)?;
                    if frame.height() > 0 {
                        writer.write_batch(&frame).map_err(of_polars)?;
                    }
                }
                writer.finish().map_err(of_polars)?;
            }
        }
        Ok(())
    }

    /// Returns the regions of the GPU events of a rank of the first run of a side, by row; none if places were not kept.
    #[doc(hidden)]
    pub fn regions_by_row(&self, side: usize, rank: i64) -> HashMap<u32, u32> {
        let is_it = |found: &&RecordedRank| found.run == 0 && found.rank == rank;
        let recording = self.ranks[side].iter().find(is_it).and_then(|found| found.recording);
        let events = recording.and_then(|at| self.found.events[side].get(at));
        let region = |event: &AssignedEvent| match event.assignment {
            Assignment::Region { region, .. } => Some((event.row, region)),
            Assignment::LeftOut(_) => None,
        };
        events.into_iter().flatten().filter_map(region).collect()
    }

    /// The GPU events of one rank.
    fn events_of(&self, side: usize, rank: &RecordedRank) -> Result<DataFrame> {
        checkpoint::check()?;
        let columns: [PlSmallStr; 6] = [CAT, NAME, TS, DUR, STREAM, ITERATION].map(Into::into);
        let events = rank.trace.as_ref().ok_or(ExplainReason::EventsNotRetained)?.frame_of(&columns)?;
        let rows = GpuRows::of(&events)?;
        let located: Vec<AssignedEvent> = match rank.recording {
            Some(at) => self.found.events[side]
                .get(at)
                .into_iter()
                .flatten()
                .copied()
                .filter(|event| rows.is_gpu(event.row))
                .collect(),
            None => {
                let left_out = Assignment::LeftOut(Reason::AnotherRank);
                rows.all().map(|row| AssignedEvent { row, assignment: left_out, attributed_ns: 0 }).collect()
            }
        };
        // An iteration that is left out has a number only if the profiler counted it.
        let numbered = if self.is_marked { None } else { Some(IntColumn::of(&events, ITERATION)?) };
        let iteration = |event: &AssignedEvent| match event.assignment {
            Assignment::Region { sample, .. } => {
                self.found.samples[side].get(sample as usize).map(|sample| sample.iteration)
            }
            Assignment::LeftOut(_) => numbered.as_ref()?.get(event.row as usize),
        };
        let region = |event: &AssignedEvent| match event.assignment {
            Assignment::Region { region, .. } => Some(i64::from(region)),
            Assignment::LeftOut(_) => None,
        };
        let grade = |event: &AssignedEvent| match event.assignment {
            Assignment::Region { region, .. } => {
                self.found.regions.get(region as usize).map_or("", |region| region.region.grade.word())
            }
            Assignment::LeftOut(reason) => reason.word(),
        };
        let some = |name: &str, of: &dyn Fn(&AssignedEvent) -> Option<i64>| -> Column {
            Series::new(name.into(), located.iter().map(of).collect::<Vec<Option<i64>>>()).into()
        };
        let whole = |name: &str, of: &dyn Fn(&AssignedEvent) -> i64| -> Column {
            Series::new(name.into(), located.iter().map(of).collect::<Vec<i64>>()).into()
        };
        let indices = IdxCa::from_vec("row".into(), located.iter().map(|event| event.row).collect());
        let taken =
            |name: &str, dtype: DataType| -> Result<Column> { Ok(events.column(name)?.take(&indices)?.cast(&dtype)?) };
        let columns = vec![
            Series::new("side".into(), vec![SIDES[side]; located.len()]).into(),
            whole("run", &|_| rank.run as i64),
            whole(RANK, &|_| rank.rank),
            some(ITERATION, &iteration),
            taken(TS, DataType::Int64)?,
            taken(DUR, DataType::Int64)?,
            taken(STREAM, DataType::Int64)?,
            taken(NAME, DataType::String)?,
            some("region", &region),
            Series::new("grade".into(), located.iter().map(grade).collect::<Vec<_>>()).into(),
            whole("attributed_ns", &|event| event.attributed_ns),
        ];
        let mut frame = DataFrame::new(located.len(), columns)?;
        frame.rechunk_mut();
        Ok(frame)
    }
}

/// The error of the system, without polars' words around it.
fn of_polars(error: PolarsError) -> std::io::Error {
    match error {
        PolarsError::IO { error, .. } => Arc::try_unwrap(error).unwrap_or_else(|error| error.kind().into()),
        error => std::io::Error::other(error),
    }
}

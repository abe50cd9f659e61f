//! Identity of a run: copies of a recording, links to it and other spellings of its path have the same, also with another compression.

use crate::{Result, Trace, TraceSet};
use foldhash::quality::FixedState;
use polars::prelude::{DataType, PlSmallStr};
use std::hash::{BuildHasher, Hasher};

/// The columns that identify a recording: no two have all events at the same nanoseconds.
const COLUMNS: [&str; 6] = ["ts", "dur", "name", "pid", "tid", "stream"];

/// Identity of a recording, valid within one process: two runs have the same only if all their ranks have the same events, with the
/// same times, names, threads and streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunIdentity(Vec<RankIdentity>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct RankIdentity {
    facts: Facts,
    content: Content,
}

/// Facts of a rank that are known without its events: rank, rows, start and end in nanoseconds.
type Facts = (i64, usize, i64, i64);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    /// A hash of the events.
    Events(u64),
    /// Address, size and time of change of a file that an engine reads.
    File(String, u64, Option<i64>),
}

impl RunIdentity {
    /// Identifies a run. All events are read once for a trace, whose hash is kept.
    ///
    /// # Errors
    /// If the events are in a file that cannot be read any more.
    pub fn of(run: &TraceSet) -> Result<Self> {
        let of_rank = |trace: &Trace| {
            let content = match trace.elsewhere() {
                Some(rank) => Content::File(rank.input.uri.clone(), rank.input.bytes, rank.input.modified),
                None => Content::Events(*trace.derived("identity", |_| size_of::<u64>(), || hash_of_events(trace))?),
            };
            Ok(RankIdentity { facts: facts_of(trace), content })
        };
        run.traces().iter().map(of_rank).collect::<Result<_>>().map(Self)
    }
}

/// Returns for each run the place of the first earlier run that is the same recording. Events are read only of runs that agree in
/// what is known without them.
///
/// # Errors
/// As [`RunIdentity::of`].
pub fn earlier_copies(runs: &[&TraceSet]) -> Result<Vec<Option<usize>>> {
    let facts: Vec<Vec<Facts>> = runs.iter().map(|run| run.traces().iter().map(facts_of).collect()).collect();
    let mut copies = Vec::with_capacity(runs.len());
    for (index, run) in runs.iter().enumerate() {
        let mut found = None;
        for earlier in (0..index).filter(|&earlier| facts.get(earlier) == facts.get(index)) {
            let Some(other) = runs.get(earlier) else { continue };
            if other.is_clone_of(run) || RunIdentity::of(other)? == RunIdentity::of(run)? {
                found = Some(earlier);
                break;
            }
        }
        copies.push(found);
    }
    Ok(copies)
}

fn facts_of(trace: &Trace) -> Facts {
    let info = trace.info();
    (info.rank, info.events, info.first_ts, info.last_end)
}

fn hash_of_events(trace: &Trace) -> Result<u64> {
    let names = COLUMNS.map(PlSmallStr::from_static);
    let mut hasher = FixedState::with_seed(0).build_hasher();
    for column in trace.frame_of(&names)?.columns() {
        hasher.write(column.name().as_bytes());
        // Names are numbers of one table for the whole process.
        let numbers = column.to_physical_repr().cast(&DataType::Int64)?;
        for chunk in numbers.as_materialized_series().i64()?.downcast_iter() {
            for value in chunk {
                hasher.write_i64(value.copied().unwrap_or(i64::MIN));
            }
        }
    }
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    use trace_testkit::{Stream, TraceBuilder};

    fn trace(end: i64, name: &str) -> String {
        TraceBuilder::new().step(1, 0..100).operator("aten::mm", 10..20).kernel(name, Stream(7), 30..end).json()
    }

    #[test]
    fn copies_of_a_recording_are_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.json"), trace(50, "gemm")).unwrap();
        std::fs::copy(path("a.json"), path("copy.json")).unwrap();
        std::os::unix::fs::symlink(path("a.json"), path("link.json")).unwrap();
        let mut packed = GzEncoder::new(std::fs::File::create(path("packed.json.gz")).unwrap(), Compression::fast());
        packed.write_all(trace(50, "gemm").as_bytes()).unwrap();
        packed.finish().unwrap();
        std::fs::write(path("longer.json"), trace(51, "gemm")).unwrap();
        std::fs::write(path("renamed.json"), trace(50, "gemm2")).unwrap();
        let names = ["a.json", "longer.json", "copy.json", "link.json", "renamed.json", "packed.json.gz"];
        let runs: Vec<TraceSet> = names.iter().map(|name| TraceSet::load(path(name)).unwrap()).collect();
        let runs: Vec<&TraceSet> = runs.iter().collect();
        assert_eq!(earlier_copies(&runs).unwrap(), [None, None, Some(0), Some(0), None, Some(0)]);
    }
}

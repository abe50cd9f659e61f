//! Arguments of events that a load left out, read from the trace file when a question needs them, and kept: in the cache, else in memory.

use super::load_options::LoadOptions;
use super::table_source::TableSource;
use super::trace::Trace;
use super::trace_set::TraceSet;
use crate::config::{READ_LATER, known_args};
use crate::exec::checkpoint::interrupted;
use crate::frame::IntColumn;
use crate::frame::columns::INDEX;
use crate::store::StoredTable;
use crate::{AttributeSpec, Error, ParserConfig, Result};
use polars::prelude::{Column, DataFrame, IdxCa, NewChunkedArray, PlSmallStr};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// The arguments of a rank that were read after its load.
enum FurtherArgs {
    Memory(DataFrame),
    /// In a file of the cache, mapped while they are used.
    Cached(StoredTable),
}

impl FurtherArgs {
    fn memory_bytes(&self) -> usize {
        match self {
            Self::Memory(frame) => frame.estimated_size(),
            Self::Cached(_) => 0,
        }
    }

    /// Returns those of these columns that an event has.
    fn frame_of(&self, names: &[PlSmallStr]) -> Result<DataFrame> {
        match self {
            Self::Memory(frame) => {
                let columns = frame.columns().iter().filter(|column| names.contains(column.name())).cloned();
                Ok(DataFrame::new(frame.height(), columns.collect())?)
            }
            Self::Cached(table) => table.frame_of(names),
        }
    }
}

impl Trace {
    /// Returns arguments of all events as columns, by the names that [`known_args`] have for them, in the order of the events. What the
    /// trace was loaded without is read from its file, with all of [`READ_LATER`], and kept; arguments that no event has are left out,
    /// and are not looked for where the load saw that the file has none. `None` if the file is not there any more, or is another one now.
    ///
    /// # Errors
    /// [`Error::Interrupted`], if they do not fit the memory budget, or if events in a file cannot be read any more.
    #[doc(hidden)]
    pub fn args(&self, names: &[&'static str]) -> Result<Option<DataFrame>> {
        let mut found = self.frame_of(&names.iter().copied().map(PlSmallStr::from_static).collect::<Vec<_>>())?;
        let missing = self.unread_args(names);
        if missing.is_empty() {
            return Ok(Some(found));
        }
        let others = missing.iter().copied().filter(|name| !READ_LATER.contains(name));
        let wanted: Vec<&'static str> = self.unread_args(&READ_LATER).into_iter().chain(others).collect();
        let read = || self.further_args(&wanted)?.ok_or(Error::Interrupted);
        let further = match self.derived(&format!("args {}", wanted.join(" ")), FurtherArgs::memory_bytes, read) {
            Ok(further) => further,
            Err(Error::Interrupted) if !interrupted() => return Ok(None),
            Err(other) => return Err(other),
        };
        let missing: Vec<PlSmallStr> = missing.into_iter().map(PlSmallStr::from_static).collect();
        for column in further.frame_of(&missing)?.columns() {
            found.with_column(column.clone())?;
        }
        Ok(Some(found))
    }

    /// Returns those of these arguments that the load left out and that events may have, by their columns.
    #[doc(hidden)]
    pub fn unread_args(&self, names: &[&'static str]) -> Vec<&'static str> {
        let loaded = self.columns();
        let is_unread = |name: &&str| !loaded.iter().any(|(column, _)| column == *name) && self.info().may_have(name);
        names.iter().copied().filter(is_unread).collect()
    }

    /// Finds these arguments in the cache, or reads and keeps them; `None` if the file cannot be read.
    fn further_args(&self, names: &[&'static str]) -> Result<Option<FurtherArgs>> {
        let cached = match self.table_source() {
            Some(TableSource::Cache(cached)) if names.iter().all(|name| READ_LATER.contains(name)) => Some(cached),
            _ => None,
        };
        // The entry is of the file as it was loaded, which `unchanged_source` compares.
        let Some(source) = self.info().unchanged_source() else { return Ok(None) };
        if let Some(found) = cached.and_then(|cached| cached.find_args(self.info())) {
            return Ok(Some(FurtherArgs::Cached(found)));
        }
        let begun = Instant::now();
        let path = source.path.clone();
        let Some(read) = self.read_args(&path, names)? else { return Ok(None) };
        let stored = cached.and_then(|cached| cached.keep_args(self.info(), &read, begun.elapsed()));
        Ok(Some(stored.map_or(FurtherArgs::Memory(read), FurtherArgs::Cached)))
    }

    /// Reads the file of the rank again, with these arguments only; `None` if it cannot be read.
    fn read_args(&self, path: &Path, names: &[&'static str]) -> Result<Option<DataFrame>> {
        let specs: Vec<AttributeSpec> =
            known_args().filter(|arg| names.contains(&arg.column.name)).map(|arg| arg.spec()).collect();
        let options = LoadOptions { parser_config: Some(ParserConfig::new(specs)), ..LoadOptions::default() };
        let mut go_on = |_: &_| if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let read = match TraceSet::load_with(path, &options, &mut go_on) {
            Ok(read) => read,
            // An answer must not depend on the memory that is free.
            Err(error @ (Error::Interrupted | Error::MemoryBudget { .. })) => return Err(error),
            Err(_) => return Ok(None),
        };
        let Some(read) = read.traces().iter().find(|read| read.rank() == self.rank()) else { return Ok(None) };
        let wanted: Vec<PlSmallStr> = names.iter().copied().map(PlSmallStr::from_static).collect();
        let (found, theirs) = (read.frame_of(&wanted)?, read.frame_of(&[INDEX.into()])?);
        let ours = self.frame_of(&[INDEX.into()])?;
        let (theirs, ours) = (IntColumn::of(&theirs, INDEX)?, IntColumn::of(&ours, INDEX)?);
        if ours.len() == theirs.len() && ours.iter().eq(theirs.iter()) {
            return Ok(Some(found));
        }
        // Some events were left out of one of the two.
        let rows = ours.iter().map(|index| Some(theirs.row_of(index?)? as u32));
        let rows = IdxCa::from_iter_options("row".into(), rows);
        let columns: Vec<Column> = found
            .columns()
            .iter()
            .map(|column| column.take(&rows))
            .collect::<Result<_, polars::error::PolarsError>>()?;
        Ok(Some(DataFrame::new(ours.len(), columns)?))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_testkit::{Stream, TraceBuilder};

    fn trace() -> TraceBuilder {
        TraceBuilder::new()
            .operator("aten::mm", 0..5)
            .arg("Sequence number", "4")
            .kernel("gemm", Stream(7), 10..20)
            .arg("Process Group Description", "\"tp\"")
            .arg("Fwd thread id", "32")
    }

    #[test]
    fn arguments_are_read_once_when_they_are_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank-0.json");
        std::fs::write(&path, trace().json()).unwrap();
        let set = TraceSet::load(&path).unwrap();
        let rank = &set.traces()[0];
        let unread = rank.info().unread_args.clone().unwrap();
        assert_eq!(unread, ["fwd_thread_id", "process_group_desc", "sequence"]);
        let args = rank.args(&["process_group_desc", "fwd_thread_id", "process_group_ranks"]).unwrap().unwrap();
        assert!(
            args.column("process_group_ranks").is_err() && rank.frame().unwrap().column("process_group_desc").is_err()
        );
        let threads = IntColumn::of(&args, "fwd_thread_id").unwrap();
        assert_eq!((threads.len(), threads.get(1)), (2, Some(32)));
        let bytes = rank.memory_bytes();
        std::fs::remove_file(&path).unwrap();
        // All others were read with them.
        let sequence = rank.args(&["input_dims", "sequence"]).unwrap().unwrap();
        assert_eq!(IntColumn::of(&sequence, "sequence").unwrap().get(0), Some(4));
        rank.give_back();
        assert!(rank.memory_bytes() < bytes, "counted while they are kept");
        assert!(rank.args(&["process_group_desc"]).unwrap().is_none(), "the file is gone");
    }

    #[test]
    fn arguments_that_no_event_has_are_not_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank-0.json");
        std::fs::write(&path, trace().json()).unwrap();
        let set = TraceSet::load(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let rank = &set.traces()[0];
        let found = rank.args(&["process_group_ranks", "input_dims"]).unwrap().unwrap();
        assert_eq!((found.height(), found.width()), (2, 0));
        assert!(rank.args(&["process_group_ranks", "process_group_desc"]).unwrap().is_none(), "the file is gone");
    }

    #[test]
    fn arguments_in_the_cache_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank-0.json");
        let many = (0..60_000).fold(trace(), |trace, at| {
            trace
                .kernel("gemm", Stream(7), 20 + at..21 + at)
                .arg("Process Group Description", &format!("\"{}\"", at % 7))
        });
        std::fs::write(&path, many.json()).unwrap();
        // What was written shortly before is not kept.
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(9);
        std::fs::File::open(&path).unwrap().set_modified(long_ago).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(150));
        let cache = crate::Cache::open(folder.path().join("cache"), 1 << 30).unwrap();
        let load = || {
            let options = LoadOptions { cache: Some(cache.clone()), ..LoadOptions::default() };
            TraceSet::load_with(&path, &options, &mut |_: &_| ControlFlow::Continue(())).unwrap()
        };
        let texts = |set: &TraceSet| {
            let args = set.traces()[0].args(&["process_group_desc"]).unwrap().unwrap();
            args.column("process_group_desc").unwrap().cast(&polars::prelude::DataType::String).unwrap()
        };
        let from_file = texts(&TraceSet::load(&path).unwrap());
        assert_eq!((texts(&load()), texts(&load())), (from_file.clone(), from_file));
        let names = std::fs::read_dir(cache.folder()).unwrap().flatten().map(|entry| entry.file_name());
        assert_eq!(names.filter(|name| name.to_string_lossy().contains("-args")).count(), 1);
    }
}

//! Arguments of events that a load left out, read from the trace file when a question needs them.

use super::load_options::LoadOptions;
use super::trace::Trace;
use super::trace_set::TraceSet;
use crate::config::known_args;
use crate::exec::checkpoint::interrupted;
use crate::frame::IntColumn;
use crate::frame::columns::INDEX;
use crate::{AttributeSpec, Error, ParserConfig, Result};
use polars::prelude::{Column, DataFrame, IdxCa, NewChunkedArray, PlSmallStr};
use std::ops::ControlFlow;
use std::sync::Arc;

impl Trace {
    /// Returns arguments of all events as columns, by the names that [`known_args`] have for them, in the order of the events. What the
    /// trace was loaded without is read from its file, once for a rank in memory; arguments that no event has are left out. `None` if the
    /// file is not there any more, or is another one now.
    ///
    /// # Errors
    /// [`Error::Interrupted`], if they do not fit the memory budget, or if events in a file cannot be read any more.
    #[doc(hidden)]
    pub fn args(&self, names: &[&'static str]) -> Result<Option<Arc<DataFrame>>> {
        let loaded = self.columns();
        let is_loaded = |name: &&str| loaded.iter().any(|(column, _)| column == *name);
        if names.iter().all(is_loaded) {
            let names: Vec<PlSmallStr> = names.iter().copied().map(PlSmallStr::from_static).collect();
            return Ok(Some(Arc::new(self.frame_of(&names)?)));
        }
        let read = || self.read_args(names)?.ok_or(Error::Interrupted);
        let found = self.derived(&format!("args {}", names.join(" ")), DataFrame::estimated_size, read);
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Error::Interrupted) if interrupted() => Err(Error::Interrupted),
            Err(Error::Interrupted) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Reads the file of the rank again, with these arguments only; `None` if it cannot be read.
    fn read_args(&self, names: &[&'static str]) -> Result<Option<DataFrame>> {
        let Some(source) = self.info().unchanged_source() else {
            return Ok(None);
        };
        let specs: Vec<AttributeSpec> =
            known_args().filter(|arg| names.contains(&arg.column.name)).map(|arg| arg.spec()).collect();
        let options = LoadOptions { parser_config: Some(ParserConfig::new(specs)), ..LoadOptions::default() };
        let mut go_on = |_: &_| if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let read = match TraceSet::load_with(&source.path, &options, &mut go_on) {
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

    #[test]
    fn arguments_are_read_from_the_file_when_they_are_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank-0.json");
        let trace = TraceBuilder::new()
            .operator("aten::mm", 0..5)
            .kernel("gemm", Stream(7), 10..20)
            .arg("grid", "[128, 1, 1]")
            .arg("registers per thread", "32");
        std::fs::write(&path, trace.json()).unwrap();
        let set = TraceSet::load(&path).unwrap();
        let rank = &set.traces()[0];
        let args = rank.args(&["grid", "registers_per_thread", "shared_memory"]).unwrap().unwrap();
        assert!(args.column("shared_memory").is_err() && rank.frame().unwrap().column("grid").is_err());
        let registers = IntColumn::of(&args, "registers_per_thread").unwrap();
        assert_eq!((registers.len(), registers.get(1)), (2, Some(32)));
        std::fs::remove_file(&path).unwrap();
        let again = rank.args(&["grid", "registers_per_thread", "shared_memory"]).unwrap().unwrap();
        assert!(Arc::ptr_eq(&args, &again), "read once");
        assert!(rank.args(&["block"]).unwrap().is_none(), "the file is gone");
    }
}

//! Rows of answers that list events: in memory, or in files if those of all ranks do not fit.

use super::{AnswerTable, ByRank, TableSchema};
use crate::Result;
use crate::dataset::SpillFolder;
use crate::exec::context::Inherited;
use crate::store::{SpillableFrame, SpilledBytes, no_space};
use polars::prelude::DataFrame;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error as _};
use std::io::{Result as IoResult, Write};
use std::sync::Arc;

/// Where the finished rows of an answer go that does not fit in memory: files without names on the disk of the spill folder
/// ([`Execution::spill_folder`](trace_base::Execution::spill_folder)). They end with the answer.
#[derive(Debug)]
pub struct AnswerFiles {
    folder: Arc<SpillFolder>,
}

impl AnswerFiles {
    /// Creates a private folder for the files.
    ///
    /// # Errors
    /// [`Error::NoSpillFolder`](crate::Error::NoSpillFolder) if it cannot be created.
    pub(super) fn create() -> Result<Self> {
        Ok(Self { folder: SpillFolder::create(Inherited::here().spill_folder().as_deref())? })
    }

    /// Writes bytes for a rank, about so many, which are read whenever they are needed.
    ///
    /// # Errors
    /// [`Error::NoSpace`](crate::Error::NoSpace) if the disk is full.
    pub(super) fn bytes(
        &self,
        rank: i64,
        about: usize,
        write: impl FnOnce(&mut dyn Write) -> IoResult<()>,
    ) -> Result<SpilledBytes> {
        let folder = self.folder.path();
        SpilledBytes::write(folder, write).map_err(|error| no_space(error, rank, folder, about))
    }

    fn frame(&self, rank: i64, frame: DataFrame) -> Result<SpillableFrame> {
        let (folder, bytes) = (self.folder.path(), frame.estimated_size());
        SpillableFrame::write(folder, frame).map_err(|error| no_space(error, rank, folder, bytes))
    }
}

/// The rows that an analysis lists for one rank: as they were found, or finished in a file.
#[derive(Debug)]
pub enum Listed<T, F = Finished> {
    /// The rows as they were found.
    Found(T),
    /// What is finished, in a file.
    Finished(F),
}

/// The finished rows of one rank.
#[derive(Debug)]
pub struct Finished(SpillableFrame);

impl<T: Default, F> Default for Listed<T, F> {
    fn default() -> Self {
        Self::Found(T::default())
    }
}

impl<T> Listed<T> {
    /// Returns the finished frame, made by `frame` unless it is in a file.
    ///
    /// # Errors
    /// The error of `frame`.
    pub(super) fn finished(self, frame: impl FnOnce(T) -> Result<DataFrame>) -> Result<Finished> {
        match self {
            Self::Found(rows) => Ok(Finished(frame(rows)?.into())),
            Self::Finished(finished) => Ok(finished),
        }
    }

    /// Finishes the rows of a rank and moves them to a file.
    ///
    /// # Errors
    /// The error of `frame`; [`Error::NoSpace`](crate::Error::NoSpace) if the disk is full.
    pub(super) fn moved(
        self,
        rank: i64,
        files: &AnswerFiles,
        frame: impl FnOnce(T) -> Result<DataFrame>,
    ) -> Result<Self> {
        Ok(Self::Finished(match self {
            Self::Found(rows) => Finished(files.frame(rank, frame(rows)?)?),
            Self::Finished(finished) => finished,
        }))
    }
}

impl Finished {
    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.0.rows()
    }

    /// Calls `read` with the frame; its pages do not stay in memory if it is in a file.
    pub(super) fn read<T>(&self, read: impl FnOnce(&DataFrame) -> T) -> T {
        self.0.read(read)
    }

    /// Returns the frame, mapped if it is in a file.
    pub(super) fn into_frame(self) -> DataFrame {
        self.0.into_frame()
    }
}

/// The partial result of another process: the rows. Those in files end with this process.
impl<T: Serialize, F> Serialize for Listed<T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Found(rows) => rows.serialize(serializer),
            Self::Finished(_) => Err(S::Error::custom("its rows are in a file of this process")),
        }
    }
}

impl<'de, T: Deserialize<'de>, F> Deserialize<'de> for Listed<T, F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::Found)
    }
}

impl<T> ByRank<T> {
    /// Converts the result of each rank.
    ///
    /// # Errors
    /// The first error of `convert`.
    pub(super) fn try_map<U>(self, mut convert: impl FnMut(i64, T) -> Result<U>) -> Result<ByRank<U>> {
        let converted = self.0.into_iter().map(|(rank, result)| Ok((rank, convert(rank, result)?)));
        Ok(ByRank(converted.collect::<Result<_>>()?))
    }
}

impl ByRank<Finished> {
    /// Returns a table for each rank.
    pub(super) fn into_tables(self, schema: &TableSchema) -> Vec<AnswerTable> {
        let tables = self.0.into_iter();
        tables.map(|(rank, rows)| AnswerTable::new(schema, rows.into_frame()).of_rank(rank)).collect()
    }
}

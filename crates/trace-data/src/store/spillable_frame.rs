//! A finished frame in a file without a name: part of an answer that does not fit in memory.
//!
//! The file is private to the process, is removed from its folder as soon as it is written, and ends with the last column that
//! is mapped from it. Unlike tables of ranks it may have columns of texts.

use super::bounds::file_metadata;
use super::bus_errors::Guard;
use super::new_file::NewFile;
use super::pages::Pages;
use crate::{Error, Result};
use polars::prelude::{Column, DataFrame, IntoColumn, PolarsResult, Series};
use polars_arrow::io::ipc::read::FileMetadata;
use polars_arrow::mmap::mmap_unchecked;
use polars_io::prelude::{IpcWriter, SerWriter};
use std::io::{BufWriter, Error as IoError, Seek, Write};
use std::path::Path;
use std::sync::Arc;

/// A finished frame, in memory or in a file without a name.
#[derive(Debug, Clone)]
pub struct SpillableFrame {
    frame: DataFrame,
    /// The pages from which the columns are mapped; `None` for a frame in memory.
    pages: Option<Arc<SpilledPages>>,
}

/// The pages of such a file.
#[derive(Debug)]
struct SpilledPages {
    // Dropped before the pages.
    _guard: Guard,
    pages: Pages,
}

impl AsRef<[u8]> for SpilledPages {
    fn as_ref(&self) -> &[u8] {
        self.pages.bytes()
    }
}

impl From<DataFrame> for SpillableFrame {
    fn from(frame: DataFrame) -> Self {
        Self { frame, pages: None }
    }
}

impl SpillableFrame {
    /// Writes a frame to a file in `folder` without a name, and maps it.
    ///
    /// # Errors
    /// If the file cannot be written or mapped.
    pub fn write(folder: &Path, mut frame: DataFrame) -> Result<Self> {
        if frame.height() == 0 {
            return Ok(frame.into());
        }
        let failed = |error| Error::Io { path: folder.to_owned(), error };
        // Its name goes when this value is dropped.
        let new = NewFile::create(folder, 0o400).map_err(failed)?;
        frame.rechunk_mut();
        let mut file = BufWriter::with_capacity(1 << 20, &new.file);
        IpcWriter::new(&mut file).finish(&mut frame)?;
        file.flush().map_err(failed)?;
        drop(file);
        drop(frame);
        let mut file = &new.file;
        file.rewind().map_err(failed)?;
        let layout = file_metadata(&mut file).map_err(|_| failed(IoError::other("it cannot be read again")))?;
        if layout.blocks.len() != 1 {
            return Err(failed(IoError::other("it cannot be read again")));
        }
        let length = usize::try_from(file.metadata().map_err(failed)?.len()).map_err(IoError::other).map_err(failed)?;
        let pages = Pages::map(&new.file, length).map_err(failed)?;
        let guard = Guard::new(&pages.bytes().as_ptr_range());
        let guard = guard.ok_or_else(|| failed(IoError::other("too many files are mapped")))?;
        let pages = Arc::new(SpilledPages { _guard: guard, pages });
        let columns = map_columns(&layout, &pages)?;
        let spilled =
            Self { frame: DataFrame::new(columns.first().map_or(0, Column::len), columns)?, pages: Some(pages) };
        spilled.give_back();
        Ok(spilled)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.frame.height()
    }

    /// Calls `read` with the frame, and gives its pages back afterwards: they do not stay in memory.
    pub fn read<T>(&self, read: impl FnOnce(&DataFrame) -> T) -> T {
        let read = read(&self.frame);
        self.give_back();
        read
    }

    /// Returns the frame. Its columns are mapped from the file, if there is one, until the last of them is dropped.
    pub fn into_frame(self) -> DataFrame {
        self.frame
    }

    fn give_back(&self) {
        if let Some(pages) = &self.pages {
            pages.pages.give_back();
        }
    }
}

/// Makes columns of the pages of a mapped file.
#[allow(unsafe_code)]
fn map_columns(layout: &FileMetadata, pages: &Arc<SpilledPages>) -> PolarsResult<Vec<Column>> {
    // SAFETY: this process wrote the file from a valid frame a moment ago, with mode 0400 into a folder of its own, and it has no
    // name by which another program could open it.
    let batch = unsafe { mmap_unchecked(layout, &Default::default(), Arc::clone(pages), 0)? };
    let fields = layout.schema.iter_values();
    let column = |(field, array): (&polars_arrow::datatypes::Field, _)| {
        Ok(Series::from_arrow(field.name.clone(), array)?.into_column())
    };
    fields.zip(batch.into_arrays()).map(column).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use polars::df;

    #[test]
    fn frame_in_a_file_is_equal_and_leaves_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let long = "void at::native::vectorized_elementwise_kernel<4>";
        let frame = df!(
            "ts" => (0..3000).map(|row| row as f64 / 3.0).collect::<Vec<f64>>(),
            "pid" => (0..3000_i64).map(|row| (row % 7 > 0).then_some(row)).collect::<Vec<_>>(),
            "name" => (0..3000).map(|row| if row % 2 == 0 { long } else { "a" }).collect::<Vec<_>>(),
            "annotation" => (0..3000).map(|row| (row % 3 > 0).then_some(long)).collect::<Vec<_>>(),
        );
        let frame = frame.unwrap();
        let spilled = SpillableFrame::write(folder.path(), frame.clone()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(spilled.read(DataFrame::height), spilled.rows());
        assert!(
            spilled.read(|found| found.equals_missing(&frame)) && spilled.read(|found| found.equals_missing(&frame))
        );
        let mut both = spilled.clone().into_frame();
        drop(spilled);
        both.vstack_mut(&frame).unwrap();
        assert_eq!(both.schema(), frame.schema());
        assert_eq!(
            both.column("name").unwrap().str().unwrap().iter().flatten().filter(|name| *name == long).count(),
            3000
        );
        let empty = SpillableFrame::write(folder.path(), frame.head(Some(0))).unwrap();
        assert_eq!((empty.rows(), empty.into_frame().width()), (0, 4));
    }
}

//! Frames in CSV and Parquet files: one call to write, and one to read back.

use crate::LazyCsvReader;
use polars::prelude::{
    AnonymousScan, AnonymousScanArgs, CsvWriter, DataFrame, LazyFrame, PolarsError, PolarsResult, ScanArgsAnonymous,
    SchemaRef, SerReader, SerWriter,
};
use polars_io::parquet::read::ParquetReader;
use polars_io::parquet::write::ParquetWriter;
use std::any::Any;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads a CSV file whose first line contains the names of the columns; [`LazyCsvReader`] has the options.
///
/// # Errors
/// If the file cannot be read, or is no table.
///
/// # Example
/// ```no_run
/// # use cells::prelude::*;
/// let kernels = read_csv("kernels.csv")?;
/// # Ok::<(), PolarsError>(())
/// ```
pub fn read_csv(path: impl AsRef<Path>) -> PolarsResult<DataFrame> {
    let path = path.as_ref();
    // For a message with the name of the file.
    open(path)?;
    LazyCsvReader::new(path).finish()?.collect()
}

/// Reads a Parquet file. The folder of an exported trace is read by `%trace_load`.
///
/// # Errors
/// If the file cannot be read, or is no Parquet file.
///
/// # Example
/// ```no_run
/// # use cells::prelude::*;
/// let kernels = read_parquet("kernels.parquet")?;
/// # Ok::<(), PolarsError>(())
/// ```
pub fn read_parquet(path: impl AsRef<Path>) -> PolarsResult<DataFrame> {
    let path = path.as_ref();
    ParquetReader::new(open(path)?).finish().map_err(|error| named(path, error))
}

/// Returns a lazy frame of a Parquet file: `collect` reads those columns that the query needs.
///
/// # Errors
/// If the file cannot be read, or is no Parquet file.
///
/// # Example
/// ```no_run
/// # use cells::prelude::*;
/// let longest = scan_parquet("kernels.parquet")?.select([col("dur").max()]).collect()?;
/// # Ok::<(), PolarsError>(())
/// ```
pub fn scan_parquet(path: impl AsRef<Path>) -> PolarsResult<LazyFrame> {
    let path = path.as_ref().to_owned();
    let empty = ParquetReader::new(open(&path)?).with_slice(Some((0, 0))).finish();
    let schema = empty.map_err(|error| named(&path, error))?.schema().clone();
    LazyFrame::anonymous_scan(Arc::new(ParquetFile { path, schema }), ScanArgsAnonymous::default())
}

/// Writes a frame as a CSV file.
///
/// # Errors
/// If the file cannot be written, or a column has no text (lists).
pub fn write_csv(df: &DataFrame, path: impl AsRef<Path>) -> PolarsResult<()> {
    CsvWriter::new(create(path.as_ref())?).finish(&mut df.clone())
}

/// Writes a frame as a Parquet file.
///
/// # Errors
/// If the file cannot be written.
pub fn write_parquet(df: &DataFrame, path: impl AsRef<Path>) -> PolarsResult<()> {
    ParquetWriter::new(create(path.as_ref())?).finish(&mut df.clone()).map(drop)
}

fn open(path: &Path) -> PolarsResult<File> {
    if path.is_dir() {
        let message = format!(
            "{} is a folder: expected a file; `%trace_load` reads the folder of an exported trace",
            path.display()
        );
        return Err(PolarsError::ComputeError(message.into()));
    }
    File::open(path).map_err(|error| named(path, error.into()))
}

fn create(path: &Path) -> PolarsResult<File> {
    File::create(path).map_err(|error| named(path, error.into()))
}

fn named(path: &Path, error: PolarsError) -> PolarsError {
    PolarsError::ComputeError(format!("{}: {error}", path.display()).into())
}

/// A Parquet file as a table of queries.
struct ParquetFile {
    path: PathBuf,
    schema: SchemaRef,
}

impl AnonymousScan for ParquetFile {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn schema(&self, _: Option<usize>) -> PolarsResult<SchemaRef> {
        Ok(Arc::clone(&self.schema))
    }

    fn allows_projection_pushdown(&self) -> bool {
        true
    }

    fn scan(&self, args: AnonymousScanArgs) -> PolarsResult<DataFrame> {
        let columns = args.with_columns.map(|columns| columns.iter().map(ToString::to_string).collect());
        let reader = ParquetReader::new(open(&self.path)?).with_slice(args.n_rows.map(|rows| (0, rows)));
        reader.with_columns(columns).finish().map_err(|error| named(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::prelude::*;

    #[test]
    fn written_frames_are_read_back() {
        let folder = std::env::temp_dir().join(format!("tracebook-frames-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let df = df!("name" => ["a, \"b\"", "é"], "dur" => [Some(3_i64), None]).unwrap();
        let (csv, parquet) = (folder.join("x.csv"), folder.join("x.parquet"));
        write_csv(&df, &csv).unwrap();
        write_parquet(&df, &parquet).unwrap();
        assert!(read_csv(&csv).unwrap().equals_missing(&df));
        assert!(read_parquet(&parquet).unwrap().equals_missing(&df));
        let query = scan_parquet(&parquet).unwrap().filter(col("dur").is_not_null()).select([col("dur").sum()]);
        assert_eq!(query.collect().unwrap().column("dur").unwrap().i64().unwrap().get(0), Some(3));
        assert_eq!(scan_parquet(&parquet).unwrap().limit(1).collect().unwrap().shape(), (1, 2));
        std::fs::write(&csv, "no parquet").unwrap();
        for (message, error) in [
            ("x.csv", read_parquet(&csv).unwrap_err()),
            ("missing.csv", read_csv(folder.join("missing.csv")).unwrap_err()),
            ("missing.parquet", scan_parquet(folder.join("missing.parquet")).err().unwrap()),
            ("is a folder: expected a file", read_parquet(&folder).unwrap_err()),
        ] {
            assert!(error.to_string().contains(message), "{error}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

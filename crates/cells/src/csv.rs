//! Lazy reader of CSV files, with the methods of polars' own.

use polars::prelude::{CsvReadOptions, IntoLazy, LazyFrame, NullValues, PolarsResult, SchemaRef, SerReader};
use std::path::{Path, PathBuf};

/// Reads a CSV file into a lazy frame, with the methods of polars' reader of the same name.
///
/// Unlike polars' own, which needs a hundred more crates, it reads the whole file in [`finish`](Self::finish): a later filter
/// does not reduce what is read, but [`with_columns`](Self::with_columns) and [`with_n_rows`](Self::with_n_rows) do.
///
/// # Example
/// ```no_run
/// # use cells::prelude::*;
/// let slow = LazyCsvReader::new("kernels.csv").finish()?.filter(col("dur").gt(lit(100))).collect()?;
/// # Ok::<(), PolarsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LazyCsvReader {
    path: PathBuf,
    options: CsvReadOptions,
}

impl LazyCsvReader {
    /// Creates a reader of one file; by default the first line contains the column names and commas separate the fields.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_owned(), options: CsvReadOptions::default() }
    }

    /// Sets whether the first line contains the names of the columns.
    #[must_use]
    pub fn with_has_header(self, has_header: bool) -> Self {
        self.map(|options| options.with_has_header(has_header))
    }

    /// Sets the byte between two fields.
    #[must_use]
    pub fn with_separator(self, separator: u8) -> Self {
        self.map(|options| options.map_parse_options(|parse| parse.with_separator(separator)))
    }

    /// Sets the byte around quoted fields; `None` if no field is quoted.
    #[must_use]
    pub fn with_quote_char(self, quote: Option<u8>) -> Self {
        self.map(|options| options.map_parse_options(|parse| parse.with_quote_char(quote)))
    }

    /// Sets which texts mean an absent value.
    #[must_use]
    pub fn with_null_values(self, values: Option<NullValues>) -> Self {
        self.map(|options| options.map_parse_options(|parse| parse.with_null_values(values.clone())))
    }

    /// Skips `rows` lines at the start of the file.
    #[must_use]
    pub fn with_skip_rows(self, rows: usize) -> Self {
        self.map(|options| options.with_skip_rows(rows))
    }

    /// Reads at most `rows` rows.
    #[must_use]
    pub fn with_n_rows(self, rows: Option<usize>) -> Self {
        self.map(|options| options.with_n_rows(rows))
    }

    /// Reads these columns only.
    #[must_use]
    pub fn with_columns<'a>(self, columns: impl IntoIterator<Item = &'a str>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        self.map(|options| options.with_columns(Some(columns)))
    }

    /// Infers the types of columns from the first `rows` rows; `None` for all.
    #[must_use]
    pub fn with_infer_schema_length(self, rows: Option<usize>) -> Self {
        self.map(|options| options.with_infer_schema_length(rows))
    }

    /// Sets the types of all columns instead of inferring them.
    #[must_use]
    pub fn with_schema(self, schema: Option<SchemaRef>) -> Self {
        self.map(|options| options.with_schema(schema))
    }

    /// Sets the types of some columns.
    #[must_use]
    pub fn with_dtype_overwrite(self, schema: Option<SchemaRef>) -> Self {
        self.map(|options| options.with_schema_overwrite(schema))
    }

    /// Sets whether a field that does not fit its column is absent rather than an error.
    #[must_use]
    pub fn with_ignore_errors(self, ignore: bool) -> Self {
        self.map(|options| options.with_ignore_errors(ignore))
    }

    /// Sets whether texts that look like dates become dates.
    #[must_use]
    pub fn with_try_parse_dates(self, parse: bool) -> Self {
        self.map(|options| options.map_parse_options(|options| options.with_try_parse_dates(parse)))
    }

    /// Reads the file.
    ///
    /// # Errors
    /// If the file does not exist, or does not match the options.
    pub fn finish(self) -> PolarsResult<LazyFrame> {
        Ok(self.options.try_into_reader_with_file_path(Some(self.path))?.finish()?.lazy())
    }

    fn map(mut self, change: impl FnOnce(CsvReadOptions) -> CsvReadOptions) -> Self {
        self.options = change(self.options);
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    #[test]
    fn csv_options_are_applied() {
        let file = std::env::temp_dir().join(format!("tracebook-lazy-csv-{}.csv", std::process::id()));
        std::fs::write(&file, "name;dur\na;1\nb;20\n").unwrap();
        let read = || LazyCsvReader::new(&file).with_separator(b';');
        let slow = read().finish().unwrap().filter(col("dur").gt(lit(5))).collect().unwrap();
        assert_eq!((slow.height(), slow.width()), (1, 2));
        assert_eq!(
            read().with_columns(["dur"]).with_n_rows(Some(1)).finish().unwrap().collect().unwrap().shape(),
            (1, 1)
        );
        std::fs::remove_file(&file).unwrap();
        assert!(LazyCsvReader::new(&file).finish().is_err());
    }
}

//! Reasons for which a frame or a saved trace is refused.

/// Why a frame is not a table of events or a comparison.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameReason {
    /// A column is missing, or has another type.
    #[error("it has no column `{column}`{}", holding(.holds))]
    NoColumn {
        /// The column.
        column: String,
        /// What the column must hold, `numbers`; `None` if only the column counts.
        holds: Option<&'static str>,
    },
    /// No column names its rows.
    #[error("it has no column `name` or `short_name`")]
    NoNames,
    /// Fewer than two columns hold total durations.
    #[error("it has no two columns that end in `{suffix}`")]
    NoDurations {
        /// The ending of such a column.
        suffix: &'static str,
    },
    /// The frame does not carry the labels of control and test.
    #[error("it does not name control and test")]
    NotMarked,
    /// The frame is empty.
    #[error("it has no columns")]
    NoColumns,
}

impl FrameReason {
    /// The reason for a missing column.
    pub fn no_column(column: impl Into<String>) -> Self {
        Self::NoColumn { column: column.into(), holds: None }
    }

    /// The reason for a column that is missing or does not hold `holds`.
    pub fn no_column_of(column: impl Into<String>, holds: &'static str) -> Self {
        Self::NoColumn { column: column.into(), holds: Some(holds) }
    }
}

fn holding(holds: &Option<&'static str>) -> String {
    holds.map_or_else(String::new, |holds| format!(" of {holds}"))
}

/// Why an Arrow file cannot be mapped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedFileReason {
    /// The file is not an Arrow file, or was written by another program.
    #[error("it was not written by this library")]
    Foreign,
    /// The file has another version of the format.
    #[error("its format is {found}, expected {expected}")]
    Version {
        /// The version of the file.
        found: u32,
        /// The version that this library reads.
        expected: u32,
    },
    /// The manifest does not match its checksum.
    #[error("the checksum of its manifest differs")]
    Checksum,
    /// A column is not inside the file, is shorter than its batch, or has another layout than this library writes.
    #[error("its columns are damaged")]
    Bounds,
    /// The manifest cannot be parsed.
    #[error("its manifest is invalid: {0}")]
    Manifest(String),
    /// The file holds a frame where a trace is expected, or the other way round.
    #[error("it holds {found}, expected {expected}")]
    Kind {
        /// What it holds: `a frame`.
        found: &'static str,
        /// What was expected: `a trace`.
        expected: &'static str,
    },
    /// A column of a rank is missing, or has another type than the manifest says.
    #[error("the column `{column}` is missing or of another type")]
    Column {
        /// The column.
        column: String,
    },
    /// The ranks have more or fewer rows than the file.
    #[error("it has {found} rows, its ranks {expected}")]
    Rows {
        /// Rows of the file.
        found: usize,
        /// Rows of its ranks together.
        expected: usize,
    },
    /// A category code has no text.
    #[error("the column `{column}` holds the code {code}, but there are {texts} texts")]
    Code {
        /// The column.
        column: String,
        /// The highest code.
        code: u32,
        /// Texts of the manifest.
        texts: usize,
    },
}

/// Why the file of a rank cannot be used any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnusableReason {
    /// Another program wrote to it.
    #[error("it changed while it was mapped")]
    Changed,
    /// Another program wrote to it while it was read.
    #[error("it changed while it was read")]
    ChangedWhileRead,
    /// It was removed.
    #[error("it was removed")]
    Gone,
}

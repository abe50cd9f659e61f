//! The shape of a data frame: the number of rows, and the names and types of the columns.

use serde::{Deserialize, Serialize};

/// The columns of a data frame, without their values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameSchema {
    /// The number of rows; `None` for a lazy frame, which has not been computed.
    pub rows: Option<usize>,
    /// Name and data type of each column, in order; at most the first [`FrameSchema::MAX_COLUMNS`].
    pub columns: Vec<(String, String)>,
    /// The number of columns.
    pub width: usize,
}

impl FrameSchema {
    /// The most columns that are listed.
    pub const MAX_COLUMNS: usize = 1000;

    /// Creates the schema of a frame with `rows` rows; `columns` yields the name and data type of each column.
    pub fn new<T: ToString>(rows: Option<usize>, columns: impl ExactSizeIterator<Item = (T, T)>) -> Self {
        let width = columns.len();
        let columns = columns.take(Self::MAX_COLUMNS).map(|(name, dtype)| (name.to_string(), dtype.to_string()));
        Self { rows, columns: columns.collect(), width }
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Tells whether every column is listed.
    pub fn is_complete(&self) -> bool {
        self.width == self.columns.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_of_a_wide_frame_lists_the_first_columns() {
        let columns: Vec<(String, String)> = (0..1200).map(|at| (format!("c{at}"), "i64".to_owned())).collect();
        let schema = FrameSchema::new(Some(3), columns.into_iter());
        assert_eq!((schema.width, schema.columns.len(), schema.is_complete()), (1200, 1000, false));
        assert_eq!(schema.names().last(), Some("c999"));
    }
}

//! `df.describe()`, which polars has in Python but not in Rust.

use polars::prelude::*;

/// Summary statistics of a frame, as `describe` of pandas and of polars in Python.
pub trait Describe {
    /// Returns one row per statistic (count, null_count, mean, std, min, 25%, 50%, 75%, max) and a column per column, `f64`. Numbers
    /// and Booleans have all statistics (quartiles are interpolated linearly, std is that of a sample), other columns the counts.
    ///
    /// # Errors
    /// If a column cannot be read as numbers.
    fn describe(&self) -> PolarsResult<DataFrame>;
}

const STATISTICS: [&str; 9] = ["count", "null_count", "mean", "std", "min", "25%", "50%", "75%", "max"];

impl Describe for DataFrame {
    fn describe(&self) -> PolarsResult<DataFrame> {
        let mut columns = vec![Column::new("statistic".into(), STATISTICS)];
        for column in self.columns() {
            let mut statistics =
                vec![Some((column.len() - column.null_count()) as f64), Some(column.null_count() as f64)];
            let numbers = column.dtype().is_primitive_numeric() || column.dtype().is_bool();
            if numbers {
                let values = column.cast(&DataType::Float64)?;
                let values = values.f64()?;
                statistics.extend([values.mean(), values.std(1), values.min()]);
                for share in [0.25, 0.5, 0.75] {
                    statistics.push(values.quantile(share, QuantileMethod::Linear)?);
                }
                statistics.push(values.max());
            }
            statistics.resize(STATISTICS.len(), None);
            columns.push(Column::new(column.name().clone(), statistics));
        }
        DataFrame::new(STATISTICS.len(), columns)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn numbers_have_all_statistics_and_texts_only_counts() {
        let df = df!("n" => [Some(1i64), Some(2), Some(3), Some(4), None], "t" => ["a", "b", "c", "d", "e"]).unwrap();
        let described = df.describe().unwrap();
        let column = |name| described.column(name).unwrap().f64().unwrap().to_vec();
        let deviation = (5.0f64 / 3.0).sqrt();
        let expected = [4.0, 1.0, 2.5, deviation, 1.0, 1.75, 2.5, 3.25, 4.0];
        assert_eq!(column("n"), expected.map(Some));
        assert_eq!(column("t")[..3], [Some(5.0), Some(0.0), None]);
    }

    #[test]
    fn empty_frame_has_all_statistics() {
        let df = DataFrame::new(0, vec![Column::new("n".into(), Vec::<f64>::new())]).unwrap();
        assert_eq!(df.describe().unwrap().height(), STATISTICS.len());
    }
}

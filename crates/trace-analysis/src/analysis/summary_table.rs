//! Summary of numbers by rank and key: table and bars.

use crate::Result;
use polars::prelude::{Column as FrameColumn, DataFrame, NamedFrom, Series as FrameSeries};
use trace_view::{Column, Mark, Points, Series};

/// Rank, key, and the description by [`crate::stats::describe`].
pub(super) type Row<K> = (i64, K, [Option<f64>; 8]);

/// Positions of median and maximum in a description.
const MEDIAN: usize = 5;
const MAXIMUM: usize = 7;

/// Returns a frame with a row per rank and key; `columns` are rank, key and the description.
pub(super) fn frame<K: Copy>(columns: &[Column], rows: &[Row<K>]) -> Result<DataFrame>
where
    FrameSeries: FromIterator<K>,
{
    let mut described: Vec<FrameColumn> = vec![
        FrameSeries::new(columns[0].name.into(), rows.iter().map(|row| row.0).collect::<Vec<i64>>()).into(),
        rows.iter().map(|row| row.1).collect::<FrameSeries>().with_name(columns[1].name.into()).into(),
    ];
    for (position, column) in columns[2..].iter().enumerate() {
        let values: Vec<Option<f64>> = rows.iter().map(|row| row.2[position]).collect();
        described.push(FrameSeries::new(column.name.into(), values).into());
    }
    Ok(DataFrame::new(rows.len(), described)?)
}

/// Returns bars of median and maximum; `label` names a key, alone or after its rank.
pub(super) fn bars<K: Copy>(rows: &[Row<K>], largest: &str, label: impl Fn(K, bool) -> String) -> Vec<Series> {
    let several = rows.iter().any(|row| row.0 != rows[0].0);
    let name = |row: &Row<K>| {
        if several { format!("rank {} · {}", row.0, label(row.1, true)) } else { label(row.1, false) }
    };
    let labels: Vec<String> = rows.iter().map(name).collect();
    let series = |(name, statistic): (&str, usize)| Series {
        name: name.to_owned(),
        mark: Mark::Bar,
        x: Points::Names(labels.clone()),
        y: rows.iter().map(|row| row.2[statistic].unwrap_or(f64::NAN)).collect(),
    };
    [("median", MEDIAN), (largest, MAXIMUM)].map(series).into()
}

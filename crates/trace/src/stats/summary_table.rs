//! Numbers described by rank and what they are of: the table and the bars of the summaries.

use crate::Result;
use polars::prelude::{Column as FrameColumn, DataFrame, NamedFrom, Series as FrameSeries};
use trace_view::{Column, Mark, Points, Series};

/// Rank, what the numbers are of, and the numbers as [`crate::stats::describe`] tells them.
pub(crate) type Row<K> = (i64, K, [Option<f64>; 8]);

/// Where the median stands among what is told, and where the largest.
const MEDIAN: usize = 5;
const LARGEST: usize = 7;

/// A row per rank and key, in `columns`: rank, key, and what is told.
pub(crate) fn frame<K: Copy>(columns: &[Column], rows: &[Row<K>]) -> Result<DataFrame>
where
    FrameSeries: FromIterator<K>,
{
    let mut told: Vec<FrameColumn> = vec![
        FrameSeries::new(columns[0].name.into(), rows.iter().map(|row| row.0).collect::<Vec<i64>>()).into(),
        rows.iter().map(|row| row.1).collect::<FrameSeries>().with_name(columns[1].name.into()).into(),
    ];
    for (place, column) in columns[2..].iter().enumerate() {
        let values: Vec<Option<f64>> = rows.iter().map(|row| row.2[place]).collect();
        told.push(FrameSeries::new(column.name.into(), values).into());
    }
    Ok(DataFrame::new(rows.len(), told)?)
}

/// Bars of median and largest; `place` names a key, on its own or behind its rank.
pub(crate) fn bars<K: Copy>(rows: &[Row<K>], largest: &str, place: impl Fn(K, bool) -> String) -> Vec<Series> {
    let several = rows.iter().any(|row| row.0 != rows[0].0);
    let name = |row: &Row<K>| {
        if several { format!("rank {} · {}", row.0, place(row.1, true)) } else { place(row.1, false) }
    };
    let places: Vec<String> = rows.iter().map(name).collect();
    let series = |(name, statistic): (&str, usize)| Series {
        name: name.to_owned(),
        mark: Mark::Bar,
        x: Points::Names(places.clone()),
        y: rows.iter().map(|row| row.2[statistic].unwrap_or(f64::NAN)).collect(),
    };
    [("median", MEDIAN), (largest, LARGEST)].map(series).into()
}

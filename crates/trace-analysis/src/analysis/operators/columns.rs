//! The columns of the answer, and its frame.

use super::sums::Sums;
use crate::Result;
use crate::stats::micros;
use polars::df;
use polars::prelude::DataFrame;
use trace_view::{Column, Unit};

/// The answer's columns.
pub(super) const COLUMNS: &[Column] = &[
    Column::new(
        "name",
        Unit::None,
        "operator or module; by stack the operators around it, too, by shape the shapes of its inputs",
    ),
    Column::new("count", Unit::Count, "calls"),
    Column::new("cpu_total (us)", Unit::Micros, "time of the calls"),
    Column::new("cpu_self (us)", Unit::Micros, "time of the calls without those of other rows inside"),
    Column::new("kernels", Unit::Count, "kernels, copies and fills that were launched below"),
    Column::new("kernel_total (us)", Unit::Micros, "time of these kernels"),
    Column::new("kernel_self (us)", Unit::Micros, "time of kernels that no call of another row inside launched"),
    Column::new("kernel_span (us)", Unit::Micros, "from the first kernel of a call to the end of its last, added up"),
    Column::new("launch_share", Unit::Percent, "launches below, in percent of cpu_total"),
];

/// Returns the rows as a frame.
pub(super) fn frame(rows: &[(String, Sums)]) -> Result<DataFrame> {
    let time = |of: fn(&Sums) -> i64| rows.iter().map(|(_, sums)| micros(of(sums))).collect::<Vec<f64>>();
    Ok(df!(
        COLUMNS[0].name => rows.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        COLUMNS[1].name => rows.iter().map(|(_, sums)| sums.count as i64).collect::<Vec<_>>(),
        COLUMNS[2].name => time(|sums| sums.total),
        COLUMNS[3].name => time(|sums| sums.own),
        COLUMNS[4].name => rows.iter().map(|(_, sums)| sums.kernels as i64).collect::<Vec<_>>(),
        COLUMNS[5].name => time(|sums| sums.kernel_total),
        COLUMNS[6].name => time(|sums| sums.kernel_own),
        COLUMNS[7].name => time(|sums| sums.kernel_span),
        COLUMNS[8].name => rows.iter().map(|(_, sums)| sums.launch_share()).collect::<Vec<f64>>(),
    )?)
}

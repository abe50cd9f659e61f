//! A heat map as plain text.

use super::ticks::{plain, position};
use trace_view::HeatMap;
use trace_view::terminal_safe;

/// The most outliers that are listed.
const MOST: usize = 20;

/// Describes a heat map: titles, size, range of values, and the value of each labelled row and column that is farthest from
/// zero.
pub(crate) fn text(map: &HeatMap) -> String {
    let titles = [map.title.as_str(), map.subtitle.as_str()];
    let caption = titles.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" · ");
    let (rows, columns) = (map.values.len(), map.width());
    let values = match map.extremes() {
        Some((low, high)) => format!("{} {} to {}", meaning(map), amount(map, low), amount(map, high)),
        None => "nothing to draw".to_owned(),
    };
    let mut lines = vec![caption, format!("heat map of {rows} × {columns}: {values}")];
    let labelled = map.labelled.columns.iter().map(|&column| farthest(map, (0..rows).map(|row| (row, column)), true));
    let labelled =
        labelled.chain(map.labelled.rows.iter().map(|&row| farthest(map, (0..columns).map(|c| (row, c)), false)));
    lines.extend(labelled.flatten().take(MOST));
    lines.retain(|line| !line.is_empty());
    terminal_safe(&lines.join("\n"))
}

fn meaning(map: &HeatMap) -> &str {
    if map.meaning.is_empty() { "values" } else { &map.meaning }
}

/// Formats a value with its unit.
fn amount(map: &HeatMap, value: f64) -> String {
    format!("{} {}", plain(value), map.unit.symbol()).trim_end().to_owned()
}

/// Returns the line of a column or a row: `rank 37: idle_time 2.31 ms, robust z 35.2`.
fn farthest(map: &HeatMap, cells: impl Iterator<Item = (usize, usize)>, is_column: bool) -> Option<String> {
    let values = cells.filter_map(|(row, column)| Some((row, column, map.value(row, column)?)));
    let (row, column, value) = values.max_by(|one, other| one.2.abs().total_cmp(&other.2.abs()))?;
    let (x, y) = (position(&map.columns, column), position(&map.rows, row));
    let (axis, one, other) = if is_column { (&map.x, x, y) } else { (&map.y, y, x) };
    let detail = map.details.get(row).and_then(|details| details.get(column)).filter(|detail| !detail.is_empty());
    let detail = detail.map_or_else(String::new, |detail| format!(" {detail},"));
    Some(format!("{} {one}: {other}{detail} {} {}", axis.title, meaning(map), amount(map, value)).trim().to_owned())
}

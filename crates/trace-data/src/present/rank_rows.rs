//! Tables with a row per rank, of which the reader sees the ranks that differ most.

use super::MOST_RANKS;
use crate::stats::Centre;
use trace_view::{Kind, Page, Table, TableValue, grouped};

/// The rows of the first page.
const FIRST_PAGE: usize = 20;

/// Orders the rows of a table of ranks, if there are more than 32, by the largest robust z-score of their numbers, and makes the
/// first 20 its first page; otherwise returns it unchanged. `hint` tells how to see another rank.
pub fn most_different_ranks_first(mut table: Table, hint: &str) -> Table {
    let ranks = table.rows.len();
    if ranks <= MOST_RANKS {
        return table;
    }
    let mut far = vec![0.0_f64; ranks];
    let numbers = table.headers.iter().enumerate().filter(|(_, head)| matches!(head.kind, Kind::Number | Kind::Bar));
    for (column, _) in numbers {
        let values: Vec<Option<f64>> = table.rows.iter().map(|row| number(row.get(column))).collect();
        let Some(centre) = Centre::of(values.iter().flatten().copied()) else { continue };
        for (far, value) in far.iter_mut().zip(values) {
            *far = far.max(value.map_or(0.0, |value| centre.z(value).abs()));
        }
    }
    let mut order: Vec<usize> = (0..ranks).collect();
    order.sort_by(|&one, &other| far[other].total_cmp(&far[one]));
    table.rows = order.into_iter().map(|row| std::mem::take(&mut table.rows[row])).collect();
    table.page = Some(Page { rows: FIRST_PAGE, more: hint.to_owned() });
    table.notes.insert(0, format!("{FIRST_PAGE} of {} ranks shown, those that differ most first", grouped(ranks)));
    table
}

fn number(value: Option<&TableValue>) -> Option<f64> {
    match value? {
        TableValue::Int(value) => Some(*value as f64),
        TableValue::Float(value) => Some(*value).filter(|value| value.is_finite()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_view::{Header, Unit};

    fn table(ranks: i64) -> Table {
        let events = |rank: i64| if rank == 37 { 5_000 } else { 100 + rank % 4 };
        Table {
            headers: vec![Header::new("rank", Unit::None, Kind::Id), Header::new("events", Unit::Count, Kind::Number)],
            rows: (0..ranks).map(|rank| vec![TableValue::Int(rank), TableValue::Int(events(rank))]).collect(),
            total_rows: ranks as usize,
            ..Table::default()
        }
    }

    #[test]
    fn the_rank_that_differs_most_is_the_first_of_many() {
        let shown = most_different_ranks_first(table(512), "--rank 7 looks closer");
        assert_eq!((shown.rows.len(), &shown.rows[0][0]), (512, &TableValue::Int(37)));
        assert_eq!(shown.first_page().len(), 20);
        assert_eq!(shown.notes, ["20 of 512 ranks shown, those that differ most first"]);
        assert!(shown.text().contains("--rank 7 looks closer"), "{}", shown.text());
    }

    #[test]
    fn few_ranks_keep_their_order() {
        assert_eq!(most_different_ranks_first(table(32), ""), table(32));
    }
}

//! The format of tables for our JupyterLab extension: `application/vnd.tracebook.table.v1+json`. It is stored in saved notebooks,
//! so it may only be extended.

use serde_json::{Value, json};

use super::grid::{self, total_rows};
use crate::names::one_line;
use crate::{EventCells, Kind, Table, TableValue, Tree};

/// The most bytes of rows that are sent, so that a notebook stays small enough to open.
const MOST_BYTES: usize = 1_500_000;
/// The largest integer that a JavaScript number represents exactly; larger ones are sent as text.
const EXACT: u64 = 1 << 53;

/// Returns the content: `version`, `caption`, `columns` (name, unit, kind, meaning, decimals; optionally a `short` title and the
/// `scale` of the bars), `rows`, `total_rows`, `notes`, and optionally
///
/// * `page`, the number of rows to show at first,
/// * `changes`, the change of each row: the `column` that shows it, the `kinds`, and for each of `rows` the index of its kind,
/// * `events`, the notebook cells that list the events behind a row: the columns with their `name` and `rank`, and `cells`
///   (title, before, after, counts),
/// * `rest`, how to see the rows that are not sent,
/// * `tree`, if some rows are below others: the `level` of each row, whether it is `open` at first, and, if rows are not sent, how
///   many are `left` out below each.
pub(super) fn table(table: &Table) -> Value {
    let columns = table.headers.iter().zip(grid::decimals(table)).map(|(header, decimals)| {
        let mut column = json!({
            "name": one_line(&header.name),
            "unit": header.unit.symbol(),
            "kind": kind(header.kind),
            "meaning": one_line(&header.meaning),
            "decimals": decimals,
        });
        for (key, text) in [("short", &header.short), ("scale", &header.scale)] {
            if !text.is_empty() {
                column[key] = one_line(text).into();
            }
        }
        column
    });
    let tree = table.checked_tree();
    let picked = sent(table, tree.as_ref());
    let rows: Vec<Value> = picked.iter().map(|&row| row_value(table, row)).collect();
    let mut notes: Vec<String> = table.notes.iter().map(|note| one_line(note)).collect();
    if let Some(page) = table.page.as_ref().filter(|page| page.rows < total_rows(table) && rows.len() <= page.rows) {
        notes.push(one_line(&page.more));
    }
    let mut content = json!({
        "version": 1,
        "caption": one_line(&table.caption),
        "columns": columns.collect::<Vec<_>>(),
        "rows": rows,
        "total_rows": total_rows(table),
        "notes": notes,
    });
    if let Some(page) = &table.page {
        content["page"] = page.rows.into();
    }
    if let Some(changes) = &table.changes {
        let rows: Vec<usize> = picked.iter().filter_map(|&row| changes.rows.get(row)).copied().collect();
        content["changes"] = json!({ "column": one_line(&changes.column), "kinds": changes.kinds, "rows": rows });
    }
    if let Some(events) = &table.events {
        content["events"] = event_cells(events);
    }
    if !table.rest.is_empty() {
        content["rest"] = one_line(&table.rest).into();
    }
    if let Some(tree) = &tree {
        content["tree"] = tree_value(tree, &picked);
    }
    content
}

fn event_cells(events: &EventCells) -> Value {
    let cells = events.cells.iter().map(|cell| {
        json!({
            "title": one_line(&cell.title),
            "before": one_line(&cell.before),
            "after": one_line(&cell.after),
            "counts": one_line(&cell.counts),
        })
    });
    json!({
        "name": one_line(&events.name),
        "rank": events.rank.as_deref().map(one_line),
        "cells": cells.collect::<Vec<_>>(),
    })
}

/// Returns the rows that are sent, within the limits of rows and bytes: the first ones, of a tree those that are worth most.
fn sent(table: &Table, tree: Option<&Tree>) -> Vec<usize> {
    let order = tree.map_or_else(|| (0..table.rows.len()).collect(), Tree::by_weight);
    let mut bytes = 0;
    let fits = |row: &usize| {
        bytes += row_value(table, *row).to_string().len() + 1;
        bytes <= MOST_BYTES
    };
    let mut rows: Vec<usize> = order.into_iter().take(Table::MOST_ROWS).take_while(fits).collect();
    rows.sort_unstable();
    rows
}

fn row_value(table: &Table, row: usize) -> Value {
    let row = table.rows.get(row);
    let cell = |column| row.and_then(|row| row.get(column));
    (0..table.headers.len()).map(|column| cell(column).map_or(Value::Null, value)).collect()
}

fn tree_value(tree: &Tree, picked: &[usize]) -> Value {
    let (levels, open): (Vec<u32>, Vec<bool>) =
        picked.iter().map(|&row| (tree.levels()[row], tree.open()[row])).unzip();
    let mut content = json!({ "level": levels, "open": open });
    if picked.len() < tree.levels().len() {
        content["left"] = tree.nodes(picked).iter().map(|node| node.left).collect();
    }
    content
}

fn value(cell: &TableValue) -> Value {
    match cell {
        TableValue::Null => Value::Null,
        TableValue::Text(text) => Value::String(one_line(text)),
        TableValue::Int(value) if value.unsigned_abs() > EXACT => Value::String(value.to_string()),
        TableValue::Int(value) => Value::from(*value),
        // A value that is not finite becomes null.
        TableValue::Float(value) => Value::from(*value),
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Name => "name",
        Kind::Text => "text",
        Kind::Number => "number",
        Kind::Id => "id",
        Kind::Difference => "difference",
        Kind::Bar => "bar",
        // `changes` has its meaning.
        Kind::Category | Kind::Change => "category",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Header, Unit};

    #[test]
    fn json_follows_schema() {
        let content = table(&Table {
            caption: "c".to_owned(),
            headers: vec![
                Header::new("name", Unit::None, Kind::Name),
                Header { meaning: "m".to_owned(), ..Header::new("dur", Unit::Micros, Kind::Difference) },
            ],
            rows: vec![
                vec![TableValue::Text("<b>".to_owned()), TableValue::Float(1.5)],
                vec![TableValue::Null, TableValue::Float(f64::NAN)],
                vec![TableValue::Int(i64::MIN)],
            ],
            total_rows: 7,
            notes: vec!["n".to_owned()],
            ..Table::default()
        });
        let expected = json!({
            "version": 1,
            "caption": "c",
            "columns": [
                {"name": "name", "unit": "", "kind": "name", "meaning": "", "decimals": 0},
                {"name": "dur", "unit": "µs", "kind": "difference", "meaning": "m", "decimals": 1},
            ],
            "rows": [["<b>", 1.5], [null, null], ["-9223372036854775808", null]],
            "total_rows": 7,
            "notes": ["n"],
        });
        assert_eq!(content, expected);
    }

    #[test]
    fn page_gives_number_of_first_rows() {
        let rows: Vec<_> = (0..30).map(|n| vec![TableValue::Int(n)]).collect();
        let page = Some(crate::Page { rows: 20, more: "--top 0 shows all".to_owned() });
        let headers = vec![Header::new("n", Unit::Count, Kind::Number)];
        let all =
            table(&Table { headers: headers.clone(), rows: rows.clone(), page: page.clone(), ..Table::default() });
        assert_eq!((&all["page"], all["rows"].as_array().map(Vec::len)), (&json!(20), Some(30)));
        assert_eq!(all["notes"], json!([]), "the extension pages through the rest");
        let cut = table(&Table { headers, rows: rows[..20].to_vec(), total_rows: 30, page, ..Table::default() });
        assert_eq!(cut["notes"], json!(["--top 0 shows all"]));
    }

    #[test]
    fn json_is_bounded_in_bytes() {
        let rows = (0..5_000).map(|n| vec![TableValue::Text(format!("{n}{}", "<".repeat(1_000)))]).collect();
        let content =
            table(&Table { headers: vec![Header::new("n", Unit::None, Kind::Name)], rows, ..Table::default() });
        let json = content.to_string().len();
        assert!((1_400_000..1_600_000).contains(&json), "{json}");
        assert_eq!(content["total_rows"], 5_000);
    }

    /// A tree of a root and `children`, each with as many.
    fn tree_of(children: usize, open: &[usize]) -> Table {
        let mut levels = vec![0];
        for _ in 0..children {
            levels.push(1);
            levels.extend(vec![2; children]);
        }
        let rows = (0..levels.len()).map(|row| vec![TableValue::Text(format!("row {row}"))]).collect();
        let is_open = (0..levels.len()).map(|row| open.contains(&row)).collect();
        Table { headers: vec![Header::new("name", Unit::None, Kind::Name)], rows, ..Table::default() }
            .tree(levels, is_open)
    }

    #[test]
    fn tree_has_level_and_open_of_each_row() {
        let content = table(&tree_of(2, &[0, 4]));
        assert_eq!(
            content["tree"],
            json!({"level": [0, 1, 2, 2, 1, 2, 2], "open": [true, false, false, false, true, false, false]})
        );
        assert_eq!(table(&Table::default()).get("tree"), None);
    }

    #[test]
    fn cut_tree_keeps_open_paths_and_says_what_is_left_out() {
        // 10,101 rows, of which the last hundred are below an open one.
        let last = 1 + 99 * 101;
        let mut large = tree_of(100, &[0, last]);
        large.changes = Some(crate::Changes {
            column: "c".to_owned(),
            kinds: &["added", "unchanged"],
            rows: (0..large.rows.len()).map(|row| usize::from(row != last)).collect(),
        });
        let content = table(&large);
        let rows = content["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 5_000);
        assert_eq!(rows.last().unwrap()[0], format!("row {}", large.rows.len() - 1));
        let at = rows.iter().position(|row| row[0] == format!("row {last}")).unwrap();
        assert_eq!((&content["changes"]["rows"][at], &content["changes"]["rows"][0]), (&json!(0), &json!(1)));
        let left: Vec<u64> = content["tree"]["left"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        assert_eq!(left.iter().sum::<u64>() + 5_000, large.rows.len() as u64);
    }

    #[test]
    fn tree_of_changed_rows_is_adapted() {
        let mut changed = tree_of(2, &[0]);
        changed.rows.truncate(2);
        assert_eq!(table(&changed)["tree"], json!({"level": [0, 1], "open": [true, false]}));
        changed.rows.resize(9, Vec::new());
        assert_eq!(table(&changed)["tree"]["level"], json!([0, 1, 2, 2, 1, 2, 2, 0, 0]));
        assert!(changed.text().contains("9 rows") && changed.html().contains("9 rows"));
    }

    #[test]
    fn json_is_bounded_in_rows() {
        let rows = (0..6_000).map(|n| vec![TableValue::Int(n)]).collect();
        let content =
            table(&Table { headers: vec![Header::new("n", Unit::Count, Kind::Number)], rows, ..Table::default() });
        assert_eq!(content["rows"].as_array().map(Vec::len), Some(5_000));
        assert_eq!(content["total_rows"], 6_000);
    }
}

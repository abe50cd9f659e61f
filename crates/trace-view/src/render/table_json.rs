//! The format of tables for our JupyterLab extension: `application/vnd.tracebook.table.v1+json`. It is stored in saved notebooks,
//! so it may only be extended.

use serde_json::{Value, json};

use super::grid::{self, total_rows};
use super::names::one_line;
use crate::{EventCells, Kind, Table, TableValue};

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
/// * `rest`, how to see the rows that are not sent.
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
    let rows = sent(table);
    let mut notes: Vec<String> = table.notes.iter().map(|note| one_line(note)).collect();
    if let Some(page) = table.page.as_ref().filter(|page| page.rows < total_rows(table) && rows.len() <= page.rows) {
        notes.push(one_line(&page.more));
    }
    let count = rows.len();
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
        let rows = &changes.rows[..changes.rows.len().min(count)];
        content["changes"] = json!({ "column": one_line(&changes.column), "kinds": changes.kinds, "rows": rows });
    }
    if let Some(events) = &table.events {
        content["events"] = event_cells(events);
    }
    if !table.rest.is_empty() {
        content["rest"] = one_line(&table.rest).into();
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

/// Returns the rows that are sent, within the limits of rows and bytes.
fn sent(table: &Table) -> Vec<Value> {
    let mut bytes = 0;
    let rows = table.rows.iter().take(Table::MOST_ROWS).map(|row| {
        (0..table.headers.len()).map(|column| row.get(column).map_or(Value::Null, value)).collect::<Value>()
    });
    rows.take_while(|row| {
        bytes += row.to_string().len() + 1;
        bytes <= MOST_BYTES
    })
    .collect()
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

    #[test]
    fn json_is_bounded_in_rows() {
        let rows = (0..6_000).map(|n| vec![TableValue::Int(n)]).collect();
        let content =
            table(&Table { headers: vec![Header::new("n", Unit::Count, Kind::Number)], rows, ..Table::default() });
        assert_eq!(content["rows"].as_array().map(Vec::len), Some(5_000));
        assert_eq!(content["total_rows"], 6_000);
    }
}

//! The table of our JupyterLab extension: `application/vnd.tracebook.table.v1+json`. Saved notebooks hold it, so it may
//! only grow by addition.

use serde_json::{Value, json};

use super::grid;
use super::names::one_line;
use crate::{Cell, Kind, Table};

/// How many rows are sent at most.
const MOST_ROWS: usize = 5_000;
/// Beyond this a JavaScript number loses digits; such integers are sent as text.
const EXACT: u64 = 1 << 53;

/// The content: `version`, `caption`, `columns` (name, unit, kind, meaning, decimals), `rows`, `total_rows`, `notes`.
pub(super) fn table(table: &Table) -> Value {
    let columns = table.headers.iter().zip(grid::decimals(table)).map(|(header, decimals)| {
        json!({
            "name": one_line(&header.name),
            "unit": header.unit.symbol(),
            "kind": kind(header.kind),
            "meaning": one_line(&header.meaning),
            "decimals": decimals,
        })
    });
    let rows = table.rows.iter().take(MOST_ROWS).map(|row| {
        (0..table.headers.len()).map(|column| row.get(column).map_or(Value::Null, value)).collect::<Value>()
    });
    json!({
        "version": 1,
        "caption": one_line(&table.caption),
        "columns": columns.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "total_rows": grid::total_rows(table),
        "notes": table.notes.iter().map(|note| one_line(note)).collect::<Vec<_>>(),
    })
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Text(text) => Value::String(one_line(text)),
        Cell::Int(value) if value.unsigned_abs() > EXACT => Value::String(value.to_string()),
        Cell::Int(value) => Value::from(*value),
        // Not finite becomes null.
        Cell::Float(value) => Value::from(*value),
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
        Kind::Category => "category",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Header, Unit};

    #[test]
    fn the_schema_holds() {
        let content = table(&Table {
            caption: "c".to_owned(),
            headers: vec![
                Header::new("name", Unit::None, Kind::Name),
                Header { meaning: "m".to_owned(), ..Header::new("dur", Unit::Micros, Kind::Difference) },
            ],
            rows: vec![
                vec![Cell::Text("<b>".to_owned()), Cell::Float(1.5)],
                vec![Cell::Null, Cell::Float(f64::NAN)],
                vec![Cell::Int(i64::MIN)],
            ],
            total_rows: 7,
            notes: vec!["n".to_owned()],
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
    fn no_more_than_five_thousand_rows_are_sent() {
        let rows = (0..6_000).map(|n| vec![Cell::Int(n)]).collect();
        let content =
            table(&Table { headers: vec![Header::new("n", Unit::Count, Kind::Number)], rows, ..Table::default() });
        assert_eq!(content["rows"].as_array().map(Vec::len), Some(5_000));
        assert_eq!(content["total_rows"], 6_000);
    }
}

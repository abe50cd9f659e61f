//! Help pages of frames and columns.

use super::infer::Columns;
use trace_core::columns::EVENT_COLUMNS;
use trace_view::{Bundle, FrameSchema, grouped, terminal_safe};

/// Upper bound on listed columns.
const MAX_COLUMNS: usize = 60;

/// Returns the shape of a frame, then one line per column.
pub(super) fn schema_page(schema: Option<&FrameSchema>, columns: &Columns) -> String {
    let width = schema.map_or(columns.names.len(), |schema| schema.width);
    let size = match schema.and_then(|schema| schema.rows) {
        Some(rows) => format!("{} × {}", grouped(rows), grouped(width)),
        None if columns.complete || schema.is_some() => match width {
            1 => "1 column".to_owned(),
            _ => format!("{} columns", grouped(width)),
        },
        None => "some of its columns".to_owned(),
    };
    let shown = &columns.names[..columns.names.len().min(MAX_COLUMNS)];
    let widest = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(40);
    let mut text = size;
    for (name, dtype) in shown {
        let line = format!("{:widest$}  {}", one_line(name), one_line(dtype));
        text.push_str(&format!("\n{}", line.trim_end()));
    }
    if width > shown.len() {
        text.push_str(&format!("\nand {} more", grouped(width - shown.len())));
    }
    text
}

/// Returns the page of one column, with its meaning if it is a column of events.
pub(super) fn column_page(name: &str, dtype: &str) -> Bundle {
    let mut text = one_line(name);
    if !dtype.is_empty() {
        text.push_str(&format!(": {}", one_line(dtype)));
    }
    let known = EVENT_COLUMNS.iter().find(|column| column.name == name);
    if let Some(column) = known {
        text.push_str(&format!("\n\nin events: {}", column.meaning));
        if !column.unit.symbol().is_empty() {
            text.push_str(&format!(" [{}]", column.unit.symbol()));
        }
    }
    Bundle::text(text)
}

/// Returns a name, which may contain any text, on one line.
fn one_line(text: &str) -> String {
    terminal_safe(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_page_lists_rows_names_and_types() {
        let columns = [("name", "str"), ("total\nduration", "f64")];
        let schema = FrameSchema::new(Some(12_345), columns.into_iter());
        let text = schema_page(Some(&schema), &Columns::of(&schema));
        assert_eq!(text, "12,345 × 2\nname            str\ntotal duration  f64");
    }

    #[test]
    fn wide_schema_is_truncated() {
        let columns: Vec<(String, String)> = (0..2000).map(|at| (format!("c{at}"), "i64".to_owned())).collect();
        let schema = FrameSchema::new(None, columns.into_iter());
        let text = schema_page(Some(&schema), &Columns::of(&schema));
        assert!(text.starts_with("2,000 columns\n") && text.ends_with("\nand 1,940 more"), "{text}");
    }

    #[test]
    fn event_column_has_its_meaning() {
        assert_eq!(column_page("dur", "i64").plain(), "dur: i64\n\nin events: duration [ns]");
        assert_eq!(column_page("x", "").plain(), "x");
    }
}

//! Columns of an answer, each declared once: name, unit, meaning, and the value of a row.

use crate::Result;
use crate::stats::micros;
use polars::prelude::{Column as FrameColumn, DataFrame, NamedFrom, Series};
use serde_json::{Map, Value};
use trace_view::{Column, Header, Kind, Table, Unit};

/// A column of an answer with rows of type `R`: its declaration, and the value of a row.
///
/// ```text
/// rows + columns  →  frame (Parquet, CSV, SQL)     times in µs
///                 →  fields of a document          times in ns, `duration_ns`
///         columns →  headers of a table, reference
/// ```
pub struct Field<R> {
    /// Name, unit, meaning and kind.
    pub column: Column,
    value: Accessor<R>,
}

/// The value of a row; the type decides that of the frame's column.
enum Accessor<R> {
    Whole(fn(&R) -> Option<i64>),
    Number(fn(&R) -> Option<f64>),
    Nanos(fn(&R) -> Option<i64>),
    Text(fn(&R) -> Option<String>),
    Word(fn(&R) -> Option<&str>),
    Flag(fn(&R) -> bool),
}

impl<R> Field<R> {
    /// Declares a column of whole numbers.
    pub const fn whole(name: &'static str, unit: Unit, meaning: &'static str, value: fn(&R) -> Option<i64>) -> Self {
        Self { column: Column::new(name, unit, meaning), value: Accessor::Whole(value) }
    }

    /// Declares a column of identifiers, such as ranks.
    pub const fn id(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<i64>) -> Self {
        Self { column: Column::new(name, Unit::None, meaning).shown_as(Kind::Id), value: Accessor::Whole(value) }
    }

    /// Declares a column of numbers.
    pub const fn number(name: &'static str, unit: Unit, meaning: &'static str, value: fn(&R) -> Option<f64>) -> Self {
        Self { column: Column::new(name, unit, meaning), value: Accessor::Number(value) }
    }

    /// Gives a known column whole numbers.
    pub const fn known_whole(column: Column, value: fn(&R) -> Option<i64>) -> Self {
        Self { column, value: Accessor::Whole(value) }
    }

    /// Gives a known column numbers.
    pub const fn known_number(column: Column, value: fn(&R) -> Option<f64>) -> Self {
        Self { column, value: Accessor::Number(value) }
    }

    /// Gives a known column texts that are composed for it.
    pub const fn known_text(column: Column, value: fn(&R) -> Option<String>) -> Self {
        Self { column, value: Accessor::Text(value) }
    }

    /// Gives a known column words or names.
    pub const fn known_word(column: Column, value: fn(&R) -> Option<&str>) -> Self {
        Self { column, value: Accessor::Word(value) }
    }

    /// Declares a column of durations, which `value` gives in ns and frames have in µs.
    pub const fn time(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<i64>) -> Self {
        Self { column: Column::new(name, Unit::Micros, meaning), value: Accessor::Nanos(value) }
    }

    /// Declares a column of durations as [`Field::time`], with bars in tables.
    pub const fn bar(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<i64>) -> Self {
        Self { column: Column::new(name, Unit::Micros, meaning).shown_as(Kind::Bar), value: Accessor::Nanos(value) }
    }

    /// Declares a column of shares in percent, with bars in tables.
    pub const fn share(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<f64>) -> Self {
        Self { column: Column::new(name, Unit::Percent, meaning).shown_as(Kind::Bar), value: Accessor::Number(value) }
    }

    /// Declares a column of differences of durations, in ns and µs as [`Field::time`].
    pub const fn difference(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<i64>) -> Self {
        let column = Column::new(name, Unit::Micros, meaning).shown_as(Kind::Difference);
        Self { column, value: Accessor::Nanos(value) }
    }

    /// Declares a column of texts that are composed for it.
    pub const fn text(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<String>) -> Self {
        Self { column: Column::new(name, Unit::None, meaning).shown_as(Kind::Text), value: Accessor::Text(value) }
    }

    /// Declares a column of names of events, files or calls.
    pub const fn name(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<&str>) -> Self {
        Self { column: Column::new(name, Unit::None, meaning).shown_as(Kind::Name), value: Accessor::Word(value) }
    }

    /// Declares a column of few words.
    pub const fn word(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<&str>) -> Self {
        Self { column: Column::new(name, Unit::None, meaning).shown_as(Kind::Category), value: Accessor::Word(value) }
    }

    /// Declares a column of truth values.
    pub const fn flag(name: &'static str, meaning: &'static str, value: fn(&R) -> bool) -> Self {
        Self { column: Column::new(name, Unit::None, meaning).shown_as(Kind::Category), value: Accessor::Flag(value) }
    }

    fn values(&self, rows: &[R]) -> FrameColumn {
        let name = self.column.name.into();
        let series = match self.value {
            Accessor::Whole(value) => Series::new(name, rows.iter().map(value).collect::<Vec<_>>()),
            Accessor::Number(value) => Series::new(name, rows.iter().map(value).collect::<Vec<_>>()),
            Accessor::Nanos(value) => {
                Series::new(name, rows.iter().map(|row| value(row).map(micros)).collect::<Vec<_>>())
            }
            Accessor::Text(value) => Series::new(name, rows.iter().map(value).collect::<Vec<_>>()),
            Accessor::Word(value) => Series::new(name, rows.iter().map(value).collect::<Vec<_>>()),
            Accessor::Flag(value) => Series::new(name, rows.iter().map(value).collect::<Vec<_>>()),
        };
        series.into()
    }

    fn field(&self, row: &R) -> (String, Value) {
        let name = self.column.name;
        match self.value {
            Accessor::Whole(value) => (name.to_owned(), value(row).into()),
            Accessor::Number(value) => (name.to_owned(), value(row).into()),
            Accessor::Nanos(value) => (format!("{name}_ns"), value(row).into()),
            Accessor::Text(value) => (name.to_owned(), value(row).into()),
            Accessor::Word(value) => (name.to_owned(), value(row).into()),
            Accessor::Flag(value) => (name.to_owned(), value(row).into()),
        }
    }
}

/// Returns the declarations of columns, for a schema.
pub const fn declared<R, const N: usize>(columns: &[Field<R>; N]) -> [Column; N] {
    let mut found = [Column::new("", Unit::None, ""); N];
    let mut at = 0;
    while at < N {
        found[at] = columns[at].column;
        at += 1;
    }
    found
}

/// Returns rows as a frame; an empty one has the columns, too.
///
/// # Errors
/// If two columns have one name.
pub fn answer_frame<R>(rows: &[R], columns: &[Field<R>]) -> Result<DataFrame> {
    Ok(DataFrame::new(rows.len(), frame_columns(rows, columns, &[]))?)
}

/// Returns the columns of such a frame; the first ones have these names, such as those with the label of a side before `_counts`.
pub fn frame_columns<R>(rows: &[R], columns: &[Field<R>], names: &[String]) -> Vec<FrameColumn> {
    let mut values: Vec<FrameColumn> = columns.iter().map(|column| column.values(rows)).collect();
    for (column, name) in values.iter_mut().zip(names) {
        column.rename(name.into());
    }
    values
}

/// Returns the columns `names` of a row as the fields of a document: durations in whole ns with `_ns` at the end of their names.
pub fn fields_of<R>(row: &R, columns: &[Field<R>], names: &[&str]) -> Value {
    let chosen = columns.iter().filter(|column| names.contains(&column.column.name));
    Value::Object(chosen.map(|column| column.field(row)).collect::<Map<_, _>>())
}

/// Returns the first `most` rows of a frame as a table, whose headers have the units, meanings and kinds of the declared columns.
pub fn answer_table(frame: &DataFrame, columns: &[Column], caption: &str, most: usize) -> Table {
    let mut table = super::frame_table(frame, caption, most);
    for header in &mut table.headers {
        let Some(column) = columns.iter().find(|column| column.name == header.name) else { continue };
        let kind = column.kind.unwrap_or(Kind::Number);
        *header = Header { meaning: column.meaning.to_owned(), ..Header::new(column.name, column.unit, kind) };
    }
    table
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::frame::columns::{declaration, known};
    use serde_json::json;

    struct Row<'a> {
        name: &'a str,
        ns: Option<i64>,
    }

    impl Row<'_> {
        const COLUMNS: [Field<Self>; 5] = [
            Field::name("name", "name of it", |row| Some(row.name)),
            Field::time("duration", "its time", |row| row.ns),
            Field::number("share", Unit::Percent, "its share", |row| row.ns.map(|ns| ns as f64)),
            Field::id("rank", "its rank", |_| Some(3)),
            Field::flag("known", "whether it has a time", |row| row.ns.is_some()),
        ];
    }

    const DECLARED: [Column; 5] = declared(&Row::COLUMNS);
    const ROWS: [Row<'static>; 2] = [Row { name: "gemm", ns: Some(1_500) }, Row { name: "copy", ns: None }];

    #[test]
    fn one_declaration_gives_frame_document_and_headers() {
        let frame = answer_frame(&ROWS, &Row::COLUMNS).unwrap();
        let names: Vec<&str> = frame.get_column_names().iter().map(|name| name.as_str()).collect();
        assert_eq!(names, DECLARED.map(|column| column.name));
        assert_eq!(frame.column("duration").unwrap().f64().unwrap().to_vec(), [Some(1.5), None]);
        assert_eq!(
            fields_of(&ROWS[0], &Row::COLUMNS, &["duration", "name", "known"]),
            json!({ "name": "gemm", "duration_ns": 1_500, "known": true })
        );
        assert_eq!(fields_of(&ROWS[1], &Row::COLUMNS, &["duration"]), json!({ "duration_ns": null }));
        let table = answer_table(&frame, &DECLARED, "times", 1);
        let heads: Vec<(Unit, Kind, &str)> =
            table.headers.iter().map(|head| (head.unit, head.kind, head.meaning.as_str())).collect();
        assert_eq!(heads[0], (Unit::None, Kind::Name, "name of it"));
        assert_eq!(heads[1], (Unit::Micros, Kind::Number, "its time"));
        assert_eq!(heads[3].1, Kind::Id);
        assert_eq!((table.rows.len(), table.total_rows), (1, 2));
    }

    #[test]
    fn known_columns_get_values_and_labels() {
        const COUNTS: Field<i64> = Field::known_whole(declaration("_counts"), |row| Some(*row));
        const RATIO: Field<i64> = Field::known_number(declaration("ratio"), |row| Some(*row as f64));
        assert_eq!(COUNTS.column, *known("control_counts").unwrap());
        let columns = frame_columns(&[3, 4], &[COUNTS, RATIO], &["test_counts".to_owned()]);
        let names: Vec<&str> = columns.iter().map(|column| column.name().as_str()).collect();
        assert_eq!(names, ["test_counts", "ratio"]);
        assert_eq!(columns[0].i64().unwrap().to_vec(), [Some(3), Some(4)]);
    }

    #[test]
    fn a_frame_without_rows_has_the_columns_and_types() {
        let frame = answer_frame(&[], &Row::COLUMNS).unwrap();
        let full = answer_frame(&ROWS, &Row::COLUMNS).unwrap();
        assert_eq!((frame.height(), frame.schema()), (0, full.schema()));
    }
}

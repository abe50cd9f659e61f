//! Any data frame as a table to show.

use crate::frame::columns::{self, CAT, CHANGE, DIFF_COUNTS, DIFF_DURATION, NAME, SHORT_NAME};
use polars::prelude::{AnyValue, Column, DataFrame};
use trace_view::{Cell, Header, Kind, Table, Unit};

/// The first `max_rows` rows of a frame as a table. A column of known name (of events or of an answer) has its unit and
/// meaning, the others what their type tells; lists are written as text.
///
/// # Example
/// ```
/// let df = trace::polars::df!("name" => ["gemm"], "dur" => [1_500_i64]).map_err(trace::Error::from)?;
/// let table = trace::frame_table(&df, "kernels", 10);
/// assert!(table.text().contains("dur [ns]") && table.html().contains("<table"));
/// # Ok::<(), trace::Error>(())
/// ```
pub fn frame_table(df: &DataFrame, caption: &str, max_rows: usize) -> Table {
    let shown = df.height().min(max_rows);
    let rows = (0..shown).map(|row| df.columns().iter().map(|column| cell(column, row)).collect()).collect();
    Table {
        caption: caption.to_owned(),
        headers: df.columns().iter().map(header).collect(),
        rows,
        total_rows: df.height(),
        page: None,
        notes: Vec::new(),
    }
}

fn header(column: &Column) -> Header {
    let name = column.name().as_str();
    let known = columns::known(name);
    let unit = known.map_or(Unit::None, |known| known.unit);
    let kind = match (name, column.dtype()) {
        (NAME | SHORT_NAME, _) => Kind::Name,
        (CHANGE | CAT, _) => Kind::Category,
        (DIFF_COUNTS | DIFF_DURATION, _) => Kind::Difference,
        (_, dtype) if !dtype.is_numeric() => Kind::Text,
        (_, dtype) if dtype.is_integer() && known.is_some() && unit == Unit::None => Kind::Id,
        _ => Kind::Number,
    };
    Header { name: name.to_owned(), unit, kind, meaning: known.map_or("", |known| known.meaning).to_owned() }
}

fn cell(column: &Column, row: usize) -> Cell {
    match column.get(row) {
        Err(_) | Ok(AnyValue::Null) => Cell::Null,
        Ok(AnyValue::String(text)) => Cell::Text(text.to_owned()),
        // polars cannot tell the type of such a value, only its text.
        Ok(value) if is_category(&value) => Cell::Text(plain(&value)),
        Ok(value) if value.dtype().is_integer() => match value.try_extract::<i64>() {
            Ok(int) => Cell::Int(int),
            Err(_) => Cell::Text(value.to_string()),
        },
        Ok(value) if value.dtype().is_float() => value.try_extract::<f64>().map_or(Cell::Null, Cell::Float),
        Ok(AnyValue::List(values)) => {
            let texts: Vec<String> = values.iter().map(|value| plain(&value)).collect();
            Cell::Text(format!("[{}]", texts.join(", ")))
        }
        Ok(value) => Cell::Text(plain(&value)),
    }
}

fn is_category(value: &AnyValue<'_>) -> bool {
    matches!(
        value,
        AnyValue::Categorical(..) | AnyValue::CategoricalOwned(..) | AnyValue::Enum(..) | AnyValue::EnumOwned(..)
    )
}

/// A value as text, without quotes around it.
fn plain(value: &AnyValue<'_>) -> String {
    if is_category(value) || matches!(value, AnyValue::String(_) | AnyValue::StringOwned(_)) {
        return value.get_str().unwrap_or_default().to_owned();
    }
    value.to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use polars::df;
    use polars::prelude::{DataType, FrozenCategories, IntoLazy, col};

    #[test]
    fn categories_are_shown_as_their_names() {
        let names = FrozenCategories::new(["aten::mm", "aten::add"]).unwrap();
        let df = df!("name" => ["aten::add", "aten::mm"]).unwrap();
        let df = df.lazy().select([col("name").cast(DataType::from_frozen_categories(names))]).collect().unwrap();
        let table = frame_table(&df, "", 9);
        assert_eq!(table.rows[0][0], Cell::Text("aten::add".into()));
        assert_eq!(table.rows[1][0], Cell::Text("aten::mm".into()));
    }

    #[test]
    fn known_columns_have_units_and_others_what_their_type_tells() {
        let df = df!(
            "name" => ["aten::mm", "b"],
            "rank" => [3i64, 4],
            "control_counts" => [2i64, 3],
            "my label_total_duration" => [1.5, f64::NAN],
            "diff_duration" => [Some(0.5), None],
            "mine" => [7u32, 8],
            "flag" => [true, false],
        )
        .unwrap();
        let table = frame_table(&df, "a caption", 1);
        let heads: Vec<(Unit, Kind)> = table.headers.iter().map(|head| (head.unit, head.kind)).collect();
        assert_eq!(
            heads,
            [
                (Unit::None, Kind::Name),
                (Unit::None, Kind::Id),
                (Unit::Count, Kind::Number),
                (Unit::Micros, Kind::Number),
                (Unit::Micros, Kind::Difference),
                (Unit::None, Kind::Number),
                (Unit::None, Kind::Text),
            ]
        );
        assert_eq!((table.rows.len(), table.total_rows), (1, 2));
        assert_eq!(table.rows[0][0], Cell::Text("aten::mm".into()));
        assert_eq!(table.rows[0][5], Cell::Int(7));
        assert_eq!(table.rows[0][6], Cell::Text("true".into()));
        assert_eq!(frame_table(&df, "", 9).rows[1][4], Cell::Null);
    }
}

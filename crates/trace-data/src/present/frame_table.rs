//! Tables of data frames.

use crate::frame::columns::{self, CAT, CHANGE, DIFF_COUNTS, DIFF_DURATION, NAME, SHORT_NAME, TOTAL_DURATION};
use crate::{Change, Comparison};
use polars::prelude::{AnyValue, Column, DataFrame};
use trace_view::{Changes, Header, Kind, Table, TableValue, Unit, tidied};

/// Returns the first `max_rows` rows of a frame as a table. A known column (of events or of an answer) has its unit and
/// meaning, other columns are typed by their values; lists are written as text. A column of fractions under the name of a time in ns
/// has no unit: it was computed. Only a frame that is marked as a
/// comparison ([`Comparison::of`]) is shown as one, with differences and kinds of change.
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
    let sides = Comparison::of(df);
    Table {
        caption: caption.to_owned(),
        headers: df.columns().iter().map(|column| header(column, sides.as_ref())).collect(),
        rows,
        total_rows: df.height(),
        changes: sides.and_then(|sides| changes(&df.head(Some(shown)), &sides)),
        ..Table::default()
    }
}

/// As [`frame_table`], for people: short names without the rests of anonymous namespaces, the rank first where there are
/// several, and in a comparison a column `diff` with the change of the duration in percent of control (null where control
/// took no time), behind `diff_duration`. Frames and files do not have this column.
pub fn display_table(df: &DataFrame, caption: &str, max_rows: usize) -> Table {
    let mut table = frame_table(df, caption, max_rows);
    tidy_short_names(&mut table);
    if let Some(sides) = Comparison::of(df) {
        table = with_percent(table, &sides);
    }
    table.with_first_id(columns::RANK)
}

/// Returns the change of each row; `None` if the counts of a side are missing.
fn changes(shown: &DataFrame, sides: &Comparison) -> Option<Changes> {
    let rows = sides.changes(shown).ok()?.into_iter().map(|change| change as usize).collect();
    Some(Changes { column: sides.column().to_owned(), kinds: &Change::WORDS, rows })
}

fn tidy_short_names(table: &mut Table) {
    let Some(at) = table.headers.iter().position(|header| header.name == SHORT_NAME) else { return };
    let text = |row: &Vec<TableValue>| {
        if let Some(TableValue::Text(text)) = row.get(at) { text.clone() } else { String::new() }
    };
    let names: Vec<String> = table.rows.iter().map(text).collect();
    for (row, name) in table.rows.iter_mut().zip(tidied(&names)) {
        if let Some(cell @ TableValue::Text(_)) = row.get_mut(at) {
            *cell = TableValue::Text(name);
        }
    }
}

fn with_percent(table: Table, sides: &Comparison) -> Table {
    let position = |name: &str| table.headers.iter().position(|header| header.name == name);
    let [control, _] = sides.durations();
    let (Some(control), Some(difference)) = (position(&control), position(DIFF_DURATION)) else { return table };
    let header = Header {
        meaning: "test − control: sum of durations, in percent of control".to_owned(),
        ..Header::new("diff", Unit::Percent, Kind::Difference)
    };
    let number = |row: &[TableValue], at: usize| {
        if let Some(TableValue::Float(value)) = row.get(at) { Some(*value) } else { None }
    };
    table.with_column(difference, header, |row| {
        let both = number(row, control).zip(number(row, difference));
        both.and_then(|(control, difference)| Comparison::percent(control, difference))
            .map_or(TableValue::Null, TableValue::Float)
    })
}

fn header(column: &Column, sides: Option<&Comparison>) -> Header {
    let name = column.name().as_str();
    // Times of events are whole nanoseconds: fractions under the name of one were computed, and may have any unit.
    let is_time = |unit: Unit| unit == Unit::Nanos;
    let known = columns::known(name).filter(|known| !is_time(known.unit) || column.dtype().is_integer());
    let unit = known.map_or(Unit::None, |known| known.unit);
    let marker = sides.is_some_and(|sides| sides.column() == name);
    let kind = match (name, column.dtype()) {
        _ if marker => Kind::Change,
        (NAME | SHORT_NAME, _) => Kind::Name,
        (CAT, _) => Kind::Category,
        (DIFF_COUNTS | DIFF_DURATION, dtype) if sides.is_some() && dtype.is_numeric() => Kind::Difference,
        (_, dtype) if !dtype.is_numeric() => Kind::Text,
        (_, dtype) if dtype.is_integer() && known.is_some() && unit == Unit::None => Kind::Id,
        _ => Kind::Number,
    };
    let is_duration = |sides: &Comparison| sides.durations().iter().any(|duration| duration == name);
    Header {
        name: name.to_owned(),
        unit,
        kind,
        meaning: known.map_or("", |known| known.meaning).to_owned(),
        short: if marker && name == CHANGE { "±".to_owned() } else { String::new() },
        scale: if sides.is_some_and(is_duration) { TOTAL_DURATION.to_owned() } else { String::new() },
    }
}

fn cell(column: &Column, row: usize) -> TableValue {
    match column.get(row) {
        Err(_) | Ok(AnyValue::Null) => TableValue::Null,
        Ok(AnyValue::String(text)) => TableValue::Text(text.to_owned()),
        // polars gives the text of such a value, but not its type.
        Ok(value) if is_category(&value) => TableValue::Text(plain(&value)),
        Ok(value) if value.dtype().is_integer() => match value.try_extract::<i64>() {
            Ok(int) => TableValue::Int(int),
            Err(_) => TableValue::Text(value.to_string()),
        },
        Ok(value) if value.dtype().is_float() => value.try_extract::<f64>().map_or(TableValue::Null, TableValue::Float),
        Ok(AnyValue::List(values)) => {
            let texts: Vec<String> = values.iter().map(|value| plain(&value)).collect();
            TableValue::Text(format!("[{}]", texts.join(", ")))
        }
        Ok(value) => TableValue::Text(plain(&value)),
    }
}

fn is_category(value: &AnyValue<'_>) -> bool {
    matches!(
        value,
        AnyValue::Categorical(..) | AnyValue::CategoricalOwned(..) | AnyValue::Enum(..) | AnyValue::EnumOwned(..)
    )
}

/// Returns a value as text, without quotes around it.
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
    fn categories_are_shown_as_texts() {
        let names = FrozenCategories::new(["aten::mm", "aten::add"]).unwrap();
        let df = df!("name" => ["aten::add", "aten::mm"]).unwrap();
        let df = df.lazy().select([col("name").cast(DataType::from_frozen_categories(names))]).collect().unwrap();
        let table = frame_table(&df, "", 9);
        assert_eq!(table.rows[0][0], TableValue::Text("aten::add".into()));
        assert_eq!(table.rows[1][0], TableValue::Text("aten::mm".into()));
    }

    #[test]
    fn known_columns_have_units_and_others_types_by_value() {
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
                // The frame is not marked as a comparison.
                (Unit::Micros, Kind::Number),
                (Unit::None, Kind::Number),
                (Unit::None, Kind::Text),
            ]
        );
        assert_eq!((table.rows.len(), table.total_rows), (1, 2));
        assert_eq!(table.rows[0][0], TableValue::Text("aten::mm".into()));
        assert_eq!(table.rows[0][5], TableValue::Int(7));
        assert_eq!(table.rows[0][6], TableValue::Text("true".into()));
        assert_eq!(frame_table(&df, "", 9).rows[1][4], TableValue::Null);
    }

    #[test]
    fn fractions_under_the_name_of_a_time_have_no_unit() {
        let df = df!("ts" => [1_500_i64], "dur" => [1_500_i64], "end" => [None::<i64>]).unwrap();
        let units = |df: &DataFrame| frame_table(df, "", 1).headers.iter().map(|head| head.unit).collect::<Vec<_>>();
        assert_eq!(units(&df), [Unit::Nanos; 3]);
        let micros = df.lazy().with_columns([col("dur") / polars::prelude::lit(1000.0)]).collect().unwrap();
        assert_eq!(units(&micros), [Unit::Nanos, Unit::None, Unit::Nanos]);
        assert_eq!(frame_table(&micros, "", 1).headers[1].meaning, "");
    }
}

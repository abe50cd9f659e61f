//! Columns of frames as the SQL engine reads them: where they are, nothing copied.

use crate::Result;
use crate::frame::value_of;
use polars::prelude::{AnyValue, Categorical32Type, CategoricalMapping, Column, DataType, NamedFrom, Series};
use polars_arrow::array::{BooleanArray, PrimitiveArray, Utf8ViewArray};
use polars_arrow::types::NativeType;
use sql_engine::{Column as SqlColumn, Dictionary, Kind, OwnedValue, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// Returns the type that values of a column have in SQL.
pub(super) fn kind_of(dtype: &DataType) -> Kind {
    match dtype {
        DataType::Float32 | DataType::Float64 => Kind::Real,
        DataType::Boolean | DataType::Duration(_) => Kind::Int,
        dtype if dtype.is_integer() => Kind::Int,
        _ => Kind::Text,
    }
}

/// The dictionaries of a table: one for each mapping of categories, so that equal codes of several ranks are known to be equal texts.
#[derive(Default)]
pub(super) struct Dictionaries(Mutex<Vec<(Arc<CategoricalMapping>, SharedDictionary)>>);

type SharedDictionary = Arc<dyn Dictionary>;

impl Dictionaries {
    fn of(&self, mapping: &Arc<CategoricalMapping>) -> SharedDictionary {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, dictionary)) = known.iter().find(|(of, _)| Arc::ptr_eq(of, mapping)) {
            return Arc::clone(dictionary);
        }
        let dictionary: SharedDictionary = Arc::new(Categories(Arc::clone(mapping)));
        known.push((Arc::clone(mapping), Arc::clone(&dictionary)));
        dictionary
    }

    /// Returns a column of a frame as one of SQL: truth values as 0 and 1, dates and nested values as texts.
    ///
    /// # Errors
    /// If polars refuses a conversion.
    pub(super) fn column(&self, column: &Column) -> Result<Arc<dyn SqlColumn>> {
        if let Some(scalar) = column.as_scalar_column() {
            let value = of_any_value(&scalar.scalar().as_any_value());
            return Ok(Arc::new(Constant { value, rows: column.len() }));
        }
        let series = column.as_materialized_series();
        if matches!(series.dtype(), DataType::Categorical(..))
            && let Ok(texts) = series.cat::<Categorical32Type>()
        {
            let dictionary = self.of(texts.get_mapping());
            let codes = texts.physical().rechunk().downcast_as_array().clone();
            return Ok(Arc::new(Texts { codes, dictionary }));
        }
        of_series(series)
    }
}

/// Returns a column of moments, which count from `origin`.
///
/// # Errors
/// If the column has no integers.
pub(super) fn moments(column: &Column, origin: i64) -> Result<Arc<dyn SqlColumn>> {
    let moments = column.cast(&DataType::Int64)?.i64()?.rechunk().downcast_as_array().clone();
    Ok(Arc::new(Moments { moments, origin }))
}

fn of_series(series: &Series) -> Result<Arc<dyn SqlColumn>> {
    /// The values of a chunked array in one chunk.
    macro_rules! numbers {
        ($array:expr) => {
            Arc::new(Numbers($array?.rechunk().downcast_as_array().clone()))
        };
    }
    Ok(match series.dtype() {
        DataType::Int8 => numbers!(series.i8()),
        DataType::Int16 => numbers!(series.i16()),
        DataType::Int32 => numbers!(series.i32()),
        DataType::Int64 => numbers!(series.i64()),
        DataType::UInt8 => numbers!(series.u8()),
        DataType::UInt16 => numbers!(series.u16()),
        DataType::UInt32 => numbers!(series.u32()),
        DataType::UInt64 => numbers!(series.u64()),
        DataType::Float32 => numbers!(series.f32()),
        DataType::Float64 => numbers!(series.f64()),
        DataType::Boolean => Arc::new(Truths(series.bool()?.rechunk().downcast_as_array().clone())),
        DataType::String => Arc::new(Strings(series.str()?.rechunk().downcast_as_array().clone())),
        DataType::Duration(_) => return of_series(&series.cast(&DataType::Int64)?),
        dtype if kind_of(dtype) == Kind::Int => return of_series(&series.cast(&DataType::Int64)?),
        dtype => match series.cast(&DataType::String) {
            Ok(texts) if *dtype != DataType::String => return of_series(&texts),
            _ => {
                let text = |value: AnyValue<'_>| (!value.is_null()).then(|| value.to_string());
                let texts: Vec<Option<String>> = series.iter().map(text).collect();
                return of_series(&Series::new(series.name().clone(), texts));
            }
        },
    })
}

fn of_any_value(value: &AnyValue<'_>) -> OwnedValue {
    match value {
        AnyValue::Null => OwnedValue::Null,
        AnyValue::Boolean(value) => OwnedValue::Int(i64::from(*value)),
        AnyValue::Float32(value) => OwnedValue::Real(f64::from(*value)),
        AnyValue::Float64(value) => OwnedValue::Real(*value),
        AnyValue::Duration(value, _) => OwnedValue::Int(*value),
        AnyValue::Int8(value) => OwnedValue::Int(i64::from(*value)),
        AnyValue::Int16(value) => OwnedValue::Int(i64::from(*value)),
        AnyValue::Int32(value) => OwnedValue::Int(i64::from(*value)),
        AnyValue::Int64(value) => OwnedValue::Int(*value),
        AnyValue::UInt8(value) => OwnedValue::Int(i64::from(*value)),
        AnyValue::UInt16(value) => OwnedValue::Int(i64::from(*value)),
        AnyValue::UInt32(value) => OwnedValue::Int(i64::from(*value)),
        AnyValue::UInt64(value) => i64::try_from(*value).map_or(OwnedValue::Real(*value as f64), OwnedValue::Int),
        value => OwnedValue::Text(value.get_str().map_or_else(|| value.to_string(), str::to_owned)),
    }
}

/// Types of numbers that columns have.
trait Number: NativeType {
    fn value(self) -> Value<'static>;
}

macro_rules! integers {
    ($($native:ty),*) => {
        $(impl Number for $native {
            fn value(self) -> Value<'static> {
                // What is beyond the integers of SQL becomes a floating-point number.
                i64::try_from(self).map_or_else(|_| Value::Real(self as f64), Value::Int)
            }
        })*
    };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Number for f32 {
    fn value(self) -> Value<'static> {
        Value::Real(f64::from(self))
    }
}

impl Number for f64 {
    fn value(self) -> Value<'static> {
        Value::Real(self)
    }
}

struct Numbers<T: NativeType>(PrimitiveArray<T>);

impl<T: Number> SqlColumn for Numbers<T> {
    fn value(&self, row: usize) -> Value<'_> {
        value_of(&self.0, row).map_or(Value::Null, Number::value)
    }
}

struct Moments {
    moments: PrimitiveArray<i64>,
    origin: i64,
}

impl SqlColumn for Moments {
    fn value(&self, row: usize) -> Value<'_> {
        value_of(&self.moments, row).map_or(Value::Null, |moment| Value::Int(moment.saturating_sub(self.origin)))
    }
}

struct Truths(BooleanArray);

impl SqlColumn for Truths {
    fn value(&self, row: usize) -> Value<'_> {
        let value = (row < self.0.values().len()).then(|| self.0.get(row)).flatten();
        value.map_or(Value::Null, |value| Value::Int(i64::from(value)))
    }
}

struct Strings(Utf8ViewArray);

impl SqlColumn for Strings {
    fn value(&self, row: usize) -> Value<'_> {
        let value = (row < self.0.views().len()).then(|| self.0.get(row)).flatten();
        value.map_or(Value::Null, Value::Text)
    }
}

/// One value in all rows.
struct Constant {
    value: OwnedValue,
    rows: usize,
}

impl SqlColumn for Constant {
    fn value(&self, row: usize) -> Value<'_> {
        if row < self.rows { self.value.borrowed() } else { Value::Null }
    }
}

struct Texts {
    codes: PrimitiveArray<u32>,
    dictionary: Arc<dyn Dictionary>,
}

impl SqlColumn for Texts {
    fn value(&self, row: usize) -> Value<'_> {
        self.code(row).map_or(Value::Null, |code| Value::Text(self.dictionary.text(code)))
    }

    fn dictionary(&self) -> Option<&Arc<dyn Dictionary>> {
        Some(&self.dictionary)
    }

    fn code(&self, row: usize) -> Option<u32> {
        value_of(&self.codes, row)
    }
}

struct Categories(Arc<CategoricalMapping>);

impl Dictionary for Categories {
    fn text(&self, code: u32) -> &str {
        self.0.cat_to_str(code).unwrap_or_default()
    }

    fn code(&self, text: &str) -> Option<u32> {
        self.0.get_cat(text)
    }

    fn size(&self) -> usize {
        self.0.num_cats_upper_bound()
    }

    fn identity(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use polars::prelude::{Categories as PolarsCategories, IntoColumn, PlSmallStr, Scalar, TimeUnit};

    fn values(column: &Column) -> Vec<OwnedValue> {
        let read = Dictionaries::default().column(column).unwrap();
        let owned = |value: Value<'_>| match value {
            Value::Null => OwnedValue::Null,
            Value::Int(value) => OwnedValue::Int(value),
            Value::Real(value) => OwnedValue::Real(value),
            Value::Text(text) => OwnedValue::Text(text.to_owned()),
        };
        (0..=column.len()).map(|row| owned(read.value(row))).collect()
    }

    #[test]
    fn columns_of_all_types_have_values_of_sql() {
        use OwnedValue::{Int, Null, Real, Text};
        let text = |text: &str| Text(text.to_owned());
        let ints = Series::new("a".into(), [Some(-1_i64), None, Some(7)]);
        for dtype in [
            DataType::Int8,
            DataType::Int16,
            DataType::Int32,
            DataType::Int64,
            DataType::Duration(TimeUnit::Nanoseconds),
        ] {
            let column = ints.cast(&dtype).unwrap().into_column();
            assert_eq!(values(&column), [Int(-1), Null, Int(7), Null], "{dtype}");
            assert_eq!(kind_of(&dtype), Kind::Int);
        }
        for dtype in [DataType::Float32, DataType::Float64] {
            assert_eq!(
                values(&ints.cast(&dtype).unwrap().into_column()),
                [Real(-1.0), Null, Real(7.0), Null],
                "{dtype}"
            );
        }
        let large = Column::new("a".into(), [u64::MAX, 5]);
        assert_eq!(values(&large), [Real(u64::MAX as f64), Int(5), Null]);
        assert_eq!(values(&Column::new("a".into(), [Some(true), None, Some(false)])), [Int(1), Null, Int(0), Null]);
        let texts = Column::new("a".into(), [Some("é"), None, Some("a text that is longer than twelve bytes")]);
        let expected = [text("é"), Null, text("a text that is longer than twelve bytes"), Null];
        assert_eq!(values(&texts), expected);
        let categories = texts.cast(&DataType::from_categories(PolarsCategories::global())).unwrap();
        assert_eq!(values(&categories), expected);
        let dates = ints.cast(&DataType::Datetime(TimeUnit::Nanoseconds, None)).unwrap().into_column();
        assert!(matches!(&values(&dates)[0], Text(date) if date.starts_with("1969-12-31")), "{:?}", values(&dates));
        let lists = Series::new("a".into(), [ints.clone(), ints]).into_column();
        assert!(matches!(&values(&lists)[0], Text(list) if list.contains("-1")), "{:?}", values(&lists));
        let constant = Column::new_scalar("a".into(), Scalar::from(PlSmallStr::from_str("x")), 2);
        assert_eq!(values(&constant), [text("x"), text("x"), Null]);
        assert_eq!(values(&Column::new_scalar("a".into(), Scalar::from(3_i32), 1)), [Int(3), Null]);
    }

    #[test]
    fn moments_count_from_the_origin() {
        let column = Column::new("ts".into(), [Some(1_000_i64), None, Some(i64::MAX)]);
        let read = moments(&column, 900).unwrap();
        let values: Vec<Option<i64>> =
            (0..4).map(|row| if let Value::Int(moment) = read.value(row) { Some(moment) } else { None }).collect();
        assert_eq!(values, [Some(100), None, Some(i64::MAX - 900), None]);
    }

    #[test]
    fn categories_of_one_mapping_have_one_dictionary() {
        let dtype = DataType::from_categories(PolarsCategories::global());
        let column = |texts: &[&str]| Series::new("a".into(), texts).cast(&dtype).unwrap().into_column();
        let dictionaries = Dictionaries::default();
        let read = [column(&["b", "a"]), column(&["a", "a"])].map(|column| dictionaries.column(&column).unwrap());
        assert!(Arc::ptr_eq(read[0].dictionary().unwrap(), read[1].dictionary().unwrap()));
        assert_eq!(read[0].code(1), read[1].code(0));
    }
}

//! The form in which a filter reaches another process.

use super::Where;
use super::apply::{Filter, TraceFilter};
use crate::frame::ColumnType;
use polars::prelude::{DataType, PlSmallStr};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A filter as data.
#[derive(Serialize, Deserialize)]
struct Data {
    /// Its text, in the language of [`Where`].
    text: String,
    /// The columns of all ranks.
    columns: Vec<(String, ColumnType)>,
    origin: i64,
}

impl Serialize for TraceFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(text) = &self.filter.text else {
            let reason = "cannot send a filter that is a polars expression to another process; write it as a text: \
                          `\"dur > 100us\".parse::<Where>()?`";
            return Err(S::Error::custom(reason));
        };
        let column = |(name, dtype): &(PlSmallStr, DataType)| {
            let unknown = || S::Error::custom(format!("column {name} has the type {dtype}, which events do not have"));
            Ok((name.to_string(), ColumnType::of(dtype).ok_or_else(unknown)?))
        };
        let columns = self.columns.iter().map(column).collect::<Result<_, S::Error>>()?;
        Data { text: text.to_string(), columns, origin: self.origin }.serialize(serializer)
    }
}

impl<'d> Deserialize<'d> for TraceFilter {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        let data = Data::deserialize(deserializer)?;
        let text: Where = data.text.parse().map_err(D::Error::custom)?;
        let columns = data.columns.into_iter().map(|(name, of)| (name.into(), of.dtype())).collect();
        Ok(Self { filter: Filter::from(text), columns, origin: data.origin })
    }
}

//! Arguments of events and their columns.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An argument of events and the column that it becomes. Equality ignores the version.
///
/// # Source
/// HTA `AttributeSpec`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AttributeSpec {
    /// The column. A name that events have anyway (`name`, `ts`, …) is prefixed with `arg_` when a trace is read.
    pub name: String,
    /// The key in the `args` of an event.
    pub raw_name: String,
    /// The type of its values.
    pub value_type: ValueType,
    /// The value of HTA's frames where an event lacks it; ours hold null (`ParserConfig::fill_defaults` fills them).
    pub default_value: DefaultValue,
    /// The version of HTA's table that introduced it.
    pub min_supported_version: YamlVersion,
}

impl AttributeSpec {
    /// Creates the argument `raw_name` as column `name`, with the default that HTA gives an inferred argument of this type.
    pub fn new(name: impl Into<String>, raw_name: impl Into<String>, value_type: ValueType) -> Self {
        let default_value = match value_type {
            ValueType::Int => DefaultValue::Int(0),
            ValueType::Float => DefaultValue::Float(0.0),
            ValueType::String => DefaultValue::Text(String::new()),
            ValueType::Object => DefaultValue::None,
        };
        let (name, raw_name) = (name.into(), raw_name.into());
        Self { name, raw_name, value_type, default_value, min_supported_version: YamlVersion::default() }
    }

    /// Replaces the default.
    #[must_use]
    pub fn with_default(self, default_value: DefaultValue) -> Self {
        Self { default_value, ..self }
    }
}

impl PartialEq for AttributeSpec {
    fn eq(&self, other: &Self) -> bool {
        let parts = |spec: &Self| (spec.name.clone(), spec.raw_name.clone(), spec.value_type);
        parts(self) == parts(other) && self.default_value == other.default_value
    }
}

/// The type of an argument's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ValueType {
    /// Integers: a column of `i64`; known ids of `i32` as long as they fit. Anything else is null, and counted in a
    /// warning.
    Int,
    /// Numbers: a column of `f64`.
    Float,
    /// Texts: a column of categories.
    String,
    /// Any: numbers if all values are numbers, otherwise categories. A list is its JSON text on one line.
    Object,
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int => "Int",
            Self::Float => "Float",
            Self::String => "String",
            Self::Object => "Object",
        })
    }
}

/// The value of HTA's frames where an event lacks an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DefaultValue {
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(String),
    /// An empty list.
    List,
    /// Nothing.
    None,
}

impl fmt::Display for DefaultValue {
    /// Formats it as Python does: `-1`, `0.0`, `"[]"`, `[]`, `None`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::List => f.write_str("[]"),
            Self::None => f.write_str("None"),
        }
    }
}

/// The version of HTA's table of arguments: `1.0.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct YamlVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
}

impl YamlVersion {
    /// Creates a version.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Parses `1.2.3`.
    ///
    /// # Errors
    /// [`Error::NotAVersion`] if it is anything else.
    pub fn from_string(text: &str) -> Result<Self> {
        text.parse()
    }
}

impl Default for YamlVersion {
    fn default() -> Self {
        Self::new(1, 0, 0)
    }
}

impl fmt::Display for YamlVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for YamlVersion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers: Option<Vec<u32>> = text.split('.').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[major, minor, patch]) => Ok(Self { major, minor, patch }),
            _ => Err(Error::NotAVersion { text: text.to_owned() }),
        }
    }
}

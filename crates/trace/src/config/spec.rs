//! One argument of events, and the column it becomes.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An argument of events, and the column it becomes. Two are equal whatever version they came with.
///
/// # Source
/// HTA `AttributeSpec`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AttributeSpec {
    /// The column. One that events have anyway (`name`, `ts`, …) gets `arg_` in front when a trace is read.
    pub name: String,
    /// The key in the `args` of an event.
    pub raw_name: String,
    /// What its values are.
    pub value_type: ValueType,
    /// What HTA's frames hold where an event lacks it; ours hold null ([`ParserConfig::fill_defaults`] fills them).
    ///
    /// [`ParserConfig::fill_defaults`]: crate::ParserConfig::fill_defaults
    pub default_value: DefaultValue,
    /// Since which version of HTA's table it is there.
    pub min_supported_version: YamlVersion,
}

impl AttributeSpec {
    /// The argument `raw_name`, as column `name`, with the default that HTA gives an inferred argument of this type.
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

    /// The same with another default.
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

/// What the values of an argument are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ValueType {
    /// Whole numbers: a column of `i64`; known ids, which nobody adds up, of `i32` as long as they fit. Anything else is
    /// null there, and counted in a warning.
    Int,
    /// Numbers: a column of `f64`.
    Float,
    /// Texts: a column of categories.
    String,
    /// Whatever is there: numbers if all values are, else categories. A list is its JSON text on one line.
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

/// What HTA's frames hold where an event lacks an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DefaultValue {
    /// A whole number.
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
    /// As Python writes it: `-1`, `0.0`, `"[]"`, `[]`, `None`.
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
    /// The version of these numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Reads `1.2.3`.
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
            _ => Err(Error::NotAVersion { given: text.to_owned() }),
        }
    }
}

//! Reference reader with serde_json: a visitor over the whole text, without a tree of values. Times are parsed as doubles,
//! as in every general JSON reader.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use trace::ParserConfig;

/// The columns.
#[derive(Default)]
pub(crate) struct Columns {
    texts: HashMap<String, u32>,
    args: HashMap<String, usize>,
    index: Vec<i64>,
    name: Vec<Option<u32>>,
    cat: Vec<u32>,
    ts: Vec<Option<i64>>,
    dur: Vec<Option<i64>>,
    pid: Vec<Option<i64>>,
    tid: Vec<Option<i64>>,
    values: Vec<Vec<Arg>>,
    seen: i64,
}

/// The value of an argument.
#[derive(Clone, Copy, Default)]
enum Arg {
    #[default]
    None,
    Int(#[allow(dead_code)] i64),
    Float(#[allow(dead_code)] f64),
    Text(#[allow(dead_code)] u32),
}

/// The columns of a text.
pub(crate) fn read(json: &[u8]) -> Result<Columns, Box<dyn std::error::Error>> {
    let mut columns = Columns::default();
    for (slot, spec) in ParserConfig::get_default_cfg().get_args()?.into_iter().enumerate() {
        columns.args.insert(spec.raw_name, slot);
    }
    columns.values = vec![Vec::new(); columns.args.len()];
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    Trace(&mut columns).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(columns)
}

impl Columns {
    /// How many rows there are: events with a duration and a category.
    pub(crate) fn rows(&self) -> usize {
        self.index.len()
    }

    fn symbol(&mut self, text: &str) -> u32 {
        if let Some(&symbol) = self.texts.get(text) {
            return symbol;
        }
        let symbol = self.texts.len() as u32;
        self.texts.insert(text.to_owned(), symbol);
        symbol
    }
}

/// Any value.
enum Any<'de> {
    Null,
    Int(i64),
    Float(f64),
    Text(Cow<'de, str>),
    /// A list or an object, as JSON.
    Nested(String),
}

impl Any<'_> {
    fn nanos(&self) -> Option<i64> {
        match self {
            Self::Int(micros) => micros.checked_mul(1000),
            Self::Float(micros) => Some((micros * 1000.0).round() as i64),
            _ => None,
        }
    }

    fn int(&self) -> Option<i64> {
        if let Self::Int(value) = self { Some(*value) } else { None }
    }
}

macro_rules! seed {
    ($seed:ty, $value:ty) => {
        impl<'de> DeserializeSeed<'de> for $seed {
            type Value = $value;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                deserializer.deserialize_any(self)
            }
        }
    };
}

/// The outermost object.
struct Trace<'c>(&'c mut Columns);

seed!(Trace<'_>, ());

impl<'de> Visitor<'de> for Trace<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a trace")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == "traceEvents" {
                map.next_value_seed(Events(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// The list of events.
struct Events<'c>(&'c mut Columns);

seed!(Events<'_>, ());

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Event(self.0))?.is_some() {
            self.0.seen += 1;
        }
        Ok(())
    }
}

/// One event.
struct Event<'c>(&'c mut Columns);

seed!(Event<'_>, ());

impl<'de> Visitor<'de> for Event<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let columns = self.0;
        let row = columns.index.len();
        let [mut name, mut cat, mut ts, mut dur, mut pid, mut tid] = [const { Any::Null }; 6];
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "name" => name = map.next_value_seed(AnyValue)?,
                "cat" => cat = map.next_value_seed(AnyValue)?,
                "ts" => ts = map.next_value_seed(AnyValue)?,
                "dur" => dur = map.next_value_seed(AnyValue)?,
                "pid" => pid = map.next_value_seed(AnyValue)?,
                "tid" => tid = map.next_value_seed(AnyValue)?,
                "args" => map.next_value_seed(Args { columns, row })?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let Any::Text(cat) = cat else {
            columns.values.iter_mut().for_each(|values| values.truncate(row));
            return Ok(());
        };
        if matches!(dur, Any::Null) || cat == "Trace" {
            columns.values.iter_mut().for_each(|values| values.truncate(row));
            return Ok(());
        }
        let cat = columns.symbol(&cat);
        let name = if let Any::Text(name) = name { Some(columns.symbol(&name)) } else { None };
        columns.index.push(columns.seen);
        columns.cat.push(cat);
        columns.name.push(name);
        columns.ts.push(ts.nanos());
        columns.dur.push(dur.nanos());
        columns.pid.push(pid.int());
        columns.tid.push(tid.int());
        Ok(())
    }
}

/// The arguments of an event.
struct Args<'c> {
    columns: &'c mut Columns,
    row: usize,
}

seed!(Args<'_>, ());

impl<'de> Visitor<'de> for Args<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("arguments")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { columns, row } = self;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let Some(&slot) = columns.args.get(key.as_ref()) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = match map.next_value_seed(AnyValue)? {
                Any::Null => Arg::None,
                Any::Int(value) => Arg::Int(value),
                Any::Float(value) => Arg::Float(value),
                Any::Text(text) => Arg::Text(columns.symbol(&text)),
                Any::Nested(text) => Arg::Text(columns.symbol(&text)),
            };
            columns.values[slot].resize(row, Arg::None);
            columns.values[slot].push(value);
        }
        Ok(())
    }
}

/// Reads any value.
struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Any<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Any<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Any<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Any<'de>, E> {
        Ok(Any::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Any<'de>, E> {
        Ok(Any::Int(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Any<'de>, E> {
        Ok(Any::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Any<'de>, E> {
        Ok(i64::try_from(value).map_or(Any::Null, Any::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Any<'de>, E> {
        Ok(Any::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Any<'de>, E> {
        Ok(Any::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Any<'de>, E> {
        Ok(Any::Text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Any<'de>, A::Error> {
        let mut text = String::from("[");
        while let Some(value) = list.next_element_seed(AnyValue)? {
            if text.len() > 1 {
                text.push_str(", ");
            }
            write(&mut text, &value);
        }
        text.push(']');
        Ok(Any::Nested(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any<'de>, A::Error> {
        let mut text = String::from("{");
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if text.len() > 1 {
                text.push_str(", ");
            }
            write(&mut text, &Any::Text(key));
            text.push_str(": ");
            let value = map.next_value_seed(AnyValue)?;
            write(&mut text, &value);
        }
        text.push('}');
        Ok(Any::Nested(text))
    }
}

/// As JSON.
fn write(text: &mut String, value: &Any<'_>) {
    use fmt::Write;
    let _ = match value {
        Any::Null => write!(text, "null"),
        Any::Int(value) => write!(text, "{value}"),
        Any::Float(value) => write!(text, "{value}"),
        Any::Text(value) => write!(text, "{value:?}"),
        Any::Nested(value) => write!(text, "{value}"),
    };
}

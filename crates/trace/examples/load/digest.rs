//! Digest of the columns: tells whether two readers parsed the same trace.

use serde_json::{Map, Number, Value, json};
use trace::TraceSet;
use trace::polars::prelude::{Column, DataType};

/// Columns that every frame of events has, whichever arguments are read.
const OWN: [&str; 13] = [
    "rank",
    "index",
    "name",
    "cat",
    "ts",
    "dur",
    "end",
    "pid",
    "tid",
    "stream",
    "correlation",
    "index_correlation",
    "iteration",
];

/// Digest: rows, exact sums of `ts` and `dur` in ns, and for each argument (`stream` and `correlation` among them) the sum of
/// its values, for texts the sum of their bytes.
pub(crate) fn digest(traces: &TraceSet) -> trace::Result<Value> {
    let mut sums: Map<String, Value> = Map::new();
    let (mut ts, mut dur) = (0, 0);
    let mut totals: Vec<(String, Sum)> = Vec::new();
    for trace in traces.traces() {
        for column in trace.events().columns() {
            let sum = sum(column)?;
            match (column.name().as_str(), sum) {
                ("ts", Sum::Whole(sum)) => ts += sum,
                ("dur", Sum::Whole(sum)) => dur += sum,
                (name, sum) if matches!(name, "stream" | "correlation") || !OWN.contains(&name) => {
                    match totals.iter_mut().find(|(known, _)| known == name) {
                        Some((_, total)) => *total = total.plus(sum),
                        None => totals.push((name.to_owned(), sum)),
                    }
                }
                _ => {}
            }
        }
    }
    for (name, total) in totals {
        sums.insert(name, total.json());
    }
    let rows = traces.event_count();
    Ok(json!({ "rows": rows, "ts_ns": Sum::Whole(ts).json(), "dur_ns": Sum::Whole(dur).json(), "args": sums }))
}

/// A sum.
#[derive(Clone, Copy)]
pub(crate) enum Sum {
    Whole(i128),
    Float(f64),
}

impl Sum {
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => Self::Whole(one + other),
            (one, other) => Self::Float(one.float() + other.float()),
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Whole(sum) => sum as f64,
            Self::Float(sum) => sum,
        }
    }

    /// A number where JSON's 64 bits hold it, else its digits as text.
    fn json(self) -> Value {
        match self {
            Self::Whole(sum) => i64::try_from(sum).map_or_else(|_| Value::String(sum.to_string()), Value::from),
            Self::Float(sum) => Number::from_f64(sum).map_or(Value::Null, Value::Number),
        }
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(sum) => write!(formatter, "{sum}"),
            Self::Float(sum) => write!(formatter, "{sum}"),
        }
    }
}

/// Returns the sum of a column's values, for texts the sum of their bytes.
pub(crate) fn sum(column: &Column) -> trace::Result<Sum> {
    let series = column.as_materialized_series();
    Ok(match column.dtype() {
        DataType::Float64 => Sum::Float(series.f64()?.iter().flatten().sum()),
        dtype if dtype.is_integer() => {
            let series = series.cast(&DataType::Int64)?;
            Sum::Whole(series.i64()?.iter().flatten().map(i128::from).sum())
        }
        _ => {
            let texts = series.cast(&DataType::String)?;
            Sum::Whole(texts.str()?.iter().flatten().flat_map(str::bytes).map(i128::from).sum())
        }
    })
}

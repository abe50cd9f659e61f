//! Digest of answers: equal only if all names, types and values are, bit by bit.

use std::fmt::{Debug, Write};
use trace::polars::prelude::{AnyValue, DataFrame, DataType};

/// FNV-1a of 64 bits.
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    pub(crate) fn value(&self) -> u64 {
        self.0
    }

    pub(crate) fn number(&mut self, number: i64) {
        self.bytes(&number.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as i64);
        self.bytes(text.as_bytes());
    }

    /// Adds how a value is shown by `{:?}`, which is exact for floats.
    pub(crate) fn debug(&mut self, value: &impl Debug) {
        // Writing to a digest does not fail.
        let _ = write!(self, "{value:?}");
    }

    /// Adds names, types and values of a frame. Categories count as texts: their codes are another in each process.
    pub(crate) fn frame(&mut self, frame: &DataFrame) -> Result<(), Box<dyn std::error::Error>> {
        self.number(frame.height() as i64);
        for column in frame.columns() {
            self.text(column.name());
            let series = column.as_materialized_series();
            match series.dtype() {
                DataType::Int64 => series.i64()?.iter().for_each(|value| self.integer(value)),
                DataType::Int32 => series.i32()?.iter().for_each(|value| self.integer(value.map(i64::from))),
                DataType::Float64 => {
                    series.f64()?.iter().for_each(|value| self.integer(value.map(|value| value.to_bits() as i64)));
                }
                _ => {
                    for value in series.iter() {
                        match value {
                            AnyValue::Null => self.number(-1),
                            value => match value.get_str() {
                                Some(text) => self.text(text),
                                None => self.debug(&value),
                            },
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn integer(&mut self, value: Option<i64>) {
        self.bytes(&[u8::from(value.is_some())]);
        self.number(value.unwrap_or(0));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

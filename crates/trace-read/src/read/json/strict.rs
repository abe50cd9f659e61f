//! Strict validation: the whole text through serde_json, which accepts nothing but JSON.

use crate::error::StrictJsonReason;
use crate::read::source::data_error;
use crate::{Error, Result};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use std::fmt;
use std::io::{ErrorKind, Read, Result as IoResult};

/// Bytes requested at once.
const BLOCK: usize = 64 * 1024;

/// serde_json recurses into values. Below this depth they are skipped without recursion, and their texts are not validated.
const MAX_DEPTH: u8 = 100;

/// Refuses a text that is not strict JSON.
///
/// # Errors
/// [`Error::NotStrictJson`] with the first position that is wrong, or if the operating system fails.
pub fn check_json(reader: impl Read, file: &str) -> Result<()> {
    let mut source =
        ByteByByte { reader, block: vec![0; BLOCK], at: 0, filled: 0, before: 0, line: 1, starts: [0; LINES] };
    let mut json = serde_json::Deserializer::from_reader(&mut source);
    let Err(error) = Whole(0).deserialize(&mut json).and_then(|()| json.end()) else { return Ok(()) };
    drop(json);
    let taken = source.before + source.at as u64;
    let (line, column, whole) = (error.line(), error.column(), error.to_string());
    // serde_json may read on a little after an error.
    let end = source.starts[line % LINES] + column as u64;
    let byte = if error.classify() == Category::Eof { end } else { end.saturating_sub(1) };
    let reason = match error.classify() {
        Category::Io => return Err(unread(error.into(), file, taken)),
        _ => whole.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&whole).to_owned(),
    };
    let reason = StrictJsonReason::Syntax(reason);
    Err(Error::NotStrictJson { file: file.to_owned(), reason, position: Some((line, column)), byte })
}

/// Returns the error of bytes that could not be read: damaged compressed data, or a failure of the machine.
fn unread(error: std::io::Error, file: &str, byte: u64) -> Error {
    match data_error(file, error) {
        Ok(damage) => {
            let reason = StrictJsonReason::Compressed(damage);
            Error::NotStrictJson { file: file.to_owned(), reason, position: None, byte }
        }
        Err(error) => error,
    }
}

/// Lines whose offsets are kept.
const LINES: usize = 1024;

/// Reader that serves the single bytes that serde_json requests, and tracks their offset and those of the last lines.
struct ByteByByte<R> {
    reader: R,
    block: Vec<u8>,
    at: usize,
    filled: usize,
    /// Bytes before this block.
    before: u64,
    /// Line of the next byte, from 1.
    line: usize,
    /// Offset of line n, at index n modulo the length.
    starts: [u64; LINES],
}

impl<R: Read> Read for ByteByByte<R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        if self.at == self.filled {
            self.refill()?;
        }
        let length = buffer.len().min(self.filled - self.at);
        for (to, &byte) in buffer[..length].iter_mut().zip(&self.block[self.at..]) {
            *to = byte;
            self.at += 1;
            if byte == b'\n' {
                self.line += 1;
                self.starts[self.line % LINES] = self.before + self.at as u64;
            }
        }
        Ok(length)
    }
}

impl<R: Read> ByteByByte<R> {
    #[cold]
    fn refill(&mut self) -> IoResult<()> {
        self.before += self.filled as u64;
        (self.at, self.filled) = (0, 0);
        loop {
            match self.reader.read(&mut self.block) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    self.filled = read?;
                    return Ok(());
                }
            }
        }
    }
}

/// Validator of any value. Unlike serde's `IgnoredAny` it decodes texts and numbers, and so finds invalid UTF-8, lone
/// surrogates and numbers beyond a double. Contains the depth of the value.
#[derive(Clone, Copy)]
struct Whole(u8);

impl<'de> DeserializeSeed<'de> for Whole {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        if self.0 == MAX_DEPTH {
            return IgnoredAny::deserialize(deserializer).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Whole {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> std::result::Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        while list.next_element_seed(Self(self.0 + 1))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> std::result::Result<(), A::Error> {
        let below = Self(self.0 + 1);
        while object.next_key_seed(below)?.is_some() {
            object.next_value_seed(below)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn refused(text: impl AsRef<[u8]>) -> String {
        check_json(text.as_ref(), "x.json").unwrap_err().to_string()
    }

    #[test]
    fn first_error_is_located_by_line_column_and_byte() {
        for (text, error) in [
            ("{\"a\": 1,\n \"b\": NaN}", "expected value at line 2, column 7 (byte 15)"),
            ("{\"a\": [1, 2,]}", "trailing comma at line 1, column 13 (byte 12)"),
            ("{\"a\": 1", "EOF while parsing an object at line 1, column 7 (byte 7)"),
            (
                "{\"a\": \"b\tc\"}",
                "control character (\\u0000-\\u001F) found while parsing a string at line 1, column 9 (byte 8)",
            ),
            ("{}\n\n x", "trailing characters at line 3, column 2 (byte 5)"),
            ("", "EOF while parsing a value at line 1, column 0 (byte 0)"),
            ("\u{feff}{}", "expected value at line 1, column 1 (byte 0)"),
        ] {
            assert_eq!(
                refused(text),
                format!("x.json is not valid JSON: {error}; load without strict to keep its whole events")
            );
        }
    }

    #[test]
    fn offsets_count_across_blocks() {
        let lines = 40_000;
        let text = format!("[\n{}x]", "1,\n".repeat(lines));
        assert!(text.len() > BLOCK + 1);
        let position = format!("line {}, column 1 (byte {})", lines + 2, text.len() - 2);
        assert!(refused(&text).contains(&position), "{}", refused(&text));
    }

    #[test]
    fn texts_and_numbers_are_validated() {
        for text in [&b"[\"\xff\"]"[..], br#"["\ud800"]"#, br#"["C:\path"]"#, b"[1e999]", b"[01]", b"[Infinity]"] {
            refused(text);
        }
        for text in [r#"{"é\u00e9": [1e300, -0, 18446744073709551616, null, true, {"": []}]}"#, "[]", "7"] {
            check_json(text.as_bytes(), "x.json").unwrap();
        }
    }

    #[test]
    fn deep_values_neither_fail_nor_overflow() {
        let deep = |open: usize, close: usize| format!("{}{}", "[".repeat(open), "]".repeat(close));
        for depth in [99, 100, 101, 200_000] {
            check_json(deep(depth, depth).as_bytes(), "x.json").unwrap();
            assert!(refused(deep(depth, depth - 1)).contains("EOF"), "{depth}");
        }
    }
}

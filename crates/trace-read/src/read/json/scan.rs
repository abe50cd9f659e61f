//! Scanner: a cursor over a slice of JSON that finds strings, numbers and whole values, without recursion and without copies.

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;

use super::bytes::{IN_TOKEN, ends_token, is_blank};
use super::nested;
use super::number::{Token, decimal, small_length};
use super::quotes::string_end;
use super::text;
use crate::read::AnomalyCounts;
use std::borrow::Cow;

/// Why the cursor stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The slice ends before the value does.
    More,
    /// The text is not valid JSON.
    Bad(Bad),
}

/// Kinds of invalid JSON. One byte, so that results fit into registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bad {
    Colon,
    Comma,
    Key,
    Long,
    Value,
}

impl Bad {
    /// Returns the reason as text.
    #[inline]
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Colon => "a colon is missing after a key",
            Self::Comma => "a comma is missing, or a text contains an unescaped quote",
            Self::Key => "a key is missing or a text is not closed",
            Self::Long => "it is too long: expected at most 64 MiB of JSON text per event",
            Self::Value => "a value is missing or malformed",
        }
    }
}

/// One value, as it is in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Raw<'a> {
    /// Absent, or `null`.
    #[default]
    Null,
    /// A number, `true`, `false`, `NaN`, `Infinity`.
    Token(Token<'a>),
    /// The text between the quotes, escapes included.
    Text(&'a [u8]),
    /// A list or an object.
    Nested(&'a [u8]),
}

impl Raw<'_> {
    /// Returns whether it is `null`.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self, Raw::Null)
    }
}

/// A cursor over a slice of JSON.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the index of the cursor.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Returns the text before the cursor.
    #[inline]
    pub(crate) fn passed(&self) -> &'a [u8] {
        &self.bytes[..self.at]
    }

    /// Moves the cursor to the next byte that is not white space, and returns it.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<u8, Stop> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !is_blank(byte) {
                return Ok(byte);
            }
            self.at += 1;
        }
        Err(Stop::More)
    }

    /// Returns the text from `start` to the cursor.
    #[inline]
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.at]
    }

    /// Returns the text from the cursor on.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Returns the text between two indexes before the cursor.
    #[inline]
    pub(crate) fn between(&self, start: usize, end: usize) -> &'a [u8] {
        &self.bytes[start..end]
    }

    /// Moves the cursor over `bytes` bytes, which must exist.
    #[inline]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Moves the cursor back to an index.
    #[inline]
    pub(crate) fn back_to(&mut self, index: usize) {
        self.at = index;
    }

    /// Moves the cursor past the colon that follows a key.
    #[inline]
    pub(crate) fn colon(&mut self) -> Result<(), Stop> {
        if self.peek()? != b':' {
            return Err(Stop::Bad(Bad::Colon));
        }
        self.at += 1;
        Ok(())
    }

    /// Scans the key of the next member of an object, and moves the cursor to its value; `after_value` unless the cursor
    /// follows the opening brace. `None`: the object has ended, and the cursor is past its closing brace.
    #[inline]
    pub(crate) fn key(&mut self, after_value: bool) -> Result<Option<Cow<'a, [u8]>>, Stop> {
        if after_value {
            match self.peek()? {
                b',' => self.skip(1),
                b'}' => {}
                _ => return Err(Stop::Bad(Bad::Comma)),
            }
        }
        match self.peek()? {
            b'"' => {}
            b'}' => {
                self.skip(1);
                return Ok(None);
            }
            _ => return Err(Stop::Bad(Bad::Key)),
        }
        let (key, escaped) = self.text_or_escaped()?;
        self.colon()?;
        self.peek()?;
        Ok(Some(if escaped {
            Cow::Owned(text::decode(key, &mut AnomalyCounts::default()).into_owned().into_bytes())
        } else {
            Cow::Borrowed(key)
        }))
    }

    /// Returns the text between the quotes; the cursor is on the opening one.
    #[inline]
    pub(crate) fn text(&mut self) -> Result<&'a [u8], Stop> {
        Ok(self.text_or_escaped()?.0)
    }

    /// Returns the text between the quotes, and whether it contains a backslash.
    #[inline]
    pub(crate) fn text_or_escaped(&mut self) -> Result<(&'a [u8], bool), Stop> {
        let start = self.at + 1;
        let (end, escaped) = string_end(self.bytes, start).ok_or(Stop::More)?;
        self.at = end + 1;
        Ok((&self.bytes[start..end], escaped))
    }

    /// Scans the next value.
    #[inline]
    pub(crate) fn value(&mut self) -> Result<Raw<'a>, Stop> {
        let first = self.peek()?;
        self.value_from(first)
    }

    /// Scans the value at the cursor, which begins with `first`.
    // Inlined, the result stays in registers; otherwise it passes through memory.
    #[inline(always)]
    pub(crate) fn value_from(&mut self, first: u8) -> Result<Raw<'a>, Stop> {
        match first {
            b'"' => Ok(Raw::Text(self.text()?)),
            b'{' | b'[' => Ok(Raw::Nested(self.nested()?)),
            _ => {
                let rest = self.rest();
                let decimal = decimal(rest);
                if decimal.is_read() {
                    let text = &rest[..decimal.length()];
                    self.at += text.len();
                    return Ok(Raw::Token(Token { text, decimal }));
                }
                match self.word()? {
                    b"null" => Ok(Raw::Null),
                    text => Ok(Raw::Token(Token::of(text))),
                }
            }
        }
    }

    /// Moves the cursor over the value at the cursor.
    #[inline(always)]
    pub(crate) fn pass(&mut self) -> Result<(), Stop> {
        match small_length(self.rest()) {
            Some(length) => {
                self.at += length;
                Ok(())
            }
            None => self.pass_any(),
        }
    }

    #[inline]
    fn pass_any(&mut self) -> Result<(), Stop> {
        match self.peek()? {
            b'"' => self.text().map(drop),
            b'{' | b'[' => self.nested().map(drop),
            _ => self.word().map(drop),
        }
    }

    /// Scans a number or a word.
    #[inline]
    fn word(&mut self) -> Result<&'a [u8], Stop> {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| !IN_TOKEN[usize::from(byte)]).ok_or(Stop::More)?;
        self.at += length;
        if length > 0 && ends_token(rest[length]) { Ok(&rest[..length]) } else { Err(Stop::Bad(Bad::Value)) }
    }

    /// Scans a list or an object. Brackets are counted, not matched, so that the events around it stay readable.
    #[inline]
    fn nested(&mut self) -> Result<&'a [u8], Stop> {
        let rest = self.rest();
        let length = nested::length(rest).ok_or(Stop::More)?;
        self.at += length;
        Ok(&rest[..length])
    }
}

/// Finds the end of one value across any number of slices.
#[derive(Debug, Default)]
pub(crate) struct Skipper {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Skipper {
    /// Returns how many of these bytes belong to the value, and whether it ends here.
    #[inline]
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (position, &byte) in bytes.iter().enumerate() {
            if self.in_text {
                if self.escaped {
                    self.escaped = false;
                } else if byte == b'\\' {
                    self.escaped = true;
                } else if byte == b'"' {
                    self.in_text = false;
                    if self.depth == 0 {
                        return (position + 1, true);
                    }
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth <= 1 => return (position + usize::from(self.depth == 1), true),
                b'}' | b']' => self.depth -= 1,
                b',' if self.depth == 0 => return (position, true),
                _ => {}
            }
        }
        (bytes.len(), false)
    }
}

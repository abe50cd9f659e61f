//! A cursor over a slice of JSON: strings, numbers and whole values, without recursion and without copies.

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;

use super::bits::{BLOCK, Bits, Carry, quotes_and_backslashes};
use super::number::{Decimal, Token, decimal, is_behind_number, small_length};
use super::text;
use crate::read::OddCounts;
use std::borrow::Cow;

/// Why the cursor stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The slice ends before the value does.
    More,
    /// This is no JSON.
    Bad(Bad),
}

/// Why something is no JSON. Small, so that what may fail is handed over in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bad {
    Colon,
    Comma,
    Key,
    Long,
    Value,
}

impl Bad {
    /// The reason in words.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Colon => "a colon is missing after a key",
            Self::Comma => "a comma is missing, or a text contains an unescaped quote",
            Self::Key => "a key is missing or a text is not closed",
            Self::Long => "a single value longer than 64 MiB",
            Self::Value => "a value is missing or malformed",
        }
    }
}

/// One value, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Raw<'a> {
    /// Not there, or `null`.
    #[default]
    Null,
    /// A number, `true`, `false`, `NaN`, `Infinity`.
    Token(Token<'a>),
    /// What stands between the quotes, escapes and all.
    Text(&'a [u8]),
    /// A list or an object.
    Nested(&'a [u8]),
}

impl Raw<'_> {
    pub(crate) fn is_null(&self) -> bool {
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
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How far the cursor has come.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// What lies behind the cursor.
    #[inline]
    pub(crate) fn passed(&self) -> &'a [u8] {
        &self.bytes[..self.at]
    }

    /// The next byte that is no white space; the cursor stands on it.
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

    /// What stands between `start` and the cursor.
    #[inline]
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.at]
    }

    /// What lies ahead of the cursor.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// What stands between two places that the cursor has passed.
    #[inline]
    pub(crate) fn between(&self, start: usize, end: usize) -> &'a [u8] {
        &self.bytes[start..end]
    }

    /// Steps over so many bytes that are there.
    #[inline]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Returns to a place that the cursor has passed.
    pub(crate) fn back_to(&mut self, place: usize) {
        self.at = place;
    }

    /// Steps over white space and the colon behind a key.
    #[inline]
    pub(crate) fn colon(&mut self) -> Result<(), Stop> {
        if self.peek()? != b':' {
            return Err(Stop::Bad(Bad::Colon));
        }
        self.at += 1;
        Ok(())
    }

    /// The key of the next member of an object, behind its brace or behind a value; the cursor moves to the value. `None`
    /// behind the brace that closes the object.
    pub(crate) fn key(&mut self, behind_value: bool) -> Result<Option<Cow<'a, [u8]>>, Stop> {
        if behind_value {
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
            Cow::Owned(text::decode(key, &mut OddCounts::default()).into_owned().into_bytes())
        } else {
            Cow::Borrowed(key)
        }))
    }

    /// What stands between the quotes; the cursor stands on the opening one.
    #[inline]
    pub(crate) fn text(&mut self) -> Result<&'a [u8], Stop> {
        Ok(self.text_or_escaped()?.0)
    }

    /// The same, and whether there is a backslash in it.
    #[inline]
    pub(crate) fn text_or_escaped(&mut self) -> Result<(&'a [u8], bool), Stop> {
        let start = self.at + 1;
        let (end, escaped) = string_end(self.bytes, start).ok_or(Stop::More)?;
        self.at = end + 1;
        Ok((&self.bytes[start..end], escaped))
    }

    /// The value the cursor stands on.
    // It is handed over in registers where it is built in, and through memory otherwise.
    #[inline(always)]
    pub(crate) fn value(&mut self) -> Result<Raw<'a>, Stop> {
        match self.peek()? {
            b'"' => Ok(Raw::Text(self.text()?)),
            b'{' | b'[' => Ok(Raw::Nested(self.nested()?)),
            _ => {
                let rest = self.rest();
                let decimal = decimal(rest);
                if decimal != Decimal::UNREAD {
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

    /// Steps over the value the cursor stands on.
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

    fn pass_any(&mut self) -> Result<(), Stop> {
        match self.peek()? {
            b'"' => self.text().map(drop),
            b'{' | b'[' => self.nested().map(drop),
            _ => self.word().map(drop),
        }
    }

    /// A number or a word.
    fn word(&mut self) -> Result<&'a [u8], Stop> {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| !IN_TOKEN[usize::from(byte)]).ok_or(Stop::More)?;
        self.at += length;
        if length > 0 && is_behind_number(rest[length]) { Ok(&rest[..length]) } else { Err(Stop::Bad(Bad::Value)) }
    }

    /// A list or an object, whole. Brackets are counted, not matched: the events around it stay readable.
    #[inline]
    fn nested(&mut self) -> Result<&'a [u8], Stop> {
        let rest = self.rest();
        let length = nested_length(rest).or_else(|| nested_length_by_byte(rest)).ok_or(Stop::More)?;
        self.at += length;
        Ok(&rest[..length])
    }
}

/// The length of the list or object at the start, if it ends within whole blocks of which all are in order.
#[inline]
fn nested_length(text: &[u8]) -> Option<usize> {
    let (mut depth, mut carry) = (0usize, Carry::default());
    for (at, block) in text.as_chunks::<BLOCK>().0.iter().enumerate() {
        let bits = Bits::of(block);
        let (_, in_text) = carry.texts(&bits);
        if bits.backslash & !in_text != 0 {
            // Outside of texts it is no JSON, and escapes nothing.
            return None;
        }
        let mut brackets = (bits.open | bits.close) & !in_text;
        while brackets != 0 {
            if bits.open & brackets & brackets.wrapping_neg() != 0 {
                depth += 1;
            } else {
                depth -= 1;
                if depth == 0 {
                    return Some(at * BLOCK + brackets.trailing_zeros() as usize + 1);
                }
            }
            brackets &= brackets - 1;
        }
    }
    None
}

/// The same byte by byte. `None` if the text ends before it.
#[cold]
fn nested_length_by_byte(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => at = string_end(text, at + 1)?.0,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// What numbers and words are made of, by byte.
const IN_TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'-' | b'+' | b'.');
        byte += 1;
    }
    table
};

/// Whether JSON ignores it between values.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Where the quote stands that ends a string whose text starts at `from`, and whether a backslash stands before it.
#[inline]
fn string_end(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let (mut at, mut escaped) = (from, false);
    loop {
        at = quote_or_backslash(bytes, at)?;
        if bytes[at] == b'"' {
            return Some((at, escaped));
        }
        escaped = true;
        at += 2;
    }
}

/// The first quote or backslash at or after `from`, sixteen bytes at a time.
#[inline]
fn quote_or_backslash(bytes: &[u8], from: usize) -> Option<usize> {
    let mut rest = bytes.get(from..)?;
    let mut at = from;
    while let Some((chunk, tail)) = rest.split_first_chunk::<16>() {
        let hits = quotes_and_backslashes(chunk);
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize);
        }
        rest = tail;
        at += 16;
    }
    rest.iter().position(|&byte| byte == b'"' || byte == b'\\').map(|found| at + found)
}

/// Follows one value through any number of slices, keeping nothing.
#[derive(Debug, Default)]
pub(crate) struct Skipper {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Skipper {
    /// How many of these bytes belong to the value; fewer than all if it ends here.
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

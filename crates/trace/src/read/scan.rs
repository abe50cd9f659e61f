//! A cursor over a slice of JSON: strings, numbers and whole values, without recursion and without copies.

use super::bits::quotes_and_backslashes;

/// Why the cursor stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The slice ends before the value does.
    More,
    /// This is no JSON.
    Bad(&'static str),
}

/// One value, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Raw<'a> {
    /// Not there, or `null`.
    #[default]
    Null,
    /// A number, `true`, `false`, `NaN`, `Infinity`.
    Token(&'a [u8]),
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

    /// Steps over one byte.
    #[inline]
    pub(crate) fn bump(&mut self) {
        self.at += 1;
    }

    /// Steps over white space and this byte.
    #[inline]
    pub(crate) fn expect(&mut self, byte: u8, otherwise: &'static str) -> Result<(), Stop> {
        if self.peek()? != byte {
            return Err(Stop::Bad(otherwise));
        }
        self.at += 1;
        Ok(())
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
    #[inline]
    pub(crate) fn value(&mut self) -> Result<Raw<'a>, Stop> {
        match self.peek()? {
            b'"' => Ok(Raw::Text(self.text()?)),
            b'{' | b'[' => Ok(Raw::Nested(self.nested()?)),
            _ => match self.token()? {
                b"null" => Ok(Raw::Null),
                token => Ok(Raw::Token(token)),
            },
        }
    }

    /// A number or a word.
    #[inline]
    fn token(&mut self) -> Result<&'a [u8], Stop> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| !IN_TOKEN[usize::from(byte)]).ok_or(Stop::More)?;
        self.at += length;
        match rest[length] {
            b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' if length > 0 => Ok(&rest[..length]),
            _ => Err(Stop::Bad("a value is missing or malformed")),
        }
    }

    /// A list or an object, whole. Brackets are counted, not matched: the events around it stay readable.
    fn nested(&mut self) -> Result<&'a [u8], Stop> {
        let start = self.at;
        let mut depth = 0usize;
        let mut at = start;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'"' => at = string_end(self.bytes, at + 1).ok_or(Stop::More)?.0,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at = at + 1;
                        return Ok(&self.bytes[start..=at]);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Err(Stop::More)
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn strings_end_at_the_first_quote_that_is_not_escaped() {
        for (text, inner) in [
            (r#""" "#, ""),
            (r#""abc","#, "abc"),
            (r#""a\"b" "#, r#"a\"b"#),
            (r#""ends in a backslash \\","#, r"ends in a backslash \\"),
            (r#""0123456\"89 and much longer than eight bytes"}"#, r#"0123456\"89 and much longer than eight bytes"#),
        ] {
            assert_eq!(Scanner::new(text.as_bytes()).value().unwrap(), Raw::Text(inner.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_cut_value_asks_for_more_wherever_it_is_cut() {
        let whole = r#"{"a": [1, {"b\"]": "x\\"}], "c": "}"}"#;
        for cut in 0..whole.len() {
            assert_eq!(Scanner::new(&whole.as_bytes()[..cut]).value(), Err(Stop::More), "{cut}");
        }
        assert_eq!(Scanner::new(whole.as_bytes()).value().unwrap(), Raw::Nested(whole.as_bytes()));
    }

    #[test]
    fn a_skipped_value_ends_at_the_same_byte_in_any_slicing() {
        for whole in [r#"{"a": [1, {"b\"]": "x\\"}], "c": "}"}"#, r#""te\"xt,}""#, "12.5", "[[[]]]"] {
            let text = format!("{whole},more");
            for step in 1..text.len() {
                let mut skipper = Skipper::default();
                let mut used = 0;
                for piece in text.as_bytes().chunks(step) {
                    let (taken, done) = skipper.feed(piece);
                    used += taken;
                    if done {
                        break;
                    }
                }
                assert_eq!(used, whole.len(), "{whole} by {step}");
            }
        }
    }
}

//! Ends of texts.

use super::bits::quotes_and_backslashes;

/// Returns the index of the quote that ends the string whose text starts at `from`, and whether a backslash precedes it.
#[inline]
pub(super) fn string_end(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
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

/// Returns the index of the first quote or backslash at or after `from`, sixteen bytes at a time.
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

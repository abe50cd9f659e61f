//! The rank that the text of a file names: the first `"rank": N`.

use regex::bytes::Regex;
use std::io::Read;
use std::sync::LazyLock;

/// Reader that passes text through and searches it for `"rank": N` by HTA's rule: white space after the colon, all on one
/// line.
pub(in crate::read) struct RankFinder<R> {
    inner: R,
    /// The first match: its number, and the offset at which the digits end.
    found: Option<(i64, u64)>,
    /// Offset of the next byte.
    offset: u64,
    /// The last bytes searched, where a match may have begun.
    tail: Vec<u8>,
}

/// Upper bound on the length of a match, in bytes.
const MAX_MATCH: usize = 64;

static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""rank":[ \t]{1,32}([0-9]{1,20})"#).ok());

impl<R> RankFinder<R> {
    pub(in crate::read) fn new(inner: R) -> Self {
        Self { inner, found: None, offset: 0, tail: Vec::new() }
    }

    /// Continues at another offset.
    pub(in crate::read) fn continue_at(&mut self, offset: u64) {
        self.offset = offset;
        self.tail.clear();
    }

    /// Searches text that did not come through this reader.
    pub(in crate::read) fn search(&mut self, bytes: &[u8]) {
        if self.found.is_none() {
            self.search_with_tail(bytes);
        }
        self.offset += bytes.len() as u64;
    }

    /// Returns the number of the first match if it ends before `end`: text beyond the cursor does not count.
    pub(in crate::read) fn found(&self, end: u64) -> Option<i64> {
        self.found.filter(|&(_, match_end)| match_end < end).map(|(rank, _)| rank)
    }

    fn search_with_tail(&mut self, bytes: &[u8]) {
        let head = &bytes[..bytes.len().min(MAX_MATCH)];
        let tail_start = self.offset - self.tail.len() as u64;
        self.tail.extend_from_slice(head);
        let across = first_match(&self.tail).map(|(rank, end)| (rank, tail_start + end));
        self.found = across.or_else(|| first_match(bytes).map(|(rank, end)| (rank, self.offset + end)));
        if bytes.len() > MAX_MATCH {
            self.tail.clear();
            self.tail.extend_from_slice(&bytes[bytes.len() - MAX_MATCH..]);
        } else {
            let surplus = self.tail.len().saturating_sub(MAX_MATCH);
            self.tail.drain(..surplus);
        }
    }
}

impl<R: Read> Read for RankFinder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.search(&buffer[..read]);
        Ok(read)
    }
}

/// Returns the number of the first match that ends before the bytes do, and where it ends.
fn first_match(bytes: &[u8]) -> Option<(i64, u64)> {
    PATTERN.as_ref()?.captures_iter(bytes).filter_map(|captures| captures.get(1)).find_map(|digits| {
        let is_complete = digits.end() < bytes.len();
        let number = std::str::from_utf8(digits.as_bytes()).ok()?.parse().ok()?;
        is_complete.then_some((number, digits.end() as u64))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rank_is_found_in_reads_of_every_size() {
        let text = br#"{"x": "rank", "rank":1, "distributedInfo": {"backend": "nccl", "rank":  37, "rank": 5}}"#;
        for size in 1..text.len() {
            let mut reader = RankFinder::new(&text[..]);
            let mut buffer = vec![0; size];
            while reader.read(&mut buffer).unwrap() > 0 {}
            assert_eq!(reader.found(text.len() as u64), Some(37), "{size}");
            assert_eq!(reader.found(30), None, "{size}");
        }
    }

    #[test]
    fn rank_without_white_space_does_not_match() {
        let mut reader = RankFinder::new(
            &br#"{"rank":3, "rank":
            4}"#[..],
        );
        std::io::copy(&mut reader, &mut std::io::sink()).unwrap();
        assert_eq!(reader.found(u64::MAX), None);
    }
}

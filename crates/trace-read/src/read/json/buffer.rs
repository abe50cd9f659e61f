//! Sliding buffer over the JSON text, refilled as the cursor advances.

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;

use super::bytes::is_blank;
use super::scan::{Bad, Scanner, Stop};
use std::io::{ErrorKind, Read};

/// Bytes requested at once.
pub(in crate::read) const BUFFER_SIZE: usize = 256 * 1024;

/// Upper bound on a single value, an event for example, in bytes; a longer one is left out.
const MAX_VALUE: usize = 64 * 1024 * 1024;

/// Memory for the text of a chunk, used again for later chunks.
#[derive(Debug, Default)]
pub(in crate::read) struct ChunkBuffer {
    pub(in crate::read) bytes: Vec<u8>,
    /// Length of the text at the start of `bytes`.
    pub(in crate::read) filled: usize,
}

impl ChunkBuffer {
    /// Returns the text.
    #[inline]
    pub(in crate::read) fn text(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }
}

/// The part of a JSON text that is in memory, and a cursor in it.
pub(in crate::read) struct TextBuffer<R> {
    reader: R,
    bytes: Vec<u8>,
    /// The cursor, as an index into `bytes`.
    at: usize,
    /// End of the text in `bytes`.
    filled: usize,
    /// Offset of `bytes[0]` in the whole text.
    base: u64,
    end: Option<End>,
    refills: u64,
    /// A refill is one read, so that it never crosses a chunk boundary.
    by_chunks: bool,
    /// Upper bound on what is scanned at once: [`MAX_VALUE`], except in tests.
    max_value: usize,
}

/// Why no more text follows.
#[derive(Debug)]
pub(in crate::read) enum End {
    /// The text is complete.
    Complete,
    /// The reader failed.
    Failed(std::io::Error),
}

impl<R: Read> TextBuffer<R> {
    #[inline]
    pub(in crate::read) fn new(reader: R, size: usize) -> Self {
        Self::over(reader, ChunkBuffer { bytes: vec![0; size], filled: 0 })
    }

    /// Creates a buffer over a reader that returns at most the rest of a chunk per read.
    #[inline]
    pub(in crate::read) fn by_chunks(reader: R, size: usize) -> Self {
        Self { by_chunks: true, ..Self::new(reader, size) }
    }

    /// Creates a buffer that holds one chunk, whose text begins at offset `base`, and nothing after it.
    #[inline]
    pub(in crate::read) fn of_chunk(chunk: ChunkBuffer, base: u64, reader: R) -> Self {
        Self { base, end: Some(End::Complete), by_chunks: true, ..Self::over(reader, chunk) }
    }

    /// Creates a buffer whose text begins with that of a chunk.
    #[inline]
    fn over(reader: R, chunk: ChunkBuffer) -> Self {
        let ChunkBuffer { bytes, filled } = chunk;
        Self { reader, bytes, at: 0, filled, base: 0, end: None, refills: 0, by_chunks: false, max_value: MAX_VALUE }
    }

    /// Lowers the upper bound on a single value.
    #[cfg(test)]
    pub(in crate::read) fn limited_to(self, max_value: usize) -> Self {
        Self { max_value, ..self }
    }

    /// Replaces the consumed text by a chunk that begins at offset `base`; the cursor is at index `at` of it. Returns the
    /// memory of the consumed text.
    #[inline]
    pub(in crate::read) fn continue_in(&mut self, chunk: ChunkBuffer, base: u64, at: usize) -> ChunkBuffer {
        let ChunkBuffer { bytes, filled } = chunk;
        (self.at, self.filled, self.base) = (at, filled, base);
        self.refills += 1;
        ChunkBuffer { bytes: std::mem::replace(&mut self.bytes, bytes), filled: 0 }
    }

    /// Moves the cursor to another offset, from which the reader continues.
    #[inline]
    pub(in crate::read) fn continue_at(&mut self, base: u64) {
        (self.at, self.filled, self.base) = (0, 0, base);
        self.refills += 1;
    }

    /// Returns the memory, with its text.
    #[inline]
    pub(in crate::read) fn into_chunk(self) -> ChunkBuffer {
        ChunkBuffer { bytes: self.bytes, filled: self.filled }
    }

    /// Returns the upper bound on a single value, in bytes.
    #[inline]
    pub(in crate::read) fn max_value(&self) -> usize {
        self.max_value
    }

    /// Returns the text from the cursor on, as far as it is in memory.
    #[inline]
    pub(in crate::read) fn ahead(&self) -> &[u8] {
        &self.bytes[self.at..self.filled]
    }

    /// Returns the offset of the cursor in the whole text.
    #[inline]
    pub(in crate::read) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Moves the cursor forward.
    #[inline]
    pub(in crate::read) fn advance(&mut self, by: usize) {
        self.at += by;
    }

    /// Returns the reader.
    #[inline]
    pub(in crate::read) fn reader(&self) -> &R {
        &self.reader
    }

    /// Returns the reader.
    #[inline]
    pub(in crate::read) fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns how many times the buffer was refilled.
    #[inline]
    pub(in crate::read) fn refills(&self) -> u64 {
        self.refills
    }

    /// Returns why no more text follows, or `None` if more may follow.
    #[inline]
    pub(in crate::read) fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Takes the reason why no more text follows.
    #[inline]
    pub(in crate::read) fn take_end(&mut self) -> Option<End> {
        self.end.take()
    }

    /// Drops the text before the cursor and reads more. Returns whether there was more.
    #[inline]
    pub(in crate::read) fn refill(&mut self) -> bool {
        if self.end.is_some() {
            return false;
        }
        self.refills += 1;
        // Inside a value that needs many refills the cursor stays, and so does the text.
        if self.at > 0 {
            self.bytes.copy_within(self.at..self.filled, 0);
        }
        self.base += self.at as u64;
        self.filled -= self.at;
        self.at = 0;
        if self.filled == self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
        let before = self.filled;
        while self.filled < self.bytes.len() && !(self.by_chunks && self.filled > before) {
            match self.reader.read(&mut self.bytes[self.filled..]) {
                Ok(0) => {
                    self.end = Some(End::Complete);
                    break;
                }
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.end = Some(End::Failed(error));
                    break;
                }
            }
        }
        self.filled > before
    }

    /// Reads until there is twice as much text after the cursor, or as much as is scanned at once. Returns whether there was
    /// more.
    ///
    /// What did not fit is scanned again from its start. Since the text doubles, all scans of a value together are at most four
    /// times as long as the value, however little one refill reads.
    #[cold]
    fn double(&mut self) -> bool {
        let wanted = (2 * (self.filled - self.at)).min(self.max_value + 1);
        let mut has_more = false;
        while self.refill() {
            has_more = true;
            if self.filled - self.at >= wanted {
                break;
            }
        }
        has_more
    }

    /// Moves the cursor to the next byte in memory that is not white space and returns it; `None` at the end of what is in
    /// memory.
    #[inline]
    pub(in crate::read) fn peek_buffered(&mut self) -> Option<u8> {
        while self.at < self.filled {
            let byte = self.bytes[self.at];
            if !is_blank(byte) {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Moves the cursor to the next byte that is not white space and returns it; `None` at the end of the text.
    #[inline]
    pub(in crate::read) fn peek(&mut self) -> Option<u8> {
        loop {
            let next = self.peek_buffered();
            if next.is_some() || !self.refill() {
                return next;
            }
        }
    }

    /// Scans something complete at the cursor, refilling as needed, and moves past it. [`Stop::More`]: the text ends. The cursor
    /// stays before what is too long ([`Bad::Long`]), and moves to where other text is invalid. Not inlined: the scanner of events is
    /// slower as part of its caller.
    #[inline(never)]
    pub(in crate::read) fn scan<T>(
        &mut self,
        mut scan: impl FnMut(&mut Scanner<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut is_long = false;
        loop {
            // Bounded, so that whether a value is too long does not depend on how much is in memory.
            let ahead = &self.bytes[self.at..self.filled];
            let mut scanner = Scanner::new(&ahead[..ahead.len().min(self.max_value + 1)]);
            match scan(&mut scanner) {
                Ok(value) => {
                    self.at += scanner.position();
                    return Ok(value);
                }
                Err(Stop::More) if self.filled - self.at > self.max_value => {
                    return Err(Stop::Bad(Bad::Long));
                }
                Err(Stop::More) => {
                    // Most values that cross the end of the text end with the next read: text of the chunk behind it is left to the
                    // thread that parses it.
                    let has_more = if is_long { self.double() } else { self.refill() };
                    is_long = true;
                    if !has_more {
                        return Err(Stop::More);
                    }
                }
                Err(bad) => {
                    self.at += scanner.position();
                    return Err(bad);
                }
            }
        }
    }
}

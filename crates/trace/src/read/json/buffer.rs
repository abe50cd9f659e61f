//! A stretch of the JSON text in memory, refilled as the cursor moves on.

use super::scan::{Bad, Scanner, Stop, is_blank};
use std::io::{ErrorKind, Read};

/// Bytes asked for at once.
pub(crate) const CHUNK: usize = 256 * 1024;

/// A single value may take this much; a longer one is left out.
const LONGEST: usize = 64 * 1024 * 1024;

/// Memory with text at its start.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    pub(crate) filled: usize,
}

impl Block {
    /// The text.
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }
}

/// A stretch of the JSON text in memory.
pub(crate) struct Window<R> {
    reader: R,
    bytes: Vec<u8>,
    /// The cursor.
    at: usize,
    /// The end of what was read.
    filled: usize,
    /// Position of `bytes[0]` in the whole text.
    base: u64,
    end: Option<End>,
    refills: u64,
    /// Of a text in stretches: each is read to its end before the next one is begun.
    by_stretches: bool,
}

/// Why no more bytes come.
#[derive(Debug)]
pub(crate) enum End {
    /// The text is over.
    Over,
    /// The reader failed.
    Failed(std::io::Error),
}

impl<R: Read> Window<R> {
    pub(crate) fn new(reader: R, chunk: usize) -> Self {
        Self { reader, bytes: vec![0; chunk], at: 0, filled: 0, base: 0, end: None, refills: 0, by_stretches: false }
    }

    /// The same; the reader gives a text in stretches, and none of the next with the last of one.
    pub(crate) fn by_stretches(reader: R, chunk: usize) -> Self {
        Self { by_stretches: true, ..Self::new(reader, chunk) }
    }

    /// Over a block of the text, which begins at `base`, and no further.
    pub(crate) fn over(block: Block, base: u64, reader: R) -> Self {
        let Block { bytes, filled } = block;
        Self { reader, bytes, at: 0, filled, base, end: Some(End::Over), refills: 0, by_stretches: true }
    }

    /// Goes on in a block of the text, which begins at `base`, `at` bytes behind its start: what the window held, used up.
    pub(crate) fn go_on_in(&mut self, block: Block, base: u64, at: usize) -> Block {
        let Block { bytes, filled } = block;
        (self.at, self.filled, self.base) = (at, filled, base);
        self.refills += 1;
        Block { bytes: std::mem::replace(&mut self.bytes, bytes), filled: 0 }
    }

    /// Goes on at another place of the text, which the reader gives from there on.
    pub(crate) fn go_on_at(&mut self, base: u64) {
        (self.at, self.filled, self.base) = (0, 0, base);
        self.refills += 1;
    }

    /// The memory, with its text.
    pub(crate) fn into_block(self) -> Block {
        Block { bytes: self.bytes, filled: self.filled }
    }

    /// The text from the cursor on, as far as it is in memory.
    pub(crate) fn ahead(&self) -> &[u8] {
        &self.bytes[self.at..self.filled]
    }

    /// Position of the cursor in the whole text.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Moves the cursor.
    pub(crate) fn advance(&mut self, by: usize) {
        self.at += by;
    }

    /// Where the bytes come from.
    pub(crate) fn reader(&self) -> &R {
        &self.reader
    }

    /// Where the bytes come from.
    pub(crate) fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// How often the window was refilled.
    pub(crate) fn refills(&self) -> u64 {
        self.refills
    }

    /// Why no more bytes came.
    pub(crate) fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Why no more bytes came.
    pub(crate) fn take_end(&mut self) -> Option<End> {
        self.end.take()
    }

    /// Reads on; what lies before the cursor is forgotten. False at the end.
    pub(crate) fn more(&mut self) -> bool {
        if self.end.is_some() {
            return false;
        }
        self.refills += 1;
        self.bytes.copy_within(self.at..self.filled, 0);
        self.base += self.at as u64;
        self.filled -= self.at;
        self.at = 0;
        if self.filled == self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
        let before = self.filled;
        while self.filled < self.bytes.len() && !(self.by_stretches && self.filled > before) {
            match self.reader.read(&mut self.bytes[self.filled..]) {
                Ok(0) => {
                    self.end = Some(End::Over);
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

    /// The next byte in memory that is no white space; the cursor stands on it. `None` where what is in memory ends.
    #[inline]
    pub(crate) fn peek_in_memory(&mut self) -> Option<u8> {
        while self.at < self.filled {
            let byte = self.bytes[self.at];
            if !is_blank(byte) {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// The next byte that is no white space; the cursor stands on it. `None` at the end.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            let next = self.peek_in_memory();
            if next.is_some() || !self.more() {
                return next;
            }
        }
    }

    /// Reads something whole at the cursor, fetching what it needs, and moves behind it. [`Stop::More`]: the text ends.
    pub(crate) fn whole<T>(&mut self, mut read: impl FnMut(&mut Scanner<'_>) -> Result<T, Stop>) -> Result<T, Stop> {
        loop {
            // However much is in memory, so that a value is too long or not wherever the window begins.
            let ahead = &self.bytes[self.at..self.filled];
            let mut scanner = Scanner::new(&ahead[..ahead.len().min(LONGEST + 1)]);
            match read(&mut scanner) {
                Ok(value) => {
                    self.at += scanner.position();
                    return Ok(value);
                }
                Err(Stop::More) if self.filled - self.at > LONGEST => {
                    return Err(Stop::Bad(Bad::Long));
                }
                Err(Stop::More) => {
                    if !self.more() {
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

//! Data of an entry of a zip archive → bytes. Its CRC-32 and its length are checked at its end; of a damaged entry everything
//! before the damage is returned, as [`super::gzip`] does.

use super::damage::Damage;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::{BufRead, ErrorKind, Read, Result};

const FORMAT: &str = "zip";

/// What an entry must be: its length and its CRC-32.
struct Check {
    crc: Crc,
    length: u64,
    expected: u32,
}

impl Check {
    fn new(length: u64, expected: u32) -> Self {
        Self { crc: Crc::new(), length, expected }
    }

    /// Counts bytes; returns the damage if there are more than the archive says, which also ends a bomb.
    fn add(&mut self, bytes: &[u8]) -> Option<Damage> {
        self.crc.update(bytes);
        // The CRC counts modulo 2^32.
        self.length = match self.length.checked_sub(bytes.len() as u64) {
            Some(left) => left,
            None => return Some(Damage::Corrupt(FORMAT, "an entry is longer than the archive says".to_owned())),
        };
        None
    }

    /// Returns what is wrong at the end.
    fn finish(&self) -> Option<Damage> {
        match () {
            () if self.length > 0 => Some(Damage::EndsEarly(FORMAT)),
            () if self.crc.sum() != self.expected => Some(Damage::Corrupt(FORMAT, "its CRC-32 differs".to_owned())),
            () => None,
        }
    }
}

/// State of a reader: what comes after the bytes returned so far.
enum State {
    Data,
    End,
    Damaged(Damage),
}

impl State {
    fn of(damage: Option<Damage>) -> Self {
        damage.map_or(Self::Data, Self::Damaged)
    }

    fn at_end(check: &Check) -> Self {
        check.finish().map_or(Self::End, Self::Damaged)
    }

    /// Returns the result of a read without bytes: further reads return the same.
    fn end(&self) -> Result<usize> {
        match self {
            Self::Data | Self::End => Ok(0),
            Self::Damaged(damage) => Err(damage.clone().into()),
        }
    }
}

/// Reader of an entry that is not compressed.
pub(super) struct Stored<R> {
    data: R,
    check: Check,
    state: State,
}

impl<R: Read> Stored<R> {
    /// Reads an entry of `length` bytes with this CRC-32.
    pub(super) fn new(data: R, length: u64, crc: u32) -> Self {
        Self { data, check: Check::new(length, crc), state: State::Data }
    }
}

impl<R: Read> Read for Stored<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if !matches!(self.state, State::Data) || buffer.is_empty() {
            return self.state.end();
        }
        let read = self.data.read(buffer)?;
        if read == 0 {
            self.state = State::at_end(&self.check);
            return self.state.end();
        }
        self.state = State::of(self.check.add(&buffer[..read]));
        Ok(read)
    }
}

/// Reader of an entry compressed by deflate.
pub(super) struct Inflate<R> {
    compressed: R,
    inflate: Decompress,
    check: Check,
    state: State,
}

impl<R: BufRead> Inflate<R> {
    /// Reads an entry of `length` bytes, decompressed, with this CRC-32.
    pub(super) fn new(compressed: R, length: u64, crc: u32) -> Self {
        Self { compressed, inflate: Decompress::new(false), check: Check::new(length, crc), state: State::Data }
    }

    /// Decompresses what is buffered, and returns the number of bytes.
    fn more(&mut self, into: &mut [u8]) -> Result<usize> {
        let compressed = match self.compressed.fill_buf() {
            Ok(compressed) => compressed,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(0),
            Err(error) => return Err(error),
        };
        let is_end = compressed.is_empty();
        let before = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(compressed, into, FlushDecompress::None);
        let (used, filled) = (self.inflate.total_in() - before.0, self.inflate.total_out() - before.1);
        self.compressed.consume(used as usize);
        let filled = filled as usize;
        self.state = match (self.check.add(&into[..filled]), status) {
            (Some(damage), _) => State::Damaged(damage),
            (None, Ok(Status::StreamEnd)) => State::at_end(&self.check),
            (None, Ok(_)) if (used, filled) != (0, 0) => State::Data,
            (None, _) if is_end => State::Damaged(Damage::EndsEarly(FORMAT)),
            (None, Ok(_) | Err(_)) => State::Damaged(Damage::Corrupt(FORMAT, "corrupt deflate stream".to_owned())),
        };
        Ok(filled)
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() && matches!(self.state, State::Data) {
            match self.more(&mut buffer[filled..]) {
                Ok(more) => filled += more,
                Err(error) if filled == 0 => return Err(error),
                // The next read meets it again.
                Err(_) => break,
            }
        }
        if filled == 0 { self.state.end() } else { Ok(filled) }
    }
}

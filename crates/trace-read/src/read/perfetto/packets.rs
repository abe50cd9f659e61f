//! Packets of a trace, one after the other.

use super::wire::{Malformed, Message, varint};
use std::io::{BufRead, BufReader, Error, ErrorKind, Read};

/// Bytes that are read at once, so that a wrong length costs no memory.
const STEP: u64 = 1 << 20;

/// Reader of packets.
pub(super) struct Packets<R> {
    reader: BufReader<R>,
    /// Offset of the next byte.
    offset: u64,
    packet: Vec<u8>,
}

/// Why there are no more packets, or one cannot be used.
pub(super) enum Stop {
    Malformed(Malformed),
    /// The text ends inside the packet that begins here.
    EndsInside(u64),
    Failed(Error),
}

impl<R: Read> Packets<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(1 << 16, reader), offset: 0, packet: Vec::new() }
    }

    /// Returns the next packet; `None` at the end.
    ///
    /// # Errors
    /// If the bytes are no packet, or cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Message<'_>>, Stop> {
        loop {
            let begin = self.offset;
            if self.reader.fill_buf().map_err(Stop::Failed)?.is_empty() {
                return Ok(None);
            }
            let tag = self.number(begin)?;
            let malformed = |what| Err(Stop::Malformed(Malformed { what, offset: begin }));
            match (tag >> 3, tag & 7) {
                (0, _) => return malformed("a packet without a number"),
                // The outermost message has one field; others may follow in later schemas.
                (1, 2) => {
                    self.read(begin)?;
                    let offset = self.offset - self.packet.len() as u64;
                    return Ok(Some(Message { bytes: &self.packet, offset }));
                }
                (_, 2) => self.read(begin)?,
                (_, 0) => {
                    self.number(begin)?;
                }
                _ => return malformed("no packet"),
            }
        }
    }

    /// Reads a varint of what begins at `begin`.
    fn number(&mut self, begin: u64) -> Result<u64, Stop> {
        let mut bytes = [0; 10];
        for at in 0..bytes.len() {
            match self.reader.read_exact(&mut bytes[at..=at]) {
                Ok(()) => self.offset += 1,
                Err(error) if error.kind() == ErrorKind::UnexpectedEof && error.get_ref().is_none() => {
                    return Err(Stop::EndsInside(begin));
                }
                Err(error) => return Err(Stop::Failed(error)),
            }
            if let Some((number, _)) = varint(&bytes[..=at]) {
                return Ok(number);
            }
        }
        Err(Stop::Malformed(Malformed { what: "a number without an end", offset: begin }))
    }

    /// Reads the length and the bytes of what begins at `begin`.
    fn read(&mut self, begin: u64) -> Result<(), Stop> {
        let length = self.number(begin)?;
        self.packet.clear();
        while (self.packet.len() as u64) < length {
            let step = STEP.min(length - self.packet.len() as u64);
            let read = self.reader.by_ref().take(step).read_to_end(&mut self.packet).map_err(Stop::Failed)?;
            self.offset += read as u64;
            if read as u64 != step {
                return Err(Stop::EndsInside(begin));
            }
        }
        Ok(())
    }
}

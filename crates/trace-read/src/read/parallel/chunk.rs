//! Chunker: splits a text where events seem to begin.

use crate::read::json::boundary::{NextEvent, next_event};
use crate::read::json::buffer::{ChunkBuffer, End};
use std::io::{ErrorKind, Read};

/// Positions of chunk boundaries.
#[derive(Debug, Clone, Copy)]
pub enum Boundaries<'b> {
    /// At apparent starts of events, at most this many bytes apart.
    Guessed(usize),
    /// At these offsets, which ascend, whatever is there; after the last one, anywhere.
    At(&'b [u64]),
}

impl Boundaries<'_> {
    /// Returns how many bytes to read before searching for a boundary.
    fn max_length(self, start: u64) -> usize {
        match self {
            Self::Guessed(max) => max,
            Self::At(offsets) => {
                offsets.iter().find(|&&offset| offset > start).map_or(64 * 1024, |offset| (offset - start) as usize)
            }
        }
    }

    /// Returns a boundary near the end of `text`; `None`: the chunk is all of it.
    fn near_end(self, text: &[u8]) -> Option<usize> {
        let Self::Guessed(_) = self else { return None };
        // Near the end first: the text after the boundary is copied.
        [4 * 1024, 64 * 1024, text.len()].into_iter().find_map(|distance| {
            let from = text.len().saturating_sub(distance);
            match next_event(&text[from..]) {
                NextEvent::At(position) => Some(from + position),
                NextEvent::NotBefore(_) => None,
            }
        })
    }
}

/// Splits the text of a reader into chunks.
pub(super) struct Chunker<'b, R> {
    reader: R,
    boundaries: Boundaries<'b>,
    /// Offset of the next chunk.
    start: u64,
    /// Text of the next chunk that was read with the last one.
    carry: Vec<u8>,
}

impl<'b, R: Read> Chunker<'b, R> {
    pub(super) fn new(reader: R, boundaries: Boundaries<'b>) -> Self {
        Self { reader, boundaries, start: 0, carry: Vec::new() }
    }

    /// Reads the next chunk into `memory`. Returns its offset, its text, and why no more text follows, if so.
    pub(super) fn next(&mut self, mut memory: Vec<u8>) -> (u64, ChunkBuffer, Option<End>) {
        let size = self.boundaries.max_length(self.start).max(self.carry.len());
        if memory.len() < size {
            memory.resize(size, 0);
        }
        let mut filled = self.carry.len();
        memory[..filled].copy_from_slice(&self.carry);
        self.carry.clear();
        let mut end = None;
        while filled < size && end.is_none() {
            match self.reader.read(&mut memory[filled..size]) {
                Ok(0) => end = Some(End::Complete),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => end = Some(End::Failed(error)),
            }
        }
        if end.is_none()
            && let Some(boundary) = self.boundaries.near_end(&memory[..filled])
        {
            self.carry.extend_from_slice(&memory[boundary..filled]);
            filled = boundary;
        }
        let start = self.start;
        self.start += filled as u64;
        (start, ChunkBuffer { bytes: memory, filled }, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns offset and text of all chunks, and why the text ended.
    fn chunks(text: impl Read, boundaries: Boundaries<'_>) -> (Vec<(u64, String)>, End) {
        let mut chunker = Chunker::new(text, boundaries);
        let mut found = Vec::new();
        loop {
            let (start, buffer, end) = chunker.next(Vec::new());
            found.push((start, String::from_utf8_lossy(buffer.text()).into_owned()));
            if let Some(end) = end {
                return (found, end);
            }
        }
    }

    #[test]
    fn chunks_begin_at_events_and_cover_the_text() {
        let text: String =
            (0..500).map(|at| format!("{{\"name\": {at}, \"args\": {{\"x\": [{{}}, {{}}]}}}}, ")).collect();
        for max in [64, 100, 1000, 20_000, 1 << 20] {
            let (chunks, _) = chunks(text.as_bytes(), Boundaries::Guessed(max));
            assert!(chunks.len() >= text.len() / max, "{max}");
            let mut end = 0;
            for (start, chunk) in &chunks {
                assert_eq!(*start, end as u64);
                assert!(chunk.len() <= max && chunk.starts_with("{\"name\""), "{max}: {chunk}");
                end += chunk.len();
            }
            let whole: String = chunks.into_iter().map(|(_, chunk)| chunk).collect();
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn text_without_events_is_split_anywhere_errors_come_last() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::from(ErrorKind::InvalidData))
            }
        }
        let (found, end) = chunks("0123456789".as_bytes().chain(Fails), Boundaries::Guessed(4));
        assert_eq!(found, [(0, "0123".to_owned()), (4, "4567".to_owned()), (8, "89".to_owned())]);
        assert!(matches!(end, End::Failed(error) if error.kind() == ErrorKind::InvalidData));
        let (found, end) = chunks("0123456789".as_bytes(), Boundaries::At(&[1, 3]));
        assert_eq!(found, [(0, "0".to_owned()), (1, "12".to_owned()), (3, "3456789".to_owned())]);
        assert!(matches!(end, End::Complete));
    }
}

//! A text cut into stretches that begin where an event seems to begin.

use crate::read::json::boundary::{Next, next_event};
use crate::read::json::buffer::{Block, End};
use std::io::{ErrorKind, Read};

/// Where stretches begin.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Seams<'s> {
    /// Where events seem to begin, not more than so many bytes from each other.
    Guessed(usize),
    /// At these places, which ascend, whatever is there; behind them, anywhere.
    #[cfg_attr(not(any(test, fuzzing)), expect(dead_code))]
    At(&'s [u64]),
}

impl Seams<'_> {
    /// So many bytes are read before a seam is looked for.
    fn most(self, start: u64) -> usize {
        match self {
            Self::Guessed(most) => most,
            Self::At(seams) => {
                seams.iter().find(|&&seam| seam > start).map_or(64 * 1024, |seam| (seam - start) as usize)
            }
        }
    }

    /// Where a stretch that begins like this ends, if not behind all of it.
    fn end(self, text: &[u8]) -> Option<usize> {
        let Self::Guessed(_) = self else { return None };
        // As far back as events are long: what lies behind the seam is copied.
        [4 * 1024, 64 * 1024, text.len()].into_iter().find_map(|back| {
            let from = text.len().saturating_sub(back);
            match next_event(&text[from..]) {
                Next::At(position) => Some(from + position),
                Next::Perhaps(_) => None,
            }
        })
    }
}

/// Cuts the text that a reader gives.
pub(super) struct Cutter<'s, R> {
    reader: R,
    seams: Seams<'s>,
    /// Where the next stretch begins.
    start: u64,
    /// What was read of it already.
    rest: Vec<u8>,
}

impl<'s, R: Read> Cutter<'s, R> {
    pub(super) fn new(reader: R, seams: Seams<'s>) -> Self {
        Self { reader, seams, start: 0, rest: Vec::new() }
    }

    /// The next stretch, in this memory: where it begins, its text, and why no more follows if none does.
    pub(super) fn next(&mut self, mut memory: Vec<u8>) -> (u64, Block, Option<End>) {
        let size = self.seams.most(self.start).max(self.rest.len());
        if memory.len() < size {
            memory.resize(size, 0);
        }
        let mut filled = self.rest.len();
        memory[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        let mut end = None;
        while filled < size && end.is_none() {
            match self.reader.read(&mut memory[filled..size]) {
                Ok(0) => end = Some(End::Over),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => end = Some(End::Failed(error)),
            }
        }
        if end.is_none()
            && let Some(seam) = self.seams.end(&memory[..filled])
        {
            self.rest.extend_from_slice(&memory[seam..filled]);
            filled = seam;
        }
        let start = self.start;
        self.start += filled as u64;
        (start, Block { bytes: memory, filled }, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stretches of a text, and why it ended.
    fn cut(text: impl Read, seams: Seams<'_>) -> (Vec<(u64, String)>, End) {
        let mut cutter = Cutter::new(text, seams);
        let mut found = Vec::new();
        loop {
            let (start, block, end) = cutter.next(Vec::new());
            found.push((start, String::from_utf8_lossy(block.text()).into_owned()));
            if let Some(end) = end {
                return (found, end);
            }
        }
    }

    #[test]
    fn stretches_begin_at_events_and_are_together_the_text() {
        let text: String =
            (0..500).map(|at| format!("{{\"name\": {at}, \"args\": {{\"x\": [{{}}, {{}}]}}}}, ")).collect();
        for most in [64, 100, 1000, 20_000, 1 << 20] {
            let (stretches, _) = cut(text.as_bytes(), Seams::Guessed(most));
            assert!(stretches.len() >= text.len() / most, "{most}");
            let mut end = 0;
            for (start, stretch) in &stretches {
                assert_eq!(*start, end as u64);
                assert!(stretch.len() <= most && stretch.starts_with("{\"name\""), "{most}: {stretch}");
                end += stretch.len();
            }
            let whole: String = stretches.into_iter().map(|(_, stretch)| stretch).collect();
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn a_text_without_events_is_cut_anywhere_and_an_error_comes_behind_all_that_was_read() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::from(ErrorKind::InvalidData))
            }
        }
        let (stretches, end) = cut("0123456789".as_bytes().chain(Fails), Seams::Guessed(4));
        assert_eq!(stretches, [(0, "0123".to_owned()), (4, "4567".to_owned()), (8, "89".to_owned())]);
        assert!(matches!(end, End::Failed(error) if error.kind() == ErrorKind::InvalidData));
        let (stretches, end) = cut("0123456789".as_bytes(), Seams::At(&[1, 3]));
        assert_eq!(stretches, [(0, "0".to_owned()), (1, "12".to_owned()), (3, "3456789".to_owned())]);
        assert!(matches!(end, End::Over));
    }
}

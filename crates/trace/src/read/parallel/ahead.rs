//! Unpacking beside parsing: a thread of its own undoes the gzip, block by block, while the caller reads what is unpacked.

use std::io::{ErrorKind, Read, Result as IoResult};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// Bytes unpacked at once.
const BLOCK: usize = 256 * 1024;
/// How many blocks may wait for the caller; memory is bounded by two more.
const WAITING: usize = 4;

/// What a thread of its own has read already.
pub(crate) struct Ahead {
    blocks: Receiver<IoResult<Block>>,
    /// Blocks that were read go back, so that their memory is used again.
    used: Sender<Block>,
    block: Block,
    at: usize,
}

#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    filled: usize,
}

/// Hands `work` a reader of the same bytes, while another thread reads ahead of it. That thread ends with `work`.
pub(crate) fn read_ahead<T>(reader: impl Read + Send, work: impl FnOnce(Ahead) -> T) -> T {
    std::thread::scope(|scope| {
        let (sender, blocks) = sync_channel(WAITING);
        let (used, reusable) = channel();
        scope.spawn(move || fill(reader, &sender, &reusable));
        work(Ahead { blocks, used, block: Block::default(), at: 0 })
    })
}

/// Reads on until the end, an error, or nobody listens.
fn fill(mut reader: impl Read, sender: &SyncSender<IoResult<Block>>, reusable: &Receiver<Block>) {
    loop {
        let mut block = reusable.try_recv().unwrap_or_default();
        block.bytes.resize(BLOCK, 0);
        block.filled = 0;
        let mut end = None;
        while block.filled < BLOCK && end.is_none() {
            match reader.read(&mut block.bytes[block.filled..]) {
                Ok(0) => end = Some(Ok(())),
                Ok(read) => block.filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => end = Some(Err(error)),
            }
        }
        if sender.send(Ok(block)).is_err() {
            return;
        }
        match end {
            None => {}
            Some(Ok(())) => return,
            Some(Err(error)) => {
                // Whoever no longer listens does not want to know.
                let _ = sender.send(Err(error));
                return;
            }
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        while self.at == self.block.filled {
            // The other thread hangs up behind its last block.
            let Ok(next) = self.blocks.recv() else { return Ok(0) };
            let read = std::mem::replace(&mut self.block, next?);
            self.at = 0;
            let _ = self.used.send(read);
        }
        let length = buffer.len().min(self.block.filled - self.at);
        buffer[..length].copy_from_slice(&self.block.bytes[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Error as IoError;

    /// Gives its bytes in pieces of this size, then fails, if it is to.
    struct Source<'a> {
        bytes: &'a [u8],
        piece: usize,
        fails: bool,
    }

    impl Read for Source<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
            if self.bytes.is_empty() && self.fails {
                return Err(IoError::from(ErrorKind::InvalidData));
            }
            let length = self.piece.min(buffer.len()).min(self.bytes.len());
            let (now, later) = self.bytes.split_at(length);
            buffer[..length].copy_from_slice(now);
            self.bytes = later;
            Ok(length)
        }
    }

    fn text(length: usize) -> Vec<u8> {
        (0..length).map(|place| (place % 251) as u8).collect()
    }

    #[test]
    fn the_same_bytes_arrive_whatever_their_pieces() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 9 * BLOCK + 17] {
            for piece in [1 + length / 7, 4096, usize::MAX] {
                let bytes = text(length);
                let read = read_ahead(Source { bytes: &bytes, piece, fails: false }, |mut ahead| {
                    let mut read = Vec::new();
                    ahead.read_to_end(&mut read).unwrap();
                    read
                });
                assert!(read == bytes, "{length} by {piece}");
            }
        }
    }

    #[test]
    fn an_error_comes_behind_all_that_was_read() {
        let bytes = text(3 * BLOCK + 5);
        let (read, kind) = read_ahead(Source { bytes: &bytes, piece: 4096, fails: true }, |mut ahead| {
            let mut read = Vec::new();
            let error = ahead.read_to_end(&mut read).unwrap_err();
            (read, error.kind())
        });
        assert!(read == bytes);
        assert_eq!(kind, ErrorKind::InvalidData);
    }

    #[test]
    fn who_stops_reading_stops_the_other_thread() {
        let bytes = text(64 * BLOCK);
        let first = read_ahead(Source { bytes: &bytes, piece: usize::MAX, fails: false }, |mut ahead| {
            let mut first = [0; 3];
            ahead.read_exact(&mut first).unwrap();
            first
        });
        assert_eq!(first, [0, 1, 2]);
    }
}

//! Read-ahead: one thread decompresses while the caller parses.

use super::queue::{ChunkParser, ChunkQueue, Plan};
use crate::exec::context::Inherited;
use crate::read::json::buffer::ChunkBuffer;
use std::convert::Infallible;
use std::io::Read;

/// Calls `work` with a reader of the same text, which another thread decompresses ahead of it. That thread ends with `work`.
pub fn read_ahead<T>(reader: impl Read + Send, work: impl FnOnce(&mut dyn Read) -> T) -> T {
    let queue = ChunkQueue::new(reader, Plan::default(), NoParser);
    let here = Inherited::here();
    let result = std::thread::scope(|scope| {
        let _close = queue.close_on_drop();
        // If the system refuses a thread, the caller decompresses.
        let _ = std::thread::Builder::new().spawn_scoped(scope, || here.run(|| queue.work()));
        work(&mut queue.reader())
    });
    queue.clear();
    result
}

/// Leaves all parsing to the caller.
struct NoParser;

impl ChunkParser for NoParser {
    type Fragment = Infallible;

    fn fragment(&self) -> Option<Infallible> {
        None
    }

    fn parse(&self, _: ChunkBuffer, _: u64, _: bool, fragment: &mut Infallible) -> ChunkBuffer {
        match *fragment {}
    }

    fn reset(&self, fragment: &mut Infallible) {
        match *fragment {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::{Error as IoError, ErrorKind, Result as IoResult};

    const BLOCK: usize = 256 * 1024;

    /// Returns its bytes in reads of at most `size`, then fails if `fails`.
    struct Source<'a> {
        bytes: &'a [u8],
        size: usize,
        fails: bool,
    }

    impl Read for Source<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
            if self.bytes.is_empty() && self.fails {
                return Err(IoError::from(ErrorKind::InvalidData));
            }
            let length = self.size.min(buffer.len()).min(self.bytes.len());
            let (now, later) = self.bytes.split_at(length);
            buffer[..length].copy_from_slice(now);
            self.bytes = later;
            Ok(length)
        }
    }

    fn text(length: usize) -> Vec<u8> {
        (0..length).map(|index| (index % 251) as u8).collect()
    }

    #[test]
    fn bytes_are_the_same_for_reads_of_every_size() {
        for length in [0, 1, BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 9 * BLOCK + 17] {
            for size in [1 + length / 7, 4096, usize::MAX] {
                let bytes = text(length);
                let read = read_ahead(Source { bytes: &bytes, size, fails: false }, |ahead| {
                    let mut read = Vec::new();
                    ahead.read_to_end(&mut read).unwrap();
                    read
                });
                assert!(read == bytes, "{length} by {size}");
            }
        }
    }

    #[test]
    fn error_follows_all_bytes_before_it() {
        let bytes = text(3 * BLOCK + 5);
        let (read, kind) = read_ahead(Source { bytes: &bytes, size: 4096, fails: true }, |ahead| {
            let mut read = Vec::new();
            let error = ahead.read_to_end(&mut read).unwrap_err();
            (read, error.kind())
        });
        assert!(read == bytes);
        assert_eq!(kind, ErrorKind::InvalidData);
    }

    #[test]
    fn caller_that_stops_reading_ends_the_thread() {
        let bytes = text(64 * BLOCK);
        let first = read_ahead(Source { bytes: &bytes, size: usize::MAX, fails: false }, |ahead| {
            let mut first = [0; 3];
            ahead.read_exact(&mut first).unwrap();
            first
        });
        assert_eq!(first, [0, 1, 2]);
    }
}

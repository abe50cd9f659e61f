//! Gzip → text: any number of members, and of a damaged one everything before the damage. The decoder checks CRC-32 and length
//! of each member at its end, so a file is checked once it is read to the end.

use crate::error::StorageReason;
use flate2::{Decompress, DecompressError, FlushDecompress, Status};
use std::io::{BufRead, Error, ErrorKind, Read, Result};

/// The largest window of the gzip format, as a power of two.
const WINDOW: u8 = 15;

/// Reader of gzip data. flate2's own reader withholds the text before an error; of a trace that is cut or damaged every
/// event counts.
pub(in crate::read) struct GzipReader<R> {
    compressed: R,
    member: Decompress,
    /// Inside a member.
    in_member: bool,
    /// A complete member was read: zeros may follow.
    after_member: bool,
    /// The error that follows the text returned so far.
    failed: Option<Error>,
}

impl<R: BufRead> GzipReader<R> {
    pub(in crate::read) fn new(compressed: R) -> Self {
        Self { compressed, member: Decompress::new_gzip(WINDOW), in_member: false, after_member: false, failed: None }
    }

    /// Decompresses what is buffered and returns the length of the text, which precedes an error if there is one. `None` at the
    /// end.
    fn decompress(&mut self, into: &mut [u8]) -> Option<usize> {
        let compressed = match self.compressed.fill_buf() {
            Ok([]) if !self.in_member => return None,
            // Zeros after the last member are padding, for gzip and Python, too.
            Ok(compressed) if !self.in_member && self.after_member && compressed[0] == 0 => {
                let zeros = compressed.iter().take_while(|byte| **byte == 0).count();
                self.compressed.consume(zeros);
                return Some(0);
            }
            // Even without input: the decoder may hold text for which the last buffer had no room.
            Ok(compressed) => compressed,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Some(0),
            Err(error) => {
                self.failed = Some(error);
                return Some(0);
            }
        };
        let is_end = compressed.is_empty();
        let before = (self.member.total_in(), self.member.total_out());
        let status = self.member.decompress(compressed, into, FlushDecompress::None);
        let (used, filled) = (self.member.total_in() - before.0, self.member.total_out() - before.1);
        self.compressed.consume(used as usize);
        self.in_member = true;
        match status {
            Ok(Status::StreamEnd) => {
                (self.member, self.in_member, self.after_member) = (Decompress::new_gzip(WINDOW), false, true);
            }
            Ok(_) if (used, filled) != (0, 0) => {}
            Err(error) if let Some(reason) = mismatch(&error) => {
                self.failed = Some(Error::new(ErrorKind::InvalidData, reason));
            }
            _ if is_end => self.failed = Some(Error::from(ErrorKind::UnexpectedEof)),
            Ok(_) | Err(_) => self.failed = Some(Error::new(ErrorKind::InvalidData, "corrupt deflate stream")),
        }
        Some(filled as usize)
    }
}

/// Returns which check of a complete member failed. Other reasons are not reported, since they depend on the size of reads.
fn mismatch(error: &DecompressError) -> Option<&'static str> {
    let reason = error.message()?;
    [("incorrect data check", "its CRC-32 differs"), ("incorrect length check", "its length differs")]
        .into_iter()
        .find_map(|(start, text)| reason.starts_with(start).then_some(text))
}

/// Returns the same error once more. What storage refused keeps its type, which the load reports.
fn again(error: &Error) -> Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<StorageReason>()) {
        Some(reason) => Error::new(error.kind(), reason.clone()),
        None => Error::new(error.kind(), error.to_string()),
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len()
            && self.failed.is_none()
            && let Some(more) = self.decompress(&mut buffer[filled..])
        {
            filled += more;
        }
        match &self.failed {
            // Further reads return the same error.
            Some(error) if filled == 0 && !buffer.is_empty() => Err(again(error)),
            _ => Ok(filled),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use flate2::bufread::MultiGzDecoder;
    use trace_testkit::{Random, gzip};

    /// Returns the text before the end or an error, read in pieces of `piece` bytes, and the kind of error.
    fn decompressed(gzip: &[u8], piece: usize) -> (Vec<u8>, Option<ErrorKind>) {
        let mut reader = GzipReader::new(gzip);
        let (mut text, mut buffer) = (Vec::new(), vec![0; piece]);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return (text, None),
                Ok(read) => text.extend_from_slice(&buffer[..read]),
                Err(error) => return (text, Some(error.kind())),
            }
        }
    }

    fn text(seed: u64) -> Vec<u8> {
        let mut random = Random::new(seed);
        (0..40_000).map(|_| *random.of(b"{\"name\": 0123456789}, ")).collect()
    }

    #[test]
    fn members_follow_each_other_in_reads_of_any_size() {
        let texts = [text(1), Vec::new(), text(2)];
        let compressed: Vec<u8> = texts.iter().flat_map(|text| gzip(text)).collect();
        for piece in [1, 7, 1000, 1 << 20] {
            assert!(decompressed(&compressed, piece) == (texts.concat(), None), "{piece}");
        }
        assert_eq!(decompressed(&[], 10), (Vec::new(), None));
    }

    #[test]
    fn truncated_file_gives_all_text_before_its_end() {
        let (text, compressed) = (text(3), gzip(&text(3)));
        let mut longest = 0;
        for length in (1..compressed.len()).step_by(97) {
            let (output, kind) = decompressed(&compressed[..length], 1 << 20);
            assert_eq!(kind, Some(ErrorKind::UnexpectedEof), "{length}");
            assert!(text.starts_with(&output) && output.len() >= longest, "{length}");
            assert!(output == decompressed(&compressed[..length], 100).0, "{length}");
            longest = output.len();
        }
        assert!(longest > text.len() / 2, "{longest} of {} {}", text.len(), compressed.len());
    }

    #[test]
    fn zeros_after_the_last_member_are_skipped() {
        let (text, compressed) = (text(5), gzip(&text(5)));
        for piece in [1, 1000, 1 << 20] {
            assert!(
                decompressed(&[compressed.as_slice(), &[0; 700]].concat(), piece) == (text.clone(), None),
                "{piece}"
            );
            let (output, kind) = decompressed(&[compressed.as_slice(), &[0; 7], b"else"].concat(), piece);
            assert!(output == text && kind.is_some(), "{piece}");
        }
        assert_eq!(decompressed(&[0; 20], 100).1, Some(ErrorKind::InvalidData), "zeros alone are not gzip");
    }

    #[test]
    fn failed_check_of_a_trailer_is_named() {
        let (text, compressed) = (text(6), [gzip(&text(7)), gzip(&text(6))].concat());
        for (back, reason) in [(8, "its CRC-32 differs"), (4, "its length differs")] {
            let mut damaged = compressed.clone();
            let at = damaged.len() - back;
            damaged[at] ^= 1;
            for piece in [1, 1000, 1 << 20] {
                let mut reader = GzipReader::new(&damaged[..]);
                let (mut length, mut buffer) = (0, vec![0; piece]);
                let error = loop {
                    match reader.read(&mut buffer) {
                        Ok(read) => length += read,
                        Err(error) => break error,
                    }
                    assert!(length <= 2 * text.len());
                };
                assert_eq!((error.to_string().as_str(), length), (reason, 2 * text.len()), "{piece}");
            }
        }
    }

    #[test]
    fn damage_is_detected_like_flate2() {
        let (text, compressed) = (text(4), gzip(&text(4)));
        let mut random = Random::new(4);
        for _ in 0..300 {
            let mut damaged = compressed.clone();
            let at = random.below(compressed.len());
            damaged[at] ^= 1 << random.below(8);
            let (output, kind) = decompressed(&damaged, 1 << 20);
            let mut theirs = Vec::new();
            let other = MultiGzDecoder::new(&damaged[..]).read_to_end(&mut theirs);
            assert_eq!(kind.is_none(), other.is_ok(), "{at}");
            assert!(output.starts_with(&theirs), "{at}: {} {}", output.len(), theirs.len());
            assert!(kind.is_some() || output == text, "{at}");
        }
    }
}

//! Gzip undone: any number of members, and of a damaged one all that stands before the damage. The decoder checks CRC-32 and
//! length of each member as it unpacks: reading up to the end is all that it takes to learn of a difference.

use flate2::{Decompress, DecompressError, FlushDecompress, Status};
use std::io::{BufRead, Error, ErrorKind, Read, Result};

/// The greatest window that gzip knows, as a power of two.
const WINDOW: u8 = 15;

/// What gzip has packed, unpacked. flate2's own reader keeps what it has unpacked when it fails; of a trace that is cut or
/// damaged every event counts.
pub(in crate::read) struct Unpacked<R> {
    packed: R,
    member: Decompress,
    /// Something of the member was read, and it is not over.
    begun: bool,
    /// A member was whole: what follows need not be one.
    passed: bool,
    /// What went wrong behind the bytes that were given.
    failed: Option<Error>,
}

impl<R: BufRead> Unpacked<R> {
    pub(in crate::read) fn new(packed: R) -> Self {
        Self { packed, member: Decompress::new_gzip(WINDOW), begun: false, passed: false, failed: None }
    }

    /// Unpacks what is there of the packed bytes: how many bytes came of it, before it failed if it did; `None` at their end.
    fn some(&mut self, into: &mut [u8]) -> Option<usize> {
        let packed = match self.packed.fill_buf() {
            Ok([]) if !self.begun => return None,
            // Zeros behind the last member fill a block of a tape or a disk, as gzip and Python take it.
            Ok(packed) if !self.begun && self.passed && packed[0] == 0 => {
                let zeros = packed.iter().take_while(|byte| **byte == 0).count();
                self.packed.consume(zeros);
                return Some(0);
            }
            // The decoder may still hold bytes that the last buffer had no room for.
            Ok(packed) => packed,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Some(0),
            Err(error) => {
                self.failed = Some(error);
                return Some(0);
            }
        };
        let over = packed.is_empty();
        let before = (self.member.total_in(), self.member.total_out());
        let status = self.member.decompress(packed, into, FlushDecompress::None);
        let (used, came) = (self.member.total_in() - before.0, self.member.total_out() - before.1);
        self.packed.consume(used as usize);
        self.begun = true;
        match status {
            Ok(Status::StreamEnd) => {
                (self.member, self.begun, self.passed) = (Decompress::new_gzip(WINDOW), false, true);
            }
            Ok(_) if (used, came) != (0, 0) => {}
            Err(error) if let Some(reason) = mismatch(&error) => {
                self.failed = Some(Error::new(ErrorKind::InvalidData, reason));
            }
            _ if over => self.failed = Some(Error::from(ErrorKind::UnexpectedEof)),
            Ok(_) | Err(_) => self.failed = Some(Error::new(ErrorKind::InvalidData, "corrupt deflate stream")),
        }
        Some(came as usize)
    }
}

/// What differs of a member that was unpacked whole. Of its other reasons, which one the decoder gives depends on how much it
/// was asked for.
fn mismatch(error: &DecompressError) -> Option<&'static str> {
    let reason = error.message()?;
    [("incorrect data check", "its CRC-32 differs"), ("incorrect length check", "its length differs")]
        .into_iter()
        .find_map(|(start, said)| reason.starts_with(start).then_some(said))
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len()
            && self.failed.is_none()
            && let Some(came) = self.some(&mut buffer[filled..])
        {
            filled += came;
        }
        match &self.failed {
            // It is said again to whoever asks again.
            Some(error) if filled == 0 && !buffer.is_empty() => Err(Error::new(error.kind(), error.to_string())),
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

    /// What comes before the end or an error, read in pieces of this size, and the kind of error.
    fn unpacked(packed: &[u8], piece: usize) -> (Vec<u8>, Option<ErrorKind>) {
        let mut reader = Unpacked::new(packed);
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
    fn members_come_one_behind_the_other_in_any_pieces() {
        let texts = [text(1), Vec::new(), text(2)];
        let packed: Vec<u8> = texts.iter().flat_map(|text| gzip(text)).collect();
        for piece in [1, 7, 1000, 1 << 20] {
            assert!(unpacked(&packed, piece) == (texts.concat(), None), "{piece}");
        }
        assert_eq!(unpacked(&[], 10), (Vec::new(), None));
    }

    #[test]
    fn all_that_stands_before_the_end_of_a_cut_file_comes() {
        let (text, packed) = (text(3), gzip(&text(3)));
        let mut most = 0;
        for length in (1..packed.len()).step_by(97) {
            let (came, kind) = unpacked(&packed[..length], 1 << 20);
            assert_eq!(kind, Some(ErrorKind::UnexpectedEof), "{length}");
            assert!(text.starts_with(&came) && came.len() >= most, "{length}");
            assert!(came == unpacked(&packed[..length], 100).0, "{length}");
            most = came.len();
        }
        assert!(most > text.len() / 2, "{most} of {} {}", text.len(), packed.len());
    }

    #[test]
    fn members_followed_by_zeros_end_there() {
        let (text, packed) = (text(5), gzip(&text(5)));
        for piece in [1, 1000, 1 << 20] {
            assert!(unpacked(&[packed.as_slice(), &[0; 700]].concat(), piece) == (text.clone(), None), "{piece}");
            let (came, kind) = unpacked(&[packed.as_slice(), &[0; 7], b"else"].concat(), piece);
            assert!(came == text && kind.is_some(), "{piece}");
        }
        assert_eq!(unpacked(&[0; 20], 100).1, Some(ErrorKind::InvalidData), "zeros alone are no gzip");
    }

    #[test]
    fn trailers_that_differ_are_named() {
        let (text, packed) = (text(6), [gzip(&text(7)), gzip(&text(6))].concat());
        for (back, reason) in [(8, "its CRC-32 differs"), (4, "its length differs")] {
            let mut damaged = packed.clone();
            let at = damaged.len() - back;
            damaged[at] ^= 1;
            for piece in [1, 1000, 1 << 20] {
                let mut reader = Unpacked::new(&damaged[..]);
                let (mut came, mut buffer) = (0, vec![0; piece]);
                let error = loop {
                    match reader.read(&mut buffer) {
                        Ok(read) => came += read,
                        Err(error) => break error,
                    }
                    assert!(came <= 2 * text.len());
                };
                assert_eq!((error.to_string().as_str(), came), (reason, 2 * text.len()), "{piece}");
            }
        }
    }

    #[test]
    fn damage_is_met_where_others_meet_it() {
        let (text, packed) = (text(4), gzip(&text(4)));
        let mut random = Random::new(4);
        for _ in 0..300 {
            let mut damaged = packed.clone();
            let at = random.below(packed.len());
            damaged[at] ^= 1 << random.below(8);
            let (came, kind) = unpacked(&damaged, 1 << 20);
            let mut theirs = Vec::new();
            let other = MultiGzDecoder::new(&damaged[..]).read_to_end(&mut theirs);
            assert_eq!(kind.is_none(), other.is_ok(), "{at}");
            assert!(came.starts_with(&theirs), "{at}: {} {}", came.len(), theirs.len());
            assert!(kind.is_some() || came == text, "{at}");
        }
    }
}

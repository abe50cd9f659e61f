//! Zstandard → text: any number of frames, and of a damaged file everything before the damage.

use super::damage::Damage;
use std::io::{BufRead, ErrorKind, Read, Result};
use zstd::stream::read::Decoder;

/// Reader of zstd data, whose errors name the format.
pub(in crate::read) struct ZstdReader<R: BufRead>(Decoder<'static, R>);

impl<R: BufRead> ZstdReader<R> {
    /// Reads zstd data with windows of at most 128 MiB, as `zstd -d` does.
    ///
    /// # Errors
    /// If there is no memory for the decoder.
    pub(in crate::read) fn new(compressed: R) -> Result<Self> {
        Decoder::with_buffer(compressed).map(Self)
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Damage::EndsEarly("zstd").into(),
            // The library's own errors have no number of the operating system.
            ErrorKind::Other if error.raw_os_error().is_none() => Damage::corrupt("zstd", &error).into(),
            _ => error,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Error;
    use trace_testkit::Random;

    fn text(seed: u64) -> Vec<u8> {
        let mut random = Random::new(seed);
        (0..400_000).map(|_| *random.of(b"{\"name\": 0123456789}, ")).collect()
    }

    /// Returns the text before the end or an error, and the error.
    fn decompressed(bytes: &[u8]) -> (Vec<u8>, Option<Error>) {
        let mut reader = ZstdReader::new(bytes).unwrap();
        let (mut text, mut buffer) = (Vec::new(), vec![0; 1000]);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return (text, None),
                Ok(read) => text.extend_from_slice(&buffer[..read]),
                Err(error) => return (text, Some(error)),
            }
        }
    }

    #[test]
    fn frames_follow_each_other() {
        let texts = [text(1), Vec::new(), text(2)];
        let frames: Vec<u8> = texts.iter().flat_map(|text| zstd::encode_all(&text[..], 3).unwrap()).collect();
        let (output, error) = decompressed(&frames);
        assert!(output == texts.concat() && error.is_none());
    }

    #[test]
    fn truncated_file_gives_text_before_its_end() {
        let (text, frame) = (text(3), zstd::encode_all(&text(3)[..], 3).unwrap());
        let (output, error) = decompressed(&frame[..frame.len() / 2]);
        let error = error.unwrap();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::UnexpectedEof, "the zstd data ends early"));
        assert!(text.starts_with(&output) && output.len() > text.len() / 4, "{}", output.len());
    }

    #[test]
    fn damage_is_named_and_never_silent() {
        let (text, mut random) = (text(4), Random::new(4));
        let frame = {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            std::io::Write::write_all(&mut encoder, &text).unwrap();
            encoder.finish().unwrap()
        };
        for _ in 0..60 {
            let mut damaged = frame.clone();
            let at = random.below(damaged.len());
            damaged[at] ^= 1 << random.below(8);
            let (output, error) = decompressed(&damaged);
            match error {
                Some(error) => assert!(error.to_string().starts_with("the zstd data "), "{error}"),
                None => assert!(output == text, "{at}"),
            }
        }
    }
}

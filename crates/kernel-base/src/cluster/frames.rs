//! Frames on standard input of a task: each a length (u64, little-endian) and that many bytes.

use serde_json::{Value, json};
use std::io::{Error, ErrorKind, Read, Result, Write};

/// The most bytes of a frame.
const MOST: u64 = 4 << 30;

/// Returns the first frame of a task.
pub(super) fn first_frame(plan: &Value, inputs: &Value) -> Vec<u8> {
    json!({"given": plan, "inputs": inputs}).to_string().into_bytes()
}

/// Writes a frame.
pub fn write_frame(out: &mut dyn Write, bytes: &[u8]) -> Result<()> {
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)
}

/// Reads all frames. A length that is longer than what follows allocates nothing.
pub fn read_frames(mut input: &mut dyn Read) -> Result<Vec<Vec<u8>>> {
    let mut frames = Vec::new();
    loop {
        let mut length = Vec::with_capacity(8);
        Read::by_ref(&mut input).take(8).read_to_end(&mut length)?;
        if length.is_empty() {
            return Ok(frames);
        }
        let length = u64::from_le_bytes(length.try_into().map_err(|_| cut("a length"))?);
        if length > MOST {
            return Err(Error::new(ErrorKind::InvalidData, format!("a frame of {length} bytes is too long")));
        }
        let mut bytes = Vec::new();
        if Read::by_ref(&mut input).take(length).read_to_end(&mut bytes)? as u64 != length {
            return Err(cut("a frame"));
        }
        frames.push(bytes);
    }
}

fn cut(what: &str) -> Error {
    Error::new(ErrorKind::UnexpectedEof, format!("standard input ends inside {what}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn frames_come_back_and_cut_ones_are_refused() {
        let mut bytes = Vec::new();
        for frame in [&b"given"[..], b"", &[7; 100_000]] {
            write_frame(&mut bytes, frame).unwrap();
        }
        let frames = read_frames(&mut &bytes[..]).unwrap();
        assert_eq!((frames.len(), &frames[0][..], frames[1].len(), frames[2].len()), (3, &b"given"[..], 0, 100_000));
        for end in [3, 9, bytes.len() - 1] {
            assert_eq!(read_frames(&mut &bytes[..end]).unwrap_err().kind(), ErrorKind::UnexpectedEof, "{end}");
        }
        let huge = u64::MAX.to_le_bytes();
        assert_eq!(read_frames(&mut &huge[..]).unwrap_err().kind(), ErrorKind::InvalidData);
        assert!(read_frames(&mut &[][..]).unwrap().is_empty());
    }
}

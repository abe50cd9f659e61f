//! The form in which partial results travel between processes.
//!
//! ```text
//! "TBTASK" | format | length of the build | build | the partial result, packed by zstd
//! ```
//!
//! The partial result itself has its question, its parameters and a checksum (`state`).

use crate::error::DistributedReason;
use crate::{Error, Result};
use std::io::Read;

/// Begin of every partial result that travels.
const MAGIC: &[u8] = b"TBTASK";
/// Version of this format.
const FORMAT: u8 = 1;
/// zstd's level: the fastest.
const LEVEL: i32 = 1;

/// Packs a partial result.
///
/// # Errors
/// If memory does not suffice.
pub fn packed(build: &str, state: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(FORMAT);
    bytes.extend((build.len() as u32).to_le_bytes());
    bytes.extend(build.as_bytes());
    bytes.extend(zstd::encode_all(state, LEVEL).map_err(|error| plan(error.to_string()))?);
    Ok(bytes)
}

/// Extracts a partial result of this build that has at most `most` bytes.
///
/// # Errors
/// [`Error::Distributed`] if it is damaged, larger, or of another format or build.
pub fn extracted(build: &str, bytes: &[u8], most: u64) -> Result<Vec<u8>> {
    let foreign = || plan("the bytes are no partial result".to_owned());
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(foreign)?;
    let (&format, rest) = rest.split_first().ok_or_else(foreign)?;
    if format != FORMAT {
        return Err(plan(format!("the partial result has the format {format}, not {FORMAT}")));
    }
    let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(foreign)?;
    let (of_build, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(foreign)?;
    if of_build != build.as_bytes() {
        let planned = String::from_utf8_lossy(of_build).into_owned();
        return Err(Error::Distributed(DistributedReason::OtherBuild { own: build.to_owned(), planned }));
    }
    let mut state = Vec::new();
    let decoder = zstd::Decoder::new(rest).map_err(|error| plan(error.to_string()))?;
    let read = decoder.take(most.saturating_add(1)).read_to_end(&mut state);
    read.map_err(|error| plan(format!("the partial result is damaged ({error})")))?;
    if state.len() as u64 > most {
        return Err(plan(format!("the partial result has more than {}", trace_view::format::bytes(most))));
    }
    Ok(state)
}

fn plan(reason: String) -> Error {
    Error::Distributed(DistributedReason::Plan { reason })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn partial_results_come_back_and_foreign_ones_are_refused() {
        let state: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let bytes = packed("1.0 x", &state).unwrap();
        assert!(bytes.len() < state.len());
        assert_eq!(extracted("1.0 x", &bytes, 400_000).unwrap(), state);
        let message = |build: &str, bytes: &[u8], most| extracted(build, bytes, most).unwrap_err().to_string();
        assert!(message("1.0 y", &bytes, 400_000).contains("this program is 1.0 y, the plan is of 1.0 x"));
        assert!(message("1.0 x", &bytes, 399_999).contains("has more than"));
        for end in (0..bytes.len()).step_by(7) {
            assert!(extracted("1.0 x", &bytes[..end], 400_000).is_err(), "{end} bytes");
        }
        assert!(message("1.0 x", b"TBTASK\x02", 9).contains("format 2, not 1"));
    }
}

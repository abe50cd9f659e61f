//! Texts of the goldens and of recorded traces, compressed or not.

use flate2::read::GzDecoder;
use std::io::Read;
use std::path::Path;

/// Reads a file that may be compressed.
pub(crate) fn read_text(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut out = Vec::new();
    GzDecoder::new(&bytes[..]).read_to_end(&mut out).unwrap();
    Some(String::from_utf8_lossy(&out).into_owned())
}

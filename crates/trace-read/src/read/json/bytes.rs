//! Classes of bytes in JSON.

/// Whether a byte is white space between values.
#[inline]
pub(in crate::read) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Whether a number or word may end before this byte.
#[inline]
pub(super) fn ends_token(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']') || is_blank(byte)
}

/// Bytes of numbers and words.
pub(super) const IN_TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'-' | b'+' | b'.');
        byte += 1;
    }
    table
};

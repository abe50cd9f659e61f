//! Cell and cursor of a `complete` or `inspect` request. Jupyter counts code points, Rust counts bytes.

use super::reply::or_default;
use serde::Deserialize;

/// Content of the request.
#[derive(Deserialize)]
pub(super) struct CursorRequest {
    pub(super) code: String,
    /// In code points; the end of the text if absent.
    #[serde(default, deserialize_with = "or_default")]
    cursor_pos: Option<usize>,
}

impl CursorRequest {
    /// Returns the cursor as a byte offset.
    pub(super) fn cursor(&self) -> usize {
        to_byte(&self.code, self.cursor_pos.unwrap_or(usize::MAX))
    }
}

/// Converts an offset in code points to bytes; offsets beyond the end become the end.
fn to_byte(code: &str, points: usize) -> usize {
    code.char_indices().nth(points).map_or(code.len(), |(byte, _)| byte)
}

/// Converts an offset in bytes to code points.
pub(super) fn to_points(code: &str, byte: usize) -> usize {
    code.char_indices().take_while(|(start, _)| *start < byte).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_converted_between_bytes_and_code_points() {
        let code = "é𝒳e\u{301}x"; // one, one, two, one code points: 2, 4, 3, 1 bytes
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(|points| to_byte(code, points)), [0, 2, 6, 7, 9, 10, 10]);
        assert_eq!([0, 2, 6, 7, 9, 10].map(|byte| to_points(code, byte)), [0, 1, 2, 3, 4, 5]);
    }
}

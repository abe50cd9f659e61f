//! Positions in a cell: Jupyter counts code points, Rust counts bytes.

/// The byte at which code point number `points` starts; the end of the text if there are fewer.
pub(super) fn to_byte(code: &str, points: usize) -> usize {
    code.char_indices().nth(points).map_or(code.len(), |(byte, _)| byte)
}

/// How many code points start before `byte`.
pub(super) fn to_points(code: &str, byte: usize) -> usize {
    code.char_indices().take_while(|(start, _)| *start < byte).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_are_counted() {
        let code = "é𝒳e\u{301}x"; // one, one, two, one code points: 2, 4, 3, 1 bytes
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(|points| to_byte(code, points)), [0, 2, 6, 7, 9, 10, 10]);
        assert_eq!([0, 2, 6, 7, 9, 10].map(|byte| to_points(code, byte)), [0, 1, 2, 3, 4, 5]);
    }
}

//! Places in a statement: line, column, and a caret below the line.

use std::fmt::Write;

/// The longest part of a line that is shown with a caret, in characters.
const SHOWN: usize = 120;

/// Returns the line and the column, both from 1, of a byte of a statement.
pub(super) fn line_and_column(statement: &str, at: usize) -> (usize, usize) {
    let at = boundary(statement, at);
    let line_start = statement[..at].rfind('\n').map_or(0, |end| end + 1);
    (statement[..at].matches('\n').count() + 1, statement[line_start..at].chars().count() + 1)
}

/// Returns the byte at a line and a column, both from 1; the end of the statement if they are beyond it.
pub(super) fn byte_at(statement: &str, line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match statement[start..].find('\n') {
            Some(end) => start += end + 1,
            None => return statement.len(),
        }
    }
    let rest = &statement[start..];
    rest.char_indices().nth(column.saturating_sub(1)).map_or(statement.len(), |(at, _)| start + at)
}

/// Returns the lines `at line 2, column 8:`, the line itself, and a caret below the place.
pub(super) fn marked(statement: &str, at: usize, length: usize) -> String {
    let at = boundary(statement, at);
    let (line, column) = line_and_column(statement, at);
    let text = statement.lines().nth(line - 1).unwrap_or_default();
    let skipped = (column - 1).saturating_sub(SHOWN / 2);
    let shown: String = text.chars().skip(skipped).take(SHOWN).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let before = column - 1 - skipped;
    let marked = boundary(statement, at + length);
    let wide = statement[at..marked].chars().take_while(|c| *c != '\n').count();
    let wide = wide.clamp(1, shown.chars().count().saturating_sub(before).max(1));
    let mut lines = format!("at line {line}, column {column}:\n");
    let _ = write!(lines, "  {shown}\n  {}{}", " ".repeat(before), "^".repeat(wide));
    lines
}

/// Returns the nearest boundary of a character at or below a byte.
fn boundary(statement: &str, at: usize) -> usize {
    (0..=at.min(statement.len())).rev().find(|&at| statement.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_bytes_are_inverse() {
        let statement = "SELECT é,\n  x\nFROM t";
        for at in (0..=statement.len()).filter(|&at| statement.is_char_boundary(at)) {
            let (line, column) = line_and_column(statement, at);
            assert_eq!(byte_at(statement, line, column), at);
        }
        assert_eq!(byte_at(statement, 9, 9), statement.len());
    }

    #[test]
    fn caret_is_below_its_word() {
        assert_eq!(marked("SELECT a\nFROM evnts", 14, 5), "at line 2, column 6:\n  FROM evnts\n       ^^^^^");
        assert_eq!(marked("a", 99, 5), "at line 1, column 2:\n  a\n   ^");
        let long = format!("{} here {}", "x".repeat(500), "y".repeat(500));
        let shown = marked(&long, 501, 4);
        let lines: Vec<&str> = shown.lines().collect();
        let caret = lines[2].find('^').unwrap_or_default();
        assert_eq!(&lines[1][caret..caret + 4], "here");
    }
}

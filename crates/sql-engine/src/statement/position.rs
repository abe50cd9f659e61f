//! Places in a statement: line, column, and a caret below the line.

/// The longest part of a line that is shown with a caret, in characters.
const SHOWN: usize = 120;

/// Returns the line and the column, both from 1, of a byte of a statement.
pub(super) fn line_and_column(statement: &str, at: usize) -> (usize, usize) {
    let before = &statement[..boundary(statement, at)];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Returns the lines `at line 2, column 8:`, the line itself, and a caret below the place.
pub(super) fn marked(statement: &str, at: usize, length: usize) -> String {
    let at = boundary(statement, at);
    let (line, column) = line_and_column(statement, at);
    let text = statement.lines().nth(line - 1).unwrap_or_default();
    let skipped = (column - 1).saturating_sub(SHOWN / 2);
    let shown: String = text.chars().skip(skipped).take(SHOWN).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let before = column - 1 - skipped;
    let marked = &statement[at..boundary(statement, at + length)];
    let wide = marked.chars().take_while(|c| *c != '\n').count();
    let wide = wide.clamp(1, shown.chars().count().saturating_sub(before).max(1));
    format!("at line {line}, column {column}:\n  {shown}\n  {}{}", " ".repeat(before), "^".repeat(wide))
}

/// Returns the nearest boundary of a character at or below a byte.
pub(super) fn boundary(statement: &str, at: usize) -> usize {
    (0..=at.min(statement.len())).rev().find(|&at| statement.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caret_is_below_its_word() {
        assert_eq!(marked("SELECT a\nFROM evnts", 14, 5), "at line 2, column 6:\n  FROM evnts\n       ^^^^^");
        assert_eq!(marked("SELECT é, ä", 11, 2), "at line 1, column 11:\n  SELECT é, ä\n            ^");
        assert_eq!(marked("a", 99, 5), "at line 1, column 2:\n  a\n   ^");
        let long = format!("{} here {}", "x".repeat(500), "y".repeat(500));
        let shown = marked(&long, 501, 4);
        let lines: Vec<&str> = shown.lines().collect();
        let caret = lines[2].find('^').unwrap_or_default();
        assert_eq!(&lines[1][caret..caret + 4], "here");
    }

    #[test]
    fn any_byte_of_a_statement_has_a_place() {
        let statement = "SELECT 'é\r\n\tü'\n";
        for at in 0..statement.len() + 3 {
            marked(statement, at, 3);
        }
        assert_eq!(line_and_column(statement, 99), (3, 1));
    }
}

//! Insertions into a cell, and the mapping from positions in the edited cell back to the user's text.

use std::collections::BTreeMap;

/// Insertions into a cell. None contains a line end, so lines keep their numbers and only columns move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::engine) struct Edits {
    /// By byte offset in the cell.
    insertions: BTreeMap<usize, String>,
}

impl Edits {
    /// Inserts `text` at a byte offset, behind earlier insertions there.
    pub(in crate::engine) fn insert(&mut self, at: usize, text: &str) {
        self.insertions.entry(at).or_default().push_str(text);
    }

    /// Returns the cell with all insertions.
    pub(in crate::engine) fn apply(&self, code: &str) -> String {
        let mut result = String::with_capacity(code.len());
        let mut from = 0;
        for (&at, text) in &self.insertions {
            if let Some(own) = code.get(from..at) {
                result.push_str(own);
                result.push_str(text);
                from = at;
            }
        }
        result.push_str(code.get(from..).unwrap_or_default());
        result
    }

    /// Whether the characters of a line of the edited cell, from column `from` to before column `to`, are inside one insertion. Columns
    /// count characters from 1.
    pub(in crate::engine) fn is_inserted(&self, code: &str, line: usize, from: usize, to: usize) -> bool {
        let Some(text) = code.split('\n').nth(line.saturating_sub(1)) else { return false };
        let start: usize = code.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let mut moved = 0;
        self.insertions.range(start..=start + text.len()).any(|(&at, inserted)| {
            let first = code.get(start..at).map_or(0, |before| before.chars().count()) + moved + 1;
            let length = inserted.chars().count();
            moved += length;
            first <= from && to <= first + length
        })
    }

    /// Maps a column of the edited cell to the user's text; both count characters from 1. A column inside an insertion maps to where
    /// that was inserted.
    pub(in crate::engine) fn column(&self, code: &str, line: usize, column: usize) -> usize {
        let Some(text) = code.split('\n').nth(line.saturating_sub(1)) else { return column };
        let start: usize = code.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let mut moved = column;
        for (&at, inserted) in self.insertions.range(start..=start + text.len()) {
            let own = code.get(start..at).map_or(0, |before| before.chars().count()) + 1;
            if moved <= own {
                break;
            }
            moved = own.max(moved.saturating_sub(inserted.chars().count()));
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_map_to_the_users_text() {
        let code = "ä {b};\nc {d} {e}";
        let mut edits = Edits::default();
        edits.insert(code.find('b').unwrap(), "12");
        edits.insert(code.find('d').unwrap(), "345");
        edits.insert(code.find('e').unwrap(), "6");
        let edited = edits.apply(code);
        assert_eq!(edited, "ä {12b};\nc {345d} {6e}");
        for (line, (own, moved)) in code.lines().zip(edited.lines()).enumerate() {
            for letter in own.chars().filter(|letter| letter.is_alphabetic()) {
                let column = |text: &str| text.chars().position(|c| c == letter).unwrap() + 1;
                assert_eq!(edits.column(code, line + 1, column(moved)), column(own), "{letter}");
            }
        }
        assert_eq!(edits.column(code, 2, 4), 4, "inside an insertion");
        // "c {345d} {6e}"
        for (from, to, inserted) in
            [(4, 7, true), (5, 6, true), (4, 8, false), (7, 8, false), (11, 12, true), (12, 13, false)]
        {
            assert_eq!(edits.is_inserted(code, 2, from, to), inserted, "{from}..{to}");
        }
    }
}

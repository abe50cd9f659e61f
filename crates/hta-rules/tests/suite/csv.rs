//! Tables of the goldens.

use super::compressed::read_text;
use std::path::Path;

/// A table: names of columns, and rows of texts.
pub(crate) struct Csv {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Csv {
    /// Reads `name` or `name.gz` of a folder, if it is there.
    pub(crate) fn read(folder: &Path, name: &str) -> Option<Self> {
        let text = read_text(&folder.join(name)).or_else(|| read_text(&folder.join(format!("{name}.gz"))))?;
        let mut rows = parse(&text).into_iter();
        Some(Self { columns: rows.next()?, rows: rows.collect() })
    }

    /// Returns the value beside a key.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.rows.iter().find(|row| row[0] == key).map(|row| row[1].as_str())
    }
}

fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !quoted => {}
            other => field.push(other),
        }
    }
    rows
}

//! SQLite's `LIKE` with case sensitivity.

/// Whether a text has the form of a pattern: `%` stands for any characters, `_` for one. SQLite reads texts up to their first NUL.
pub(crate) fn like(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (until_nul(pattern).chars(), until_nul(text).chars());
    // Where the last % continues: the pattern behind it, and the text that it has not taken yet.
    let mut retry: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        match pattern.next() {
            Some('%') => {
                retry = Some((pattern.clone(), text.clone()));
                continue;
            }
            Some(wanted) => {
                if let Some(found) = text.next()
                    && (wanted == '_' || wanted == found)
                {
                    continue;
                }
            }
            None if text.as_str().is_empty() => return true,
            None => {}
        }
        let Some((rest, from)) = &mut retry else { return false };
        if from.next().is_none() {
            return false;
        }
        (pattern, text) = (rest.clone(), from.clone());
    }
}

fn until_nul(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn patterns_match_as_in_sqlite() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("PRAGMA case_sensitive_like = ON").unwrap();
        let texts = ["", "a", "A", "ab", "abc", "aab", "é", "aé", "%", "a%b", "abab", "ba\0b", "ncclKernel_AllReduce"];
        let patterns =
            ["", "%", "_", "a%", "%a", "%b", "a_", "_b%", "%a%b", "a%%b", "%é", "__", "%_", "nccl%_All%", "a\0"];
        for pattern in patterns {
            for text in texts {
                let expected: bool =
                    connection.query_row("SELECT ?1 LIKE ?2", [text, pattern], |row| row.get(0)).unwrap();
                assert_eq!(like(pattern, text), expected, "{text:?} LIKE {pattern:?}");
            }
        }
    }
}

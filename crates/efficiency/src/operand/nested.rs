//! Nested lists in texts: JSON, and the tuples of Python.

/// The deepest nesting that is read: a list of lists of shapes.
const DEEPEST: usize = 8;
/// The most values that are read of one text.
const MOST: usize = 1 << 16;

/// A value of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Nested {
    List(Vec<Nested>),
    /// A word or a number, and a text in quotes.
    Word(String),
}

/// Reads a text: brackets or parentheses, commas, words, texts in single or double quotes. `None` if it is anything else, or too
/// large. Takes time in proportion to the text.
pub(crate) fn read(text: &str) -> Option<Nested> {
    let mut reader = Reader { rest: text.trim(), values: 0 };
    let value = reader.value(0)?;
    reader.rest.trim_start().is_empty().then_some(value)
}

struct Reader<'t> {
    rest: &'t str,
    values: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Nested> {
        self.values += 1;
        if depth > DEEPEST || self.values > MOST {
            return None;
        }
        self.rest = self.rest.trim_start();
        match self.rest.chars().next()? {
            open @ ('[' | '(') => self.list(if open == '[' { ']' } else { ')' }, depth),
            quote @ ('"' | '\'') => self.quoted(quote),
            _ => {
                let end = self.rest.find([',', ']', ')', '[', '(', '"', '\'']).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at_checked(end)?;
                self.rest = rest;
                let word = word.trim_end();
                (!word.is_empty()).then(|| Nested::Word(word.to_owned()))
            }
        }
    }

    fn list(&mut self, close: char, depth: usize) -> Option<Nested> {
        self.rest = self.rest.get(1..)?;
        let mut found = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return Some(Nested::List(found));
            }
            if !found.is_empty() {
                self.rest = self.rest.strip_prefix(',')?.trim_start();
                // The comma behind the only value of a tuple.
                if let Some(rest) = self.rest.strip_prefix(close) {
                    self.rest = rest;
                    return Some(Nested::List(found));
                }
            }
            found.push(self.value(depth + 1)?);
        }
    }

    fn quoted(&mut self, quote: char) -> Option<Nested> {
        let mut text = String::new();
        let mut chars = self.rest.get(1..)?.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => text.push(chars.next()?.1),
                c if c == quote => {
                    self.rest = self.rest.get(at + 2..)?;
                    return Some(Nested::Word(text));
                }
                c => text.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Nested {
        Nested::Word(text.to_owned())
    }

    #[test]
    fn json_and_tuples_of_python_read_the_same() {
        let expected = Nested::List(vec![Nested::List(vec![word("2"), word("3")]), Nested::List(Vec::new())]);
        for text in ["[[2, 3], []]", "[[2,3],[]]", "((2, 3), ())", " ( (2,3,) , ( ) ) "] {
            assert_eq!(read(text), Some(expected.clone()), "{text}");
        }
        assert_eq!(
            read("['long int', \"a\\\"b\", '']"),
            Some(Nested::List(vec![word("long int"), word("a\"b"), word("")]))
        );
        assert_eq!(read("True"), Some(word("True")));
    }

    #[test]
    fn broken_texts_are_refused() {
        for text in ["", "[", "[1", "[1 2, (]", "[1,,2]", "]", "[1]]", "\"", "[\"\\", "[,]"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"[".repeat(1 << 20)), None);
        assert_eq!(read(&format!("[{}]", "1,".repeat(MOST + 1))), None);
    }
}

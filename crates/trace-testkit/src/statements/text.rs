//! Expressions of texts, and patterns of LIKE.

use super::ColumnKind;
use super::draft::{Draft, Scope};
use super::expression::cast_to_text;
use super::value::Value;

impl Draft<'_> {
    pub(super) fn text(&mut self, scope: &Scope, depth: usize) -> Value {
        let a = self.value(scope, ColumnKind::Text, depth);
        match self.random.below(10) {
            0 if a.is_ascii => a.computed(format!("UPPER({})", a.text)),
            1 if a.is_ascii => a.computed(format!("LOWER({})", a.text)),
            // Only some engines change the case of letters beyond ASCII.
            0..=4 => {
                let start = self.of(&[1, 1, 2, 3, 5, -1, -3]);
                let text = if self.chance(75) {
                    format!("SUBSTR({}, {start}, {})", a.text, self.random.below(6))
                } else {
                    format!("SUBSTR({}, {start})", a.text)
                };
                a.computed(text)
            }
            5 => {
                let piece = self.piece(&a, 3);
                if piece.is_empty() {
                    return a;
                }
                let new = self.of(&["''", "'-'", "'''_%'", "'xy'"]);
                a.computed(format!("REPLACE({}, {}, {new})", a.text, literal_of(&piece)))
            }
            6 => a.computed(format!("TRIM({})", a.text)),
            7 => {
                let b = self.value(scope, ColumnKind::Text, depth);
                a.or(&b, format!("({} || {})", a.text, b.text))
            }
            8 => {
                let (before, after) = (self.of(&["'<' || ", "' ' || ", "'%' || "]), self.of(&[" || '>'", " || ' '"]));
                a.computed(format!("({before}{}{after})", a.text))
            }
            _ => {
                let int = self.value(scope, ColumnKind::Int, depth);
                let text = cast_to_text(&int);
                if self.chance(50) { text } else { a.computed(format!("({} || '-' || {})", a.text, text.text)) }
            }
        }
    }

    /// A condition with LIKE on `value`, a text.
    pub(super) fn like(&mut self, value: &Value) -> String {
        let not = self.maybe_not();
        let piece = self.piece(value, 4);
        if self.chance(30) {
            let escape = self.of(&['!', '\\', '#']);
            let mut pattern = String::new();
            for character in piece.chars() {
                if character == escape || matches!(character, '%' | '_') {
                    pattern.push(escape);
                }
                pattern.push(character);
            }
            let wild = self.of(&["", "_", "%"]);
            if self.chance(30) {
                pattern.push(escape);
                pattern.push(self.of(&['%', '_']));
            }
            return format!("{} {not}LIKE {} ESCAPE '{escape}'", value.text, literal_of(&format!("%{pattern}{wild}")));
        }
        let pattern = match self.random.below(6) {
            0 => format!("{piece}%"),
            1 => format!("%{piece}"),
            2 => format!("_{piece}%"),
            3 => format!("%{piece}_"),
            4 if self.chance(30) => self.of(&["", "%", "_", "%%", "__%", "%_%"]).into(),
            _ => format!("%{piece}%"),
        };
        format!("{} {not}LIKE {}", value.text, literal_of(&pattern))
    }

    /// A few characters of a sample of `value`, without quotes.
    fn piece(&mut self, value: &Value, most: usize) -> String {
        let literal = self.literal(value);
        let text: Vec<char> = literal.trim_matches('\'').replace("''", "'").chars().collect();
        let start = self.random.below(text.len());
        let length = 1 + self.random.below(most);
        text.iter().skip(start).take(length).collect()
    }
}

/// `text` as SQL writes it.
fn literal_of(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

//! A sentence of an answer as data.

use serde_json::{Value, json};

/// A sentence of an answer, with what it is about and the numbers it names.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// Its subject as an identifier for programs: `step`, `verdict`, `next`, `structure`, `noise_floor` and so on.
    pub kind: &'static str,
    /// The sentence.
    pub text: String,
    /// Its numbers by name; the unit is the end of the name, shares and counts have none.
    pub numbers: Vec<(&'static str, f64)>,
}

impl Sentence {
    /// A sentence without numbers.
    #[doc(hidden)]
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), numbers: Vec::new() }
    }

    /// Adds a number.
    #[doc(hidden)]
    pub fn with(mut self, name: &'static str, number: f64) -> Self {
        self.numbers.push((name, number));
        self
    }

    /// Adds a number that may be unknown.
    pub(crate) fn with_known(self, name: &'static str, number: Option<f64>) -> Self {
        match number {
            Some(number) => self.with(name, number),
            None => self,
        }
    }

    /// Returns `{"kind", "text", "numbers"}`.
    pub fn to_json(&self) -> Value {
        let numbers = self.numbers.iter().map(|&(name, number)| (name.to_owned(), number.into()));
        json!({ "kind": self.kind, "text": self.text, "numbers": numbers.collect::<serde_json::Map<_, _>>() })
    }
}

/// Returns the texts of sentences, one a line.
pub fn lines<'s>(sentences: impl IntoIterator<Item = &'s Sentence>) -> String {
    sentences.into_iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join("\n")
}

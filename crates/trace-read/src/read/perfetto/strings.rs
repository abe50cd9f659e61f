//! Texts of a recording, each once: names, categories and keys, as JSON text.

use hashbrown::HashMap;

/// The number of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Symbol(u32);

impl Symbol {
    /// The empty text.
    pub(super) const EMPTY: Self = Self(0);
}

/// Table of texts.
pub(super) struct Strings {
    /// Each text, and the same as JSON.
    texts: Vec<(Box<str>, Box<str>)>,
    symbols: HashMap<Box<str>, Symbol, foldhash::fast::FixedState>,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Self { texts: Vec::new(), symbols: HashMap::default() };
        strings.symbol("");
        strings
    }
}

impl Strings {
    /// Returns the symbol of a text.
    pub(super) fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(text) {
            return *symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let mut json = Vec::new();
        write_text(&mut json, text);
        self.texts.push((text.into(), String::from_utf8_lossy(&json).into()));
        self.symbols.insert(text.into(), symbol);
        symbol
    }

    /// Returns a text.
    pub(super) fn text(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("", |(text, _)| text)
    }

    /// Returns a text as JSON, with its quotes.
    pub(super) fn json(&self, symbol: Symbol) -> &str {
        self.texts.get(symbol.0 as usize).map_or("\"\"", |(_, json)| json)
    }
}

/// Appends a text as JSON.
pub(super) fn write_text(out: &mut Vec<u8>, text: &str) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, text);
}

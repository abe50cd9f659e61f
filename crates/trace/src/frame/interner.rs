//! Symbol table of one file: each text once, numbered in order of first appearance.

use crate::read::{AnomalyCounts, compact, decode};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// How the raw bytes of a text become a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawForm {
    /// What stands between quotes.
    Text,
    /// A list or an object: its JSON on one line.
    Json,
}

/// The texts of one file, each once.
#[derive(Default)]
pub(crate) struct Interner {
    /// Raw bytes of one way of writing → symbol.
    written: HashTable<Written>,
    bytes: Vec<u8>,
    /// Text → symbol.
    known: HashTable<u32>,
    texts: Vec<String>,
    hasher: FixedState,
    /// Of some ways of writing, found by few of their bytes, where they stand in `bytes`: most texts are one of these.
    recent: Vec<Recent>,
    /// What was repaired: once for each way of writing.
    odd: AnomalyCounts,
}

/// A way of writing that came before.
#[derive(Debug, Clone, Copy)]
struct Recent {
    start: u32,
    /// The greatest number for none.
    len: u32,
    symbol: u32,
    reading: RawForm,
}

/// How many there are, a power of two.
const RECENT: usize = 4096;

/// Where a text stands among the recent ones: told by its length, its ends and its middle.
#[inline]
fn place(raw: &[u8]) -> usize {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let half = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
    let told = if raw.len() >= 8 {
        let middle = half(raw[raw.len() / 2..].first_chunk());
        word(raw.first_chunk()) ^ word(raw.last_chunk()).rotate_left(29) ^ (middle << 20)
    } else {
        half(raw.first_chunk()) ^ (half(raw.last_chunk()) << 29)
    };
    let mixed = (told ^ raw.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - RECENT.trailing_zeros())) as usize
}

/// Whether two texts of one length are the same; most are too short to be worth a call.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    if let (Some(first), Some(last)) = (one.first_chunk::<16>(), one.last_chunk::<16>()) {
        return Some(last) == other.last_chunk()
            && Some(first) == other.first_chunk()
            && (one.len() <= 32 || one[16..one.len() - 16] == other[16..other.len() - 16]);
    }
    match (one.first_chunk::<8>(), one.last_chunk::<8>()) {
        (Some(first), Some(last)) => Some(first) == other.first_chunk() && Some(last) == other.last_chunk(),
        _ => one == other,
    }
}

struct Written {
    hash: u64,
    start: usize,
    len: usize,
    reading: RawForm,
    symbol: u32,
}

impl Interner {
    /// The symbol of a text as it is written; the text itself is made only once.
    #[inline]
    pub(crate) fn intern(&mut self, raw: &[u8], reading: RawForm) -> u32 {
        let place = place(raw);
        if let Some(recent) = self.recent.get(place)
            && recent.len as usize == raw.len()
            && recent.reading == reading
            && same(&self.bytes[recent.start as usize..][..raw.len()], raw)
        {
            return recent.symbol;
        }
        let (start, symbol) = self.find(raw, reading);
        if let (Ok(start), Ok(len)) = (start.try_into(), raw.len().try_into()) {
            let none = Recent { start: 0, len: u32::MAX, symbol: 0, reading };
            if self.recent.is_empty() {
                self.recent = vec![none; RECENT];
            }
            self.recent[place] = Recent { start, len, symbol, reading };
        }
        symbol
    }

    /// Where a text stands in `bytes`, and its symbol.
    fn find(&mut self, raw: &[u8], reading: RawForm) -> (usize, u32) {
        let hash = self.hasher.hash_one(raw);
        let bytes = &self.bytes;
        let same = |written: &Written| {
            written.hash == hash
                && written.reading == reading
                && &bytes[written.start..written.start + written.len] == raw
        };
        match self.written.find(hash, same) {
            Some(written) => (written.start, written.symbol),
            None => (self.bytes.len(), self.insert(raw, hash, reading)),
        }
    }

    /// The texts, by symbol.
    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// What was repaired in texts, each way of writing counted once.
    pub(crate) fn odd(&self) -> &AnomalyCounts {
        &self.odd
    }

    /// Takes the texts of a part that it has not taken yet, as if they had been interned here. `symbols` are those of the
    /// part's symbols here, so far; `taken` is what this said last.
    pub(crate) fn absorb(&mut self, part: &Self, symbols: &mut Vec<u32>, taken: usize) -> usize {
        if taken < part.bytes.len() || symbols.len() < part.texts.len() {
            let mut new: Vec<&Written> = part.written.iter().filter(|written| written.start >= taken).collect();
            // In the order in which they came.
            new.sort_unstable_by_key(|written| (written.start, written.symbol));
            symbols.resize(part.texts.len(), 0);
            for Written { start, len, reading, symbol, .. } in new {
                symbols[*symbol as usize] = self.intern(&part.bytes[*start..start + len], *reading);
            }
        }
        part.bytes.len()
    }

    #[cold]
    fn insert(&mut self, raw: &[u8], hash: u64, reading: RawForm) -> u32 {
        let text = match reading {
            RawForm::Text => decode(raw, &mut self.odd).into_owned(),
            RawForm::Json => compact(raw, &mut self.odd),
        };
        let text_hash = self.hasher.hash_one(text.as_bytes());
        let symbol = match self.known.find(text_hash, |&symbol| self.texts[symbol as usize] == text) {
            Some(&symbol) => symbol,
            None => {
                let symbol = self.texts.len() as u32;
                self.texts.push(text);
                let (texts, hasher) = (&self.texts, &self.hasher);
                self.known
                    .insert_unique(text_hash, symbol, |&symbol| hasher.hash_one(texts[symbol as usize].as_bytes()));
                symbol
            }
        };
        let start = self.bytes.len();
        self.bytes.extend_from_slice(raw);
        let written = Written { hash, start, len: raw.len(), reading, symbol };
        self.written.insert_unique(hash, written, |written| written.hash);
        symbol
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_symbol_however_it_is_written() {
        let mut interner = Interner::default();
        let mut symbol = |raw: &str, reading| interner.intern(raw.as_bytes(), reading);
        let plain = symbol("aten::mm", RawForm::Text);
        assert_eq!(symbol(r"aten\u003a:mm", RawForm::Text), plain);
        assert_eq!(symbol("aten::mm", RawForm::Text), plain);
        let list = symbol("[1,2]", RawForm::Json);
        assert_eq!(symbol("[ 1,\n2]", RawForm::Json), list);
        assert_eq!(symbol("[1, 2]", RawForm::Text), list);
        let nothing = symbol("", RawForm::Text);
        assert_eq!((symbol("", RawForm::Text), symbol("aten::mm", RawForm::Text)), (nothing, plain));
        assert_eq!(interner.texts(), ["aten::mm", "[1, 2]", ""]);
    }

    #[test]
    fn the_texts_of_a_part_come_in_as_if_they_were_read_here() {
        let texts = |all: &[&str]| {
            let mut interner = Interner::default();
            let symbols: Vec<u32> = all.iter().map(|raw| interner.intern(raw.as_bytes(), RawForm::Text)).collect();
            (interner, symbols)
        };
        let (before, behind) = (["b", r"bad \x", "a"], [r"new \q", "a", r"bad \x", "c", r"\u0061"]);
        let (mut whole, symbols) = texts(&[&before[..], &behind[..]].concat());
        let (mut first, _) = texts(&before);
        let (mut part, places) = texts(&behind);
        let mut absorbed = Vec::new();
        let taken = first.absorb(&part, &mut absorbed, 0);
        assert_eq!(places.iter().map(|&place| absorbed[place as usize]).collect::<Vec<_>>(), symbols[before.len()..]);
        assert_eq!((first.texts(), first.odd()), (whole.texts(), whole.odd()));

        // The part goes on with texts of a later place; another has met one of them in between.
        for raw in [r"bad \y", "between"] {
            whole.intern(raw.as_bytes(), RawForm::Text);
            first.intern(raw.as_bytes(), RawForm::Text);
        }
        for raw in ["late", "", r"bad \y", "a"] {
            whole.intern(raw.as_bytes(), RawForm::Text);
            part.intern(raw.as_bytes(), RawForm::Text);
        }
        first.absorb(&part, &mut absorbed, taken);
        assert_eq!((first.texts(), first.odd()), (whole.texts(), whole.odd()));
        assert_eq!(absorbed.len(), part.texts().len());
    }
}

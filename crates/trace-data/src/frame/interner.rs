//! Symbol table of one file: each text once, numbered in order of first appearance.

use super::launch_configuration::json_of_record;
use crate::read::{AnomalyCounts, compact, decode};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Form of the raw bytes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawForm {
    /// The characters between quotes.
    Text,
    /// A list or an object, kept as JSON on one line.
    Json,
    /// The bytes of a [`LaunchRecord`](super::launch_configuration::LaunchRecord), kept as JSON on one line.
    Launch,
}

/// Symbol table of the texts of one file.
#[derive(Default)]
pub(crate) struct Interner {
    /// Raw bytes → symbol; escapes make several spellings of one text.
    written: HashTable<Written>,
    bytes: Vec<u8>,
    /// Text → symbol.
    known: HashTable<u32>,
    texts: Vec<String>,
    hasher: FixedState,
    /// Cache of recent spellings, indexed by a hash of few of their bytes: it answers most lookups.
    recent: Vec<Recent>,
    /// Repairs, counted once per spelling.
    anomalies: AnomalyCounts,
}

/// A spelling in the cache.
#[derive(Debug, Clone, Copy)]
struct Recent {
    start: u32,
    /// `u32::MAX` for an empty slot.
    len: u32,
    symbol: u32,
    reading: RawForm,
}

/// Slots of the cache, a power of two.
const RECENT: usize = 4096;

/// Returns the slot of a text in the cache: a hash of its length, its ends and its middle.
#[inline]
fn slot(raw: &[u8]) -> usize {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let half = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
    let key = if raw.len() >= 8 {
        let middle = half(raw[raw.len() / 2..].first_chunk());
        word(raw.first_chunk()) ^ word(raw.last_chunk()).rotate_left(29) ^ (middle << 20)
    } else {
        half(raw.first_chunk()) ^ (half(raw.last_chunk()) << 29)
    };
    let mixed = (key ^ raw.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - RECENT.trailing_zeros())) as usize
}

/// Compares two texts of one length; inlined since most are short.
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
    /// Returns the symbol of a raw text; the text is decoded once per spelling.
    #[inline]
    pub(crate) fn intern(&mut self, raw: &[u8], reading: RawForm) -> u32 {
        let slot = slot(raw);
        if let Some(recent) = self.recent.get(slot)
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
            self.recent[slot] = Recent { start, len, symbol, reading };
        }
        symbol
    }

    /// Returns the offset of a text in `bytes`, and its symbol.
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

    /// Returns the texts, by symbol.
    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Returns the repairs of texts, counted once per spelling.
    pub(super) fn anomalies(&self) -> &AnomalyCounts {
        &self.anomalies
    }

    /// Merges the new texts of a fragment, as if they had been interned here. `symbols` maps the fragment's symbols to ours
    /// and is extended; `merged` is the result of the last merge. Returns the bytes of the fragment merged so far.
    pub(super) fn merge(&mut self, fragment: &Self, symbols: &mut Vec<u32>, merged: usize) -> usize {
        if merged < fragment.bytes.len() || symbols.len() < fragment.texts.len() {
            let mut new: Vec<&Written> = fragment.written.iter().filter(|written| written.start >= merged).collect();
            // In the order of their first appearance.
            new.sort_unstable_by_key(|written| (written.start, written.symbol));
            symbols.resize(fragment.texts.len(), 0);
            for Written { start, len, reading, symbol, .. } in new {
                symbols[*symbol as usize] = self.intern(&fragment.bytes[*start..start + len], *reading);
            }
        }
        fragment.bytes.len()
    }

    #[cold]
    fn insert(&mut self, raw: &[u8], hash: u64, reading: RawForm) -> u32 {
        let text = match reading {
            RawForm::Text => decode(raw, &mut self.anomalies).into_owned(),
            RawForm::Json => compact(raw, &mut self.anomalies),
            RawForm::Launch => compact(&json_of_record(raw), &mut self.anomalies),
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
    fn spellings_of_one_text_have_one_symbol() {
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
    fn merged_texts_get_the_symbols_of_a_sequential_parse() {
        let texts = |all: &[&str]| {
            let mut interner = Interner::default();
            let symbols: Vec<u32> = all.iter().map(|raw| interner.intern(raw.as_bytes(), RawForm::Text)).collect();
            (interner, symbols)
        };
        let (before, behind) = (["b", r"bad \x", "a"], [r"new \q", "a", r"bad \x", "c", r"\u0061"]);
        let (mut whole, symbols) = texts(&[&before[..], &behind[..]].concat());
        let (mut first, _) = texts(&before);
        let (mut fragment, own) = texts(&behind);
        let mut mapped = Vec::new();
        let taken = first.merge(&fragment, &mut mapped, 0);
        assert_eq!(own.iter().map(|&symbol| mapped[symbol as usize]).collect::<Vec<_>>(), symbols[before.len()..]);
        assert_eq!((first.texts(), first.anomalies()), (whole.texts(), whole.anomalies()));

        // The fragment is used again for a later chunk; another fragment has met one of its texts in between.
        for raw in [r"bad \y", "between"] {
            whole.intern(raw.as_bytes(), RawForm::Text);
            first.intern(raw.as_bytes(), RawForm::Text);
        }
        for raw in ["late", "", r"bad \y", "a"] {
            whole.intern(raw.as_bytes(), RawForm::Text);
            fragment.intern(raw.as_bytes(), RawForm::Text);
        }
        first.merge(&fragment, &mut mapped, taken);
        assert_eq!((first.texts(), first.anomalies()), (whole.texts(), whole.anomalies()));
        assert_eq!(mapped.len(), fragment.texts().len());
    }
}

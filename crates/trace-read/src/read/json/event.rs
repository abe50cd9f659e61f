//! One event of a Chrome trace: its values as raw text, without copies.

use super::number::{Decimal, Token};
use super::scan::{Raw, Scanner, Stop};
use super::template::{Member, NodeId, Templates};

/// One entry of `traceEvents`, with values as they are in the text.
#[derive(Debug, Default)]
pub struct RawEvent<'a> {
    /// Its position in `traceEvents`.
    pub index: i64,
    /// Its `name`.
    pub name: Raw<'a>,
    /// Its category.
    pub cat: Raw<'a>,
    /// When it begins, in µs.
    pub ts: Raw<'a>,
    /// How long it lasts, in µs.
    pub dur: Raw<'a>,
    /// Its process.
    pub pid: Raw<'a>,
    /// Its thread, or its stream.
    pub tid: Raw<'a>,
    /// Its phase, `ph`, if it is one letter: `X`.
    pub phase: Option<u8>,
    /// The text of `args`, braces included; empty without `args`.
    pub args_text: &'a [u8],
    args: &'a [Arg],
    /// The text that the offsets of the arguments refer to.
    text: &'a [u8],
}

/// An argument with a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arg {
    slot: u16,
    kind: Kind,
    start: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Null,
    Token(Decimal),
    Text,
    Nested,
}

impl Arg {
    /// Creates an argument whose value is the text from `start` to `end`.
    #[inline]
    fn new(slot: u16, value: &Raw<'_>, start: usize, end: usize) -> Self {
        match value {
            Raw::Null => Self { slot, kind: Kind::Null, start, end },
            Raw::Token(token) => Self { slot, kind: Kind::Token(token.decimal), start, end },
            Raw::Text(_) => Self { slot, kind: Kind::Text, start: start + 1, end: end - 1 },
            Raw::Nested(_) => Self { slot, kind: Kind::Nested, start, end },
        }
    }

    #[inline]
    fn value<'a>(&self, text: &'a [u8]) -> Raw<'a> {
        let written = &text[self.start..self.end];
        match self.kind {
            Kind::Null => Raw::Null,
            Kind::Token(decimal) => Raw::Token(Token { text: written, decimal }),
            Kind::Text => Raw::Text(written),
            Kind::Nested => Raw::Nested(written),
        }
    }
}

impl<'a> RawEvent<'a> {
    /// Creates an event without values.
    #[inline]
    pub(super) fn at(index: i64) -> Self {
        Self { index, ..Self::default() }
    }

    /// Returns slot and value of each argument with a slot, in file order. Of a repeated argument the last value counts.
    #[inline]
    pub fn args(&self) -> impl Iterator<Item = (usize, Raw<'a>)> {
        let text = self.text;
        self.args.iter().map(move |arg| (usize::from(arg.slot), arg.value(text)))
    }
}

/// State that is kept from event to event: templates and memory for arguments.
#[derive(Debug, Default)]
pub(in crate::read) struct EventCache {
    pub(super) templates: Templates,
    args: Vec<Arg>,
    pid: LastNumbers,
    tid: LastNumbers,
}

/// Cache of `pid` and `tid`, which mostly repeat from one event of a kind to the next.
#[derive(Debug, Default)]
struct LastNumbers([LastNumber; KINDS]);

/// Entries of the cache, a power of two: kinds of events have templates of their own.
const KINDS: usize = 16;

impl LastNumbers {
    /// Returns the entry for values of a member in a template.
    #[inline]
    fn of(&mut self, template: NodeId) -> &mut LastNumber {
        &mut self.0[template.number() % KINDS]
    }
}

/// The number of the last event of a kind, compared as eight bytes.
#[derive(Debug, Default)]
struct LastNumber {
    /// The number and the byte after it, and the mask of those bytes; the mask is zero before the first number.
    word: u64,
    mask: u64,
    decimal: Decimal,
}

impl LastNumber {
    /// Scans the value at the cursor if it is the same number again.
    #[inline(always)]
    fn repeated<'a>(&self, scanner: &mut Scanner<'a>) -> Option<Token<'a>> {
        let rest = scanner.rest();
        let word = u64::from_le_bytes(*rest.first_chunk()?);
        if word & self.mask != self.word || self.mask == 0 {
            return None;
        }
        let text = &rest[..self.decimal.length()];
        scanner.skip(text.len());
        Some(Token { text, decimal: self.decimal })
    }

    /// Scans another value at the cursor, which begins with `first`, into `value`.
    #[inline(never)]
    fn scan<'v, 'a: 'v>(&mut self, first: u8, scanner: &mut Scanner<'a>, value: &mut Raw<'v>) -> Result<(), Stop> {
        let rest = scanner.rest();
        *value = scanner.value_from(first)?;
        if let (Raw::Token(Token { text, decimal }), Some(word)) = (*value, rest.first_chunk())
            && decimal.is_read()
            && text.len() < 8
        {
            let mask = u64::MAX >> (56 - 8 * text.len());
            *self = Self { word: u64::from_le_bytes(*word) & mask, mask, decimal };
        }
        Ok(())
    }
}

/// Scans one event into `event`, which has no values yet; the cursor is on its brace. `slot` returns the slot of an argument.
///
/// The caller has the memory of the event: a returned event would be copied, value by value.
#[inline]
pub(super) fn scan_event<'e, 'a: 'e>(
    scanner: &mut Scanner<'a>,
    event: &mut RawEvent<'e>,
    cache: &'e mut EventCache,
    mut slot: impl FnMut(&[u8]) -> Option<u16>,
) -> Result<(), Stop> {
    let EventCache { templates, args, pid, tid } = cache;
    args.clear();
    let (mut node, mut args_start) = (std::mem::take(&mut templates.start), 0);
    let mut next_start = None;
    loop {
        let from = scanner.position();
        let transition = templates.advance(node, scanner, &mut slot)?;
        let next_start = *next_start.get_or_insert(transition.start);
        if transition.has_extent {
            if transition.args_start != 0 {
                args.clear();
                args_start = from + transition.args_start as usize;
            }
            if transition.args_end != 0 {
                event.args_text = scanner.between(args_start, from + transition.args_end as usize);
            }
            if let Some(phase) = transition.phase {
                event.phase = phase;
            }
            if transition.cat.0 != 0 {
                event.cat =
                    Raw::Text(scanner.between(from + transition.cat.0 as usize, from + transition.cat.1 as usize));
            }
        }
        node = transition.next;
        let member = transition.member;
        match member {
            Member::End => {
                templates.start = next_start;
                break;
            }
            Member::None => continue,
            Member::Other => {
                scanner.pass()?;
                continue;
            }
            _ => {}
        }
        let first = scanner.peek()?;
        let from = scanner.position();
        if matches!(member, Member::Pid | Member::Tid) {
            let (last, value) = match member {
                Member::Pid => (pid.of(node), &mut event.pid),
                _ => (tid.of(node), &mut event.tid),
            };
            match last.repeated(scanner) {
                Some(token) => *value = Raw::Token(token),
                None => last.scan(first, scanner, value)?,
            }
            continue;
        }
        let value = scanner.value_from(first)?;
        match member {
            Member::Arg(slot) => args.push(Arg::new(slot, &value, from, scanner.position())),
            Member::Args => {
                args.clear();
                event.args_text = &[];
            }
            Member::Name => event.name = value,
            Member::Cat => event.cat = value,
            Member::Ts => event.ts = value,
            Member::Dur => event.dur = value,
            Member::Pid | Member::Tid | Member::Other | Member::None | Member::End => {}
        }
    }
    (event.args, event.text) = (args, scanner.passed());
    Ok(())
}

/// Calls `each` with key and value of the members of an object that was scanned before: an event, or
/// [`RawEvent::args_text`].
#[inline]
pub fn each_member<'a>(text: &'a [u8], mut each: impl FnMut(&[u8], Raw<'a>)) {
    if text.is_empty() {
        return;
    }
    // The same text was scanned before, so this cannot fail.
    let _ = members(&mut Scanner::new(text), |scanner, key| {
        each(key, scanner.value()?);
        Ok(())
    });
}

/// Calls `each` for every member of an object, with the cursor on the first byte of the value; `each` scans the value. The
/// cursor is on the opening brace.
#[inline]
fn members<'a>(
    scanner: &mut Scanner<'a>,
    mut each: impl FnMut(&mut Scanner<'a>, &[u8]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    scanner.skip(1);
    let mut after_value = false;
    while let Some(key) = scanner.key(after_value)? {
        each(scanner, &key)?;
        after_value = true;
    }
    Ok(())
}

/// Splits the text of an object into members: keys as between their quotes, values as they are in the text. `None` if this
/// is not an object.
#[inline]
pub fn object_members(text: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut scanner = Scanner::new(text);
    let mut found = Vec::new();
    if scanner.peek().ok()? != b'{' {
        return None;
    }
    scanner.skip(1);
    while scanner.peek().ok()? == b'"' {
        let key = scanner.text().ok()?;
        scanner.colon().ok()?;
        scanner.peek().ok()?;
        let from = scanner.position();
        scanner.value().ok()?;
        found.push((key, &text[from..scanner.position()]));
        if scanner.peek().ok()? == b',' {
            scanner.skip(1);
        }
    }
    (scanner.peek().ok()? == b'}').then_some(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn keys_that_differ_in_one_byte_are_told_apart() {
        for length in 1..100 {
            let known = vec![b'k'; length];
            let mut cache = EventCache::default();
            let mut is_known = |key: &[u8]| {
                let text = [b"{\"args\": {\"", key, b"\": 1}, \"a member\": \"behind\"}"].concat();
                let mut event = RawEvent::at(0);
                let slot = |key: &[u8]| (key == known).then_some(3);
                scan_event(&mut Scanner::new(&text), &mut event, &mut cache, slot).unwrap();
                event.args().next().is_some()
            };
            assert!(is_known(&known));
            for at in 0..length {
                let mut differs = known.clone();
                differs[at] = b'd';
                assert!(!is_known(&differs), "byte {at} of {length}");
                assert!(is_known(&known), "byte {at} of {length}");
            }
        }
    }

    #[test]
    fn object_members_keep_their_text() {
        let members = object_members(br#" {"a": "x\"}", "b" : {"c": [1, 2]} ,"d":-1.5e3}"#);
        let expected: Vec<(&[u8], &[u8])> = vec![(b"a", br#""x\"}""#), (b"b", br#"{"c": [1, 2]}"#), (b"d", b"-1.5e3")];
        assert_eq!(members, Some(expected));
        assert_eq!(object_members(b"{}"), Some(Vec::new()));
        assert_eq!(object_members(b"[1]"), None);
        assert_eq!(object_members(br#"{"a": 1"#), None);
    }
}

//! One event of a Chrome trace, as it is written.

use super::number::{Decimal, Token};
use super::scan::{Raw, Scanner, Stop};
use super::template::{Layouts, Member};

/// One entry of `traceEvents`, as it is written.
#[derive(Debug, Default)]
pub(crate) struct RawEvent<'a> {
    /// Its position in `traceEvents`.
    pub(crate) index: i64,
    pub(crate) name: Raw<'a>,
    pub(crate) cat: Raw<'a>,
    pub(crate) ts: Raw<'a>,
    pub(crate) dur: Raw<'a>,
    pub(crate) pid: Raw<'a>,
    pub(crate) tid: Raw<'a>,
    /// Its `args` as they are written, from brace to brace; empty if it has none.
    pub(crate) args_text: &'a [u8],
    args: &'a [Arg],
    /// What the places of the arguments count in.
    text: &'a [u8],
}

/// An argument that the sink asked for. Events come one by one: the memory for their arguments is used again.
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
    /// A value that is written between these places.
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
    /// The arguments that the sink asked for, in the order they are written: slot and value. Of a repeated one the last
    /// value counts.
    #[inline]
    pub(crate) fn args(&self) -> impl Iterator<Item = (usize, Raw<'a>)> {
        let text = self.text;
        self.args.iter().map(move |arg| (usize::from(arg.slot), arg.value(text)))
    }
}

/// What is kept from event to event: memory for arguments, and how events were written so far.
#[derive(Debug, Default)]
pub(in crate::read) struct Memory {
    pub(super) layouts: Layouts,
    args: Vec<Arg>,
    pid: Again,
    tid: Again,
}

/// The number that stood at some place in the last event: most often it stands there again.
#[derive(Debug, Default)]
struct Again {
    /// The number and the byte behind it, as a number, and which bits are theirs; no bits as long as there was none.
    word: u64,
    mask: u64,
    decimal: Decimal,
}

impl Again {
    /// The value the cursor stands on.
    #[inline(always)]
    fn value<'a>(&mut self, scanner: &mut Scanner<'a>) -> Result<Raw<'a>, Stop> {
        let rest = scanner.rest();
        if let Some(word) = rest.first_chunk()
            && u64::from_le_bytes(*word) & self.mask == self.word
            && self.mask != 0
        {
            let text = &rest[..self.decimal.length()];
            scanner.skip(text.len());
            return Ok(Raw::Token(Token { text, decimal: self.decimal }));
        }
        self.another(scanner)
    }

    #[inline(never)]
    fn another<'a>(&mut self, scanner: &mut Scanner<'a>) -> Result<Raw<'a>, Stop> {
        let rest = scanner.rest();
        let value = scanner.value()?;
        if let (Raw::Token(Token { text, decimal }), Some(word)) = (value, rest.first_chunk())
            && decimal != Decimal::UNREAD
            && text.len() < 8
        {
            let mask = u64::MAX >> (56 - 8 * text.len());
            *self = Self { word: u64::from_le_bytes(*word) & mask, mask, decimal };
        }
        Ok(value)
    }
}

/// One event; the cursor stands on its brace. `slot` says where an argument belongs.
#[inline]
pub(super) fn raw_event<'e, 'a: 'e>(
    scanner: &mut Scanner<'a>,
    index: i64,
    memory: &'e mut Memory,
    mut slot: impl FnMut(&[u8]) -> Option<u16>,
) -> Result<RawEvent<'e>, Stop> {
    let Memory { layouts, args, pid, tid } = memory;
    args.clear();
    let mut event = RawEvent { index, ..RawEvent::default() };
    let (mut place, mut args_start) = (std::mem::take(&mut layouts.start), 0);
    let mut next_start = None;
    loop {
        let from = scanner.position();
        let step = layouts.step(place, scanner, &mut slot)?;
        let next_start = *next_start.get_or_insert(step.start);
        if step.is_kind {
            if step.args_start != 0 {
                args.clear();
                args_start = from + step.args_start as usize;
            }
            if step.args_end != 0 {
                event.args_text = scanner.between(args_start, from + step.args_end as usize);
            }
            if step.cat.0 != 0 {
                event.cat = Raw::Text(scanner.between(from + step.cat.0 as usize, from + step.cat.1 as usize));
            }
        }
        place = step.next;
        match step.member {
            Member::End => {
                layouts.start = next_start;
                break;
            }
            Member::Nothing => continue,
            Member::Other => {
                scanner.pass()?;
                continue;
            }
            _ => {}
        }
        let member = step.member;
        scanner.peek()?;
        let from = scanner.position();
        let value = match member {
            Member::Pid => pid.value(scanner)?,
            Member::Tid => tid.value(scanner)?,
            _ => scanner.value()?,
        };
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
            Member::Pid => event.pid = value,
            Member::Tid => event.tid = value,
            Member::Other | Member::Nothing | Member::End => {}
        }
    }
    (event.args, event.text) = (args, scanner.passed());
    Ok(event)
}

/// The arguments in [`RawEvent::args_text`]: key and value.
pub(crate) fn each_arg(text: &[u8], mut each: impl FnMut(&[u8], Raw<'_>)) {
    if text.is_empty() {
        return;
    }
    // It was read before, so that it cannot fail.
    let _ = members(&mut Scanner::new(text), |scanner, key| {
        each(key, scanner.value()?);
        Ok(())
    });
}

/// The members of an object; `each` reads the value, whose first byte the cursor stands on. It stands on the brace now.
#[inline]
fn members<'a>(
    scanner: &mut Scanner<'a>,
    mut each: impl FnMut(&mut Scanner<'a>, &[u8]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    scanner.skip(1);
    let mut behind_value = false;
    while let Some(key) = scanner.key(behind_value)? {
        each(scanner, &key)?;
        behind_value = true;
    }
    Ok(())
}

/// The members of the text of an object: keys as they stand between their quotes, values as they are written. `None` if
/// this is no object.
pub(crate) fn object_members(text: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
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
    use super::object_members;

    #[test]
    fn members_are_as_they_are_written() {
        let members = object_members(br#" {"a": "x\"}", "b" : {"c": [1, 2]} ,"d":-1.5e3}"#);
        let expected: Vec<(&[u8], &[u8])> = vec![(b"a", br#""x\"}""#), (b"b", br#"{"c": [1, 2]}"#), (b"d", b"-1.5e3")];
        assert_eq!(members, Some(expected));
        assert_eq!(object_members(b"{}"), Some(Vec::new()));
        assert_eq!(object_members(b"[1]"), None);
        assert_eq!(object_members(br#"{"a": 1"#), None);
    }
}

//! One event of a Chrome trace, as it is written.

use super::odd::OddCounts;
use super::scan::{Raw, Scanner, Stop};
use super::text;

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
    Token,
    Text,
    Nested,
}

impl Arg {
    /// A value that is written between these places.
    #[inline]
    fn new(slot: u16, value: Raw<'_>, start: usize, end: usize) -> Self {
        match value {
            Raw::Null => Self { slot, kind: Kind::Null, start, end },
            Raw::Token(_) => Self { slot, kind: Kind::Token, start, end },
            Raw::Text(_) => Self { slot, kind: Kind::Text, start: start + 1, end: end - 1 },
            Raw::Nested(_) => Self { slot, kind: Kind::Nested, start, end },
        }
    }

    #[inline]
    fn value<'a>(&self, text: &'a [u8]) -> Raw<'a> {
        let written = &text[self.start..self.end];
        match self.kind {
            Kind::Null => Raw::Null,
            Kind::Token => Raw::Token(written),
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

/// One event; the cursor stands on its brace. `slot` says where an argument belongs, `args` is memory for them.
#[inline]
pub(super) fn raw_event<'e, 'a: 'e>(
    scanner: &mut Scanner<'a>,
    index: i64,
    args: &'e mut Vec<Arg>,
    mut slot: impl FnMut(&[u8]) -> Option<u16>,
) -> Result<RawEvent<'e>, Stop> {
    args.clear();
    let mut event = RawEvent { index, ..RawEvent::default() };
    members(scanner, |scanner, key| {
        match key {
            b"name" => event.name = scanner.value()?,
            b"cat" => event.cat = scanner.value()?,
            b"ts" => event.ts = scanner.value()?,
            b"dur" => event.dur = scanner.value()?,
            b"pid" => event.pid = scanner.value()?,
            b"tid" => event.tid = scanner.value()?,
            b"args" => {
                args.clear();
                if scanner.peek()? == b'{' {
                    let start = scanner.position();
                    members(scanner, |scanner, key| {
                        let from = scanner.position();
                        let value = scanner.value()?;
                        if let Some(slot) = slot(key) {
                            args.push(Arg::new(slot, value, from, scanner.position()));
                        }
                        Ok(())
                    })?;
                    event.args_text = scanner.since(start);
                } else {
                    event.args_text = &[];
                    scanner.value()?;
                }
            }
            _ => {
                scanner.value()?;
            }
        }
        Ok(())
    })?;
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
    scanner.bump();
    loop {
        match scanner.peek()? {
            b'"' => {}
            b'}' => {
                scanner.bump();
                return Ok(());
            }
            _ => return Err(Stop::Bad("a key is missing or a text is not closed")),
        }
        let (key, escaped) = scanner.text_or_escaped()?;
        scanner.expect(b':', "a colon is missing after a key")?;
        scanner.peek()?;
        if escaped {
            let plain = text::decode(key, &mut OddCounts::default()).into_owned();
            each(scanner, plain.as_bytes())?;
        } else {
            each(scanner, key)?;
        }
        match scanner.peek()? {
            b',' => scanner.bump(),
            b'}' => {}
            _ => return Err(Stop::Bad("a comma is missing, or a text contains an unescaped quote")),
        }
    }
}

/// The members of the text of an object: keys as they stand between their quotes, values as they are written. `None` if
/// this is no object.
pub(crate) fn object_members(text: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut scanner = Scanner::new(text);
    let mut found = Vec::new();
    if scanner.peek().ok()? != b'{' {
        return None;
    }
    scanner.bump();
    while scanner.peek().ok()? == b'"' {
        let key = scanner.text().ok()?;
        scanner.expect(b':', "a colon is missing after a key").ok()?;
        scanner.peek().ok()?;
        let from = scanner.position();
        scanner.value().ok()?;
        found.push((key, &text[from..scanner.position()]));
        if scanner.peek().ok()? == b',' {
            scanner.bump();
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

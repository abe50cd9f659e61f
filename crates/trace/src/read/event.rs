//! One event of a Chrome trace, as it is written.

use super::odd::OddCounts;
use super::scan::{Raw, Scanner, Stop};
use super::text;

/// Arguments that a sink can ask for.
pub(crate) const SLOTS: usize = 32;

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
    args: [Raw<'a>; SLOTS],
    seen: u32,
}

impl<'a> RawEvent<'a> {
    /// The arguments that the sink asked for: slot and value.
    pub(crate) fn args(&self) -> impl Iterator<Item = (usize, Raw<'a>)> {
        let mut left = self.seen;
        std::iter::from_fn(move || {
            let slot = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some((slot, self.args[slot]))
        })
    }
}

/// One event; the cursor stands on its brace. `slot` says where an argument belongs.
#[inline]
pub(super) fn raw_event<'a>(
    scanner: &mut Scanner<'a>,
    index: i64,
    slot: impl Fn(&[u8]) -> Option<usize>,
) -> Result<RawEvent<'a>, Stop> {
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
                event.seen = 0;
                if scanner.peek()? == b'{' {
                    members(scanner, |scanner, key| {
                        let value = scanner.value()?;
                        if let Some(slot) = slot(key) {
                            event.args[slot] = value;
                            event.seen |= 1 << slot;
                        }
                        Ok(())
                    })?;
                } else {
                    scanner.value()?;
                }
            }
            _ => {
                scanner.value()?;
            }
        }
        Ok(())
    })?;
    Ok(event)
}

/// The members of an object; `each` reads the value. The cursor stands on the brace.
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
        let key = scanner.text()?;
        scanner.expect(b':', "a colon is missing after a key")?;
        scanner.peek()?;
        if key.contains(&b'\\') {
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

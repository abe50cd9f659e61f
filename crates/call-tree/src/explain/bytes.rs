//! Numbers and texts as bytes, and back.

use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels};
use std::fmt;

/// Why bytes are no partial result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged(pub(crate) &'static str);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Damaged {}

type Done<T> = Result<T, Damaged>;

/// Appends numbers to bytes: seven bits a byte, the lowest first; the highest bit says that more follow.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    pub(crate) fn length(&mut self, length: usize) {
        self.number(length as u64);
    }

    /// Appends small absolute values in few bytes.
    pub(crate) fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as u64);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes.extend(text.as_bytes());
    }

    /// Appends labels as the texts that were recorded.
    pub(crate) fn labels(&mut self, order: &[LabelId], labels: &Labels) {
        self.length(order.len());
        for &label in order {
            let kind = labels.kind(label);
            self.length(Kind::ALL.iter().position(|&one| one == kind).unwrap_or(0));
            self.text(labels.text(label));
            self.text(labels.inputs(label));
        }
    }
}

/// Reads what a [`Writer`] wrote. No bytes make it panic or allocate more than a multiple of their length.
#[derive(Debug)]
pub(crate) struct Reader<'b> {
    pub(crate) rest: &'b [u8],
}

const ENDS_EARLY: Damaged = Damaged("it ends early");

impl<'b> Reader<'b> {
    pub(crate) fn byte(&mut self) -> Done<u8> {
        let (&byte, rest) = self.rest.split_first().ok_or(ENDS_EARLY)?;
        self.rest = rest;
        Ok(byte)
    }

    pub(crate) fn number(&mut self) -> Done<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Damaged("a number is too long"))
    }

    pub(crate) fn signed(&mut self) -> Done<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(crate) fn short(&mut self) -> Done<u32> {
        u32::try_from(self.number()?).map_err(|_| Damaged("a number is out of range"))
    }

    pub(crate) fn flag(&mut self) -> Done<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Damaged("a number is out of range")),
        }
    }

    /// Returns one of several values by its number.
    pub(crate) fn one_of<T: Copy>(&mut self, values: &[T]) -> Done<T> {
        let number = self.number()?;
        let value = usize::try_from(number).ok().and_then(|number| values.get(number));
        value.copied().ok_or(Damaged("a number is out of range"))
    }

    /// Returns a length; every item takes at least one byte.
    pub(crate) fn length(&mut self) -> Done<usize> {
        let length = usize::try_from(self.number()?).map_err(|_| ENDS_EARLY)?;
        if length <= self.rest.len() { Ok(length) } else { Err(ENDS_EARLY) }
    }

    pub(crate) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Done<T>) -> Done<Vec<T>> {
        let mut items = Vec::new();
        for _ in 0..self.length()? {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(crate) fn text(&mut self) -> Done<&'b str> {
        let length = self.length()?;
        let (text, rest) = self.rest.split_at_checked(length).ok_or(ENDS_EARLY)?;
        self.rest = rest;
        std::str::from_utf8(text).map_err(|_| Damaged("a text is not UTF-8"))
    }

    /// Returns labels, added to those of a comparison; what is derived from their texts is made anew.
    pub(crate) fn labels(&mut self, labels: &mut Labels) -> Done<Vec<LabelId>> {
        self.list(|reader| {
            let (kind, name, inputs) = (reader.one_of(&Kind::ALL)?, reader.text()?, reader.text()?);
            Ok(labels.add(kind, name, inputs))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_are_read_back() {
        let mut writer = Writer::default();
        let numbers = [0, 1, -1, 63, -64, 64, i64::MAX, i64::MIN, 1_700_000_000_000_000_000];
        numbers.iter().for_each(|&number| writer.signed(number));
        writer.number(u64::MAX);
        let mut reader = Reader { rest: &writer.bytes };
        for number in numbers {
            assert_eq!(reader.signed(), Ok(number));
        }
        assert_eq!((reader.number(), reader.number()), (Ok(u64::MAX), Err(ENDS_EARLY)));
        assert!(Reader { rest: &[0xff; 12] }.number().is_err());
        assert!(Reader { rest: &[0x7f, 1] }.length().is_err());
    }
}

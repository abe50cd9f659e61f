//! The wire format of protobuf: fields of a message, with their offsets in the file.

/// A message, and where it begins in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) offset: u64,
}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    /// A varint, or a number of fixed size as its bits.
    Number(u64),
    /// A message, a text or packed numbers.
    Message(Message<'a>),
}

/// What is wrong with the bytes, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) what: &'static str,
    pub(super) offset: u64,
}

impl<'a> Message<'a> {
    /// Iterates over the fields: number and value. Ends after an error.
    pub(super) fn fields(self) -> Fields<'a> {
        Fields { rest: self.bytes, offset: self.offset }
    }

    /// Returns the bytes as text, invalid UTF-8 replaced.
    pub(super) fn text(self) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.bytes)
    }
}

impl<'a> Value<'a> {
    /// Returns the number; 0 of a message, which no schema has there.
    pub(super) fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Message(_) => 0,
        }
    }

    /// Returns the number as a signed one.
    pub(super) fn signed(self) -> i64 {
        self.number().cast_signed()
    }

    /// Returns the message; an empty one for a number.
    pub(super) fn message(self) -> Message<'a> {
        match self {
            Self::Message(message) => message,
            Self::Number(_) => Message { bytes: &[], offset: 0 },
        }
    }

    /// Calls `each` with the numbers of a repeated field of varints or of fixed numbers of 64 bits, packed or not.
    pub(super) fn each_number(self, is_fixed: bool, mut each: impl FnMut(u64)) {
        let packed = match self {
            Self::Number(number) => return each(number),
            Self::Message(message) => message.bytes,
        };
        if is_fixed {
            for chunk in packed.as_chunks::<8>().0 {
                each(u64::from_le_bytes(*chunk));
            }
            return;
        }
        let mut rest = packed;
        while let Some((number, length)) = varint(rest) {
            each(number);
            rest = &rest[length..];
        }
    }
}

/// Iterator over the fields of a message.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    offset: u64,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Result<(u32, Value<'a>), Malformed> {
        let begin = self.offset;
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).unwrap_or(0);
        if number == 0 {
            return Err(Malformed { what: "a field without a number", offset: begin });
        }
        let value = match tag & 7 {
            0 => Value::Number(self.varint()?),
            1 => Value::Number(u64::from_le_bytes(self.fixed()?)),
            2 => {
                let length = self.varint()?;
                let offset = self.offset;
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                Value::Message(Message { bytes: self.take(length)?, offset })
            }
            5 => Value::Number(u64::from(u32::from_le_bytes(self.fixed()?))),
            _ => return Err(Malformed { what: "a field of an unknown wire type", offset: begin }),
        };
        Ok((number, value))
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let (number, length) =
            varint(self.rest).ok_or(Malformed { what: "a number without an end", offset: self.offset })?;
        self.take(length)?;
        Ok(number)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let offset = self.offset;
        self.take(N)?.try_into().map_err(|_| Malformed { what: "a number without an end", offset })
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let ends_early = Malformed { what: "a field longer than its message", offset: self.offset };
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ends_early)?;
        (self.rest, self.offset) = (rest, self.offset + length as u64);
        Ok(taken)
    }
}

/// Decodes a varint; returns it and its length. `None` if it has no end within ten bytes.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0_u64;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * at as u32);
        if byte & 0x80 == 0 {
            return Some((number, at + 1));
        }
    }
    None
}

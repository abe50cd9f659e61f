//! Headers of the pages of a column, read before polars decodes it.
//!
//! polars allocates what a page header states. A header is a struct in Thrift's compact protocol: a list of fields, each
//! with the difference of its number to that of the previous field, its type and its value.

/// Nesting of structs that is read; a page header has two levels.
const DEPTH: usize = 8;

/// Text that a byte of compressed data may decompress to. zstd reaches about 30,000 on runs of one byte.
const LARGEST_RATIO: u64 = 1 << 16;

/// Verifies that the pages fill the bytes of a column, have `rows` values together, and state sizes that their bytes can
/// have.
pub(super) fn are_sound(mut column: &[u8], rows: usize) -> bool {
    let mut values = 0_u64;
    while !column.is_empty() {
        let Some((header, length)) = Header::read(column) else { return false };
        let end = usize::try_from(header.compressed).ok().and_then(|size| size.checked_add(length));
        let Some(rest) = end.and_then(|end| column.get(end..)) else { return false };
        let is_possible = header.uncompressed <= header.compressed.saturating_mul(LARGEST_RATIO);
        if !is_possible || header.dictionary.is_some_and(|count| count > header.uncompressed) {
            return false;
        }
        values = values.saturating_add(header.values);
        column = rest;
    }
    values == rows as u64
}

/// What a page header states.
#[derive(Default)]
struct Header {
    uncompressed: u64,
    compressed: u64,
    /// Values of a data page.
    values: u64,
    /// Values of a dictionary page.
    dictionary: Option<u64>,
}

impl Header {
    /// Reads a header and its length; `None` if the bytes are none.
    fn read(bytes: &[u8]) -> Option<(Self, usize)> {
        let mut input = Input { rest: bytes };
        let mut header = Self::default();
        input.members(DEPTH, &mut |path, value| {
            match path {
                [2] => header.uncompressed = value.try_into().ok()?,
                [3] => header.compressed = value.try_into().ok()?,
                [5 | 8, 1] => header.values = value.try_into().ok()?,
                [7, 1] => header.dictionary = Some(value.try_into().ok()?),
                _ => {}
            }
            Some(())
        })?;
        Some((header, bytes.len() - input.rest.len()))
    }
}

/// Bytes in Thrift's compact protocol.
struct Input<'b> {
    rest: &'b [u8],
}

type Visit<'v> = dyn FnMut(&[i64], i64) -> Option<()> + 'v;

impl Input<'_> {
    /// Reads the members of a struct; passes each integer with its path, the numbers of its fields, to `visit`.
    fn members(&mut self, depth: usize, visit: &mut Visit<'_>) -> Option<()> {
        let mut number = 0;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Some(());
            }
            number = match i64::from(byte >> 4) {
                0 => self.zigzag()?,
                step => number + step,
            };
            self.value(byte & 15, depth, &mut |path, value| visit(&[&[number], path].concat(), value))?;
        }
    }

    fn value(&mut self, kind: u8, depth: usize, visit: &mut Visit<'_>) -> Option<()> {
        match kind {
            // true, false
            1 | 2 => Some(()),
            // i8
            3 => self.byte().map(|_| ()),
            // i16, i32, i64
            4..=6 => {
                let value = self.zigzag()?;
                visit(&[], value)
            }
            // double
            7 => self.skip(8),
            // bytes
            8 => {
                let length = self.varint()?;
                self.skip(usize::try_from(length).ok()?)
            }
            // list, set
            9 | 10 => {
                let byte = self.byte()?;
                let length = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
                for _ in 0..length {
                    match byte & 15 {
                        // In a list, a truth value is a byte.
                        1 | 2 => self.skip(1)?,
                        kind => self.value(kind, depth.checked_sub(1)?, &mut |_, _| Some(()))?,
                    }
                }
                Some(())
            }
            // struct
            12 => self.members(depth.checked_sub(1)?, visit),
            _ => None,
        }
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip(&mut self, length: usize) -> Option<()> {
        self.rest = self.rest.get(length..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data page: type 0, sizes, values; then its bytes.
    fn page(uncompressed: u8, compressed: u8, values: u8) -> Vec<u8> {
        let header = [0x15, 0, 0x15, 2 * uncompressed, 0x15, 2 * compressed, 0x2c, 0x15, 2 * values, 0x15, 0, 0, 0];
        [&header[..], &vec![7; compressed as usize]].concat()
    }

    #[test]
    fn pages_fill_their_column_and_have_its_rows() {
        assert!(are_sound(&[page(9, 5, 3), page(4, 4, 2)].concat(), 5));
        assert!(are_sound(&[], 0));
        assert!(!are_sound(&page(9, 5, 3), 5), "too few values");
        assert!(!are_sound(&[&page(9, 5, 3)[..], &[0x15]].concat(), 3), "bytes after the last page");
        let cut = page(9, 5, 3);
        assert!((1..cut.len()).all(|length| !are_sound(&cut[..length], 3)));
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(!are_sound(&page(9, 0, 0), 0), "more text than the data can hold");
        let dictionary = |count: u8| vec![0x15, 4, 0x15, 8, 0x15, 2, 0x4c, 0x15, 2 * count, 0, 0, 7];
        assert!(are_sound(&dictionary(4), 0));
        assert!(!are_sound(&dictionary(5), 0), "more values than bytes");
        let nested = vec![0x1c; 1_000_000];
        assert!(!are_sound(&nested, 0));
        let negative = vec![0x15, 1, 0x15, 1, 0x15, 1, 0];
        assert!(!are_sound(&negative, 0));
    }
}

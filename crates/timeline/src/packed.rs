//! Columns of numbers as bytes, in the narrowest type that holds each of them exactly.

/// Type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// A double: exact for integers below 2^53.
    F64,
}

impl Width {
    /// Returns its name in the format: `u8`, …
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F64 => "f64",
        }
    }
}

/// A column as little-endian bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// Type of the values.
    pub width: Width,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Packed {
    /// Packs integers.
    ///
    /// # Example
    /// ```
    /// use timeline::{Packed, Width};
    ///
    /// assert_eq!(Packed::ints([1, 300].into_iter()).width, Width::U16);
    /// assert_eq!(Packed::ints([-1_i64].into_iter()).bytes, (-1_i32).to_le_bytes());
    /// ```
    pub fn ints(values: impl Iterator<Item = i64> + Clone) -> Self {
        let (low, high) = values.clone().fold((0, 0), |(low, high), value: i64| (value.min(low), value.max(high)));
        let fits = |largest: u32| low >= 0 && high <= i64::from(largest);
        if fits(u8::MAX.into()) {
            Self::of(Width::U8, values, |value| [value as u8])
        } else if fits(u16::MAX.into()) {
            Self::of(Width::U16, values, |value| (value as u16).to_le_bytes())
        } else if fits(u32::MAX) {
            Self::of(Width::U32, values, |value| (value as u32).to_le_bytes())
        } else if low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX) {
            Self::of(Width::I32, values, |value| (value as i32).to_le_bytes())
        } else {
            Self::of(Width::F64, values, |value| (value as f64).to_le_bytes())
        }
    }

    /// Packs doubles; as integers if all are.
    pub fn floats(values: &[f64]) -> Self {
        let is_whole = |value: &f64| *value == (*value as i32) as f64;
        if values.iter().all(is_whole) {
            return Self::ints(values.iter().map(|&value| value as i64));
        }
        Self { width: Width::F64, bytes: values.iter().flat_map(|value| value.to_le_bytes()).collect() }
    }

    fn of<const N: usize>(width: Width, values: impl Iterator<Item = i64>, bytes: impl Fn(i64) -> [u8; N]) -> Self {
        Self { width, bytes: values.flat_map(bytes).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowest_exact_type_is_chosen() {
        let width = |values: &[i64]| Packed::ints(values.iter().copied()).width;
        assert_eq!(width(&[]), Width::U8);
        assert_eq!(width(&[255]), Width::U8);
        assert_eq!(width(&[256]), Width::U16);
        assert_eq!(width(&[70_000]), Width::U32);
        assert_eq!(width(&[i64::from(u32::MAX)]), Width::U32);
        assert_eq!(width(&[-1, 3]), Width::I32);
        assert_eq!(width(&[-1, i64::from(u32::MAX)]), Width::F64);
        assert_eq!(Packed::floats(&[1.0, 2.0]).width, Width::U8);
        assert_eq!(Packed::floats(&[0.5]).bytes, 0.5_f64.to_le_bytes());
        assert_eq!(Packed::ints([1 << 40].into_iter()).bytes, ((1_i64 << 40) as f64).to_le_bytes());
    }
}

//! Bytes → values. No bytes make it panic, loop or allocate more than they are long.

use super::writer::Failure;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

type Done<T> = Result<T, Failure>;

/// Reads values from bytes.
pub(super) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the next value.
    pub(super) fn value<T: DeserializeOwned>(&mut self) -> Done<T> {
        T::deserialize(self)
    }

    /// Whether all bytes are read.
    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, length: usize) -> Done<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Done<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| ends_early())
    }

    fn unsigned(&mut self) -> Done<u128> {
        let mut value = 0_u128;
        for place in (0..128).step_by(7) {
            let [byte] = self.array::<1>()?;
            value |= u128::from(byte & 0x7f) << place;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Failure::custom("a number is too long"))
    }

    fn signed(&mut self) -> Done<i128> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i128 ^ -((value & 1) as i128))
    }

    /// Returns a length; every item takes at least one byte.
    fn length(&mut self) -> Done<usize> {
        let length = usize::try_from(self.unsigned()?).map_err(|_| ends_early())?;
        if length <= self.rest.len() { Ok(length) } else { Err(ends_early()) }
    }

    fn text(&mut self) -> Done<&'b str> {
        let length = self.length()?;
        std::str::from_utf8(self.take(length)?).map_err(Failure::custom)
    }
}

fn ends_early() -> Failure {
    Failure::custom("it ends early")
}

fn range<T>(_: T) -> Failure {
    Failure::custom("a number is out of range")
}

macro_rules! integers {
    ($($method:ident $visit:ident $kind:ty: $read:ident),* $(,)?) => {
        $(fn $method<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
            visitor.$visit(<$kind>::try_from(self.$read()?).map_err(range)?)
        })*
    };
}

impl<'b> Deserializer<'b> for &mut Reader<'b> {
    type Error = Failure;

    integers!(
        deserialize_i8 visit_i8 i8: signed,
        deserialize_i16 visit_i16 i16: signed,
        deserialize_i32 visit_i32 i32: signed,
        deserialize_i64 visit_i64 i64: signed,
        deserialize_i128 visit_i128 i128: signed,
        deserialize_u8 visit_u8 u8: unsigned,
        deserialize_u16 visit_u16 u16: unsigned,
        deserialize_u32 visit_u32 u32: unsigned,
        deserialize_u64 visit_u64 u64: unsigned,
        deserialize_u128 visit_u128 u128: unsigned,
    );

    fn deserialize_any<V: Visitor<'b>>(self, _: V) -> Done<V::Value> {
        Err(Failure::custom("a value of unknown type has no encoding"))
    }

    fn deserialize_bool<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        match self.unsigned()? {
            0 => visitor.visit_bool(false),
            1 => visitor.visit_bool(true),
            other => Err(range(other)),
        }
    }

    fn deserialize_char<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        let code = u32::try_from(self.unsigned()?).map_err(range)?;
        visitor.visit_char(char::from_u32(code).ok_or_else(|| range(code))?)
    }

    fn deserialize_f32<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        visitor.visit_f32(f32::from_bits(u32::from_le_bytes(self.array()?)))
    }

    fn deserialize_f64<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        visitor.visit_f64(f64::from_bits(u64::from_le_bytes(self.array()?)))
    }

    fn deserialize_str<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        let length = self.length()?;
        visitor.visit_borrowed_bytes(self.take(length)?)
    }

    fn deserialize_byte_buf<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        match self.unsigned()? {
            0 => visitor.visit_none(),
            1 => visitor.visit_some(self),
            other => Err(range(other)),
        }
    }

    fn deserialize_unit<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'b>>(self, _: &'static str, visitor: V) -> Done<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'b>>(self, _: &'static str, visitor: V) -> Done<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        let left = self.length()?;
        visitor.visit_seq(Items { reader: self, left })
    }

    fn deserialize_tuple<V: Visitor<'b>>(self, left: usize, visitor: V) -> Done<V::Value> {
        visitor.visit_seq(Items { reader: self, left })
    }

    fn deserialize_tuple_struct<V: Visitor<'b>>(self, _: &'static str, left: usize, visitor: V) -> Done<V::Value> {
        visitor.visit_seq(Items { reader: self, left })
    }

    fn deserialize_map<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        let left = self.length()?;
        visitor.visit_map(Items { reader: self, left })
    }

    fn deserialize_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Done<V::Value> {
        visitor.visit_seq(Items { reader: self, left: fields.len() })
    }

    fn deserialize_enum<V: Visitor<'b>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Done<V::Value> {
        visitor.visit_enum(self)
    }

    fn deserialize_identifier<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        self.deserialize_u32(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'b>>(self, visitor: V) -> Done<V::Value> {
        self.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Items of a list or a map.
struct Items<'r, 'b> {
    reader: &'r mut Reader<'b>,
    left: usize,
}

impl<'b> SeqAccess<'b> for Items<'_, 'b> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'b>>(&mut self, seed: T) -> Done<Option<T::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'b> MapAccess<'b> for Items<'_, 'b> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'b>>(&mut self, seed: K) -> Done<Option<K::Value>> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'b>>(&mut self, seed: V) -> Done<V::Value> {
        seed.deserialize(&mut *self.reader)
    }
}

impl<'b> EnumAccess<'b> for &mut Reader<'b> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'b>>(self, seed: V) -> Done<(V::Value, Self)> {
        let index = u32::try_from(self.unsigned()?).map_err(range)?;
        let value = seed.deserialize::<serde::de::value::U32Deserializer<Failure>>(index.into_deserializer())?;
        Ok((value, self))
    }
}

impl<'b> VariantAccess<'b> for &mut Reader<'b> {
    type Error = Failure;

    fn unit_variant(self) -> Done<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'b>>(self, seed: T) -> Done<T::Value> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'b>>(self, length: usize, visitor: V) -> Done<V::Value> {
        self.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'b>>(self, fields: &'static [&'static str], visitor: V) -> Done<V::Value> {
        self.deserialize_tuple(fields.len(), visitor)
    }
}

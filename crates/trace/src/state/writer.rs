//! Values → bytes.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::fmt;

/// Why a value cannot be encoded or decoded.
#[derive(Debug)]
pub(super) struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl serde::ser::Error for Failure {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self(reason.to_string())
    }
}

impl serde::de::Error for Failure {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self(reason.to_string())
    }
}

type Done<T = ()> = Result<T, Failure>;

/// Appends values to bytes.
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends seven bits per byte, the lowest first; the highest bit says that more follow.
    fn unsigned(&mut self, mut value: u128) -> Done {
        while value > 0x7f {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
        Ok(())
    }

    /// Appends small absolute values in few bytes.
    fn signed(&mut self, value: i128) -> Done {
        self.unsigned(((value << 1) ^ (value >> 127)) as u128)
    }

    fn length(&mut self, length: Option<usize>) -> Done {
        let length = length.ok_or_else(|| Failure::custom("a list of unknown length has no encoding"))?;
        self.unsigned(length as u128)
    }
}

macro_rules! integers {
    ($($method:ident $kind:ty: $write:ident as $wide:ty),* $(,)?) => {
        $(fn $method(self, value: $kind) -> Done {
            self.$write(value as $wide)
        })*
    };
}

impl<'w> Serializer for &'w mut Writer {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = &'w mut Writer;
    type SerializeTuple = &'w mut Writer;
    type SerializeTupleStruct = &'w mut Writer;
    type SerializeTupleVariant = &'w mut Writer;
    type SerializeMap = &'w mut Writer;
    type SerializeStruct = &'w mut Writer;
    type SerializeStructVariant = &'w mut Writer;

    integers!(
        serialize_i8 i8: signed as i128,
        serialize_i16 i16: signed as i128,
        serialize_i32 i32: signed as i128,
        serialize_i64 i64: signed as i128,
        serialize_i128 i128: signed as i128,
        serialize_u8 u8: unsigned as u128,
        serialize_u16 u16: unsigned as u128,
        serialize_u32 u32: unsigned as u128,
        serialize_u64 u64: unsigned as u128,
        serialize_u128 u128: unsigned as u128,
        serialize_bool bool: unsigned as u128,
        serialize_char char: unsigned as u128,
    );

    fn serialize_f32(self, value: f32) -> Done {
        self.bytes.extend(value.to_bits().to_le_bytes());
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Done {
        self.bytes.extend(value.to_bits().to_le_bytes());
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Done {
        self.serialize_bytes(text.as_bytes())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Done {
        self.length(Some(bytes.len()))?;
        self.bytes.extend(bytes);
        Ok(())
    }

    fn serialize_none(self) -> Done {
        self.unsigned(0)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        self.unsigned(1)?;
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Done {
        self.unsigned(u128::from(index))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Done {
        self.unsigned(u128::from(index))?;
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Done<Self> {
        self.length(length)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Done<Self> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Done<Self> {
        Ok(self)
    }

    fn serialize_tuple_variant(self, _: &'static str, index: u32, _: &'static str, _: usize) -> Done<Self> {
        self.unsigned(u128::from(index))?;
        Ok(self)
    }

    fn serialize_map(self, length: Option<usize>) -> Done<Self> {
        self.length(length)?;
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Done<Self> {
        Ok(self)
    }

    fn serialize_struct_variant(self, _: &'static str, index: u32, _: &'static str, _: usize) -> Done<Self> {
        self.unsigned(u128::from(index))?;
        Ok(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Parts of a value follow each other.
macro_rules! parts {
    ($($kind:ident: $($method:ident($($key:ty)?)),+;)*) => {
        $(impl $kind for &mut Writer {
            type Ok = ();
            type Error = Failure;
            $(fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Done {
                value.serialize(&mut **self)
            })+
            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

parts!(
    SerializeSeq: serialize_element();
    SerializeTuple: serialize_element();
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeMap: serialize_key(), serialize_value();
    SerializeStruct: serialize_field(&'static str);
    SerializeStructVariant: serialize_field(&'static str);
);

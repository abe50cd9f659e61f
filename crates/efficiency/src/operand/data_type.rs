//! Types of elements: their size, and the peak that bounds work on them.

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DataType {
    /// Float of 64 bits.
    F64,
    /// Float of 32 bits.
    F32,
    /// Float of 16 bits, IEEE.
    F16,
    /// Float of 16 bits with the exponent of 32.
    Bf16,
    /// Float of 8 bits: `e4m3` or `e5m2`, also the scales `e8m0`.
    F8,
    /// Two floats of 4 bits in one recorded element.
    F4Pair,
    /// Integer of 64 bits.
    I64,
    /// Integer of 32 bits.
    I32,
    /// Integer of 16 bits.
    I16,
    /// Integer of 8 bits, with or without sign.
    I8,
    /// Truth value, one byte.
    Bool,
    /// Complex number of two floats of 16 bits.
    C32,
    /// Complex number of two floats of 32 bits.
    C64,
    /// Complex number of two floats of 64 bits.
    C128,
}

/// The row of a device's peaks that bounds a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PeakClass {
    /// Floats of 64 bits.
    Fp64,
    /// Floats of 32 bits, and all work that matrix units do not do: element by element, reductions, norms.
    Fp32,
    /// Products of floats of 32 bits on matrix units that round them to 19 bits. Traces do not say whether it is on.
    Tf32,
    /// Products of IEEE floats of 16 bits.
    Fp16,
    /// Products of floats of 16 bits with the exponent of 32.
    Bf16,
    /// Products of floats of 8 bits.
    Fp8,
    /// Products of floats of 4 bits.
    Fp4,
    /// Products of integers of 8 bits.
    Int8,
}

impl PeakClass {
    /// All classes, in the order of columns.
    pub const ALL: [Self; 8] =
        [Self::Fp64, Self::Fp32, Self::Tf32, Self::Fp16, Self::Bf16, Self::Fp8, Self::Fp4, Self::Int8];

    /// Returns the word for the class in data files, overrides and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Fp4 => "fp4",
            Self::Int8 => "int8",
        }
    }

    /// Returns the class of a word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }
}

impl DataType {
    /// Reads the name of a type: C++ (`c10::BFloat16`, `long int`), torch (`BFloat16`, `torch.bfloat16`) or NCCL (`Float`).
    pub fn named(name: &str) -> Option<Self> {
        let plain = ["c10::", "torch.", "at::"].iter().find_map(|front| name.strip_prefix(front));
        let plain = plain.unwrap_or(name);
        if plain.starts_with("Float8_") || plain.starts_with("float8_") {
            return Some(Self::F8);
        }
        if plain.starts_with("Float4_") || plain.starts_with("float4_") {
            return Some(Self::F4Pair);
        }
        Some(match plain {
            "double" | "Double" | "float64" => Self::F64,
            "float" | "Float" | "float32" => Self::F32,
            "Half" | "half" | "float16" => Self::F16,
            "BFloat16" | "bfloat16" => Self::Bf16,
            "long" | "long int" | "long long" | "Long" | "int64" | "int64_t" | "unsigned long" | "UInt64"
            | "uint64" => Self::I64,
            "int" | "Int" | "int32" | "unsigned int" | "UInt32" | "uint32" | "QInt32" | "qint32" => Self::I32,
            "short" | "short int" | "Short" | "int16" | "unsigned short" | "UInt16" | "uint16" => Self::I16,
            "signed char" | "char" | "unsigned char" | "Char" | "Byte" | "int8" | "uint8" | "QInt8" | "QUInt8"
            | "qint8" | "quint8" => Self::I8,
            "bool" | "Bool" => Self::Bool,
            "complex<c10::Half>" | "ComplexHalf" | "complex32" => Self::C32,
            "complex<float>" | "ComplexFloat" | "complex64" => Self::C64,
            "complex<double>" | "ComplexDouble" | "complex128" => Self::C128,
            _ => return None,
        })
    }

    /// Reads torch's number of a type, as operators take it for `dtype`: 15 is `bfloat16`.
    pub fn numbered(number: i64) -> Option<Self> {
        Some(match number {
            0 | 1 | 12 | 13 => Self::I8,
            2 | 27 => Self::I16,
            3 | 14 | 28 => Self::I32,
            4 | 29 => Self::I64,
            5 => Self::F16,
            6 => Self::F32,
            7 => Self::F64,
            8 => Self::C32,
            9 => Self::C64,
            10 => Self::C128,
            11 => Self::Bool,
            15 => Self::Bf16,
            23..=26 | 44 => Self::F8,
            45 => Self::F4Pair,
            _ => return None,
        })
    }

    /// Returns the bytes of one value; half a byte for floats of 4 bits.
    pub fn bytes(self) -> f64 {
        self.half_bytes() as f64 / self.values_per_element() as f64 / 2.0
    }

    /// Returns the half bytes of one recorded element.
    pub(crate) fn half_bytes(self) -> u128 {
        match self {
            Self::C128 => 32,
            Self::F64 | Self::I64 | Self::C64 => 16,
            Self::F32 | Self::I32 | Self::C32 => 8,
            Self::F16 | Self::Bf16 | Self::I16 => 4,
            Self::F8 | Self::I8 | Self::Bool | Self::F4Pair => 2,
        }
    }

    /// Returns the values in one recorded element: 2 for pairs of floats of 4 bits.
    pub fn values_per_element(self) -> u64 {
        if self == Self::F4Pair { 2 } else { 1 }
    }

    /// Returns the peak of matrix products of this type.
    pub fn matrix_peak(self) -> PeakClass {
        match self {
            Self::F64 | Self::C128 => PeakClass::Fp64,
            Self::F16 | Self::C32 => PeakClass::Fp16,
            Self::Bf16 => PeakClass::Bf16,
            Self::F8 => PeakClass::Fp8,
            Self::F4Pair => PeakClass::Fp4,
            Self::I8 => PeakClass::Int8,
            Self::F32 | Self::C64 | Self::I64 | Self::I32 | Self::I16 | Self::Bool => PeakClass::Fp32,
        }
    }

    /// Returns the peak of work without matrix units.
    pub fn vector_peak(self) -> PeakClass {
        if matches!(self, Self::F64 | Self::C128) { PeakClass::Fp64 } else { PeakClass::Fp32 }
    }

    /// Whether values are integers or truth values.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::I64 | Self::I32 | Self::I16 | Self::I8 | Self::Bool)
    }

    /// Returns the type of a result of two types, as torch promotes tensors with dimensions.
    pub(crate) fn promoted(self, other: Self) -> Self {
        let rank = |one: Self| match one {
            Self::Bool => 0,
            Self::I8 => 1,
            Self::I16 => 2,
            Self::I32 => 3,
            Self::I64 => 4,
            Self::F4Pair => 5,
            Self::F8 => 6,
            Self::F16 => 7,
            Self::Bf16 => 8,
            Self::F32 => 9,
            Self::F64 => 10,
            Self::C32 => 11,
            Self::C64 => 12,
            Self::C128 => 13,
        };
        match (self, other) {
            (Self::F16, Self::Bf16) | (Self::Bf16, Self::F16) => Self::F32,
            _ if rank(self) >= rank(other) => self,
            _ => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_torch_and_nccl_are_read() {
        for (name, expected) in [
            ("c10::BFloat16", DataType::Bf16),
            ("c10::Half", DataType::F16),
            ("float", DataType::F32),
            ("long int", DataType::I64),
            ("unsigned char", DataType::I8),
            ("c10::Float8_e4m3fn", DataType::F8),
            ("c10::Float4_e2m1fn_x2", DataType::F4Pair),
            ("c10::complex<float>", DataType::C64),
            ("BFloat16", DataType::Bf16),
            ("Byte", DataType::I8),
        ] {
            assert_eq!(DataType::named(name), Some(expected), "{name}");
        }
        for name in ["", "Scalar", "ScalarList", "TensorList", "Device", "c10::"] {
            assert_eq!(DataType::named(name), None, "{name}");
        }
    }

    #[test]
    fn four_bits_take_half_a_byte() {
        assert_eq!(DataType::F4Pair.bytes(), 0.5);
        assert_eq!(
            [DataType::F8, DataType::Bf16, DataType::F32, DataType::F64].map(DataType::bytes),
            [1.0, 2.0, 4.0, 8.0]
        );
        assert_eq!(DataType::F4Pair.matrix_peak(), PeakClass::Fp4);
    }

    #[test]
    fn halves_of_two_kinds_promote_to_32_bits() {
        assert_eq!(DataType::F16.promoted(DataType::Bf16), DataType::F32);
        assert_eq!(DataType::I64.promoted(DataType::F16), DataType::F16);
        assert_eq!(DataType::Bool.promoted(DataType::I8), DataType::I8);
    }
}

//! A call of an operator, its work, and the reasons why there is none.

use super::sums::Sums;
use crate::operand::data_type::{DataType, PeakClass};
use crate::operand::operands::Operands;
use crate::operand::tensor::{Tensor, half_bytes, sum};
use std::fmt;

/// One call of an operator.
#[derive(Debug, Clone, Copy)]
pub struct Call<'c> {
    /// The recorded name: `aten::mm`.
    pub name: &'c str,
    /// The recorded inputs.
    pub operands: &'c Operands,
    /// The type of the result and of lists of tensors, where the caller knows it: neither is recorded.
    pub out_type: Option<DataType>,
    /// Queries and keys of each sequence, where the caller knows them: attention over packed sequences records their sum only.
    pub lengths: &'c [[u64; 2]],
    /// Sums over the requests of a batch, which servers write into annotations.
    pub sums: Option<Sums>,
}

impl<'c> Call<'c> {
    /// Describes a call of which nothing is known but what was recorded.
    pub fn new(name: &'c str, operands: &'c Operands) -> Self {
        Self { name, operands, out_type: None, lengths: &[], sums: None }
    }

    /// The tensor at an argument, or why there is none.
    pub(crate) fn tensor(&self, at: usize) -> Result<Tensor<'c>, NoModel> {
        if self.operands.is_empty() {
            return Err(NoModel::NoShapes);
        }
        self.operands.tensor(at).ok_or(NoModel::NoTensor { argument: at })
    }

    /// The type of the result: what the caller knows, or this.
    pub(crate) fn out(&self, otherwise: DataType) -> DataType {
        self.out_type.unwrap_or(otherwise)
    }

    /// The whole numbers at an argument, or why there are none.
    pub(crate) fn ints(&self, at: usize) -> Result<Vec<i64>, NoModel> {
        self.operands.ints(at).ok_or(NoModel::NoValue { argument: at })
    }

    /// The half bytes of a tensor that may be absent.
    pub(crate) fn optional(&self, at: usize) -> u128 {
        self.operands.tensor(at).map_or(0, |tensor| tensor.half_bytes())
    }
}

/// What operators of a kind share: their formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Products of matrices.
    Matmul,
    /// Products of matrices by group, and mixtures of experts.
    Grouped,
    /// Convolutions.
    Convolution,
    /// Attention.
    Attention,
    /// Norms.
    Norm,
    /// Element by element.
    Elementwise,
    /// Reductions.
    Reduction,
    /// Softmax and losses.
    Loss,
    /// Copies, fills, embeddings and indexing.
    Movement,
    /// Optimizers.
    Optimizer,
    /// Kernels that torch.compile fused.
    Fused,
}

impl Family {
    /// Returns the word for the family in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Matmul => "matrix product",
            Self::Grouped => "grouped product",
            Self::Convolution => "convolution",
            Self::Attention => "attention",
            Self::Norm => "norm",
            Self::Elementwise => "elementwise",
            Self::Reduction => "reduction",
            Self::Loss => "softmax and loss",
            Self::Movement => "movement",
            Self::Optimizer => "optimizer",
            Self::Fused => "fused",
        }
    }
}

/// Remarks that belong to a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Note {
    /// Causal: query i of N sees keys up to i.
    CausalTopLeft,
    /// Causal: the last query sees all keys.
    CausalEnd,
    /// Lengths of packed sequences are not recorded: counted as if all were as long as the longest.
    LengthsUnknown,
    /// A window of unknown width is counted as if there were none.
    WindowUnknown,
    /// Types of tensors in lists are not recorded: counted as 4 bytes an element.
    ListTypeUnknown,
    /// All experts are counted that tokens can reach, which fewer do if tokens share experts.
    ExpertsExpected,
    /// Each fused operator is counted once, from the name of the kernel.
    FusedName,
    /// Sizes of loops are not recorded: taken from the largest tensor.
    SizeUnknown,
}

impl Note {
    /// Returns the remark as a sentence for tables.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::CausalTopLeft => "causal, aligned at the first query and key",
            Self::CausalEnd => "causal, aligned at the last query and key",
            Self::LengthsUnknown => "upper bound: lengths of packed sequences are not recorded",
            Self::WindowUnknown => "upper bound: the window of attention is not recorded",
            Self::ListTypeUnknown => "upper bound: types of tensors in lists are not recorded, 4 bytes assumed",
            Self::ExpertsExpected => "weights of the expected number of experts, as if tokens chose evenly",
            Self::FusedName => "operators taken from the name of the kernel, each counted once",
            Self::SizeUnknown => "upper bound: sizes of loops are not recorded",
        }
    }
}

/// The work of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// Operations on numbers; a multiplication and an addition are two.
    pub flops: u128,
    /// Bytes that must at least be moved between memory and the chip.
    pub bytes: u128,
    /// The peak that bounds the operations.
    pub peak: PeakClass,
    /// The kind of operator.
    pub family: Family,
    /// Whether flops or bytes are an upper bound instead of a count.
    pub is_bound: bool,
    /// A remark that belongs to the count.
    pub note: Option<Note>,
}

impl Work {
    /// Makes work of flops and half bytes.
    pub(crate) fn of(family: Family, peak: PeakClass, flops: u128, half_bytes: &[u128]) -> Self {
        Self { flops, bytes: sum(half_bytes).div_ceil(2), peak, family, is_bound: false, note: None }
    }

    /// Adds a remark, unless there is one.
    pub(crate) fn noted(self, note: Option<Note>) -> Self {
        Self { note: self.note.or(note), ..self }
    }

    /// Marks the count as an upper bound, with the reason.
    pub(crate) fn bound(self, reason: Note) -> Self {
        Self { is_bound: true, note: Some(reason), ..self }
    }
}

/// The half bytes of a result of so many elements.
pub(crate) fn result(elements: u128, element: DataType) -> u128 {
    half_bytes(elements, element)
}

/// Reasons why a call has no count of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoModel {
    /// No model has this name.
    UnknownName,
    /// The operators that it calls do the work: count those.
    Composite,
    /// Shapes were not recorded.
    NoShapes,
    /// An argument is no tensor, or its type was not recorded.
    NoTensor {
        /// Its position, from 0.
        argument: usize,
    },
    /// The value of an argument was not recorded.
    NoValue {
        /// Its position, from 0.
        argument: usize,
    },
    /// Shapes contradict each other.
    Mismatch,
    /// Served attention needs the sums of its batch.
    NoSums,
}

impl fmt::Display for NoModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName => write!(f, "no model has this name"),
            Self::Composite => write!(f, "the operators that it calls do the work"),
            Self::NoShapes => write!(f, "no shapes: record with record_shapes=True"),
            Self::NoTensor { argument } => write!(f, "invalid argument {argument}: expected a tensor with its type"),
            Self::NoValue { argument } => {
                write!(f, "no value of argument {argument}: record with record_shapes=True and a newer torch")
            }
            Self::Mismatch => write!(f, "invalid shapes: expected shapes that fit each other"),
            Self::NoSums => write!(f, "no sums of the batch: record with the detailed annotations of the server"),
        }
    }
}

impl std::error::Error for NoModel {}

//! Annotations around captures of graphs.

use super::notation::number;

/// A graph that a server captured, as the annotation around the capture describes it: `capture_32_FULL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CapturedGraph<'t> {
    /// Number of requests or tokens for which it was captured.
    pub size: u64,
    /// Kind, as the server calls it: `FULL`, `PIECEWISE`, `DECODE`.
    pub kind: &'t str,
}

impl<'t> CapturedGraph<'t> {
    /// Reads the name of an annotation; `None` if it is not that of a capture.
    pub fn of_annotation(name: &'t str) -> Option<Self> {
        let (size, rest) = number(name.strip_prefix("capture_")?)?;
        let kind = rest.strip_prefix('_')?;
        let is_word = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_';
        (!kind.is_empty() && kind.bytes().all(is_word)).then_some(Self { size, kind })
    }

    /// Tells whether steps that only generate may run it.
    pub fn runs_decode(self) -> bool {
        !["PREFILL", "MIXED"].iter().any(|word| self.kind.to_ascii_uppercase().contains(word))
    }

    /// Tells whether steps that read prompts may run it.
    pub fn runs_prefill(self) -> bool {
        !self.kind.to_ascii_uppercase().contains("DECODE")
    }
}

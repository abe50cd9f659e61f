//! The device of a name that a trace contains.

use super::peaks::{Peaks, Row, rows};
use std::fmt;

/// Why a device has no peaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPeaks {
    /// No name was recorded.
    NoName,
    /// Nothing is known of a device with this name.
    Unknown {
        /// The name.
        name: String,
        /// Devices with similar names, by id.
        similar: Vec<String>,
    },
    /// Several variants have this name and memory.
    Ambiguous {
        /// The name.
        name: String,
        /// The variants, by id.
        variants: Vec<String>,
    },
}

impl fmt::Display for NoPeaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => {
                write!(f, "the trace does not name its device: choose one, or write its peaks: bf16=900,bandwidth=3000")
            }
            Self::Unknown { name, similar } if similar.is_empty() => {
                write!(f, "no peaks of `{name}`: write them as bf16=900,bandwidth=3000")
            }
            Self::Unknown { name, similar } => write!(
                f,
                "no peaks of `{name}`: choose {}, or write them as bf16=900,bandwidth=3000",
                similar.join(" or ")
            ),
            Self::Ambiguous { name, variants } => {
                write!(f, "`{name}` has several variants: choose {}", variants.join(" or "))
            }
        }
    }
}

impl std::error::Error for NoPeaks {}

/// A name without case and punctuation, so that `NVIDIA A100-SXM4-80GB` and `nvidia a100 sxm4 80gb` are equal.
fn plain(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.take(32).map(str::to_ascii_lowercase).collect()
}

/// Whether a memory in bytes is that of a product: devices report somewhat less, in binary units.
fn has_memory(row: &Row, bytes: u64) -> bool {
    let ratio = bytes as f64 / (row.memory_gb * (1u64 << 30) as f64);
    (0.93..=1.03).contains(&ratio)
}

/// Returns the peaks of a device by its id: `h100-sxm`.
pub fn peaks_by_id(id: &str) -> Option<&'static Peaks> {
    rows().iter().map(|row| &row.peaks).find(|peaks| peaks.id.eq_ignore_ascii_case(id))
}

/// Finds the peaks of a device by the name that a trace has of it, an id, or else its family and the bytes of its memory.
pub fn peaks_of(name: &str, memory: Option<u64>) -> Result<&'static Peaks, NoPeaks> {
    let words = plain(name);
    if words.is_empty() {
        return Err(NoPeaks::NoName);
    }
    if let Some(peaks) = peaks_by_id(name.trim()) {
        return Ok(peaks);
    }
    if let Some(row) = rows().iter().find(|row| row.names.iter().any(|known| plain(known) == words)) {
        return Ok(&row.peaks);
    }
    let name = name.to_owned();
    let family: Vec<&Row> = rows().iter().filter(|row| words.contains(&row.family.to_ascii_lowercase())).collect();
    let fitting: Vec<&Row> =
        family.iter().copied().filter(|row| memory.is_none_or(|bytes| has_memory(row, bytes))).collect();
    match fitting[..] {
        [row] => Ok(&row.peaks),
        [] => {
            let mut similar: Vec<String> = family.iter().map(|row| row.peaks.id.clone()).collect();
            if similar.is_empty() {
                similar = close_ids(&words);
            }
            Err(NoPeaks::Unknown { name, similar })
        }
        _ => Err(NoPeaks::Ambiguous { name, variants: fitting.iter().map(|row| row.peaks.id.clone()).collect() }),
    }
}

/// Ids of devices whose family begins as a word of the name does: `H100` and `H200` for `H150`.
fn close_ids(words: &[String]) -> Vec<String> {
    let front = |text: &str| text.get(..2).map(str::to_owned);
    let fronts: Vec<String> = words
        .iter()
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .filter_map(|word| front(word))
        .collect();
    let is_close = |row: &&Row| front(&row.family.to_ascii_lowercase()).is_some_and(|own| fronts.contains(&own));
    rows().iter().filter(is_close).map(|row| row.peaks.id.clone()).take(6).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str, memory: Option<u64>) -> String {
        peaks_of(name, memory).unwrap().id.clone()
    }

    #[test]
    fn names_of_torch_find_their_variant() {
        for (name, expected) in [
            ("NVIDIA H100 80GB HBM3", "h100-sxm"),
            ("NVIDIA H100 PCIe", "h100-pcie"),
            ("NVIDIA H100 NVL", "h100-nvl"),
            ("NVIDIA A100-SXM4-80GB", "a100-sxm-80"),
            ("NVIDIA A100-SXM4-40GB", "a100-sxm-40"),
            ("NVIDIA A100 80GB PCIe", "a100-pcie-80"),
            ("NVIDIA H200", "h200-sxm"),
            ("NVIDIA B200", "b200"),
            ("NVIDIA L4", "l4"),
            ("NVIDIA L40S", "l40s"),
            ("Tesla V100-SXM2-32GB", "v100-sxm2-32"),
            ("AMD Instinct MI300X", "mi300x"),
            ("AMD Instinct MI300X VF", "mi300x"),
            ("h100-nvl", "h100-nvl"),
        ] {
            assert_eq!(id(name, None), expected, "{name}");
        }
    }

    #[test]
    fn memory_decides_between_variants_of_a_name() {
        assert_eq!(id("NVIDIA H100", Some(99_857_989_632)), "h100-nvl");
        let several = peaks_of("NVIDIA H100", Some(85_018_279_936)).unwrap_err();
        let variants = vec!["h100-sxm".to_owned(), "h100-pcie".to_owned()];
        assert_eq!(several, NoPeaks::Ambiguous { name: "NVIDIA H100".to_owned(), variants });
        assert_eq!(several.to_string(), "`NVIDIA H100` has several variants: choose h100-sxm or h100-pcie");
    }

    #[test]
    fn unknown_devices_have_suggestions() {
        let unknown = peaks_of("NVIDIA H150", None).unwrap_err();
        assert!(unknown.to_string().contains("choose h100-sxm or h100-pcie"), "{unknown}");
        let unknown = peaks_of("AMD Radeon Graphics", Some(68_702_699_520)).unwrap_err();
        assert_eq!(unknown, NoPeaks::Unknown { name: "AMD Radeon Graphics".to_owned(), similar: Vec::new() });
        assert_eq!(peaks_of(" ", None), Err(NoPeaks::NoName));
    }

    #[test]
    fn all_names_find_their_own_row() {
        for row in rows() {
            assert!(std::ptr::eq(peaks_of(&row.peaks.id, None).unwrap(), &row.peaks));
            for name in &row.names {
                assert!(std::ptr::eq(peaks_of(name, None).unwrap(), &row.peaks), "{name}");
            }
        }
    }
}

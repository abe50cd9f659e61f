//! Peaks that a user writes: `bf16=900,bandwidth=3000`.

use super::peaks::{Figure, Peaks};
use crate::operand::data_type::PeakClass;
use std::fmt;

/// Why a text of peaks is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidPeaks {
    /// An entry has no number behind a name.
    Entry {
        /// The entry.
        entry: String,
    },
    /// A name means nothing.
    Name {
        /// The name.
        name: String,
    },
    /// A number is not positive.
    Number {
        /// The name.
        name: String,
        /// What is behind it.
        number: String,
    },
    /// A name is written twice.
    Twice {
        /// The name.
        name: String,
    },
}

const NAMES: &str = "fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 (TFLOP/s), bandwidth, link (GB/s)";

impl fmt::Display for InvalidPeaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry { entry } => write!(f, "invalid peak `{entry}`: expected NAME=NUMBER, such as bf16=900"),
            Self::Name { name } => write!(f, "invalid peak `{name}`: expected one of {NAMES}"),
            Self::Number { name, number } => {
                write!(f, "invalid {name} `{number}`: expected a positive number, such as 900")
            }
            Self::Twice { name } => write!(f, "invalid peaks: expected `{name}` once"),
        }
    }
}

impl std::error::Error for InvalidPeaks {}

impl Peaks {
    /// Replaces numbers by those of a text: TFLOP/s by class, GB/s of memory (`bandwidth`) and links (`link`).
    pub fn overridden(&self, text: &str) -> Result<Self, InvalidPeaks> {
        let mut found = self.clone();
        let mut seen: Vec<String> = Vec::new();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (name, number) =
                entry.split_once('=').ok_or_else(|| InvalidPeaks::Entry { entry: entry.to_owned() })?;
            let (name, number) = (name.trim().to_ascii_lowercase(), number.trim());
            let class = PeakClass::named(&name);
            if class.is_none() && !matches!(name.as_str(), "bandwidth" | "link") {
                return Err(InvalidPeaks::Name { name });
            }
            let value = number.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
            let Some(value) = value else { return Err(InvalidPeaks::Number { name, number: number.to_owned() }) };
            if seen.contains(&name) {
                return Err(InvalidPeaks::Twice { name });
            }
            let figure = Figure { value, source: "set by the user".to_owned(), is_checked: false };
            match class {
                Some(class) => found.set(class, figure),
                None if name == "link" => found.link = Some(figure),
                None => found.bandwidth = Some(figure),
            }
            seen.push(name);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_user_replace_those_of_the_file() {
        let peaks = crate::peaks_by_id("mi300x").unwrap().overridden(" bf16=900, Bandwidth=3000,").unwrap();
        assert_eq!(peaks.peak(PeakClass::Bf16).unwrap().value, 900.0);
        assert_eq!(peaks.peak(PeakClass::Fp16).unwrap().value, 1307.4);
        assert_eq!(peaks.bandwidth.as_ref().unwrap().source, "set by the user");
        assert_eq!(peaks.reachable(PeakClass::Bf16), None);
        let own = Peaks::unknown("mine").overridden("fp8=1.5e3,link=50").unwrap();
        assert_eq!((own.peak(PeakClass::Fp8).unwrap().value, own.link.unwrap().value), (1500.0, 50.0));
    }

    #[test]
    fn broken_texts_say_what_is_expected() {
        let message = |text: &str| Peaks::unknown("").overridden(text).unwrap_err().to_string();
        assert_eq!(message("bf16"), "invalid peak `bf16`: expected NAME=NUMBER, such as bf16=900");
        assert!(message("bf17=1").starts_with("invalid peak `bf17`: expected one of fp64"));
        assert_eq!(message("bf16=-1"), "invalid bf16 `-1`: expected a positive number, such as 900");
        assert!(message("bf16=nan").contains("expected a positive number"));
        assert_eq!(message("bf16=1,bf16=2"), "invalid peaks: expected `bf16` once");
    }
}

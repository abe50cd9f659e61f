//! Limits of a gate: how much the step, a class or the regions of a name may grow.

use std::fmt::{Display, Formatter};

/// Classes that a limit may name, in the order of the tables.
pub const LIMITED_CLASSES: [&str; 5] = ["compute", "exposed_communication", "exposed_copy", "idle", "host"];

/// The largest growth that passes.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// What may grow.
    pub of: Limited,
    /// By how much at most, as a share of control: 0.03 for 3 %.
    pub share: f64,
}

/// What a limit is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limited {
    /// The step.
    Step,
    /// A class of the step, one of [`LIMITED_CLASSES`].
    Class(&'static str),
    /// All regions with a call or kernel of this name, added up; `*` stands for any text.
    Name(String),
}

impl Limit {
    /// The limit of a gate without any other: 3 % of the step.
    pub const DEFAULT: Limit = Limit { of: Limited::Step, share: 0.03 };

    /// Parses `3%` or `step=3%`, `class:idle=10%`, `aten::linear=5%`.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn parse(text: &str) -> Result<Limit, String> {
        const FORM: &str = "a percentage such as 3%, class:idle=10% or aten::linear=5%";
        // Names of kernels may contain `=`.
        let (of, share) = match text.rsplit_once('=') {
            Some((of, share)) => (of.trim(), share),
            None => ("step", text),
        };
        let number = share.trim();
        let number = number.strip_suffix('%').unwrap_or(number).trim_end();
        let is_number = number.chars().all(|c| c.is_ascii_digit() || c == '.');
        let Some(share) = number.parse::<f64>().ok().filter(|share| is_number && share.is_finite()) else {
            return Err(FORM.to_owned());
        };
        let of = match of.strip_prefix("class:") {
            _ if of.is_empty() => return Err(FORM.to_owned()),
            None if of == "step" => Limited::Step,
            None => Limited::Name(of.to_owned()),
            Some(class) => {
                let typed = class.trim().replace([' ', '-'], "_");
                match LIMITED_CLASSES.into_iter().find(|known| *known == typed) {
                    Some(class) => Limited::Class(class),
                    None => return Err(format!("a class: {}", LIMITED_CLASSES.join(", "))),
                }
            }
        };
        Ok(Limit { of, share: share / 100.0 })
    }
}

impl Display for Limited {
    /// `step`, `class:idle`, `aten::linear`.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Limited::Step => write!(f, "step"),
            Limited::Class(class) => write!(f, "class:{class}"),
            Limited::Name(name) => write!(f, "{name}"),
        }
    }
}

impl Display for Limit {
    /// `step=3%`, as [`Limit::parse`] reads it.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        // Rounded, since 0.07 × 100 is 7.000000000000001.
        write!(f, "{}={}%", self.of, (self.share * 1e10).round() / 1e8)
    }
}

/// Returns whether a name fits a pattern, in which `*` stands for any text.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn limits_are_parsed_and_printed_alike() {
        for (text, of, share, printed) in [
            ("3%", Limited::Step, 0.03, "step=3%"),
            (" 2.5 ", Limited::Step, 0.025, "step=2.5%"),
            ("step=0%", Limited::Step, 0.0, "step=0%"),
            ("7%", Limited::Step, 0.07, "step=7%"),
            ("class:idle=10%", Limited::Class("idle"), 0.1, "class:idle=10%"),
            ("class:exposed copy = 150 %", Limited::Class("exposed_copy"), 1.5, "class:exposed_copy=150%"),
            ("aten::linear=5%", Limited::Name("aten::linear".to_owned()), 0.05, "aten::linear=5%"),
            ("gemm<K=3>=5%", Limited::Name("gemm<K=3>".to_owned()), 0.05, "gemm<K=3>=5%"),
        ] {
            let limit = Limit::parse(text).unwrap();
            assert_eq!(limit.of, of, "{text}");
            assert!((limit.share - share).abs() < 1e-12, "{text}");
            assert_eq!(limit.to_string(), printed);
            assert_eq!(Limit::parse(printed).unwrap().of, of);
        }
        for text in ["", "x", "=3%", "aten::mm", "aten::mm=", "a=-3%", "3%%", "inf", "nan%", "1e3"] {
            assert!(Limit::parse(text).unwrap_err().contains("3%"), "{text}");
        }
        assert!(Limit::parse("class:idl=3%").unwrap_err().contains("exposed_copy, idle"));
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, name, expected) in [
            ("aten::mm", "aten::mm", true),
            ("aten::mm", "aten::mms", false),
            ("*", "", true),
            ("aten::*", "aten::mm", true),
            ("*mm", "aten::mm", true),
            ("*softmax*", "aten::_log_softmax_out", true),
            ("a*b*c", "a__b__c", true),
            ("a*b*c", "a__c__b", false),
            ("a*a", "a", false),
            ("é*", "élan", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}

//! Names of calls without what differs from call to call.

use crate::frame::StepName;
use foldhash::HashMap;
use regex::escape;

/// Names that are the same call: `execute_32_context_0(sq0)` and `execute_17_context_1(sq9)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Family {
    /// The name for people, with `…` for what differs.
    pub(super) name: String,
    /// The regular expression of its names.
    pub(super) pattern: String,
}

impl Family {
    /// Returns the family of an annotation: its name until the first bracket, whatever its numbers. Nothing for a step of the profiler,
    /// and for a name that begins with a bracket.
    pub(super) fn of_annotation(name: &str) -> Option<Self> {
        let begin = name.find(['(', '[', '{']).unwrap_or(name.len());
        let (words, rest) = name.split_at(begin);
        if StepName::is_step(name) || words.trim().is_empty() {
            return None;
        }
        let mut family = Self { name: String::new(), pattern: "^".to_owned() };
        family.push_numbers(words, |c| c.is_ascii_digit(), r"\d+");
        match rest.chars().next() {
            Some(bracket) => {
                if !family.name.ends_with('…') {
                    family.name.push('…');
                }
                family.pattern.push_str(&escape(&bracket.to_string()));
            }
            None => family.pattern.push('$'),
        }
        Some(family)
    }

    /// Returns the family of a frame of Python or of a module: its name, whatever its line and the addresses of objects.
    pub(super) fn of_frame(name: &str) -> Self {
        let mut family = Self { name: String::new(), pattern: "^".to_owned() };
        if let Some((path, rest)) = name.split_once(".py(")
            && let Some((line, function)) = rest.split_once(')')
            && line.bytes().all(|byte| byte.is_ascii_digit())
        {
            family.name = format!("{path}.py{function}");
            family.pattern = format!(r"^{}\.py\(\d+\){}$", escape(path), escape(function));
            return family;
        }
        let mut rest = name;
        while let Some(at) = rest.find("0x") {
            let (before, address) = rest.split_at(at + 2);
            let digits = address.len() - address.trim_start_matches(|c: char| c.is_ascii_hexdigit()).len();
            family.name.push_str(before);
            family.name.push('…');
            family.pattern.push_str(&escape(before));
            family.pattern.push_str("[0-9a-f]*");
            rest = &address[digits..];
        }
        family.name.push_str(rest);
        family.pattern.push_str(&escape(rest));
        family.pattern.push('$');
        family
    }

    fn push_numbers(&mut self, words: &str, is_digit: impl Fn(char) -> bool, pattern: &str) {
        let mut rest = words;
        while let Some(at) = rest.find(&is_digit) {
            let (before, number) = rest.split_at(at);
            self.name.push_str(before);
            self.name.push('…');
            self.pattern.push_str(&escape(before));
            self.pattern.push_str(pattern);
            rest = number.trim_start_matches(&is_digit);
        }
        self.name.push_str(rest);
        self.pattern.push_str(&escape(rest));
    }
}

/// Families by number.
#[derive(Debug, Default)]
pub(super) struct Families {
    numbers: HashMap<Family, u32>,
    all: Vec<Family>,
}

impl Families {
    /// Returns the number of a family.
    pub(super) fn number(&mut self, family: Family) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry(family).or_insert_with_key(|family| {
            self.all.push(family.clone());
            next
        })
    }

    /// Number of families.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the family of a number.
    pub(super) fn get(&self, number: u32) -> &Family {
        &self.all[number as usize]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use regex::Regex;

    #[test]
    fn names_that_are_one_call_are_one_family() {
        let frame = |name: &str| Some(Family::of_frame(name));
        for (family, names, other) in [
            (
                Family::of_annotation as fn(&str) -> Option<Family>,
                ["step[DECODE bs=64]", "step[EXTEND bs=2 toks=9]"],
                "steps",
            ),
            (
                Family::of_annotation,
                ["execute_32_context_0(sq0sk0)_generation_32(sq32)", "execute_7_context_1(sq9)_generation_0(sq0)"],
                "execute_context_2(6144)_generation_3(3)",
            ),
            (Family::of_annotation, ["iteration 1", "iteration 27"], "iteration 1 of 2"),
            (
                frame,
                ["gpu_worker.py(114): execute_model", "gpu_worker.py(97): execute_model"],
                "gpu_worker.py(9): load_model",
            ),
            (
                frame,
                ["<built-in method f of X object at 0x7f01>", "<built-in method f of X object at 0x8a>"],
                "<built-in method f>",
            ),
            (frame, ["nn.Module: Llama_0", "nn.Module: Llama_0"], "nn.Module: Llama_1"),
        ] {
            let [one, same] = names.map(|name| family(name).unwrap());
            assert_eq!(one, same);
            let pattern = Regex::new(&one.pattern).unwrap();
            assert!(names.iter().all(|name| pattern.is_match(name)), "{one:?}");
            assert!(!pattern.is_match(other) && family(other).unwrap() != one, "{one:?}");
        }
        assert_eq!(Family::of_annotation("ProfilerStep#3"), None);
        assert_eq!(Family::of_annotation("(1)"), None);
        assert_eq!(Family::of_frame("a.py(3): f").name, "a.py: f");
        assert_eq!(Family::of_annotation("iteration 1").unwrap().name, "iteration …");
    }
}

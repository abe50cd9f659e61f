//! Names of traces made readable: on one line, without control characters, elided in the middle.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::{Figure, Points};
use serde_json::Value;

/// Returns `text` on one line, without characters that control a terminal or reverse the direction of writing.
pub fn one_line(text: &str) -> String {
    let blank = |c| matches!(c, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}');
    text.chars()
        .map(|c| {
            if blank(c) {
                ' '
            } else if is_control(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// Tells whether `c` is a control character or one that reorders the text around it.
pub fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Puts every text of a JSON value on one line, without characters that control a terminal or reverse the direction of writing; keys stay.
pub fn one_line_texts(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(|c| is_control(c) || c == '\u{2028}' || c == '\u{2029}') => {
            *text = one_line(text);
        }
        Value::Array(items) => items.iter_mut().for_each(one_line_texts),
        Value::Object(members) => members.values_mut().for_each(one_line_texts),
        _ => {}
    }
}

/// Shortens `name` to at most `most` characters: `…` replaces the middle, since both ends of a kernel name identify it.
pub fn elide(name: &str, most: usize) -> String {
    elide_at(name, most, None)
}

/// Shortens `name` as [`elide`] does, but keeps the text around character `keep` if that would fall into the gap.
fn elide_at(name: &str, most: usize, keep: Option<usize>) -> String {
    let chars: Vec<char> = name.chars().collect();
    let room = most.max(3);
    if chars.len() <= room {
        return name.to_owned();
    }
    let text = |from: usize, to: usize| chars[from..to].iter().collect::<String>();
    match keep {
        Some(keep) if keep > room / 3 => {
            let head = room / 3;
            let tail = room - head - 1;
            let from = keep.saturating_sub(tail / 3).min(chars.len() - tail);
            if from + tail == chars.len() {
                return format!("{}…{}", text(0, head), text(from, chars.len()));
            }
            format!("{}…{}…", text(0, head), text(from, from + tail - 1))
        }
        _ => {
            let tail = (room - 1) / 2;
            let head = room - 1 - tail;
            format!("{}…{}", text(0, head), text(chars.len() - tail, chars.len()))
        }
    }
}

/// The most rounds of eliding names that look the same, each time at another of their differences.
const ROUNDS: usize = 6;

/// Shortens all `names`; different names stay different. Names that would look the same keep a part in which they differ, and if
/// that is not enough they get a number.
pub fn elide_apart(names: &[String], most: usize) -> Vec<String> {
    let distinct: Vec<&str> = names.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    let mut short: Vec<String> = distinct.iter().map(|name| elide(name, most)).collect();
    for _ in 0..ROUNDS {
        let groups = equal_groups(&short);
        if groups.is_empty() {
            break;
        }
        for group in groups {
            // The names are sorted: the first difference of all is that of two neighbours.
            let first =
                group.windows(2).filter_map(|pair| first_difference(distinct[pair[0]], distinct[pair[1]])).min();
            for index in group {
                short[index] = elide_at(distinct[index], most, first);
            }
        }
    }
    number(&mut short, most);
    let by_name: HashMap<&str, &String> = distinct.into_iter().zip(&short).collect();
    names.iter().map(|name| by_name[name.as_str()].clone()).collect()
}

/// Elides each name to its own length; names of equal length stay different, as by [`elide_apart`].
pub fn elide_within(names: &[String], most: &[usize]) -> Vec<String> {
    let mut texts = names.to_vec();
    let lengths: std::collections::BTreeSet<usize> = most.iter().copied().collect();
    for length in lengths {
        let rows: Vec<usize> =
            most.iter().enumerate().filter(|(_, most)| **most == length).map(|(row, _)| row).collect();
        let same: Vec<String> = rows.iter().filter_map(|&row| names.get(row)).cloned().collect();
        for (row, short) in rows.into_iter().zip(elide_apart(&same, length)) {
            texts[row] = short;
        }
    }
    texts
}

/// Returns the groups of equal texts, as indices.
fn equal_groups(texts: &[String]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, text) in texts.iter().enumerate() {
        groups.entry(text).or_default().push(index);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// Appends a number to texts that are still equal.
fn number(texts: &mut [String], most: usize) {
    for group in equal_groups(texts) {
        let taken: HashSet<String> = texts.iter().cloned().collect();
        let text = texts[group[0]].clone();
        let numbered = (2..).map(|number: usize| {
            let end = format!("·{number}");
            let room = most.max(3).saturating_sub(end.chars().count()).max(1);
            text.chars().take(room).chain(end.chars()).collect::<String>()
        });
        for (index, text) in group.into_iter().skip(1).zip(numbered.filter(|text| !taken.contains(text))) {
            texts[index] = text;
        }
    }
}

/// Returns the index of the first character in which two names differ.
fn first_difference(one: &str, other: &str) -> Option<usize> {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    (one != other).then_some(same)
}

/// Returns the names on the first axis: those of all series, without duplicates, in order of their first occurrence.
pub fn axis_names(figure: &Figure) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for series in &figure.series {
        if let Points::Names(at) = &series.x {
            names.extend(unique(at).into_iter().filter(|name| seen.insert(name.clone())));
        }
    }
    names
}

/// Returns each name on one line; a repeated name gets a number, so that its bars are not drawn over each other.
pub fn unique(names: &[String]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    names
        .iter()
        .map(|name| {
            let name = one_line(name);
            let times = seen.entry(name.clone()).and_modify(|times| *times += 1).or_insert(1);
            if *times == 1 { name } else { format!("{name} ({times})") }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(elide("aten::mm", 20), "aten::mm");
        assert_eq!(elide("abcdefghij", 7), "abc…hij");
        assert_eq!(elide("abcdefghij", 8), "abcd…hij");
        assert_eq!(elide("äöüßäöüßäöüß", 5), "äö…üß");
        assert_eq!(elide("abcdef", 0), "a…f");
    }

    #[test]
    fn names_elided_alike_show_their_difference() {
        let shared = "void at::native::vectorized_elementwise_kernel<4, at::native::";
        let names: Vec<String> = ["Add", "Mul"]
            .iter()
            .map(|f| format!("{shared}{f}Functor<float>, std::array<char*, 3ul> >(int)"))
            .collect();
        let short = elide_apart(&names, 34);
        assert_ne!(short[0], short[1]);
        assert!(short[0].contains("Add") && short[1].contains("Mul"), "{short:?}");
        assert!(short.iter().all(|text| text.chars().count() <= 34), "{short:?}");
    }

    #[test]
    fn three_names_with_two_differences_stay_distinct() {
        let start = "split_embedding_backward_codegen_rowwise";
        let names: Vec<String> =
            ["adagrad_unweighted_kernel_cta", "adagrad_unweighted_kernel_warp", "sgd_weighted_kernel_warp"]
                .iter()
                .map(|middle| format!("{start}_{middle}_per_row_1_and_a_tail_that_is_the_same_in_all_of_them"))
                .collect();
        let short = elide_apart(&names, 40);
        assert_eq!(short.iter().collect::<HashSet<_>>().len(), 3, "{short:?}");
        assert!(short[0].contains("cta") && short[1].contains("warp"), "{short:?}");
    }

    #[test]
    fn indistinguishable_elided_names_get_numbers() {
        // Each differs from the next in another character: no window of five characters shows all.
        let names: Vec<String> = (0..64_u32)
            .map(|bits| (0..6).map(|bit| format!("{}{}", "x".repeat(20), (bits >> bit) & 1)).collect())
            .collect();
        for most in [3, 6, 10, 24] {
            let short = elide_apart(&names, most);
            assert_eq!(short.iter().collect::<HashSet<_>>().len(), names.len(), "{most}: {short:?}");
        }
    }

    #[test]
    fn equal_names_stay_equal_and_short_names_complete() {
        let names = vec!["x".repeat(50), "x".repeat(50), "y".to_owned()];
        let short = elide_apart(&names, 10);
        assert_eq!(short[0], short[1]);
        assert_eq!(short[2], "y");
    }

    #[test]
    fn control_and_bidi_characters_are_neutralised() {
        assert_eq!(one_line("a\nb\tc\u{1b}[31m\u{202e}"), "a b c\u{fffd}[31m\u{fffd}");
    }
}

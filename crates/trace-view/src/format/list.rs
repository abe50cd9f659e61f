//! Lists of names and numbers as text, short enough for a message.

/// Items that a list writes out; of more it writes how many there are.
const MOST_ITEMS: usize = 20;

/// Joins `items` with commas: `a, b, c`; `a, b, … 30 in all` after twenty, `none` if it is empty.
pub fn list(items: &[String]) -> String {
    joined(items, items.len())
}

/// Joins `numbers` like [`list`]: `1, 2, 3`.
pub fn numbers(numbers: &[i64]) -> String {
    let texts: Vec<String> = numbers.iter().take(MOST_ITEMS + 1).map(i64::to_string).collect();
    joined(&texts, numbers.len())
}

/// Joins `numbers` like [`list`] and folds runs of three or more that ascend by one: `7, 20–22`, `1009–1014`.
pub fn ranges(numbers: &[i64]) -> String {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let folded: Vec<String> = runs
        .into_iter()
        .flat_map(|(first, last)| match last.saturating_sub(first) {
            0 => vec![first.to_string()],
            1 => vec![first.to_string(), last.to_string()],
            _ => vec![format!("{first}–{last}")],
        })
        .collect();
    joined(&folded, numbers.len())
}

/// Puts a noun before its numbers, in the plural unless there is exactly one: `rank 3`, `ranks 0, 1`; of more than twenty it
/// folds runs: `ranks 0–511`.
pub fn numbered(noun: &str, of: &[i64]) -> String {
    let text = if of.len() > MOST_ITEMS { ranges(of) } else { numbers(of) };
    format!("{noun}{} {text}", plural(of.len()))
}

/// Puts a count before its noun, in the plural unless it is one: `1 rank`, `1,284 events`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", super::grouped(count), plural(count))
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn joined(items: &[String], total: usize) -> String {
    match items {
        [] => "none".to_owned(),
        items if items.len() <= MOST_ITEMS => items.join(", "),
        items => format!("{}, … {total} in all", items[..MOST_ITEMS].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list(&["a".to_owned(), "b".to_owned()]), "a, b");
        assert_eq!(list(&[]), "none");
        let many: Vec<i64> = (0..30).map(|number| number * 2).collect();
        assert!(numbers(&many).ends_with("36, 38, … 30 in all"), "{}", numbers(&many));
    }

    #[test]
    fn runs_of_numbers_are_folded() {
        for (list, text) in [
            (&[7, 20, 21, 22][..], "7, 20–22"),
            (&[1009, 1010, 1011, 1012], "1009–1012"),
            (&[3, 4, 9, 10, 11], "3, 4, 9–11"),
            (&[3], "3"),
            (&[3, 2, 1], "3, 2, 1"),
            (&[], "none"),
        ] {
            assert_eq!(ranges(list), text);
        }
    }

    #[test]
    fn nouns_agree_with_their_number() {
        assert_eq!(numbered("rank", &[3]), "rank 3");
        assert_eq!(numbered("rank", &[0, 1]), "ranks 0, 1");
        assert_eq!(numbered("rank", &(0..512).collect::<Vec<_>>()), "ranks 0–511");
        assert_eq!(counted(1, "rank"), "1 rank");
        assert_eq!(counted(1_284, "event"), "1,284 events");
    }
}

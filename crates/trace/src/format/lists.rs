//! Lists of numbers and names as text, cut after twenty.

/// `rank 7`, `ranks 7, 8`
pub(crate) fn ranks_in_words(ranks: &[i64]) -> String {
    format!("rank{} {}", if ranks.len() == 1 { "" } else { "s" }, numbers(ranks))
}

/// `1, 2, 3`, cut after twenty.
pub(crate) fn numbers(values: &[i64]) -> String {
    let shown: Vec<String> = values.iter().take(20).map(i64::to_string).collect();
    listed(shown, values.len())
}

/// `a, b, c`, cut after twenty.
pub(crate) fn texts(values: &[String]) -> String {
    listed(values.iter().take(20).cloned().collect(), values.len())
}

fn listed(shown: Vec<String>, total: usize) -> String {
    if total == 0 {
        return "none".to_owned();
    }
    let more = if total > shown.len() { format!(", … {} in all", total) } else { String::new() };
    shown.join(", ") + &more
}

/// Ascending numbers with runs folded: `1009–1014`, `7, 20–22`.
pub(crate) fn ranges(values: &[i64]) -> String {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for &value in values {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(value) => *last = value,
            _ => runs.push((value, value)),
        }
    }
    if runs.len() == values.len() {
        return numbers(values);
    }
    let shown: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| match last.saturating_sub(first) {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first}–{last}"),
        })
        .collect();
    texts(&shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_numbers_are_folded() {
        assert_eq!(ranges(&[7, 20, 21, 22]), "7, 20–22");
        assert_eq!(ranges(&[1009, 1010, 1011, 1012]), "1009–1012");
        assert_eq!(ranges(&[3, 4, 9, 10, 11]), "3, 4, 9–11");
        assert_eq!(ranges(&[3]), "3");
    }
}

//! The nearest of some names to one that was mistyped.

/// Returns the name that is equal but for the case, else the one with the fewest different letters, if these are at most a third.
pub(super) fn near<'k>(typed: &str, names: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let typed = typed.to_lowercase();
    let most = (typed.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        // What is in the parentheses of a function does not count.
        let bare = name.split('(').next().unwrap_or(name).to_lowercase();
        let distance = distance(&typed, &bare, most);
        if distance.is_some_and(|distance| best.is_none_or(|(least, _)| distance < least)) {
            best = distance.map(|distance| (distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Returns how many letters are to be inserted, left out, replaced or exchanged with their neighbour; `None` for more than `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (at, x) in a.iter().enumerate() {
        let mut row = vec![at + 1];
        for (other, y) in b.iter().enumerate() {
            let replaced = last[other] + usize::from(x != y);
            let mut least = replaced.min(last[other + 1] + 1).min(row[other] + 1);
            if at > 0 && other > 0 && *x == b[other - 1] && a[at - 1] == *y {
                least = least.min(before[other - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_has_few_different_letters() {
        let names = ["events", "kernels", "end_ts", "gaps(stream)"];
        assert_eq!(near("evnets", names), Some("events"));
        assert_eq!(near("Kernels", names), Some("kernels"));
        assert_eq!(near("gap", names), Some("gaps(stream)"));
        assert_eq!(near("end", names), None);
        assert_eq!(near("operators", names), None);
        assert_eq!(near("", names), None);
        assert_eq!(near("é", ["e"]), Some("e"));
    }
}

//! Patterns of names, such as `control-*`.

/// Whether a text has a wildcard.
pub fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Whether a name matches a pattern: `*` is any text, `?` a character, `[a-c]` one of them, `[!a-c]` another one. Linear in both
/// for each `*`: of several only the last is tried again.
pub fn is_name_match(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut of_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while of_name < name.len() {
        match one(&pattern[at..], name[of_name]) {
            Some(length) => (at, of_name) = (at + length, of_name + 1),
            None if pattern.get(at) == Some(&'*') => {
                star = Some((at + 1, of_name));
                at += 1;
            }
            None => match star {
                Some((behind, from)) => {
                    star = Some((behind, from + 1));
                    (at, of_name) = (behind, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&c| c == '*')
}

/// Returns how long the first element of the pattern is, if it matches the character and is no `*`.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match *pattern.first()? {
        '*' => None,
        '?' => Some(1),
        '[' => match set(pattern) {
            Some((set, length)) => is_in(set, c).then_some(length),
            None => (c == '[').then_some(1),
        },
        plain => (plain == c).then_some(1),
    }
}

/// Returns the characters between the brackets at the start of the pattern, and the length of both.
fn set(pattern: &[char]) -> Option<(&[char], usize)> {
    let close = pattern.iter().skip(2).position(|&c| c == ']')? + 2;
    Some((&pattern[1..close], close + 1))
}

/// Whether a set such as `a-c`, `123` or `!0` contains the character.
fn is_in(set: &[char], c: char) -> bool {
    let (not, mut rest) = match set {
        ['!' | '^', rest @ ..] if !rest.is_empty() => (true, rest),
        rest => (false, rest),
    };
    let mut found = false;
    while let [first, behind @ ..] = rest {
        if let ['-', last, behind @ ..] = behind {
            found |= (*first..=*last).contains(&c);
            rest = behind;
        } else {
            found |= *first == c;
            rest = behind;
        }
    }
    found != not
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (pattern, name) in [
            ("*", "x"),
            ("*", ""),
            ("control-*", "control-1"),
            ("*-1", "a-1-1"),
            ("a?c", "aéc"),
            ("run[1-3]", "run2"),
            ("run[!1-3]", "run4"),
            ("[ab]*[cd]", "a-x-d"),
            ("**", "ab"),
            ("a[", "a["),
            ("[]]", "]"),
        ] {
            assert!(is_name_match(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("control-*", "test-1"), ("a?c", "ac"), ("run[1-3]", "run4"), ("a*b", "a"), ("", "a"), ("[!a]", "a")]
        {
            assert!(!is_name_match(pattern, name), "{pattern} {name}");
        }
        // It would take exponential time if each star was tried again.
        assert!(!is_name_match(&format!("{}b", "a*".repeat(40)), &"a".repeat(2000)));
    }
}

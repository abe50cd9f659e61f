//! Lines of help that fit the terminal.

/// The narrowest column of descriptions, in characters: a line with less room is broken at its indent.
const LEAST: usize = 24;

/// Breaks the lines of a text that are longer than `width` characters at blanks. What follows begins below the description of a flag, or
/// below the text of the line.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| broken(line, width)).collect();
    lines.join("\n")
}

fn broken(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let indent = indent(line, width);
    let mut found = String::new();
    let mut column = 0;
    for (at, word) in line.split_inclusive(' ').enumerate() {
        let length = word.trim_end().chars().count();
        if at > 0 && column > indent && column + length > width && length > 0 {
            found.truncate(found.trim_end().len());
            found.push('\n');
            found.push_str(&" ".repeat(indent));
            column = indent;
        }
        found.push_str(word);
        column += word.chars().count();
    }
    found
}

/// Returns the column in which a line goes on: that of its last part behind two or more blanks, if there is room.
fn indent(line: &str, width: usize) -> usize {
    let chars: Vec<char> = line.chars().collect();
    let begins = |at: &usize| *at > 1 && chars[*at] != ' ' && chars[at - 1] == ' ' && chars[at - 2] == ' ';
    let first = chars.iter().position(|c| *c != ' ').unwrap_or(0);
    let described = (0..chars.len()).find(|at| *at > first && begins(at)).unwrap_or(first);
    if described + LEAST <= width { described } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_go_on_below_themselves() {
        let text = "Usage: x\n\n  --top N   show this many rows of the table\n  --minimal-duration NUMBER\n            hide the rows below it";
        let expected = "Usage: x\n\n  --top N   show this many rows of the\n            table\n  --minimal-duration NUMBER\n            \
                        hide the rows below it";
        assert_eq!(wrapped(text, 38), expected);
        assert!(wrapped(text, 36).lines().all(|line| line.chars().count() <= 36));
        assert_eq!(wrapped(text, 80), text);
    }

    #[test]
    fn long_words_and_narrow_terminals_lose_nothing() {
        let text = "  --method mann-whitney|welch|permutation|brunner-munzel  the test that p and q come from";
        for width in [10, 40, 60] {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&wrapped(text, width)), words(text));
        }
    }
}

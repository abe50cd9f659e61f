//! The code that `%time` and `%timeit` take, and the flags before it.

use crate::magic::api::Magic;
use crate::magic::argument::Kind;

/// IPython's short flags.
const SHORT: &[(&str, &str)] = &[("-n", "--loops"), ("-r", "--repeat")];

/// Returns whether a magic takes code.
pub(super) fn takes_code(magic: &dyn Magic) -> bool {
    magic.arguments().iter().flat_map(|group| group.arguments).any(|argument| argument.kind == Kind::Code)
}

/// Splits flags, short ones spelled out, from the code, which begins at the first word that is not a flag.
pub(super) fn split_code<'cell>(magic: &dyn Magic, args: &'cell str) -> (String, &'cell str) {
    let flags = || magic.arguments().iter().flat_map(|group| group.arguments).filter(|argument| argument.is_flag());
    let mut head = String::new();
    let mut rest = args.trim_start();
    loop {
        let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let short = SHORT.iter().find(|(short, _)| {
            let value = word.strip_prefix(short);
            value.is_some_and(|value| value.chars().all(|c| c.is_ascii_digit()))
        });
        let long = match short {
            Some((short, long)) if word.len() > short.len() => format!("{long}={}", &word[short.len()..]),
            Some((_, long)) => (*long).to_owned(),
            None if word.starts_with("--") || word == "-h" => word.to_owned(),
            None => return (head, rest.trim_end()),
        };
        rest = after.trim_start();
        let name = long.trim_start_matches('-');
        head.push_str(&format!("{long} "));
        if flags().any(|flag| flag.answers_to(name) && flag.kind != Kind::Switch) {
            let (value, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            head.push_str(&format!("{value} "));
            rest = after.trim_start();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::magic::magics::find;

    #[test]
    fn split_code_separates_flags_from_code() {
        let split = |args: &'static str| split_code(find("timeit").unwrap(), args);
        assert_eq!(split("  f(1)  "), (String::new(), "f(1)"));
        assert_eq!(split("-n10 -r 3 f( \"a  b\" )"), ("--loops=10 --repeat 3 ".to_owned(), "f( \"a  b\" )"));
        assert_eq!(split("--loops 5 --repeat=2 -x"), ("--loops 5 --repeat=2 ".to_owned(), "-x"));
        assert_eq!(split("--help"), ("--help ".to_owned(), ""));
        assert_eq!(split("%show df --top 3"), (String::new(), "%show df --top 3"));
    }
}

//! The code that `%time`, `%timeit` and `%trace_sql` take, and the flags before it.

use kernel_magic::api::Magic;
use kernel_magic::argument::Kind;

/// Short flags of IPython and JupySQL.
const SHORT: &[(&str, &str)] = &[
    ("-n", "--loops"),
    ("-r", "--repeat"),
    ("-S", "--save"),
    ("-w", "--with"),
    ("-f", "--file"),
    ("-N", "--no-execute"),
];

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
        let (word, after) = rest.split_at(word_end(rest));
        let short = SHORT.iter().find(|(short, long)| {
            let is_known = flags().any(|flag| flag.answers_to(long.trim_start_matches('-')));
            let value = word.strip_prefix(short);
            is_known && value.is_some_and(|value| value.chars().all(|c| c.is_ascii_digit()))
        });
        let long = match short {
            Some((short, long)) if word.len() > short.len() => format!("{long}={}", &word[short.len()..]),
            Some((_, long)) => (*long).to_owned(),
            None if (word.starts_with("--") && word != "--") || word == "-h" => word.to_owned(),
            None => return (head, rest.trim_end()),
        };
        rest = after.trim_start();
        let name = long.trim_start_matches('-');
        head.push_str(&format!("{long} "));
        if flags().any(|flag| flag.answers_to(name) && flag.kind != Kind::Switch) {
            let (value, after) = rest.split_at(word_end(rest));
            head.push_str(&format!("{value} "));
            rest = after.trim_start();
        }
    }
}

/// Returns the end of the first word; blanks in quotes belong to it.
fn word_end(text: &str) -> usize {
    let mut quote = None;
    let ends = |(_, c): &(usize, char)| {
        match quote {
            Some(open) if *c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some(*c),
            None => return c.is_whitespace(),
        }
        false
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
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
        assert_eq!(split("--loops '5 6' -x"), ("--loops '5 6' ".to_owned(), "-x"));
        assert_eq!(split("--help"), ("--help ".to_owned(), ""));
        assert_eq!(split("%show df --top 3"), (String::new(), "%show df --top 3"));
    }
}

//! From the text of an argument to its value.

use super::argument::Kind;
use super::percentage::Percentage;
use super::suggest::did_you_mean;
use regex::Regex;
use std::collections::BTreeSet;
use trace::filter::Where;
use trace::{ALL_ARGS, ARG_GROUPS, AVAILABLE_ARGS, ParserConfig};

/// A value that an argument was given.
#[derive(Debug, Clone)]
pub enum Value {
    /// Text as it stands: names, paths, chosen words.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// Whole numbers, each once, in the order they were given.
    List(Vec<i64>),
    /// All numbers that there are.
    All,
    /// A share in percent, exactly as it was written.
    Percent(Percentage),
    /// Words that stood between commas.
    Words(Vec<String>),
    /// A regular expression.
    Regex(Regex),
    /// Arguments of events that are asked for.
    ParserArgs(ParserConfig),
    /// Which events count.
    Where(Where),
    /// A column, and whether `:asc` or `:desc` stood behind it.
    Sort(Sort),
    /// A switch.
    Switch(bool),
}

/// A column to sort by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// The column.
    pub column: String,
    /// `Some(true)` for `:desc`, `Some(false)` for `:asc`.
    pub descending: Option<bool>,
}

/// The most numbers that a list may have; `0-99999999999` is a slip.
const LONGEST_LIST: usize = 100_000;

/// Reads `text` as a value of this kind.
///
/// # Errors
/// What was expected and what was found.
pub(in crate::magic) fn read(kind: Kind, text: &str) -> Result<Value, String> {
    let expected = |what: &str| format!("expected {what}, got \"{text}\".");
    match kind {
        Kind::Trace
        | Kind::Variable
        | Kind::TraceOrVariable
        | Kind::Path
        | Kind::File
        | Kind::Target
        | Kind::Folder
        | Kind::Column
        | Kind::Code
        | Kind::Text
        | Kind::Operator
        | Kind::Name => {
            if text.trim().is_empty() {
                return Err(expected(what(kind)));
            }
            Ok(Value::Text(text.to_owned()))
        }
        Kind::Regex => Regex::new(text).map(Value::Regex).map_err(|error| {
            // The last line of the regex crate's message is the reason; the lines before draw the place.
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("expected a regular expression, got \"{text}\" ({reason}).")
        }),
        Kind::Whole => number(text).map(Value::Whole).ok_or_else(|| expected(what(kind))),
        Kind::Number => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(number)),
            _ => Err(expected(what(kind))),
        },
        Kind::Percent => Percentage::read(text).map(Value::Percent).ok_or_else(|| expected(what(kind))),
        Kind::List(_) if text.trim().eq_ignore_ascii_case("all") => Ok(Value::All),
        Kind::List(_) => list(text).map(Value::List).ok_or_else(|| expected(what(kind))),
        Kind::Choice(words) => choose(words, text).map(Value::Text),
        Kind::Choices(words) => {
            split(text).iter().map(|word| choose(words, word)).collect::<Result<_, _>>().map(Value::Words)
        }
        Kind::Columns | Kind::Texts => match split(text) {
            columns if columns.iter().any(String::is_empty) => Err(expected(what(kind))),
            columns => Ok(Value::Words(columns)),
        },
        Kind::ParserArgs => parser_args(text).map(Value::ParserArgs),
        Kind::Where => text.parse().map(Value::Where).map_err(|error: trace::Error| {
            let lonely = !text.trim().contains(|c: char| !c.is_alphanumeric() && c != '_');
            let hint = if lonely { "; quote the whole: --where 'dur > 100us'" } else { "" };
            let (reason, place) =
                error.to_string().split_once('\n').map_or_else(Default::default, |(a, b)| (a.to_owned(), b.to_owned()));
            format!("{reason}{hint}\n{place}")
        }),
        Kind::Sort => sort(text).map(Value::Sort).ok_or_else(|| expected(what(kind))),
        Kind::Switch => match text {
            "true" => Ok(Value::Switch(true)),
            "false" => Ok(Value::Switch(false)),
            _ => Err(expected(what(kind))),
        },
    }
}

/// What a value of this kind is, in words.
pub(in crate::magic) fn what(kind: Kind) -> &'static str {
    match kind {
        Kind::Trace => "the name of a loaded trace",
        Kind::Variable => "a variable",
        Kind::TraceOrVariable => "the name of a loaded trace or a variable",
        Kind::Path => "a path",
        Kind::File => "a file",
        Kind::Target => "a file or folder",
        Kind::Text => "a text",
        Kind::Texts => "texts with commas between",
        Kind::Operator => "part of the name of an operator, such as aten::linear",
        Kind::Folder => "a folder",
        Kind::Name => "a name",
        Kind::Regex => "a regular expression",
        Kind::Whole => "a whole number",
        Kind::Number => "a number",
        Kind::Percent => "a share such as 5%",
        Kind::List(_) => "a list of whole numbers such as 0,2,4-7, or all",
        Kind::Choice(_) => "a word",
        Kind::Choices(_) => "words with commas between",
        Kind::Columns => "names of columns with commas between",
        Kind::Column => "the name of a column",
        Kind::Code => "Rust or a magic",
        Kind::ParserArgs => "arguments of events such as default,sm::occupancy (%parser_args lists them)",
        Kind::Where => "an expression such as 'dur > 100us'",
        Kind::Sort => "COL, COL:asc or COL:desc",
        Kind::Switch => "true or false",
    }
}

/// Digits; `1_000` as Rust writes it too.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    text.starts_with(|c: char| c.is_ascii_digit()).then(|| text.replace('_', "").parse().ok())?
}

/// `0,2,4-7`, a number that is listed twice once; brackets around it and blanks in it are Rust's and Python's way to write it, and welcome.
fn list(text: &str) -> Option<Vec<i64>> {
    let text = text.trim();
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let mut numbers = Vec::new();
    for item in text.split(',') {
        match item.trim().split_once('-') {
            Some((first, last)) => {
                let (first, last) = (whole(first)?, whole(last)?);
                let count = usize::try_from(last.checked_sub(first)?).ok()?;
                if count >= LONGEST_LIST {
                    return None;
                }
                numbers.extend(first..=last);
            }
            None => numbers.push(whole(item)?),
        }
        if numbers.len() > LONGEST_LIST {
            return None;
        }
    }
    let mut seen = BTreeSet::new();
    numbers.retain(|&number| seen.insert(number));
    Some(numbers)
}

fn whole(text: &str) -> Option<i64> {
    i64::try_from(number(text)?).ok()
}

fn split(text: &str) -> Vec<String> {
    text.split(',').map(|word| word.trim().to_owned()).collect()
}

fn choose(words: &[&str], typed: &str) -> Result<String, String> {
    if let Some(word) = words.iter().find(|word| word.eq_ignore_ascii_case(typed)) {
        return Ok((*word).to_owned());
    }
    let hint = did_you_mean(typed, words.iter().copied());
    Err(format!("expected {}, got \"{typed}\".{hint}", any_of(words)))
}

/// What may stand between the commas of a [`Kind::ParserArgs`]: groups first.
pub(in crate::magic) fn parser_words() -> impl Iterator<Item = &'static str> {
    let groups = ARG_GROUPS.iter().map(|group| group.name);
    groups.chain([ALL_ARGS]).chain(AVAILABLE_ARGS.iter().map(|arg| arg.key))
}

fn parser_args(text: &str) -> Result<ParserConfig, String> {
    text.parse().map_err(|error| match error {
        trace::Error::UnknownArg { given } => {
            let hint = did_you_mean(&given, parser_words());
            format!("\"{given}\" is no argument of events and no group of them.{hint} (%parser_args lists all)")
        }
        error => error.to_string(),
    })
}

/// `a, b or c`
fn any_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn sort(text: &str) -> Option<Sort> {
    let (column, descending) = match text.rsplit_once(':') {
        Some((column, "asc")) => (column, Some(false)),
        Some((column, "desc")) => (column, Some(true)),
        Some(_) => return None,
        None => (text, None),
    };
    let column = column.trim();
    (!column.is_empty()).then(|| Sort { column: column.to_owned(), descending })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::magic::argument::IdKind;

    #[test]
    fn lists_have_ranges() {
        assert_eq!(list("0,2,4-7"), Some(vec![0, 2, 4, 5, 6, 7]));
        assert_eq!(list("3"), Some(vec![3]));
        assert_eq!(list("[1, 2]"), Some(vec![1, 2]));
        assert_eq!(list("3-3"), Some(vec![3]));
        assert_eq!(list("551,0-2,551,1"), Some(vec![551, 0, 1, 2]));
        for bad in ["", "a", "1,", "7-4", "-1", "1-", "1.5", "0-99999999999", "1--2", "+1"] {
            assert_eq!(list(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn errors_say_what_was_expected_and_found() {
        let error = |kind, text| read(kind, text).unwrap_err();
        assert_eq!(error(Kind::Whole, "many"), "expected a whole number, got \"many\".");
        assert_eq!(error(Kind::Whole, "-1"), "expected a whole number, got \"-1\".");
        assert_eq!(error(Kind::Number, "nan"), "expected a number, got \"nan\".");
        assert_eq!(
            error(Kind::Choice(&["all", "cpu", "gpu"]), "tpu"),
            "expected all, cpu or gpu, got \"tpu\". Did you mean cpu?"
        );
        assert_eq!(error(Kind::Switch, "yes"), "expected true or false, got \"yes\".");
        let ranks = Kind::List(IdKind::Ranks);
        assert_eq!(error(ranks, "x"), "expected a list of whole numbers such as 0,2,4-7, or all, got \"x\".");
        assert!(matches!(read(ranks, " ALL"), Ok(Value::All)));
        assert_eq!(error(Kind::Sort, "a:up"), "expected COL, COL:asc or COL:desc, got \"a:up\".");
        assert!(error(Kind::Regex, "a(").starts_with("expected a regular expression, got \"a(\" (unclosed group"));
        assert_eq!(error(Kind::Path, ""), "expected a path, got \"\".");
    }

    #[test]
    fn choices_ignore_case() {
        assert!(matches!(read(Kind::Choice(&["cpu", "gpu"]), "GPU"), Ok(Value::Text(word)) if word == "gpu"));
        assert!(
            matches!(read(Kind::Choices(&["added", "deleted"]), "added, Deleted"), Ok(Value::Words(words)) if words.len() == 2)
        );
    }

    #[test]
    fn sort_takes_a_direction() {
        assert_eq!(sort("a"), Some(Sort { column: "a".into(), descending: None }));
        assert_eq!(sort("a:asc"), Some(Sort { column: "a".into(), descending: Some(false) }));
        assert_eq!(sort("a:desc"), Some(Sort { column: "a".into(), descending: Some(true) }));
        assert_eq!(sort(":asc"), None);
    }
}

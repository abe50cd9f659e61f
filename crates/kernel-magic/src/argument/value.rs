//! Values of arguments, parsed from text.

use super::argument::{IdKind, Kind};
use super::percentage::Percentage;
use super::suggest::{any_of, did_you_mean, did_you_mean_or};
use crate::{Problem, UsageError};
use regex::Regex;
use std::collections::BTreeSet;
use trace_core::config::{ALL_ARGS, ARG_GROUPS, AVAILABLE_ARGS, OWN_ARGS};
use trace_core::filter::Where;
use trace_core::{ParserConfig, TimeChange};

/// The value of an argument.
#[derive(Debug, Clone)]
pub enum Value {
    /// Verbatim text: names, paths, chosen words.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// Whole numbers, each once, in the order they were given.
    List(Vec<i64>),
    /// All ranks, iterations or streams: the word `all`.
    All,
    /// Of each iteration the slowest rank: the word `slowest`.
    Slowest,
    /// An exact percentage.
    Percent(Percentage),
    /// Comma-separated words.
    Words(Vec<String>),
    /// A regular expression.
    Regex(Regex),
    /// Event arguments that become columns.
    ParserArgs(ParserConfig),
    /// A condition on events.
    Where(Where),
    /// A condition on the rows of a table.
    RowsWhere(Where),
    /// A change to try out.
    Change(TimeChange),
    /// A column to sort by.
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

/// Upper bound on the numbers of a list: `0-99999999999` is a typo.
const MAX_LIST_LEN: usize = 100_000;

/// Parses `text` as a value of this kind. `magic` and `what`, the flag or argument, are for the message.
///
/// # Errors
/// [`Problem::Invalid`] with the value and what was expected; [`Problem::Rejected`] for a condition on events.
pub fn read(magic: &str, what: &str, kind: Kind, text: &str) -> Result<Value, UsageError> {
    let invalid = |value: &str, expected: String| {
        UsageError::new(magic, Problem::Invalid { what: what.to_owned(), value: value.to_owned(), expected })
    };
    let unexpected = || invalid(text, expected(kind).to_owned());
    let choose =
        |words: &[&str], typed: &str| choose(words, typed).map_err(|hint| invalid(typed, any_of(words)).hint(hint));
    match kind {
        Kind::Trace
        | Kind::Runs
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
        | Kind::Event
        | Kind::Instance
        | Kind::Name => {
            if text.trim().is_empty() {
                return Err(unexpected());
            }
            Ok(Value::Text(text.to_owned()))
        }
        Kind::Regex => Regex::new(text).map(Value::Regex).map_err(|error| {
            // The last line of the regex crate's message is the reason; the lines before mark the position.
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            invalid(text, format!("{} ({reason})", expected(kind)))
        }),
        Kind::Whole => number(text).map(Value::Whole).ok_or_else(unexpected),
        Kind::Number => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(number)),
            _ => Err(unexpected()),
        },
        Kind::Size => trace_core::parse_size(text).map(Value::Whole).ok_or_else(unexpected),
        Kind::Percent => Percentage::read(text).map(Value::Percent).ok_or_else(unexpected),
        Kind::Margin => {
            let is_margin = |percent: &Percentage| (f64::MIN_POSITIVE..100.0).contains(&percent.to_f64());
            Percentage::read(text).filter(is_margin).map(Value::Percent).ok_or_else(unexpected)
        }
        Kind::List(_) if text.trim().eq_ignore_ascii_case("all") => Ok(Value::All),
        Kind::List(IdKind::RanksOrSlowest) if text.trim().eq_ignore_ascii_case("slowest") => Ok(Value::Slowest),
        Kind::List(_) => list(text).map(Value::List).ok_or_else(unexpected),
        Kind::Choice(words) => choose(words, text).map(Value::Text),
        Kind::Choices(words) => {
            split(text).iter().map(|word| choose(words, word)).collect::<Result<_, _>>().map(Value::Words)
        }
        Kind::Columns | Kind::Texts => match split(text) {
            columns if columns.iter().any(String::is_empty) => Err(unexpected()),
            columns => Ok(Value::Words(columns)),
        },
        Kind::ParserArgs => text.parse().map(Value::ParserArgs).map_err(|error| match error {
            trace_core::Error::UnknownArg { word } => {
                let hint = did_you_mean_or(&word, parser_words(), "%parser_args lists all");
                invalid(&word, "event arguments or groups of them".to_owned()).hint(hint)
            }
            error => UsageError::new(magic, Problem::Rejected { what: what.to_owned(), reason: error.to_string() }),
        }),
        Kind::Where | Kind::RowsWhere => {
            let value = if kind == Kind::Where { Value::Where } else { Value::RowsWhere };
            text.parse().map(value).map_err(|error: trace_core::Error| {
                // Without quotes only the first word of the condition arrives here.
                let is_one_word = !text.trim().contains(|c: char| !c.is_alphanumeric() && c != '_');
                let hint = if is_one_word { "; quote the whole condition: --where 'dur > 100us'" } else { "" };
                let message = error.to_string();
                let (reason, marked) = message.split_once('\n').unwrap_or((&message, ""));
                let reason = format!("{reason}{hint}\n{marked}");
                UsageError::new(magic, Problem::Rejected { what: what.to_owned(), reason })
            })
        }
        Kind::Change => text.parse().map(Value::Change).map_err(|error: trace_core::Error| {
            // Without quotes only the first word arrives here.
            let is_word = !text.trim().contains(char::is_whitespace);
            let hint = if is_word { format!("; `{} x 0.5` is twice as fast", text.trim()) } else { String::new() };
            let message = error.to_string();
            let (reason, marked) = message.split_once('\n').unwrap_or((&message, ""));
            let reason = format!("{reason}{hint}\n{marked}");
            UsageError::new(magic, Problem::Rejected { what: what.to_owned(), reason })
        }),
        Kind::Annotation => Ok(Value::Text(text.to_owned())),
        Kind::Sort => sort(text).map(Value::Sort).ok_or_else(unexpected),
        Kind::Switch => match text {
            "true" => Ok(Value::Switch(true)),
            "false" => Ok(Value::Switch(false)),
            _ => Err(unexpected()),
        },
    }
}

/// Returns what a value of this kind must be, in words.
pub fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Trace => "the name of a loaded trace",
        Kind::Runs => "names of loaded traces, comma-separated",
        Kind::Variable => "a variable",
        Kind::TraceOrVariable => "the name of a loaded trace or a variable",
        Kind::Path => "a path",
        Kind::File => "a file",
        Kind::Target => "a file or folder",
        Kind::Text => "text",
        Kind::Texts => "comma-separated texts",
        Kind::Operator => "part of the name of an operator, such as aten::linear",
        Kind::Event => "the name of an event",
        Kind::Instance => "a number from 0 on, a range such as 1-3, or all",
        Kind::Folder => "a folder",
        Kind::Name => "a name",
        Kind::Regex => "a regular expression",
        Kind::Whole => "a whole number",
        Kind::Number => "a number",
        Kind::Size => "bytes, or 8G, 500M",
        Kind::Percent => "a percentage such as 5%",
        Kind::Margin => "a percentage above 0 and below 100, such as 1%",
        Kind::List(IdKind::RanksOrSlowest) => "a list of whole numbers such as 0,2,4-7, all or slowest",
        Kind::List(_) => "a list of whole numbers such as 0,2,4-7, or all",
        Kind::Choice(_) => "a word",
        Kind::Choices(_) => "comma-separated words",
        Kind::Columns => "comma-separated names of columns",
        Kind::Column => "the name of a column",
        Kind::Code => "Rust or a magic",
        Kind::ParserArgs => "event arguments such as default,sm::occupancy (%parser_args lists them)",
        Kind::Where | Kind::RowsWhere => "a condition such as 'dur > 100us'",
        Kind::Change => "a condition and a factor such as 'name ~ \"gemm\" x 0.5'",
        Kind::Annotation => "part of the name of an annotation, or '' for the whole recording",
        Kind::Sort => "COL, COL:asc or COL:desc",
        Kind::Switch => "true or false",
    }
}

/// Parses digits; `1_000` is accepted, too.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    text.starts_with(|c: char| c.is_ascii_digit()).then(|| text.replace('_', "").parse().ok())?
}

/// Parses `0,2,4-7`, each number once; brackets and blanks are accepted, as in Rust and Python.
fn list(text: &str) -> Option<Vec<i64>> {
    let text = text.trim();
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let mut numbers = Vec::new();
    for item in text.split(',') {
        match item.trim().split_once('-') {
            Some((first, last)) => {
                let (first, last) = (whole(first)?, whole(last)?);
                let count = usize::try_from(last.checked_sub(first)?).ok()?;
                if count >= MAX_LIST_LEN {
                    return None;
                }
                numbers.extend(first..=last);
            }
            None => numbers.push(whole(item)?),
        }
        if numbers.len() > MAX_LIST_LEN {
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

/// Returns the word that equals `typed`, whatever the case; else the hint.
fn choose(words: &[&str], typed: &str) -> Result<String, String> {
    // Also as HTA writes it: DeviceType.GPU.
    let bare = typed.rsplit_once('.').map_or(typed, |(_, word)| word);
    let word = words.iter().find(|word| word.eq_ignore_ascii_case(typed) || word.eq_ignore_ascii_case(bare));
    word.map(|word| (*word).to_owned()).ok_or_else(|| did_you_mean(typed, words.iter().copied()))
}

/// Returns the words of a [`Kind::ParserArgs`], groups first.
pub fn parser_words() -> impl Iterator<Item = &'static str> {
    let groups = ARG_GROUPS.iter().map(|group| group.name);
    groups.chain([ALL_ARGS]).chain(AVAILABLE_ARGS.iter().chain(OWN_ARGS).map(|arg| arg.key))
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

    #[test]
    fn list_expands_ranges_and_drops_duplicates() {
        assert_eq!(list("0,2,4-7"), Some(vec![0, 2, 4, 5, 6, 7]));
        assert_eq!(list("3"), Some(vec![3]));
        assert_eq!(list("[1, 2]"), Some(vec![1, 2]));
        assert_eq!(list("3-3"), Some(vec![3]));
        assert_eq!(list("551,0-2,551,1"), Some(vec![551, 0, 1, 2]));
        for invalid in ["", "a", "1,", "7-4", "-1", "1-", "1.5", "0-99999999999", "1--2", "+1"] {
            assert_eq!(list(invalid), None, "{invalid:?}");
        }
    }

    #[test]
    fn errors_name_value_and_expectation() {
        let error = |kind, text| read("%m", "--x", kind, text).unwrap_err().to_string();
        assert_eq!(error(Kind::Whole, "many"), "%m: invalid --x `many`: expected a whole number");
        assert_eq!(error(Kind::Whole, "-1"), "%m: invalid --x `-1`: expected a whole number");
        assert_eq!(error(Kind::Size, "8x"), "%m: invalid --x `8x`: expected bytes, or 8G, 500M");
        assert_eq!(error(Kind::Number, "nan"), "%m: invalid --x `nan`: expected a number");
        assert_eq!(
            error(Kind::Choice(&["all", "cpu", "gpu"]), "tpu"),
            "%m: invalid --x `tpu`: expected all, cpu or gpu; did you mean cpu?"
        );
        assert_eq!(error(Kind::Switch, "yes"), "%m: invalid --x `yes`: expected true or false");
        let ranks = Kind::List(IdKind::Ranks);
        assert_eq!(error(ranks, "x"), "%m: invalid --x `x`: expected a list of whole numbers such as 0,2,4-7, or all");
        assert!(matches!(read("%m", "--x", ranks, " ALL"), Ok(Value::All)));
        let slowest = Kind::List(IdKind::RanksOrSlowest);
        assert!(matches!(read("%m", "--x", slowest, "slowest"), Ok(Value::Slowest)));
        assert!(error(ranks, "slowest").ends_with("expected a list of whole numbers such as 0,2,4-7, or all"));
        assert_eq!(error(Kind::Sort, "a:up"), "%m: invalid --x `a:up`: expected COL, COL:asc or COL:desc");
        assert_eq!(error(Kind::Regex, "a("), "%m: invalid --x `a(`: expected a regular expression (unclosed group)");
        assert_eq!(error(Kind::Path, ""), "%m: invalid --x ``: expected a path");
    }

    #[test]
    fn choices_ignore_case() {
        assert!(
            matches!(read("%m", "--x", Kind::Choice(&["cpu", "gpu"]), "GPU"), Ok(Value::Text(word)) if word == "gpu")
        );
        assert!(
            matches!(read("%m", "--x", Kind::Choices(&["added", "deleted"]), "added, Deleted"), Ok(Value::Words(words)) if words.len() == 2)
        );
    }

    #[test]
    fn sort_parses_column_and_direction() {
        assert_eq!(sort("a"), Some(Sort { column: "a".into(), descending: None }));
        assert_eq!(sort("a:asc"), Some(Sort { column: "a".into(), descending: Some(false) }));
        assert_eq!(sort("a:desc"), Some(Sort { column: "a".into(), descending: Some(true) }));
        assert_eq!(sort(":asc"), None);
    }
}

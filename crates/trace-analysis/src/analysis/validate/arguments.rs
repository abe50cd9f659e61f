//! Types of arguments, as HTA expects them.

use super::checked::{Checked, Example};
use crate::analysis::RankView;
use crate::present::Field;
use crate::{ParserConfig, Result};
use serde::{Deserialize, Serialize};
use trace_view::Unit;

/// The arguments whose types are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    None,
    Minimal,
    Standard,
    Complete,
}

impl Level {
    /// The words of all levels.
    pub(super) const WORDS: &'static [&'static str] = &["none", "minimal", "standard", "complete"];
    const EACH: [Self; 4] = [Self::None, Self::Minimal, Self::Standard, Self::Complete];

    /// Returns the level of a word.
    pub(super) fn named(word: &str) -> Option<Self> {
        Self::WORDS.iter().position(|known| *known == word).map(|at| Self::EACH[at])
    }
}

/// An argument of a rank with values of another type than expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WrongArgument {
    argument: String,
    expected: String,
    found: String,
    values: u64,
    index: i64,
    value: String,
}

/// Compares the values of arguments with their types; `None` if the file cannot be read again, or is not to be.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), or if the file cannot be read.
pub(super) fn check(view: &RankView, level: Level) -> Result<Option<(Checked, Vec<WrongArgument>)>> {
    let group = match level {
        Level::None => return Ok(None),
        Level::Minimal => ParserConfig::ARGS_MINIMUM,
        Level::Standard => ParserConfig::ARGS_DEFAULT,
        Level::Complete => ParserConfig::ARGS_COMPLETE,
    };
    let Some(types) = view.trace().argument_types(&group.args().collect::<Vec<_>>())? else { return Ok(None) };
    let first = types.wrong.iter().min_by_key(|wrong| wrong.index).map(|wrong| Example {
        index: Some(wrong.index),
        text: format!("{} is {} where HTA expects {}: {}", wrong.argument, wrong.found, wrong.expected, wrong.value),
    });
    let violations = types.wrong.iter().map(|wrong| wrong.values).sum();
    let wrong = types.wrong.into_iter().map(|wrong| WrongArgument {
        argument: wrong.argument.to_owned(),
        expected: wrong.expected.to_owned(),
        found: wrong.found.to_owned(),
        values: wrong.values,
        index: wrong.index,
        value: wrong.value,
    });
    Ok(Some((Checked { checked: types.checked, violations, first }, wrong.collect())))
}

/// A row of the table of arguments.
pub(super) struct Wrong<'w> {
    pub(super) rank: i64,
    pub(super) argument: &'w WrongArgument,
}

impl Wrong<'_> {
    /// The columns of the table.
    pub(super) const COLUMNS: [Field<Self>; 7] = [
        Field::id("rank", "process of the job", |row| Some(row.rank)),
        Field::name("argument", "key in the args of events", |row| Some(&row.argument.argument)),
        Field::word("expected", "type that HTA expects: integer, number or text", |row| Some(&row.argument.expected)),
        Field::word("found", "type of the first other value", |row| Some(&row.argument.found)),
        Field::whole("values", Unit::Count, "values of another type", |row| i64::try_from(row.argument.values).ok()),
        Field::id("index", "event of the first of them: position in the file's traceEvents", |row| {
            Some(row.argument.index)
        }),
        Field::text("value", "that value as it is in the file", |row| Some(row.argument.value.clone())),
    ];
}

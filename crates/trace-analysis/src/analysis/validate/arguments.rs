//! Types of arguments, as HTA expects them.

use super::checked::{Checked, Example};
use crate::analysis::RankView;
use crate::{ParserConfig, Result};
use polars::df;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use trace_view::{Column, Unit};

/// The columns of the table of arguments.
pub(super) const ARGUMENT_COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "process of the job"),
    Column::new("argument", Unit::None, "key in the args of events"),
    Column::new("expected", Unit::None, "type that HTA expects: integer, number or text"),
    Column::new("found", Unit::None, "type of the first other value"),
    Column::new("values", Unit::Count, "values of another type"),
    Column::new("index", Unit::None, "event of the first of them: position in the file's traceEvents"),
    Column::new("value", Unit::None, "that value as it is in the file"),
];

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

/// Returns the table of the arguments of ranks.
///
/// # Errors
/// If polars refuses.
pub(super) fn frame_of_arguments<'w>(ranks: impl Iterator<Item = (i64, &'w [WrongArgument])>) -> Result<DataFrame> {
    let all: Vec<(i64, &WrongArgument)> =
        ranks.flat_map(|(rank, wrong)| wrong.iter().map(move |wrong| (rank, wrong))).collect();
    let text = |of: fn(&WrongArgument) -> &str| all.iter().map(|(_, wrong)| of(wrong)).collect::<Vec<&str>>();
    Ok(df!(
        ARGUMENT_COLUMNS[0].name => all.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(),
        ARGUMENT_COLUMNS[1].name => text(|wrong| &wrong.argument),
        ARGUMENT_COLUMNS[2].name => text(|wrong| &wrong.expected),
        ARGUMENT_COLUMNS[3].name => text(|wrong| &wrong.found),
        ARGUMENT_COLUMNS[4].name => all.iter().map(|(_, wrong)| wrong.values as i64).collect::<Vec<_>>(),
        ARGUMENT_COLUMNS[5].name => all.iter().map(|(_, wrong)| wrong.index).collect::<Vec<_>>(),
        ARGUMENT_COLUMNS[6].name => text(|wrong| &wrong.value),
    )?)
}

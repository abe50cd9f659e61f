//! A parsed call of a magic: values by the name of their argument.

use super::percentage::Percentage;
use super::value::{Sort, Value};
use crate::{Error, Problem, UsageError, session};
use regex::Regex;
use std::path::PathBuf;
use trace_core::filter::Where;
use trace_core::{IterationMarker, ParserConfig, TimeChange};

/// A parsed call: every value has the type that the kind of its argument demands.
#[derive(Clone)]
pub struct Call<'a> {
    /// The magic's name with its sigil, for messages.
    magic: String,
    bind: Option<&'a str>,
    values: Vec<(&'static str, Value)>,
}

impl<'a> Call<'a> {
    /// Makes the call of a magic, with the name that its result is bound to and the values of its arguments.
    pub fn new(magic: String, bind: Option<&'a str>, values: Vec<(&'static str, Value)>) -> Self {
        Self { magic, bind, values }
    }

    /// Returns the call with this text as the only value of `name`.
    pub fn with_text(self, name: &'static str, text: String) -> Self {
        let mut call = self.without(name);
        call.values.push((name, Value::Text(text)));
        call
    }

    /// Returns the call without the values of `name`.
    pub fn without(mut self, name: &str) -> Self {
        self.values.retain(|(argument, _)| *argument != name);
        self
    }

    /// Returns a usage error of this magic: *invalid `what` `value`: expected …*.
    pub fn invalid(&self, what: &str, value: &str, expected: impl Into<String>) -> UsageError {
        let problem = Problem::Invalid { what: what.to_owned(), value: value.to_owned(), expected: expected.into() };
        UsageError::new(&self.magic, problem)
    }

    /// Returns a usage error of this magic: *unknown `what` `name`: expected …*; `expected` may be empty.
    pub fn unknown(&self, what: &'static str, name: &str, expected: impl Into<String>) -> UsageError {
        UsageError::new(&self.magic, Problem::Unknown { what, name: name.to_owned(), expected: expected.into() })
    }

    /// Returns a usage error of this magic: *cannot `what`: `reason`*.
    pub fn cannot(&self, what: impl Into<String>, reason: impl Into<String>) -> UsageError {
        UsageError::new(&self.magic, Problem::Cannot { what: what.into(), reason: reason.into() })
    }

    /// Returns a usage error of this magic.
    pub fn usage(&self, problem: Problem) -> UsageError {
        UsageError::new(&self.magic, problem)
    }

    /// Returns whether `name` was given.
    pub fn has(&self, name: &str) -> bool {
        self.one(name).is_some()
    }

    /// Returns the values of `name`, in the order given.
    fn all(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(move |(argument, _)| *argument == name).map(|(_, value)| value)
    }

    fn one(&self, name: &str) -> Option<&Value> {
        self.all(name).last()
    }

    /// Returns the text of `name`, if given.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.one(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a required argument.
    pub fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// Returns the path `name`, if given.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from)
    }

    /// Returns the whole number `name`, if given.
    pub fn whole(&self, name: &str) -> Option<u64> {
        match self.one(name)? {
            Value::Whole(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the number `name`, if given.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.one(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the percentage `name`, if given.
    pub fn percent(&self, name: &str) -> Option<Percentage> {
        match self.one(name)? {
            Value::Percent(share) => Some(*share),
            _ => None,
        }
    }

    /// Returns the list `name`, if given; for the word `all`, the result of `all()`.
    pub fn pick(&self, name: &str, all: impl FnOnce() -> Vec<i64>) -> Option<Vec<i64>> {
        match self.one(name)? {
            Value::List(numbers) => Some(numbers.clone()),
            Value::All => Some(all()),
            _ => None,
        }
    }

    /// Returns whether the list `name` is the word `slowest`.
    pub fn is_slowest(&self, name: &str) -> bool {
        matches!(self.one(name), Some(Value::Slowest))
    }

    /// Returns the paths `name`, in the order given.
    pub fn paths(&self, name: &str) -> Vec<PathBuf> {
        let paths = self.all(name).filter_map(|value| if let Value::Text(path) = value { Some(path) } else { None });
        paths.map(PathBuf::from).collect()
    }

    /// Returns the texts `name`, in the order given.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.all(name)
            .filter_map(|value| if let Value::Text(text) = value { Some(text.as_str()) } else { None })
            .collect()
    }

    /// Returns the list of whole numbers `name`, if given and not `all`.
    pub fn list(&self, name: &str) -> Option<&[i64]> {
        match self.one(name)? {
            Value::List(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// Returns the words of `name`, if given.
    pub fn words(&self, name: &str) -> Option<&[String]> {
        match self.one(name)? {
            Value::Words(words) => Some(words),
            _ => None,
        }
    }

    /// Returns the regular expression `name`, if given.
    pub fn regex(&self, name: &str) -> Option<&Regex> {
        match self.one(name)? {
            Value::Regex(regex) => Some(regex),
            _ => None,
        }
    }

    /// Returns what `--marker` says of iterations; `none` asks for whole recordings where the profiler recorded no step.
    pub fn iteration_marker(&self) -> Option<IterationMarker> {
        self.regex("marker")?.as_str().parse().ok()
    }

    /// Returns the event arguments `name`, if given.
    pub fn parser_config(&self, name: &str) -> Option<&ParserConfig> {
        match self.one(name)? {
            Value::ParserArgs(config) => Some(config),
            _ => None,
        }
    }

    /// Returns the condition on events `name`, if given.
    pub fn condition(&self, name: &str) -> Option<&Where> {
        match self.one(name)? {
            Value::Where(condition) => Some(condition),
            _ => None,
        }
    }

    /// Returns the condition on rows of a table `name`, if given.
    pub fn rows_condition(&self, name: &str) -> Option<&Where> {
        match self.one(name)? {
            Value::RowsWhere(condition) => Some(condition),
            _ => None,
        }
    }

    /// Returns the changes `name`, in the order given.
    pub fn changes(&self, name: &str) -> Vec<TimeChange> {
        self.all(name)
            .filter_map(|value| if let Value::Change(change) = value { Some(change.clone()) } else { None })
            .collect()
    }

    /// Returns the columns to sort by, most significant first.
    pub fn sorts(&self, name: &str) -> Vec<&Sort> {
        self.all(name).filter_map(|value| if let Value::Sort(sort) = value { Some(sort) } else { None }).collect()
    }

    /// Returns the value of the switch `name`, if given.
    pub fn decided(&self, name: &str) -> Option<bool> {
        match self.one(name)? {
            Value::Switch(on) => Some(*on),
            _ => None,
        }
    }

    /// Returns whether the switch `name` is on.
    pub fn switch(&self, name: &str) -> bool {
        self.decided(name) == Some(true)
    }

    /// Returns the variable on the left of `x = %magic`, if there is one.
    pub fn bind(&self) -> Option<&str> {
        self.bind
    }

    /// Returns the name of the result: `x` of `x = %magic …` or of `--as x`.
    ///
    /// # Errors
    /// If it is not a valid variable name, or both are given and differ.
    pub fn result_name(&self) -> Result<Option<&str>, Error> {
        self.checked(match (self.bind, self.text("as")) {
            (Some(bind), Some(name)) if bind != name => {
                let reason = format!("`{bind} = …` and `--as {name}` differ");
                return Err(self.cannot("bind the result to two names", reason).hint("give one of them").into());
            }
            (bind, name) => bind.or(name),
        })
    }

    /// Returns `x` of `x = %magic …`, for a magic whose `--as` means something else.
    ///
    /// # Errors
    /// If it is not a valid variable name.
    pub fn bind_name(&self) -> Result<Option<&str>, Error> {
        self.checked(self.bind)
    }

    /// Checks that `name` is a valid variable name.
    fn checked<'n>(&self, name: Option<&'n str>) -> Result<Option<&'n str>, Error> {
        if let Some(name) = name {
            let invalid = |reason| self.usage(Problem::Rejected { what: format!("name `{name}`"), reason });
            session::label::check(name).map_err(invalid)?;
        }
        Ok(name)
    }

    /// Returns whether the result is to be shown: not with `x = …`, not with `--quiet`.
    pub fn shows(&self) -> bool {
        self.bind.is_none() && !self.quiet()
    }

    /// Returns whether only warnings are to be shown.
    pub fn quiet(&self) -> bool {
        self.switch("quiet")
    }
}

//! A magic's line after parsing: values by the name of their argument.

use super::percentage::Percentage;
use super::value::{Sort, Value};
use crate::{Error, session};
use regex::Regex;
use std::path::PathBuf;
use trace::ParserConfig;
use trace::filter::Where;

/// What a magic was called with. Every value has the type its argument's kind says.
pub struct Call<'a> {
    /// The magic's name with its sigil, for messages.
    magic: String,
    bind: Option<&'a str>,
    values: Vec<(&'static str, Value)>,
}

impl<'a> Call<'a> {
    pub(in crate::magic) fn new(magic: String, bind: Option<&'a str>, values: Vec<(&'static str, Value)>) -> Self {
        Self { magic, bind, values }
    }

    /// An error in how this magic was called.
    pub fn usage(&self, message: impl std::fmt::Display) -> Error {
        Error::Usage(format!("{}: {message}", self.magic))
    }

    /// Whether `name` was given.
    pub fn given(&self, name: &str) -> bool {
        self.one(name).is_some()
    }

    /// The values of `name`, in the order they were given.
    fn all(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(move |(given, _)| *given == name).map(|(_, value)| value)
    }

    fn one(&self, name: &str) -> Option<&Value> {
        self.all(name).last()
    }

    /// The text of `name`, if given.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.one(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a required argument.
    pub fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// The path `name`, if given.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.text(name).map(PathBuf::from)
    }

    /// The whole number `name`, if given.
    pub fn whole(&self, name: &str) -> Option<u64> {
        match self.one(name)? {
            Value::Whole(number) => Some(*number),
            _ => None,
        }
    }

    /// The number `name`, if given.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.one(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The share `name`, if given.
    pub fn percent(&self, name: &str) -> Option<Percentage> {
        match self.one(name)? {
            Value::Percent(share) => Some(*share),
            _ => None,
        }
    }

    /// The list `name`, if given; of `all` what `all` gives.
    pub fn pick(&self, name: &str, all: impl FnOnce() -> Vec<i64>) -> Option<Vec<i64>> {
        match self.one(name)? {
            Value::List(numbers) => Some(numbers.clone()),
            Value::All => Some(all()),
            _ => None,
        }
    }

    /// The list of whole numbers `name`, if given and not `all`.
    pub fn list(&self, name: &str) -> Option<&[i64]> {
        match self.one(name)? {
            Value::List(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// The words of `name`, if given.
    pub fn words(&self, name: &str) -> Option<&[String]> {
        match self.one(name)? {
            Value::Words(words) => Some(words),
            _ => None,
        }
    }

    /// The regular expression `name`, if given.
    pub fn regex(&self, name: &str) -> Option<&Regex> {
        match self.one(name)? {
            Value::Regex(regex) => Some(regex),
            _ => None,
        }
    }

    /// The arguments of events `name`, if given.
    pub fn parser_config(&self, name: &str) -> Option<&ParserConfig> {
        match self.one(name)? {
            Value::ParserArgs(config) => Some(config),
            _ => None,
        }
    }

    /// Which events count, if that was given under `name`.
    pub fn condition(&self, name: &str) -> Option<&Where> {
        match self.one(name)? {
            Value::Where(condition) => Some(condition),
            _ => None,
        }
    }

    /// The columns to sort by, most important first.
    pub fn sorts(&self, name: &str) -> Vec<&Sort> {
        self.all(name).filter_map(|value| if let Value::Sort(sort) = value { Some(sort) } else { None }).collect()
    }

    /// What the switch `name` was set to, if it was given.
    pub fn decided(&self, name: &str) -> Option<bool> {
        match self.one(name)? {
            Value::Switch(on) => Some(*on),
            _ => None,
        }
    }

    /// Whether the switch `name` is on.
    pub fn switch(&self, name: &str) -> bool {
        self.decided(name) == Some(true)
    }

    /// The variable on the left of `x = %magic`, if there is one.
    pub fn bind(&self) -> Option<&str> {
        self.bind
    }

    /// The name for the result: `x` of `x = %magic …` or of `--as x`.
    ///
    /// # Errors
    /// If it cannot be a variable, or both are given and differ.
    pub fn result_name(&self) -> Result<Option<&str>, Error> {
        self.checked(match (self.bind, self.text("as")) {
            (Some(bind), Some(name)) if bind != name => {
                return Err(self.usage(format!("two names for one result: {bind} = … and --as {name}.")));
            }
            (bind, name) => bind.or(name),
        })
    }

    /// The name for the result of a magic whose `--as` means something else: `x` of `x = %magic …`.
    ///
    /// # Errors
    /// If it cannot be a variable.
    pub fn bind_name(&self) -> Result<Option<&str>, Error> {
        self.checked(self.bind)
    }

    /// The name, if a variable can be called so.
    fn checked<'n>(&self, name: Option<&'n str>) -> Result<Option<&'n str>, Error> {
        if let Some(name) = name {
            session::label::check(name).map_err(|reason| self.usage(format!("{reason}.")))?;
        }
        Ok(name)
    }

    /// Whether the result is to be shown: not with `x = …`, not with `--quiet`.
    pub fn shows(&self) -> bool {
        self.bind.is_none() && !self.quiet()
    }

    /// Whether nothing at all is to be shown but warnings.
    pub fn quiet(&self) -> bool {
        self.switch("quiet")
    }
}

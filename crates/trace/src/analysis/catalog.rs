//! A row of the catalog: a question without its type.

use super::{Analysis, Answer, TraceAnalysis};
use crate::{Error, Result};
use serde_json::{Map, Value};

/// A parameter of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name, as HTA spells it; a field of the question.
    pub name: &'static str,
    /// What its value is.
    pub kind: ParameterKind,
    /// One line of meaning.
    pub meaning: &'static str,
}

/// What the value of a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// Whole numbers.
    List,
    /// Yes or no.
    Switch,
}

impl Parameter {
    /// A parameter called `name`.
    pub const fn new(name: &'static str, kind: ParameterKind, meaning: &'static str) -> Self {
        Self { name, kind, meaning }
    }
}

/// A question of the catalog.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name of magic and file.
    pub name: &'static str,
    /// One line for help and completion.
    pub summary: &'static str,
    /// What else the help says; may be empty.
    pub notes: &'static str,
    /// Its parameters, `ranks` aside.
    pub parameters: &'static [Parameter],
    /// What the tables of its answer are called, in order; the main one may have no name.
    pub tables: &'static [&'static str],
    /// Whether it asks the first rank only unless it is told otherwise.
    pub first_rank_only: bool,
    defaults: fn() -> Value,
    ask: fn(&TraceAnalysis, Value, Option<&[i64]>) -> Result<Answer>,
}

impl Entry {
    /// The row of a question.
    pub const fn of<A: Analysis>() -> Self {
        Self {
            name: A::NAME,
            summary: A::SUMMARY,
            notes: A::NOTES,
            parameters: A::PARAMETERS,
            tables: A::TABLES,
            first_rank_only: A::FIRST_RANK_ONLY,
            defaults: defaults::<A>,
            ask: ask::<A>,
        }
    }

    /// What holds of each parameter unless it is given, by name: numbers, booleans, null for none.
    pub fn defaults(&self) -> Value {
        (self.defaults)()
    }

    /// Asks with these parameters, by name, the others at their defaults; `ranks` as in [`TraceAnalysis::ask_ranks`].
    ///
    /// # Errors
    /// If a parameter or a rank does not exist, or makes no sense.
    pub fn ask(&self, traces: &TraceAnalysis, given: Map<String, Value>, ranks: Option<&[i64]>) -> Result<Answer> {
        let mut parameters = self.defaults();
        for (name, value) in given {
            match parameters.get_mut(&name) {
                Some(place) => *place = value,
                None => {
                    return Err(Error::WrongParameter {
                        question: self.name,
                        reason: format!("it has no parameter `{name}`"),
                    });
                }
            }
        }
        (self.ask)(traces, parameters, ranks)
    }
}

fn defaults<A: Analysis>() -> Value {
    serde_json::to_value(A::default()).unwrap_or_default()
}

fn ask<A: Analysis>(traces: &TraceAnalysis, parameters: Value, ranks: Option<&[i64]>) -> Result<Answer> {
    let wrong = |error: serde_json::Error| Error::WrongParameter { question: A::NAME, reason: error.to_string() };
    let question: A = serde_json::from_value(parameters).map_err(wrong)?;
    traces.ask_ranks(&question, ranks)
}

//! A row of the catalog: a question without its type.

use super::{Analysis, Answer, TraceAnalysis};
use crate::{Error, Result};
use serde_json::{Map, Value};
use trace_view::Column;

/// A parameter of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name, as HTA spells it; a field of the question.
    pub name: &'static str,
    /// What its value is.
    pub kind: ParameterKind,
    /// One line of meaning.
    pub meaning: &'static str,
    /// What it is called where it is given by its place, and never left out; `None` if it is given by its name.
    pub place: Option<&'static str>,
}

/// What the value of a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// Numbers of streams.
    Streams,
    /// Numbers of iterations.
    Iterations,
    /// Yes or no.
    Switch,
    /// Any text.
    Text,
    /// Part of the name of an operator.
    Operator,
    /// Texts.
    Texts,
    /// Some of these words.
    Choices(&'static [&'static str]),
    /// A file or folder to write.
    Path,
}

impl Parameter {
    /// A parameter called `name`.
    pub const fn new(name: &'static str, kind: ParameterKind, meaning: &'static str) -> Self {
        Self { name, kind, meaning, place: None }
    }

    /// The parameter, given by its place and never left out; usage lines call it `place`.
    #[must_use]
    pub const fn at(self, place: &'static str) -> Self {
        Self { place: Some(place), ..self }
    }
}

/// A table that a question answers with, before it is filled.
#[derive(Debug, Clone, Copy)]
pub struct TableSchema {
    /// What it is called behind the name of a file, `kernels` in `out.kernels.csv`; the main one may have no name.
    pub name: &'static str,
    /// The columns, with HTA's names.
    pub columns: &'static [Column],
    /// Whether every rank has one of its own, `out.rank0.csv`.
    pub per_rank: bool,
    /// Whether a row stands for the events that have its `name`, on its `rank` if there is one.
    pub named_events: bool,
}

impl TableSchema {
    /// A table that all ranks share.
    pub const fn new(name: &'static str, columns: &'static [Column]) -> Self {
        Self { name, columns, per_rank: false, named_events: false }
    }

    /// The table, one for every rank that is asked.
    #[must_use]
    pub const fn per_rank(self) -> Self {
        Self { per_rank: true, ..self }
    }

    /// The table, with rows that stand for the events that have their `name`.
    #[must_use]
    pub const fn of_named_events(self) -> Self {
        Self { named_events: true, ..self }
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
    /// The tables of its answer, in order.
    pub tables: &'static [TableSchema],
    /// Whether it asks the first rank only unless it is told otherwise.
    pub first_rank_only: bool,
    /// Whether it sees the launches of the kernels that a filter takes, too.
    pub launches: bool,
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
            launches: A::LAUNCHES,
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

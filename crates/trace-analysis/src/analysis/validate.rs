//! Rules that a recording should keep: what is checked, what is broken, and what to do.

mod arguments;
mod checked;
mod drops;
mod launches;
mod recorded_args;
mod rules;
mod synchronised;
#[cfg(test)]
mod tests;

use super::collectives::{State as Collectives, compared_sizes};
use super::{
    Analysis, Answer, AnswerTable, ByRank, Merge, Parameter, ParameterKind, RankView, TableSchema, TraceAnalysis,
    nothing_on,
};
use crate::error::ParameterReason;
use crate::present::{Field, answer_frame, declared};
use crate::{Error, Result};
use arguments::{Level, Wrong, WrongArgument};
use checked::{Checked, Example};
pub use drops::Drops;
use launches::Launches;
use polars::prelude::DataFrame;
use rules::{RULES, Rule, RuleName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_view::format::{counted, numbered};
use trace_view::{Column, Unit};

/// Checks a recording against rules: those of PyTorch's trace validator, HTA's types of arguments, and further ones: dropped launches, and
/// collectives whose ranks recorded different sizes.
///
/// ```text
/// rule                    checked  violations  first example
/// kernel_after_launch       4,210           0
/// launches_at_start         4,270          60  rank 0, event 12: cudaLaunchKernel
/// ```
///
/// # Columns
/// One row per rule, those that are broken first: `COLUMNS`; arguments of other types than expected: `ARGUMENT_COLUMNS`.
///
/// # Errors
/// [`Error::WrongParameter`] if `level` is unknown.
///
/// # Source
/// HTA `validate_trace_format`; PyTorch `torch.profiler._trace_validator`.
///
/// # Example
/// ```
/// use trace::analysis::Validate;
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let job = TraceSet::load("../../notebooks/data/job")?;
/// let df = TraceAnalysis::new(&job)?.validate(&Validate::default())?;
/// assert!(df.height() >= 13 && df.column("violations").is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validate {
    /// The arguments whose types are checked: HTA's `minimal`, `standard`, `complete`; `none` does not read the file again.
    pub level: String,
}

impl Default for Validate {
    fn default() -> Self {
        Self { level: "standard".to_owned() }
    }
}

/// A row of the answer: a rule with its checks on all ranks.
struct Found {
    rule: &'static Rule,
    checked: Checked,
    /// Rank of the first example.
    rank: Option<i64>,
}

impl Found {
    const COLUMNS: [Field<Self>; 9] = [
        Field::word("rule", "name of the rule", |row| Some(row.rule.name.word())),
        Field::whole("checked", Unit::Count, "events, pairs or values that the rule was applied to", |row| {
            i64::try_from(row.checked.checked).ok()
        }),
        Field::whole("violations", Unit::Count, "how many of them break it", |row| {
            i64::try_from(row.checked.violations).ok()
        }),
        Field::id("rank", "rank of the first example", |row| row.rank),
        Field::id("index", "its event: position in the file's traceEvents", |row| row.checked.first.as_ref()?.index),
        Field::text("example", "first event that breaks the rule", |row| {
            Some(row.checked.first.as_ref()?.text.clone())
        }),
        Field::text("meaning", "what the rule demands", |row| Some(row.rule.meaning.to_owned())),
        Field::text("advice", "what a violation means for answers, and what to do", |row| {
            Some(row.rule.advice.to_owned())
        }),
        Field::word("source", "where the rule comes from: PyTorch, HTA or Tracebook", |row| Some(row.rule.source)),
    ];
}

const COLUMNS: [Column; 9] = declared(&Found::COLUMNS);
const ARGUMENTS: [Column; 7] = declared(&Wrong::COLUMNS);

/// The partial result.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    ranks: ByRank<OnRank>,
    collectives: Collectives,
}

/// The checks of one rank.
#[derive(Debug, Default, Serialize, Deserialize)]
struct OnRank {
    rules: BTreeMap<RuleName, Checked>,
    arguments: Vec<WrongArgument>,
    /// Work that the recording lacks, or has under one launch.
    drops: Drops,
    /// Whether nothing ran on a device.
    is_without_gpu: bool,
    /// Whether types of arguments were to be checked, and the file could not be read again.
    is_unread: bool,
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        self.ranks.merge(other.ranks);
        self.collectives.merge(other.collectives);
    }
}

impl Analysis for Validate {
    const NAME: &'static str = "validate";
    const SUMMARY: &'static str = "Check a recording: dropped launches, clocks, synchronisations, arguments.";
    const PARAMETERS: &'static [Parameter] = &[Parameter::new(
        "level",
        ParameterKind::Choice(Level::WORDS),
        "arguments whose types are checked, by reading the file again",
    )];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &COLUMNS), TableSchema::new("arguments", &ARGUMENTS)];
    const NOTES: &'static str = "Rules of PyTorch are those of torch.profiler._trace_validator, with the right rule where that one is wrong: \
        kernels are tied to launches by correlation, not by the External id that several share; after a stream is synchronised no kernel \
        launched before may run, while PyTorch asks for that when the wait begins; numbers of backward functions are per forward thread.\n\n\
        launches_at_start finds what a profiler drops silently when it starts while kernels are launched. \
        sizes_agree compares the sizes of one collective over its ranks as %collectives does. argument_types is HTA's \
        validate_trace_format; the table arguments has a row per argument.";
    const BYTES_PER_ROW: usize = 96;
    type State = State;

    fn map(&self, rank: &RankView) -> Result<State> {
        let level = self.level()?;
        let mut found = OnRank { is_without_gpu: rank.gpu().is_empty(), ..OnRank::default() };
        if let Some(launches) = Launches::of(rank) {
            found.drops = Drops::of_launches(rank, &launches);
            launches::check(rank, &launches, &mut found.rules);
        }
        synchronised::check(rank, &mut found.rules)?;
        recorded_args::check(rank, &mut found.rules)?;
        found.rules.insert(RuleName::DurationsArePositive, checked::durations(rank)?);
        match arguments::check(rank, level)? {
            Some((checked, wrong)) => {
                found.rules.insert(RuleName::ArgumentTypes, checked);
                found.arguments = wrong;
            }
            None => found.is_unread = level != Level::None,
        }
        found.rules.retain(|_, checked| checked.checked > 0 || checked.violations > 0);
        Ok(State { ranks: ByRank::of(rank.rank(), found), collectives: Collectives::of(rank)? })
    }

    fn finish(&self, state: State) -> Result<Answer> {
        self.level()?;
        let mut found: Vec<Found> = RULES.iter().map(|rule| of_rule(rule, &state)).collect();
        found.sort_by_key(|found| found.checked.violations == 0);
        let ranks = state.ranks.0.iter();
        let wrong: Vec<Wrong<'_>> = ranks
            .flat_map(|(&rank, found)| found.arguments.iter().map(move |argument| Wrong { rank, argument }))
            .collect();
        let arguments = answer_frame(&wrong, &Wrong::COLUMNS)?;
        let tables = vec![
            AnswerTable::new(&Self::TABLES[0], answer_frame(&found, &Found::COLUMNS)?),
            AnswerTable::new(&Self::TABLES[1], arguments).shown_if(!wrong.is_empty()),
        ];
        Ok(Answer { tables, notes: notes(&found, &state), ..Answer::default() })
    }
}

impl Validate {
    fn level(&self) -> Result<Level> {
        Level::named(&self.level).ok_or_else(|| Error::WrongParameter {
            analysis: Self::NAME,
            reason: ParameterReason::Invalid {
                name: "level",
                value: self.level.clone(),
                expected: format!("one of {}", Level::WORDS.join(", ")),
            },
        })
    }
}

impl TraceAnalysis {
    /// Returns the rules that a recording should keep, with the number of violations and the first example.
    ///
    /// # Columns
    /// Those of [`Validate`].
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    pub fn validate(&self, query: &Validate) -> Result<DataFrame> {
        Ok(self.ask(query)?.main())
    }
}

/// Returns the checks of a rule on all ranks.
fn of_rule(rule: &'static Rule, state: &State) -> Found {
    if rule.name == RuleName::SizesAgree {
        let sizes = compared_sizes(&state.collectives);
        let first = sizes.named.first().map(|text| Example { index: None, text: text.clone() });
        let checked = Checked { checked: sizes.compared as u64, violations: sizes.different as u64, first };
        return Found { rule, checked, rank: None };
    }
    let (mut all, mut first_rank) = (Checked::default(), None);
    for (&rank, found) in &state.ranks.0 {
        let Some(checked) = found.rules.get(&rule.name) else { continue };
        all.checked += checked.checked;
        all.violations += checked.violations;
        if all.first.is_none() && checked.first.is_some() {
            (all.first, first_rank) = (checked.first.clone(), Some(rank));
        }
    }
    Found { rule, checked: all, rank: first_rank }
}

/// Says how many rules are broken, and what could not be checked.
fn notes(found: &[Found], state: &State) -> Vec<String> {
    let broken = found.iter().filter(|found| found.checked.violations > 0);
    let broken: Vec<&str> = broken.map(|found| found.rule.name.word()).collect();
    let checked = found.iter().filter(|found| found.checked.checked > 0).count();
    let verdict = match broken.len() {
        0 => format!(
            "The recording keeps {}; of {} more there is nothing to check.",
            counted(checked, "rule"),
            found.len() - checked
        ),
        count => format!("{} of {} broken: {}.", count, counted(checked, "rule"), broken.join(", ")),
    };
    let mut notes = vec![verdict];
    let drops = state.ranks.0.values().fold(Drops::default(), |sum, rank| sum.with(rank.drops));
    notes.extend(drops.sentences().into_iter().map(|sentence| format!("{sentence}.")));
    let without_gpu = state.ranks.ranks_where(|found| found.is_without_gpu);
    notes.extend(nothing_on(&without_gpu, "No GPU activity"));
    let unread = state.ranks.ranks_where(|found| found.is_unread);
    if !unread.is_empty() {
        notes.push(format!(
            "Types of arguments are not checked on {}: the trace file has changed, or is gone.",
            numbered("rank", &unread)
        ));
    }
    notes
}

//! Questions by their name: the functions that map one rank and merge partial results.

use crate::analysis::{CATALOG, Entry, Plan};
use crate::answers::ComparisonEntry;
use crate::distributed::{Heads, JobSpec, LOAD, Query, TraceSpec};
use crate::error::DistributedReason;
use crate::state::{opened, sealed};
use crate::{COMPARISONS, Description, Error, Result, Trace};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A question that is ready to be asked of ranks.
pub(super) enum Ready<'q> {
    Load,
    Analysis { entry: &'static Entry, parameters: &'q Map<String, Value>, plan: Plan },
    Iterations { plan: Plan },
    Comparison { entry: &'static ComparisonEntry, plan: &'q str },
    Describe,
}

impl<'q> Ready<'q> {
    /// Finds the functions of a question.
    ///
    /// # Errors
    /// [`Error::Distributed`] if this program does not know it, or its plan cannot be read.
    pub(super) fn of(question: &'q Query) -> Result<Self> {
        let unknown = || wrong(format!("unknown question `{}`", question.name()));
        let read = |plan: &Value| -> Result<Plan> {
            serde_json::from_value(plan.clone()).map_err(|error| wrong(format!("its plan cannot be read ({error})")))
        };
        Ok(match question {
            Query::Load { .. } => Self::Load,
            Query::Analysis { name, parameters, plan } => {
                let entry = CATALOG.iter().find(|entry| entry.name == name).ok_or_else(unknown)?;
                Self::Analysis { entry, parameters, plan: read(plan)? }
            }
            Query::Iterations { plan } => Self::Iterations { plan: read(plan)? },
            Query::Comparison { name, plan } => Self::Comparison {
                entry: COMPARISONS.iter().find(|entry| entry.name == name).ok_or_else(unknown)?,
                plan,
            },
            Query::Describe => Self::Describe,
        })
    }

    /// Computes the partial result of a rank.
    pub(super) fn map(&self, rank: &Trace, trace: &TraceSpec) -> Result<Vec<u8>> {
        match self {
            Self::Load => Err(wrong("a load maps files, not ranks".to_owned())),
            Self::Analysis { entry, parameters, plan } => entry.map(&plan.view(rank)?, (*parameters).clone()),
            Self::Iterations { plan } => sealed(ITERATIONS, "", &plan.iterations_of(rank)?),
            Self::Comparison { entry, plan } => {
                let (side, run) = trace.side.ok_or_else(|| wrong("a trace of a comparison has no side".to_owned()))?;
                entry.map(plan, side, run, rank)
            }
            Self::Describe => Description::map(rank, trace.compat),
        }
    }

    /// Merges partial results.
    pub(super) fn merge(&self, states: &[Vec<u8>], task: &JobSpec) -> Result<Vec<u8>> {
        match self {
            Self::Load => {
                let mut merged = Heads::new();
                for state in states {
                    merged.extend(opened::<Heads>(LOAD, LOAD, state)?);
                }
                sealed(LOAD, LOAD, &merged)
            }
            Self::Analysis { entry, parameters, .. } => entry.merge((*parameters).clone(), states),
            Self::Iterations { .. } => {
                let mut merged = BTreeSet::new();
                for state in states {
                    merged.extend(opened::<BTreeSet<i64>>(ITERATIONS, "", state)?);
                }
                sealed(ITERATIONS, "", &merged)
            }
            Self::Comparison { entry, plan } => entry.merge(plan, states),
            Self::Describe => {
                let trace = task.traces.first().ok_or_else(|| wrong("there is no trace".to_owned()))?;
                Description::merge(trace.compat, states)
            }
        }
    }
}

/// The name of the question, in partial results.
const ITERATIONS: &str = crate::analysis::ITERATIONS;

fn wrong(reason: String) -> Error {
    Error::Distributed(DistributedReason::Plan { reason })
}

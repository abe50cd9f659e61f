//! The steps `map` and `reduce`: ranks → one partial result, partial results → one.

use super::Worker;
use super::answer::Ready;
use super::list::facts;
use super::uri::path_of;
use crate::distributed::{Head, HeadContent, Heads, Input, JobSpec, LOAD, Query, TraceSpec, extracted, packed};
use crate::error::DistributedReason;
use crate::explain::stacks::{has_graphs, has_stacks};
use crate::frame::{ColumnType, NamedType};
use crate::state::sealed;
use crate::task::exit::{EXIT_INPUT, exit_code};
use crate::{Error, LoadOptions, Result, Trace, TraceSet};
use std::ops::ControlFlow;

impl Worker {
    /// Computes the partial result of these inputs, merged. Files that cannot be read while a trace is loaded are named in it, and
    /// handed to `report` with the reason.
    ///
    /// # Errors
    /// If an input cannot be done; [`exit_code`](super::exit_code) tells whether it is worth trying again.
    pub fn map(&self, task: &JobSpec, inputs: &[Input], report: &mut dyn FnMut(&str, &Error)) -> Result<Vec<u8>> {
        self.check(task)?;
        let asked = Ready::of(&task.question)?;
        let mut states = Vec::with_capacity(inputs.len());
        for input in inputs {
            let trace = task.traces.get(input.trace).ok_or_else(|| {
                let reason = format!("{} is of trace {}, and there are {}", input.uri, input.trace, task.traces.len());
                Error::Distributed(DistributedReason::Plan { reason })
            })?;
            states.push(match &task.question {
                Query::Load { ranks, .. } => {
                    let head = self.head(trace, input, ranks.as_deref(), report)?;
                    sealed(LOAD, LOAD, &Heads::from([(input.at, head)]))?
                }
                _ => asked.map(&self.rank(trace, input)?, trace)?,
            });
        }
        self.merged(task, &asked, &states)
    }

    /// Merges partial results of `map` and `reduce`.
    ///
    /// # Errors
    /// If one is damaged, or of another build or question, or they are too large together.
    pub fn reduce(&self, task: &JobSpec, states: &[impl AsRef<[u8]>]) -> Result<Vec<u8>> {
        self.check(task)?;
        let asked = Ready::of(&task.question)?;
        let extract = |state: &_| extracted(&self.build, AsRef::<[u8]>::as_ref(state), task.most_bytes);
        let states: Vec<Vec<u8>> = states.iter().map(extract).collect::<Result<_>>()?;
        self.merged(task, &asked, &states)
    }

    fn merged(&self, task: &JobSpec, asked: &Ready<'_>, states: &[Vec<u8>]) -> Result<Vec<u8>> {
        let merged = asked.merge(states, task)?;
        let (bytes, most) = (merged.len() as u64, task.most_bytes);
        if bytes > most {
            let question = task.question.name().to_owned();
            return Err(Error::Distributed(DistributedReason::TooLarge { question, bytes, most }));
        }
        packed(&self.build, &merged)
    }

    /// Reads the file of a rank, or takes its columns from the cache; they get the common types.
    fn rank(&self, trace: &TraceSpec, input: &Input) -> Result<Trace> {
        let path = path_of(&input.uri)?;
        // What is in storage is compared when it is opened; there is no path of it.
        let (bytes, modified) = facts(&path);
        if (bytes, modified) != (input.bytes, input.modified) && path.exists() {
            return Err(Error::Distributed(DistributedReason::Changed { uri: input.uri.clone() }));
        }
        let traces = self.load(trace, input, None)?;
        let types: Vec<NamedType> = trace.types.iter().map(|(name, of)| (name.as_str().into(), of.dtype())).collect();
        match traces.traces() {
            [one] => one.with_types(&types),
            _ => Err(Error::Distributed(DistributedReason::Changed { uri: input.uri.clone() })),
        }
    }

    fn load(&self, trace: &TraceSpec, input: &Input, ranks: Option<&[i64]>) -> Result<TraceSet> {
        let options = LoadOptions {
            compat: trace.compat,
            ranks: ranks.map(<[i64]>::to_vec),
            label: None,
            parser_config: Some(trace.parser_config.clone()),
            strict: trace.strict,
            cache: self.cache.clone(),
        };
        let path = path_of(&input.uri)?;
        let known = crate::read::Input::of_source(path.clone(), input.bytes, None, input.modified);
        if known.is_local() {
            TraceSet::load_with(path, &options, &mut |_| ControlFlow::Continue(()))
        } else {
            // Not asked again what it is: it must be what was listed.
            TraceSet::load_inputs(&[known], &options, &mut |_| ControlFlow::Continue(()))
        }
    }

    /// Reads a file, and returns its facts, or why it has none.
    ///
    /// # Errors
    /// Of the plan, or of storage that may answer later.
    fn head(
        &self,
        trace: &TraceSpec,
        input: &Input,
        ranks: Option<&[i64]>,
        report: &mut dyn FnMut(&str, &Error),
    ) -> Result<Head> {
        let file = path_of(&input.uri)?.display().to_string();
        let content = match self.load(trace, input, ranks).and_then(|traces| rank_of(&traces)) {
            Ok(content) => content,
            Err(Error::NoSuchRanks { available, .. }) if ranks.is_some() && available.len() == 1 => {
                HeadContent::OtherRank(available[0])
            }
            Err(error) if crate::dataset::is_about_content(&error) => HeadContent::Skipped(error.to_string()),
            Err(error) if exit_code(&error) == EXIT_INPUT && !matches!(error, Error::Interrupted) => {
                report(&file, &error);
                HeadContent::Failed(error.to_string())
            }
            Err(error) => return Err(error),
        };
        let Input { uri, bytes, modified, .. } = input.clone();
        Ok(Head { uri, file, bytes, modified, node: self.node.clone(), content })
    }
}

/// Returns what is known of a rank without its events.
fn rank_of(traces: &TraceSet) -> Result<HeadContent> {
    let [rank] = traces.traces() else {
        let reason = "it is a folder, and a task reads files".to_owned();
        return Err(Error::Distributed(DistributedReason::Plan { reason }));
    };
    let json = |error: serde_json::Error| Error::WrongState { question: LOAD.to_owned(), reason: error.to_string() };
    let columns = rank.columns();
    Ok(HeadContent::Rank {
        info: serde_json::to_string(rank.info()).map_err(json)?,
        warnings: serde_json::to_string(traces.warnings()).map_err(json)?,
        columns: columns.iter().filter_map(|(name, of)| Some((name.to_string(), ColumnType::of(of)?))).collect(),
        has_stacks: has_stacks(rank)?,
        has_graphs: has_graphs(rank)?,
    })
}

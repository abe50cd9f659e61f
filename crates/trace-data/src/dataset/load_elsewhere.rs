//! Loading by an engine: the facts of each rank come home, its events stay where they are.

use super::assemble::{FileResult, assemble};
use super::load_file::{Content, Loaded};
use super::trace::Trace;
use crate::distributed::{
    ElsewhereRank, Engine, Head, HeadContent, Heads, Input, Job, JobSpec, LOAD, Query, Remote, TraceSpec, UnreadFile,
    extracted,
};
use crate::error::DistributedReason;
use crate::exec::checkpoint;
use crate::state::opened;
use crate::{Error, LoadOptions, ParserConfig, RankInfo, Result, TraceSet, Warning};
use std::collections::BTreeMap;
use std::sync::Arc;

impl TraceSet {
    /// Loads a trace by an engine: it lists the files at `uri`, reads each and keeps its columns, and brings the facts of the ranks. What
    /// is known without events is known then; questions run as jobs of the engine. A file that cannot be read is a
    /// [warning](TraceSet::warnings), and each answer says how many ranks it is about.
    ///
    /// # Errors
    /// As [`TraceSet::load_with`]; [`Error::Distributed`] if the engine cannot be used, or no file could be read.
    pub fn load_elsewhere(uri: &str, options: &LoadOptions, engine: &Arc<dyn Engine>) -> Result<Self> {
        let parser_config = options.parser_config.clone().unwrap_or_else(ParserConfig::get_default_cfg);
        let base = TraceSpec::new(options.compat, parser_config, options.strict);
        let question = Query::Load { uri: uri.to_owned(), ranks: options.ranks.clone() };
        let spec = JobSpec::new(engine.build(), question, vec![base.clone()]);
        let label = options.label.as_deref().unwrap_or("trace");
        let is_interrupted = &checkpoint::interrupted;
        let ran = engine.run(&Job { spec: &spec, bundles: None, label, is_interrupted })?;
        checkpoint::check()?;
        let mut heads: Heads = opened(LOAD, LOAD, &extracted(engine.build(), &ran.state, spec.most_bytes)?)?;
        let mut logs = BTreeMap::new();
        for failed in ran.failed {
            let Input { uri, at, bytes, modified, .. } = failed.input;
            logs.insert(at, failed.log);
            let (file, content) = (uri.clone(), HeadContent::Failed(failed.reason));
            heads.insert(at, Head { uri, file, bytes, modified, node: None, content });
        }
        of_heads(
            label,
            options,
            (heads, logs),
            Remote { engine: Arc::clone(engine), uri: uri.to_owned(), spec: base, unread: Vec::new() },
        )
    }

    /// Returns the engine that reads the ranks, where the trace is, and how many ranks there are, with those that could not be read;
    /// `None` if this process has the events.
    pub fn elsewhere(&self) -> Option<(Arc<dyn Engine>, &str, usize)> {
        let remote = &self.traces().first()?.elsewhere()?.remote;
        Some((Arc::clone(&remote.engine), &remote.uri, self.traces().len() + remote.unread.len()))
    }

    /// Returns the files that an engine could not read, each with the reason and the end of its task's log; empty if this process has
    /// the events.
    pub fn unread_files(&self) -> &[UnreadFile] {
        self.traces().first().and_then(Trace::elsewhere).map_or(&[], |rank| &rank.remote.unread)
    }

    /// Returns the warning that ranks are missing in answers; `None` if all were read.
    #[doc(hidden)]
    pub fn missing_ranks(&self) -> Option<Warning> {
        let remote = &self.traces().first()?.elsewhere()?.remote;
        remote.missing(self.label(), self.traces().len())
    }
}

/// Makes a trace of the facts of its files, and of the logs of those whose task failed, by their place in the listing.
fn of_heads(
    label: &str,
    options: &LoadOptions,
    (heads, mut logs): (Heads, BTreeMap<usize, String>),
    mut remote: Remote,
) -> Result<TraceSet> {
    for (at, head) in &heads {
        if let HeadContent::Failed(reason) = &head.content {
            let (file, log) = (head.file.clone(), logs.remove(at).unwrap_or_default());
            remote.unread.push(UnreadFile { file, reason: reason.clone(), log });
        }
    }
    // The listing of a single file is the file itself.
    let in_folder = heads.len() > 1 || heads.values().any(|head| head.uri != remote.uri);
    let remote = Arc::new(remote);
    let mut files: Vec<FileResult> = Vec::new();
    for (at, head) in heads {
        let file = head.file.clone();
        if let Some(content) = content_of(at, head, &remote)? {
            files.push((file, content));
        }
    }
    if files.is_empty()
        && let Some(UnreadFile { file, reason, log }) = remote.unread.first().cloned()
    {
        return Err(Error::Distributed(DistributedReason::NoneRead { uri: remote.uri.clone(), file, reason, log }));
    }
    let traces = assemble(label, options, in_folder, files)?;
    if remote.unread.is_empty() {
        return Ok(traces);
    }
    let warning =
        |unread: &UnreadFile| Warning::UnreadFile { file: unread.file.clone(), reason: unread.reason.clone() };
    let unread = remote.unread.iter().map(warning);
    let warnings = remote.missing(label, traces.traces().len()).into_iter().chain(unread);
    let warnings = warnings.chain(traces.warnings().iter().cloned()).collect();
    Ok(TraceSet::of(label, options.compat, traces.traces().to_vec(), warnings))
}

/// Returns the content of a file; `None` if it could not be read.
fn content_of(at: usize, head: Head, remote: &Arc<Remote>) -> Result<Option<Result<Content>>> {
    let Head { uri, bytes, modified, node, content, .. } = head;
    let wrong = |error: serde_json::Error| Error::WrongState { question: LOAD.to_owned(), reason: error.to_string() };
    Ok(match content {
        HeadContent::Rank { info, warnings, columns, has_stacks, has_graphs } => {
            let info: RankInfo = serde_json::from_str(&info).map_err(wrong)?;
            let warnings: Vec<Warning> = serde_json::from_str(&warnings).map_err(wrong)?;
            let columns = columns.iter().map(|(name, of)| (name.as_str().into(), of.dtype())).collect();
            let input = Input { uri, at, bytes, modified, trace: 0 };
            let remote = Arc::clone(remote);
            let rank = ElsewhereRank { remote, input, node, columns, has_stacks, has_graphs };
            Some(Ok(Content::Requested(Loaded { trace: Trace::of_elsewhere(info, rank), warnings })))
        }
        HeadContent::OtherRank(rank) => Some(Ok(Content::OtherRank(rank))),
        HeadContent::Skipped(reason) => Some(Err(Error::Distributed(DistributedReason::Skipped(reason)))),
        HeadContent::Failed(_) => None,
    })
}

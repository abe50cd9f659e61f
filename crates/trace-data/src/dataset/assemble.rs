//! Assembly of a trace set from the files of a load.

use super::load_file::Content;
use super::load_options::LoadOptions;
use crate::error::DistributedReason;
use crate::exec::memory::Budget;
use crate::{Error, Result, Trace, TraceSet, Warning};
use std::collections::{BTreeMap, BTreeSet};

/// Path of a file, and its content.
pub(super) type FileResult = (String, Result<Content>);

/// Assembles the files, in the order of their names, into a trace set: of two files of one rank the later one counts.
pub(super) fn assemble(
    label: &str,
    options: &LoadOptions,
    in_folder: bool,
    files: Vec<FileResult>,
) -> Result<TraceSet> {
    let mut warnings = Vec::new();
    let mut traces: BTreeMap<i64, Trace> = BTreeMap::new();
    let mut first_error = None;
    let mut other_ranks: BTreeSet<i64> = BTreeSet::new();
    for (file, result) in files {
        match result {
            Ok(Content::OtherRank(rank)) => {
                other_ranks.insert(rank);
            }
            Ok(Content::Requested(loaded)) => {
                warnings.extend(loaded.warnings);
                let rank = loaded.trace.rank();
                if let Some(earlier) = traces.insert(rank, loaded.trace) {
                    let dropped = earlier.info().file.clone();
                    warnings.push(Warning::SameRank { rank, retained: file, dropped });
                }
            }
            // A folder may contain other JSON, too.
            Err(error) if in_folder && is_about_content(&error) => {
                warnings.push(Warning::SkippedFile { file, reason: error.to_string() });
                first_error.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    if traces.is_empty() {
        let wanted = options.ranks.clone().unwrap_or_default();
        if other_ranks.is_empty()
            && let Some(error) = first_error
        {
            return Err(error);
        }
        let available = other_ranks.into_iter().collect();
        return Err(Error::NoSuchRanks { label: label.to_owned(), wanted, available });
    }
    if let Some(requested) = &options.ranks {
        let mut missing: Vec<i64> = requested.iter().copied().filter(|rank| !traces.contains_key(rank)).collect();
        missing.sort_unstable();
        missing.dedup();
        if !missing.is_empty() {
            other_ranks.extend(traces.keys());
            let available = other_ranks.into_iter().collect();
            warnings.push(Warning::MissingRanks { label: label.to_owned(), missing, available });
        }
    }
    let traces = TraceSet::unified(label, options.compat, traces.into_values().collect(), warnings)?;
    Ok(traces.with_memory(Budget::chosen()?))
}

/// Whether a file of a folder is skipped because of this error.
pub fn is_about_content(error: &Error) -> bool {
    matches!(
        error,
        Error::NotATrace { .. }
            | Error::NoTraceEvents { .. }
            | Error::NoEvents { .. }
            | Error::Distributed(DistributedReason::Skipped(_))
    )
}

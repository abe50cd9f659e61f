//! Loading an export of [`write::parquet`](crate::write::parquet): its ranks, each as a file of a trace.

use super::assemble::{FileResult, assemble};
use super::load_file::{Content, Loaded};
use super::load_options::LoadOptions;
use super::monitor::Monitor;
use super::placement::Placement;
use super::table_source::{ExportedTables, TableSource};
use crate::error::ImportReason;
use crate::exec::pool::{Pool, run_jobs};
use crate::parquet::Export;
use crate::{Compat, Error, Result, Trace, TraceSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Loads the requested ranks of an export, on at most `threads` threads.
pub(super) fn load_export(
    export: &Arc<Export>,
    options: &LoadOptions,
    monitor: &Monitor,
    placement: &Placement,
    threads: usize,
) -> Result<TraceSet> {
    let invalid = |reason| Err(Error::NotAnExport { path: export.folder().to_owned(), reason });
    if options.compat == Compat::Hta && export.compat() != Compat::Hta {
        return invalid(ImportReason::Compat);
    }
    if options.parser_config.is_some() {
        return invalid(ImportReason::Columns);
    }
    let is_wanted = |rank: i64| options.ranks.as_ref().is_none_or(|ranks| ranks.contains(&rank));
    let (wanted, others): (Vec<i64>, Vec<i64>) = export.ranks().into_iter().partition(|rank| is_wanted(*rank));
    monitor.begin(wanted.iter().map(|rank| export.bytes_of(*rank)).sum(), wanted.len());
    let read = |rank: i64| -> FileResult {
        let folder = export.folder_of(rank);
        let name = folder.display().to_string();
        let stopped = || monitor.meter.stop.load(Ordering::Relaxed);
        let Some(permit) = placement.admit(&folder, export.bytes_of(rank), stopped) else {
            return (name, Err(Error::Interrupted));
        };
        monitor.begin_file(&name);
        let read = export.read(rank, &|bytes, rows| {
            monitor.meter.bytes.fetch_add(bytes, Ordering::Relaxed);
            monitor.meter.events.fetch_add(rows as u64, Ordering::Relaxed);
            monitor.meter.check()
        });
        let loaded = |(info, events)| {
            let tables = ExportedTables::of(export, rank).map(TableSource::Export);
            let trace = Trace::in_memory(info, events).with_tables_in(tables);
            Content::Requested(Loaded { trace, warnings: Vec::new() })
        };
        let retained = read.map(loaded).and_then(|content| content.retained(&permit, export.compat()));
        if retained.is_ok() {
            monitor.end_file();
        }
        (name, retained)
    };
    let mut files = run_jobs(threads, wanted.clone(), |_: &Pool<'_, '_>, rank| read(rank));
    monitor.meter.check()?;
    // Ranks that did not fit beside others are read again, one at a time, once the columns of all others are in files.
    let did_not_fit = |result: &FileResult| matches!(result.1, Err(Error::MemoryBudget { .. }));
    if files.len() > 1 && files.iter().any(did_not_fit) {
        for (_, result) in &mut files {
            if let Ok(Content::Requested(loaded)) = result {
                loaded.trace = placement.evict(&loaded.trace, export.compat(), &[])?;
            }
        }
        for (result, rank) in files.iter_mut().zip(wanted).filter(|(result, _)| did_not_fit(result)) {
            *result = read(rank);
        }
        monitor.meter.check()?;
    }
    if let Some((_, Ok(Content::Requested(first)))) = files.first_mut() {
        first.warnings = export.warnings(is_wanted);
    }
    files.extend(others.into_iter().map(|rank| (String::new(), Ok(Content::OtherRank(rank)))));
    let label = options.label.as_deref().unwrap_or_else(|| export.label());
    assemble(label, &LoadOptions { compat: export.compat(), ..options.clone() }, false, files)
}

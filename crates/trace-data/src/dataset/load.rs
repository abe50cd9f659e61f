//! Loading: path or bytes → [`TraceSet`], several ranks at once, with progress and cancellation.

#[cfg(test)]
#[path = "load_archive_tests.rs"]
mod archive_tests;
#[cfg(test)]
#[path = "load_cache_tests.rs"]
mod cache_tests;
#[cfg(test)]
#[path = "load_fragments_tests.rs"]
mod fragments_tests;
#[cfg(test)]
#[path = "load_perfetto_tests.rs"]
mod perfetto_tests;
#[cfg(test)]
#[path = "load_spill_tests.rs"]
mod spill_tests;
#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;

use super::assemble::{FileResult, assemble};
use super::cached::CachedFile;
use super::load_export::load_export;
use super::load_file::{Content, FileLoader};
use super::load_options::LoadOptions;
use super::monitor::{LoadProgress, Monitor};
use super::placement::Placement;
use crate::SourceFile;
use crate::domain::file_of;
use crate::exec::abandon::abandonable;
use crate::exec::checkpoint;
use crate::exec::context::Inherited;
use crate::exec::pool::{Pool, run_jobs};
use crate::parquet::Export;
use crate::read::{
    Connections, Input, Inputs, Location, Meter, check_json, label_of, open_bytes, open_input, read_events,
    read_parallel,
};
use crate::{Error, Result, TraceSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Loads the file or the folder at `path`, on a thread that is abandoned if it blocks after a cancellation.
pub(crate) fn from_path(
    path: &Path,
    options: &LoadOptions,
    progress: &mut dyn FnMut(&LoadProgress) -> ControlFlow<()>,
) -> Result<TraceSet> {
    load_within(path, options, Placement::here()?, progress)
}

/// Loads these files as those of a folder, in the same way.
pub(crate) fn from_inputs(
    inputs: &[Input],
    options: &LoadOptions,
    progress: &mut dyn FnMut(&LoadProgress) -> ControlFlow<()>,
) -> Result<TraceSet> {
    let path = inputs.first().map(|input| input.path.clone()).unwrap_or_default();
    load_wanted(&path, Files::Found(inputs.to_vec()), options, Placement::here()?, progress)
}

/// Loads the file or the folder at `path` as [`from_path`] does, with columns where `placement` says.
fn load_within(
    path: &Path,
    options: &LoadOptions,
    placement: Placement,
    progress: &mut dyn FnMut(&LoadProgress) -> ControlFlow<()>,
) -> Result<TraceSet> {
    load_wanted(path, Files::At(path.to_owned()), options, placement, progress)
}

/// Source of a load.
enum Files {
    /// The files of a path or an address.
    At(PathBuf),
    /// Files that were found before.
    Found(Vec<Input>),
}

fn load_wanted(
    path: &Path,
    files: Files,
    options: &LoadOptions,
    placement: Placement,
    progress: &mut dyn FnMut(&LoadProgress) -> ControlFlow<()>,
) -> Result<TraceSet> {
    let monitor = Arc::new(Monitor::default());
    let work = {
        let (path, options, columns) = (path.to_owned(), options.clone(), options.wanted()?);
        let (monitor, threads) = (Arc::clone(&monitor), Inherited::here().threads());
        move || {
            let _connections = Connections::of(&path);
            let inputs = match files {
                Files::Found(files) => Inputs::all(files),
                Files::At(path) => {
                    let location = Location::of(&path)?;
                    if let Location::Local(path) = &location
                        && let Some(export) = Export::find(path)?.map(Arc::new)
                    {
                        return load_export(&export, &options, &monitor, &placement, threads);
                    }
                    Inputs::find(&location, &monitor.meter)?
                }
            };
            if options.strict
                && let Some(pipe) = inputs.files.iter().find(|file| file.is_local() && !file_of(&file.path).is_file())
            {
                let (kind, expected) = ("a pipe, and strict loading reads twice", "a file or a folder");
                return Err(Error::NotAFile { path: pipe.path.clone(), kind, expected });
            }
            let label = options.label.clone().unwrap_or_else(|| label_of(&path));
            let loader =
                FileLoader { options: &options, wanted: &columns, meter: &monitor.meter, placement: &placement };
            let Inputs { files, in_folder, .. } = inputs;
            monitor.begin(files.iter().map(|file| file.size).sum(), files.len());
            let results = monitor.load(&files, loader, threads)?;
            let results = monitor.load_again(results, &files, loader, threads)?;
            assemble(&label, &options, in_folder, results)
        }
    };
    let mut report = || {
        if progress(&monitor.progress(options)).is_break() || checkpoint::interrupted() {
            monitor.meter.stop.store(true, Ordering::Relaxed);
        }
        if monitor.meter.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let failed = |error| Error::Io { path: path.to_owned(), error };
    let loaded = abandonable(work, &mut report).map_err(failed)?;
    match loaded {
        Some(loaded) if report().is_continue() => loaded,
        _ => Err(Error::Interrupted),
    }
}

/// Loads one trace from memory.
pub(super) fn from_bytes(bytes: &[u8], options: &LoadOptions) -> Result<TraceSet> {
    let meter = Meter::default();
    let label = options.label.as_deref().unwrap_or("trace");
    let reader = open_bytes(bytes, &meter)?;
    let placement = Placement::here()?;
    let loader = FileLoader { options, wanted: &options.wanted()?, meter: &meter, placement: &placement };
    let loaded = loader.load(label, None, |sink, budget| read_events(budget.limit(reader), label, sink), || 0);
    let loaded = validate_if_strict(options, loaded, || check_json(open_bytes(bytes, &meter)?, label));
    assemble(label, options, false, vec![(label.to_owned(), loaded)])
}

impl Monitor {
    /// Loads the files concurrently, on at most `threads` threads, and not more at once than fit in memory.
    fn load(&self, files: &[Input], loader: FileLoader<'_>, threads: usize) -> Result<Vec<FileResult>> {
        let stopped = || self.meter.stop.load(Ordering::Relaxed);
        let results = run_jobs(threads, files.iter().collect(), |pool: &Pool<'_, '_>, file: &Input| {
            let name = file.uri();
            let cached = CachedFile::of(file, loader.options, loader.wanted);
            let found = cached.as_ref().and_then(|cached| cached.load(&name, loader.options.ranks.as_deref()));
            let size = if found.is_some() { 0 } else { file.size };
            let Some(permit) = loader.placement.admit(&file.path, size, stopped) else {
                return (name, Err(Error::Interrupted));
            };
            if let Some(found) = found {
                self.meter.bytes.fetch_add(file.size, Ordering::Relaxed);
                self.files_from_cache.fetch_add(1, Ordering::Relaxed);
                self.end_file();
                return (name, found.retained(&permit, loader.options.compat));
            }
            let begun = Instant::now();
            self.begin_file(&name);
            let loaded = loader.load(
                &name,
                SourceFile::of(file),
                |sink, budget| {
                    let reader = budget.limit(open_input(file, loader.meter)?);
                    if pool.may_help() {
                        read_parallel(reader, pool, &name, sink)
                    } else {
                        read_events(reader, &name, sink)
                    }
                },
                || pool.idle_threads(),
            );
            let check = || check_json(open_input(file, loader.meter)?, &name);
            let loaded = validate_if_strict(loader.options, loaded, check);
            let loaded = loaded.and_then(|content| match &cached {
                Some(cached) => cached.keep(content, begun.elapsed()),
                None => Ok(content),
            });
            let loaded = loaded.and_then(|content| content.retained(&permit, loader.options.compat));
            if matches!(loaded, Err(Error::MemoryBudget { .. })) {
                permit.was_too_small();
            }
            self.end_file();
            (name, loaded)
        });
        if stopped() { Err(Error::Interrupted) } else { Ok(results) }
    }

    /// Loads those files again, one at a time, that did not fit beside others; the columns of all others go to files before.
    fn load_again(
        &self,
        mut results: Vec<FileResult>,
        files: &[Input],
        loader: FileLoader<'_>,
        threads: usize,
    ) -> Result<Vec<FileResult>> {
        let did_not_fit = |result: &FileResult| matches!(result.1, Err(Error::MemoryBudget { .. }));
        if files.len() < 2 || !results.iter().any(did_not_fit) {
            return Ok(results);
        }
        for (_, result) in &mut results {
            if let Ok(Content::Requested(loaded)) = result {
                loaded.trace = loader.placement.evict(&loaded.trace, loader.options.compat, &loaded.warnings)?;
            }
        }
        for (result, file) in results.iter_mut().zip(files) {
            if did_not_fit(result) {
                self.files_done.fetch_sub(1, Ordering::Relaxed);
                if let Some(alone) = self.load(std::slice::from_ref(file), loader, threads)?.pop() {
                    *result = alone;
                }
            }
        }
        Ok(results)
    }
}

/// Validates the file with serde_json if the load is strict. Files of other ranks are not validated.
fn validate_if_strict(
    options: &LoadOptions,
    loaded: Result<Content>,
    check: impl FnOnce() -> Result<()>,
) -> Result<Content> {
    if options.strict
        && !matches!(
            loaded,
            Ok(Content::OtherRank(_)) | Err(Error::Interrupted | Error::MemoryBudget { .. } | Error::Io { .. })
        )
    {
        check()?;
    }
    loaded
}

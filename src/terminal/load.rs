//! Loading a trace with a progress line, if standard error is a terminal.

use super::progress_line::ProgressLine;
use super::screen::Screen;
use crate::Error;
use crate::session::run_paths;
use kernel_magic::argument::Call;
use kernel_magic::context::{Context, jobs};
use kernel_magic::trace_load::options;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::{Cache, LoadOptions, LoadProgress, TraceSet};

/// Standard input as a file: a path that is `-`.
pub(super) const STANDARD_INPUT: &str = "/dev/stdin";

/// The most runs that a message names.
const MOST_NAMES: usize = 4;

/// Loads the trace at the path in `argument`, and keeps it in the session as `label`.
///
/// # Errors
/// Those of [`TraceSet::load_with`].
pub(super) fn load(
    call: &Call<'_>,
    context: &mut Context<'_>,
    argument: &str,
    label: &str,
    ranks: Option<&[i64]>,
) -> Result<Arc<TraceSet>, Error> {
    load_path(call, context, call.path(argument).unwrap_or_default(), label, ranks)
}

/// Loads the trace at a path, and keeps it in the session as `label`.
///
/// # Errors
/// Those of [`TraceSet::load_with`].
pub(super) fn load_path(
    call: &Call<'_>,
    context: &mut Context<'_>,
    path: PathBuf,
    label: &str,
    ranks: Option<&[i64]>,
) -> Result<Arc<TraceSet>, Error> {
    let path = if path == Path::new("-") { PathBuf::from(STANDARD_INPUT) } else { path };
    let location = path.display().to_string();
    if let Some(engine) = context.engine(call, &location)? {
        let ranks = ranks.map(<[i64]>::to_vec);
        let options = LoadOptions { label: Some(label.to_owned()), ranks, ..options(call) };
        let loaded = Arc::new(context.load_elsewhere(&location, options, &engine)?);
        jobs::logs(loaded.unread_files()).iter().for_each(|log| Screen::log(log));
        context.session.insert(Arc::clone(&loaded), path);
        return Ok(loaded);
    }
    let path = one_run(call, path)?;
    let cache = if call.switch("no-cache") { None } else { cache(context) };
    let options = LoadOptions {
        label: Some(label.to_owned()),
        ranks: ranks.map(<[i64]>::to_vec),
        cache: cache.clone(),
        ..options(call)
    };
    let shown = ProgressLine::new(call);
    let loaded = TraceSet::load_with(&path, &options, &mut |progress| {
        shown.print(|| line(&path, progress));
        ControlFlow::Continue(())
    });
    shown.clear();
    let loaded = Arc::new(loaded?);
    Screen::warn(&cache.and_then(|cache| cache.take_problem()).into_iter().collect::<Vec<_>>());
    context.session.insert(Arc::clone(&loaded), path);
    context.keep_annotations(&loaded)?;
    Ok(loaded)
}

/// Returns the run that a path names, also as a pattern that one run matches.
///
/// # Errors
/// If several match.
fn one_run(call: &Call<'_>, path: PathBuf) -> Result<PathBuf, Error> {
    let mut runs = run_paths::expand(std::slice::from_ref(&path)).unwrap_or_default();
    if runs.len() < 2 {
        return Ok(runs.pop().unwrap_or(path));
    }
    let names: Vec<String> = runs.iter().take(MOST_NAMES).map(|run| run.display().to_string()).collect();
    let more = if runs.len() > MOST_NAMES { ", …" } else { "" };
    let reason = format!("it names {} runs: {}{more}", runs.len(), names.join(", "));
    let hint = "name one of them; tracebook diff --stats and tracebook explain compare several".to_owned();
    Err(call.cannot(format!("load {}", path.display()), &reason).hint(hint).into())
}

/// Returns the cache of loaded traces; `None` if it is off. Why it cannot be used is a warning, once, if the user chose it: the
/// default folder may not be writable, as in CI.
fn cache(context: &mut Context<'_>) -> Option<Cache> {
    match context.session.cache() {
        Ok(cache) => cache,
        Err(reason) => {
            if context.session.chose_cache() && context.session.warns_of_cache() {
                Screen::warn(&[format!("{reason}. The trace is loaded without the cache.")]);
            }
            None
        }
    }
}

fn line(path: &Path, progress: &LoadProgress) -> String {
    let percent = 100.0 * progress.bytes_read as f64 / progress.bytes_total.max(1) as f64;
    let files = match progress.files_total {
        0 | 1 => String::new(),
        all => format!(" · {} of {all} files done", progress.files_done),
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("reading {name} · {:.0} %{files}", percent.clamp(0.0, 100.0))
}

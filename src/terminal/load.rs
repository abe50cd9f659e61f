//! Reads a trace with a line of progress, if somebody is there to see it.

use crate::Error;
use crate::magic::argument::Call;
use crate::magic::context::Context;
use crate::magic::trace_load::options;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace::{LoadOptions, LoadProgress, TraceSet};

/// Reading that is over by then shows no progress.
const PATIENCE: Duration = Duration::from_millis(300);
/// The carriage back, and the line wiped.
const WIPE: &str = "\r\u{1b}[2K";

/// Reads the trace that the argument `place` names and keeps it in the session under `label`.
///
/// # Errors
/// What the trace library says.
pub(super) fn load(
    call: &Call<'_>,
    context: &mut Context<'_>,
    place: &str,
    label: &str,
    ranks: Option<&[i64]>,
) -> Result<Arc<TraceSet>, Error> {
    let path = call.path(place).unwrap_or_default();
    let options = LoadOptions { label: Some(label.to_owned()), ranks: ranks.map(<[i64]>::to_vec), ..options(call) };
    let start = Instant::now();
    let mut shown = false;
    let seen = std::io::stderr().is_terminal() && !call.quiet();
    let loaded = TraceSet::load_with(&path, &options, &mut |progress| {
        if seen && start.elapsed() >= PATIENCE {
            shown = true;
            say(&format!("{WIPE}{}", line(&path, progress)));
        }
        ControlFlow::Continue(())
    });
    if shown {
        say(WIPE);
    }
    let loaded = Arc::new(loaded?);
    context.session.insert(Arc::clone(&loaded), path);
    Ok(loaded)
}

fn say(text: &str) {
    let mut err = std::io::stderr();
    // Progress that cannot be shown is no reason to stop.
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

fn line(path: &Path, progress: &LoadProgress) -> String {
    let percent = 100.0 * progress.bytes_read as f64 / progress.bytes_total.max(1) as f64;
    let files = match progress.files_total {
        0 | 1 => String::new(),
        all => format!(" · {} of {all} files done", progress.files_done),
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    trace_view::terminal_safe(&format!("reading {name} · {:.0} %{files}", percent.clamp(0.0, 100.0)))
}

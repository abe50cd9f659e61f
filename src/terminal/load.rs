//! Loading a trace with a progress line, if standard error is a terminal.

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

/// Delay before progress is shown.
const DELAY: Duration = Duration::from_millis(300);
/// Carriage return, and clear the line.
const CLEAR_LINE: &str = "\r\u{1b}[2K";

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
    let path = call.path(argument).unwrap_or_default();
    let options = LoadOptions { label: Some(label.to_owned()), ranks: ranks.map(<[i64]>::to_vec), ..options(call) };
    let start = Instant::now();
    let mut shown = false;
    let is_visible = std::io::stderr().is_terminal() && !call.quiet();
    let loaded = TraceSet::load_with(&path, &options, &mut |progress| {
        if is_visible && start.elapsed() >= DELAY {
            shown = true;
            print_progress(&format!("{CLEAR_LINE}{}", line(&path, progress)));
        }
        ControlFlow::Continue(())
    });
    if shown {
        print_progress(CLEAR_LINE);
    }
    let loaded = Arc::new(loaded?);
    context.session.insert(Arc::clone(&loaded), path);
    Ok(loaded)
}

fn print_progress(text: &str) {
    let mut err = std::io::stderr();
    // Progress is not worth an error.
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

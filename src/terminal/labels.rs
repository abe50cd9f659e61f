//! Labels of traces that are named by their paths.

use super::load::load_path;
use crate::Error;
use crate::session::{label, run_paths};
use kernel_magic::argument::Call;
use kernel_magic::context::Context;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::TraceSet;

/// Loads the trace at a path, `NAME=PATH` with this name, else with that of its file, numbered if it is taken.
///
/// # Errors
/// If the name is none, and those of the load.
pub(super) fn load_labelled(
    call: &Call<'_>,
    context: &mut Context<'_>,
    path: &Path,
    ranks: Option<&[i64]>,
) -> Result<Arc<TraceSet>, Error> {
    let (label, path) = labelled(path, &|label| context.session.is_label(label));
    if let Err(reason) = label::check(&label) {
        return Err(call.cannot(format!("name a trace {label}"), &reason).into());
    }
    load_path(call, context, path, &label, ranks)
}

/// Splits `NAME=PATH`; without a name the label is that of the file, numbered if it is taken.
fn labelled(path: &Path, is_taken: &dyn Fn(&str) -> bool) -> (String, PathBuf) {
    let text = path.to_string_lossy();
    if let Some((name, rest)) = text.split_once('=')
        && !path.exists()
        && !rest.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        return (name.to_owned(), PathBuf::from(rest));
    }
    let label = label_of(path);
    let numbered = (2..).map(|number| format!("{label}_{number}"));
    let free = std::iter::once(label.clone()).chain(numbered).find(|label| !is_taken(label));
    (free.unwrap_or(label), path.to_owned())
}

/// Returns the label of a trace: that of the one file that a pattern names.
fn label_of(path: &Path) -> String {
    if path == Path::new("-") {
        return "stdin".to_owned();
    }
    match run_paths::expand(&[path.to_owned()]).as_deref() {
        Ok([run]) => label::from_path(run),
        _ => label::from_path(path),
    }
}

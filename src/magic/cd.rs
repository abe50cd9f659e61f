//! `%cd`: goes to another folder.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use crate::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(super) struct Cd;

/// What it takes.
const ARGUMENTS: &[Group] = &[Group::new(
    "Arguments",
    &[Argument::optional("FOLDER", Kind::Folder, "where to go; - goes back, and without it you go home")],
)];

impl Magic for Cd {
    fn name(&self) -> &'static str {
        "cd"
    }

    fn summary(&self) -> &'static str {
        "Go to another folder, where relative paths of magics and Rust cells then begin."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "Loaded traces stay as they are. It prints the folder that you are in afterwards; %pwd prints it again."
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%cd ~/traces/monday", "%cd ${TRACEBOOK_DATA:-data}/runs"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let folder = match call.path("FOLDER") {
            Some(folder) if folder == Path::new("-") => {
                let previous = context.session.previous_folder().map(Path::to_owned);
                previous.ok_or_else(|| call.usage("there is no folder to go back to: %cd FOLDER goes to one first."))?
            }
            Some(folder) => folder,
            None => std::env::var_os("HOME").map(PathBuf::from).ok_or_else(|| {
                call.usage("no home to go to: the environment variable HOME is not set. %cd FOLDER goes to a folder.")
            })?,
        };
        let before = std::env::current_dir().ok();
        std::env::set_current_dir(&folder).map_err(|error| refused(call, &folder, before.as_deref(), &error))?;
        let now = std::env::current_dir().unwrap_or(folder);
        context.cells.enter(&now);
        context.session.set_previous_folder(before);
        context.print_line(now.display());
        Ok(())
    }
}

/// Why one cannot go there.
fn refused(call: &Call<'_>, folder: &Path, from: Option<&Path>, error: &std::io::Error) -> Error {
    let shown = folder.display();
    let from = from.map(|from| format!(" (you are in {})", from.display())).unwrap_or_default();
    call.usage(match error.kind() {
        ErrorKind::NotFound => format!("no such file or folder: {shown}{from}. Tab lists the folders there are."),
        ErrorKind::NotADirectory => format!("{shown} is a file, not a folder: %trace_load {shown} loads a trace."),
        ErrorKind::PermissionDenied => format!("{shown} may not be entered: you lack the right to (see `ls -ld`)."),
        _ => format!("cannot go to {shown}: {error}."),
    })
}

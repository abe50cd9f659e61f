//! `%cd`: changes the current folder.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use crate::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(super) struct Cd;

const ARGUMENTS: &[Group] = &[Group::new(
    "Arguments",
    &[Argument::optional("FOLDER", Kind::Folder, "the new current folder; - is the previous one; default: your home")],
)];

impl Magic for Cd {
    fn name(&self) -> &'static str {
        "cd"
    }

    fn summary(&self) -> &'static str {
        "Change the current folder, the base of relative paths in magics and Rust cells."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "Prints the new folder. Loaded traces are not affected."
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%cd ~/traces/monday", "%cd ${TRACEBOOK_DATA:-data}/runs"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let folder = match call.path("FOLDER") {
            Some(folder) if folder == Path::new("-") => {
                let previous = context.session.previous_folder().map(Path::to_owned);
                previous.ok_or_else(|| call.cannot("go back", "%cd was not used before"))?
            }
            Some(folder) => folder,
            None => std::env::var_os("HOME").map(PathBuf::from).ok_or_else(|| {
                let reason = "the environment variable HOME is not set";
                call.cannot("go to your home folder", reason).hint("name a folder: %cd FOLDER")
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

/// The error of a folder that cannot be entered.
fn refused(call: &Call<'_>, folder: &Path, from: Option<&Path>, error: &std::io::Error) -> Error {
    let shown = folder.display();
    let from = from.map(|from| format!(" in {}", from.display())).unwrap_or_default();
    let (reason, hint) = match error.kind() {
        ErrorKind::NotFound => (format!("no such file or folder{from}"), "Tab lists the folders".to_owned()),
        ErrorKind::NotADirectory => {
            ("it is a file, not a folder".to_owned(), format!("%trace_load {shown} loads a trace"))
        }
        ErrorKind::PermissionDenied => ("permission denied".to_owned(), format!("see `ls -ld {shown}`")),
        _ => (error.to_string(), String::new()),
    };
    call.cannot(format!("enter {shown}"), reason).hint(hint).into()
}

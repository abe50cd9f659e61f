//! The command line: what was typed, and what it means.

use crate::install::{Cells, InstallError, InstallOptions, Location, doctor, install, uninstall};
use crate::terminal::{self, Exit};
use crate::wire::{Connection, WireError};
use crate::{dispatch, engine, magic};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// What `--help` says of the environment.
const ENVIRONMENT: &str = "\
Environment of the kernel:
  TRACEBOOK_LOG       how much is logged: off (the default), error, warn, info, debug (a line per request), trace
  TRACEBOOK_LOG_FILE  a file to log to, in place of standard error";

/// A Jupyter kernel for comparing and exploring PyTorch profiler traces.
#[derive(Debug, Parser)]
#[command(name = "tracebook", version, after_help = ENVIRONMENT)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare two traces, at the terminal or in CI.
    #[command(disable_help_flag = true)]
    Diff(Words),
    /// Show a trace on one page, at the terminal.
    #[command(disable_help_flag = true)]
    Describe(Words),
    /// Serve a notebook; Jupyter calls this.
    Run {
        /// The file that says where to listen.
        #[arg(long, value_name = "FILE")]
        connection_file: PathBuf,
    },
    /// Install the kernel, the JupyterLab extension and the library for Rust cells.
    Install {
        #[command(flatten)]
        place: Place,
        /// Leave the library for Rust cells alone; only magics will work until it is built.
        #[arg(long, conflicts_with = "build_cells")]
        no_cells: bool,
        /// Build the library for Rust cells and nothing else.
        #[arg(long)]
        build_cells: bool,
        /// For packagers: kernel.json finds the program in DIR/bin wherever DIR will lie; nothing is built for Rust cells.
        #[arg(long, requires = "prefix", conflicts_with_all = ["no_cells", "build_cells"])]
        relocatable: bool,
    },
    /// Look whether all that Jupyter and Rust cells need is there, and say what mends what is not.
    Doctor {
        #[command(flatten)]
        place: Place,
    },
    /// Print the reference page of all magics, in Markdown.
    Reference {
        /// Only the table of magics.
        #[arg(long)]
        table: bool,
    },
    /// Remove the kernel and the extension.
    Uninstall {
        #[command(flatten)]
        place: Place,
    },
}

/// What the parser of the magics reads; --help lists it.
#[derive(Debug, Args)]
struct Words {
    /// Traces and flags: --help lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "TRACE|FLAG")]
    words: Vec<OsString>,
}

/// Under which folder.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Place {
    /// The user's own Jupyter folder (the default; `doctor` looks wherever Jupyter looks).
    #[arg(long)]
    user: bool,
    /// DIR/share/jupyter.
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// The active Python environment: VIRTUAL_ENV, else CONDA_PREFIX, else where python3 lives.
    #[arg(long)]
    sys_prefix: bool,
}

impl Place {
    /// The place that was named, if any.
    fn named(self) -> Option<Location> {
        (self.user || self.sys_prefix || self.prefix.is_some()).then(|| self.into())
    }
}

impl From<Place> for Location {
    fn from(place: Place) -> Self {
        match place {
            Place { prefix: Some(prefix), .. } => Location::Prefix(prefix),
            Place { sys_prefix: true, .. } => Location::SysPrefix,
            Place { .. } => Location::User,
        }
    }
}

/// What went wrong, for the person at the terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// The kernel could not listen.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The installation failed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The folder for the run's temporary files could not be made.
    #[error("cannot make a temporary folder: {0}")]
    Folder(std::io::Error),
    /// `doctor` found problems.
    #[error("{}", problems(*.0))]
    Problems(usize),
    /// A command ended with a code of its own.
    #[error("{}", .0.message)]
    Command(Exit),
}

impl CliError {
    /// The code that the process ends with.
    pub fn code(&self) -> u8 {
        if let Self::Command(outcome) = self { outcome.code } else { 1 }
    }
}

impl Cli {
    /// Does what was asked for.
    ///
    /// # Errors
    /// What to tell the person at the terminal.
    pub fn run(self) -> Result<(), CliError> {
        let done = |outcome: Exit| if outcome.code == 0 { Ok(()) } else { Err(CliError::Command(outcome)) };
        match self.command {
            Command::Diff(Words { words }) => done(terminal::command(terminal::Command::Diff, words)),
            Command::Describe(Words { words }) => done(terminal::command(terminal::Command::Describe, words)),
            Command::Run { connection_file } => {
                let connection = Connection::read(&connection_file)?;
                let folder = engine::enter().map_err(CliError::Folder)?;
                Ok(dispatch::run(&connection, engine::start(&folder))?)
            }
            Command::Install { place, no_cells, build_cells, relocatable } => {
                let cells = match (no_cells, build_cells) {
                    (true, _) => Cells::Skip,
                    (_, true) => Cells::Only,
                    _ => Cells::Build,
                };
                Ok(install(&InstallOptions { location: place.into(), cells, relocatable }, &mut say)?)
            }
            Command::Doctor { place } => match doctor(place.named().as_ref(), &mut say) {
                0 => Ok(()),
                count => Err(CliError::Problems(count)),
            },
            Command::Reference { table } => {
                let page = if table { magic::table() } else { magic::reference() };
                let _ = std::io::stdout().write_all(page.as_bytes());
                Ok(())
            }
            Command::Uninstall { place } => Ok(uninstall(&place.into(), &mut say)?),
        }
    }
}

/// Returns the last line of `doctor`.
fn problems(count: usize) -> String {
    match count {
        1 => "1 problem; its fix is listed above".to_owned(),
        _ => format!("{count} problems; fixes are listed above"),
    }
}

/// One line for the person at the terminal; a terminal that is gone is no reason to stop.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

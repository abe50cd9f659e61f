//! The command line of `tracebook`.

use crate::install::{Cells, InstallError, InstallOptions, Location, PACK_LEVEL, doctor, install, uninstall};
use crate::terminal::{self, Exit};
use crate::wire::{Connection, WireError};
use crate::{dispatch, engine, magic};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// The part of `--help` about the environment.
const ENVIRONMENT: &str = "\
Environment of the kernel:
  TRACEBOOK_LOG       log level: off (the default), error, warn, info, debug (one line per request), trace
  TRACEBOOK_LOG_FILE  file to log to, instead of standard error";

/// A Jupyter kernel for comparing and exploring PyTorch profiler traces.
#[derive(Debug, Parser)]
#[command(name = "tracebook", version, after_help = ENVIRONMENT, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the help of a command or of a magic.
    Help {
        /// The command, `diff`, or the magic, `operators`.
        name: Option<OsString>,
    },
    /// Run a magic of the notebook over trace files; each magic is a command, too: `tracebook operators TRACE`.
    #[command(disable_help_flag = true)]
    Ask(RawArgs),
    /// Compare two traces in a terminal or in CI.
    #[command(disable_help_flag = true)]
    Diff(RawArgs),
    /// Show an overview of a trace in a terminal.
    #[command(disable_help_flag = true)]
    Describe(RawArgs),
    /// Explain why a step got slower or faster, in a terminal.
    #[command(disable_help_flag = true)]
    Explain(RawArgs),
    /// Show the aligned call tree of two steps in a terminal.
    #[command(disable_help_flag = true)]
    TreeDiff(RawArgs),
    /// Find what bounds a step, and what would make it shorter.
    #[command(disable_help_flag = true)]
    CriticalPath(RawArgs),
    /// Keep the times of runs under a name, and judge a later run by them.
    #[command(disable_help_flag = true)]
    Baseline(RawArgs),
    /// Fail if a step certainly got slower than a limit allows, in CI.
    #[command(disable_help_flag = true)]
    Gate(RawArgs),
    /// Print a script that records runs of two programs in mixed order.
    #[command(disable_help_flag = true)]
    RecordLoop(RawArgs),
    /// Write the difference of two steps as one page to send.
    #[command(disable_help_flag = true)]
    Report(RawArgs),
    /// Write a trace as Parquet files.
    #[command(disable_help_flag = true)]
    Export(RawArgs),
    /// A magic as a command.
    #[command(external_subcommand)]
    Magic(Vec<OsString>),
    /// Run a step of a distributed job, from standard input to standard output (docs/task.md).
    #[command(hide = true)]
    Task {
        /// The step: list, map or reduce.
        step: String,
        /// Files with partial results, besides the frames of standard input.
        states: Vec<PathBuf>,
    },
    /// Serve a notebook; Jupyter calls this.
    Run {
        /// The connection file, with the addresses to listen on.
        #[arg(long, value_name = "FILE")]
        connection_file: PathBuf,
    },
    /// Install the kernel, the JupyterLab extension and the library for Rust cells.
    Install {
        #[command(flatten)]
        location: LocationFlags,
        /// Do not build the library for Rust cells; until it is built, only magics work.
        #[arg(long, conflicts_with = "build_cells")]
        no_cells: bool,
        /// Build only the library for Rust cells.
        #[arg(long)]
        build_cells: bool,
        /// Fetch only the library for Rust cells: an archive that --pack-cells wrote, its folder or its address; without a value
        /// that of the release that this program is from.
        #[arg(long, value_name = "URL|FILE|FOLDER", num_args = 0..=1, default_missing_value = "",
              conflicts_with_all = ["no_cells", "build_cells"])]
        fetch_cells: Option<String>,
        /// For packagers: pack the library for Rust cells into a folder, with its checksum.
        #[arg(long, value_name = "FOLDER", conflicts_with_all = ["no_cells", "build_cells", "fetch_cells"])]
        pack_cells: Option<PathBuf>,
        /// The level of zstd for --pack-cells: 19, of releases, takes minutes, 3 seconds.
        #[arg(long, value_name = "LEVEL", default_value_t = PACK_LEVEL, requires = "pack_cells",
              value_parser = clap::value_parser!(i32).range(1..=19))]
        pack_level: i32,
        /// For packagers: kernel.json names the program in DIR/bin relative to itself; nothing is built for Rust cells.
        #[arg(long, requires = "prefix", conflicts_with_all = ["no_cells", "build_cells", "fetch_cells", "pack_cells"])]
        relocatable: bool,
    },
    /// Check what Jupyter and Rust cells need, and print a fix for each problem.
    Doctor {
        #[command(flatten)]
        location: LocationFlags,
    },
    /// Print the reference page of all magics, in Markdown.
    Reference,
    /// Remove the kernel and the extension.
    Uninstall {
        #[command(flatten)]
        location: LocationFlags,
    },
}

/// Words for the parser of magics; --help lists the flags.
#[derive(Debug, Args)]
struct RawArgs {
    /// Traces and flags; --help lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "TRACE|FLAG")]
    words: Vec<OsString>,
}

/// The folder to install under.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct LocationFlags {
    /// The user's own Jupyter folder (the default; `doctor` looks wherever Jupyter looks).
    #[arg(long)]
    user: bool,
    /// DIR/share/jupyter.
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// The active Python environment: VIRTUAL_ENV, else CONDA_PREFIX, else that of python3.
    #[arg(long)]
    sys_prefix: bool,
}

impl LocationFlags {
    /// Returns the location that a flag names, if one does.
    fn named(self) -> Option<Location> {
        (self.user || self.sys_prefix || self.prefix.is_some()).then(|| self.into())
    }
}

impl From<LocationFlags> for Location {
    fn from(flags: LocationFlags) -> Self {
        match flags {
            LocationFlags { prefix: Some(prefix), .. } => Location::Prefix(prefix),
            LocationFlags { sys_prefix: true, .. } => Location::SysPrefix,
            LocationFlags { .. } => Location::User,
        }
    }
}

/// An error for the user at the terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// The kernel could not listen.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The installation failed.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// The folder of the run could not be created.
    #[error("cannot create a temporary folder")]
    Folder(#[source] std::io::Error),
    /// `doctor` found problems.
    #[error("{}", problems(*.0))]
    Problems(usize),
    /// A command ended with an exit code of its own.
    #[error("{}", .0.message)]
    Command(Exit),
}

impl CliError {
    /// Returns the exit code of the process.
    pub fn code(&self) -> u8 {
        if let Self::Command(exit) = self { exit.code } else { 1 }
    }
}

impl Cli {
    /// Runs the command.
    ///
    /// # Errors
    /// The error to print.
    pub fn run(self) -> Result<(), CliError> {
        let finish = |exit: Exit| if exit.code == 0 { Ok(()) } else { Err(CliError::Command(exit)) };
        match self.command {
            Command::Help { name } => {
                let asked = [OsString::from("tracebook")].into_iter().chain(name).chain([OsString::from("--help")]);
                match Cli::try_parse_from(asked) {
                    Ok(cli) => cli.run(),
                    Err(page) => {
                        let _ = page.print();
                        Ok(())
                    }
                }
            }
            Command::Magic(words) => finish(terminal::magic_command(words)),
            Command::Ask(RawArgs { words }) => finish(terminal::ask(words)),
            Command::Diff(RawArgs { words }) => finish(terminal::command("diff", words)),
            Command::Describe(RawArgs { words }) => finish(terminal::command("describe", words)),
            Command::Explain(RawArgs { words }) => finish(terminal::command("explain", words)),
            Command::TreeDiff(RawArgs { words }) => finish(terminal::command("tree-diff", words)),
            Command::CriticalPath(RawArgs { words }) => finish(terminal::command("critical-path", words)),
            Command::Baseline(RawArgs { words }) => finish(terminal::command("baseline", words)),
            Command::Gate(RawArgs { words }) => finish(terminal::command("gate", words)),
            Command::RecordLoop(RawArgs { words }) => finish(terminal::command("record-loop", words)),
            Command::Report(RawArgs { words }) => finish(terminal::command("report", words)),
            Command::Export(RawArgs { words }) => finish(terminal::command("export", words)),
            Command::Task { step, states } => finish(terminal::task(&step, &states)),
            Command::Run { connection_file } => {
                let connection = Connection::read(&connection_file)?;
                let folder = engine::enter().map_err(CliError::Folder)?;
                Ok(dispatch::run(&connection, || engine::start(&folder))?)
            }
            Command::Install { location, no_cells, build_cells, fetch_cells, pack_cells, pack_level, relocatable } => {
                let cells = match (fetch_cells, pack_cells) {
                    (Some(from), _) => Cells::Fetch(Some(from).filter(|from| !from.is_empty())),
                    (_, Some(folder)) => Cells::Pack { folder, level: pack_level },
                    _ if no_cells => Cells::Skip,
                    _ if build_cells => Cells::Only,
                    _ => Cells::Build,
                };
                Ok(install(&InstallOptions { location: location.into(), cells, relocatable }, &mut print_line)?)
            }
            Command::Doctor { location } => {
                match doctor(location.named().as_ref(), dispatch::history_path().as_deref(), &mut print_line) {
                    0 => Ok(()),
                    count => Err(CliError::Problems(count)),
                }
            }
            Command::Reference => {
                let _ = std::io::stdout().write_all(magic::reference().as_bytes());
                Ok(())
            }
            Command::Uninstall { location } => Ok(uninstall(&location.into(), &mut print_line)?),
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

/// Prints a line. A closed terminal is ignored.
fn print_line(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

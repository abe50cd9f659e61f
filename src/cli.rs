//! The command line: what was typed, and what it means.

use crate::wire::{Connection, WireError};
use crate::{dispatch, engine};
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// A Jupyter kernel for comparing and exploring PyTorch profiler traces.
#[derive(Debug, Parser)]
#[command(name = "tracebook", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve a notebook; Jupyter calls this.
    Run {
        /// The file that says where to listen.
        #[arg(long, value_name = "FILE")]
        connection_file: PathBuf,
    },
}

/// What went wrong, for the person at the terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// The kernel could not listen.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The folder for the run's temporary files could not be made.
    #[error("cannot make a temporary folder: {0}")]
    Folder(std::io::Error),
}

impl Cli {
    /// Does what was asked for.
    ///
    /// # Errors
    /// What to tell the person at the terminal.
    pub fn run(self) -> Result<(), CliError> {
        match self.command {
            Command::Run { connection_file } => {
                let connection = Connection::read(&connection_file)?;
                let folder = engine::enter().map_err(CliError::Folder)?;
                Ok(dispatch::run(&connection, engine::start(&folder))?)
            }
        }
    }
}

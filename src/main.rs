//! The `tracebook` binary.

use clap::Parser;
use std::process::ExitCode;
use tracebook::cli::{Cli, CliError};

fn main() -> ExitCode {
    // First of all: this binary is also the compiler and the process of Rust cells, and then this does not return.
    tracebook::engine::runtime_hook();
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match &error {
                // It names the command itself.
                CliError::Command(outcome) => eprintln!("{}", outcome.message),
                error => eprintln!("tracebook: {error}"),
            }
            ExitCode::from(error.code())
        }
    }
}

//! The `tracebook` binary.

use clap::Parser;
use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use tracebook::cli::{Cli, CliError};

fn main() -> ExitCode {
    tracebook::start();
    // First of all: evcxr also calls this binary as its compiler and as its subprocess, and then this does not return.
    tracebook::engine::runtime_hook();
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let message = match &error {
                // Its message names the command.
                CliError::Command(exit) => exit.message.clone(),
                error => format!("tracebook: {}", with_sources(error)),
            };
            // Where standard error is closed (`2>&1 | head`), the exit code still says what came out.
            let _ = writeln!(std::io::stderr(), "{message}");
            ExitCode::from(error.code())
        }
    }
}

/// Returns the message of an error and those of its sources, from the outermost to the cause.
fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}

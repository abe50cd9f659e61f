//! The commands of evcxr to which the engine reacts: `:fmt`, `:clear`, `:build_env`, `:quit`.

use crate::Failure;

/// The effects of a cell's commands on the engine.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct Commands {
    /// `:fmt`: whether debug text is spread over lines.
    pub(in crate::engine) pretty: Option<bool>,
    /// `:clear`: all variables and items are dropped.
    pub(in crate::engine) clear: bool,
    /// `:build_env`: cells set environment variables for their compilation.
    pub(in crate::engine) build_env: bool,
}

/// Parses the commands of a cell.
///
/// # Errors
/// If a command is not supported here, or the code nests too deep for a parser.
pub(in crate::engine) fn parse(code: &str) -> Result<Commands, Failure> {
    if crate::cell::nests_too_deep(code) {
        let message = "cannot compile this cell: it nests too deep; split it into several `let`s";
        return Err(Failure::new("UsageError", message));
    }
    let mut commands = Commands::default();
    for line in code.lines().map(str::trim) {
        let (command, argument) = line.split_once(' ').unwrap_or((line, ""));
        match (command, argument.trim()) {
            (":quit", _) => {
                let message = "`:quit` is not supported: shut the kernel down in the front end, or drop all variables and items with \
                               `:clear`";
                return Err(Failure::new("UsageError", message));
            }
            (":clear", _) => commands.clear = true,
            (":build_env", _) => commands.build_env = true,
            (":fmt", "" | "{:?}") => commands.pretty = Some(false),
            (":fmt", "{:#?}") => commands.pretty = Some(true),
            (":fmt", other) => {
                let message = format!("invalid format `{other}` of `:fmt`: expected {{:?}} or {{:#?}}");
                return Err(Failure::new("UsageError", message));
            }
            _ => {}
        }
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_parsed() {
        assert_eq!(parse(":vars\nlet a = 1; // :quit").unwrap(), Commands::default());
        assert_eq!(parse(":fmt {:#?}").unwrap().pretty, Some(true));
        assert!(parse(":clear").unwrap().clear);
        assert!(parse(":build_env KEY=value").unwrap().build_env);
        assert_eq!(parse(":fmt").unwrap().pretty, Some(false));
        assert!(parse(":fmt {:x}").unwrap_err().evalue.contains("{:x}"));
        assert!(parse("1\n  :quit").unwrap_err().evalue.contains("shut the kernel down"));
    }
}

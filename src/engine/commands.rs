//! evcxr's commands that need an answer of ours.

use crate::Failure;

/// What a cell's commands ask of us.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// `:fmt`: whether debug text is spread over lines from now on.
    pub(super) pretty: Option<bool>,
    /// `:clear`: everything is forgotten.
    pub(super) clear: bool,
    /// `:build_env`: cells have variables of their own while they are compiled.
    pub(super) build_env: bool,
}

/// Looks at the commands of a cell.
///
/// # Errors
/// A command that cannot be followed here, or code that no parser should see.
pub(super) fn review(code: &str) -> Result<Asked, Failure> {
    if crate::cell::nests_too_deep(code) {
        let message = "this cell nests too deep to be compiled; give parts of it names of their own with `let`";
        return Err(Failure::new("UsageError", message));
    }
    let mut asked = Asked::default();
    for line in code.lines().map(str::trim) {
        let (command, argument) = line.split_once(' ').unwrap_or((line, ""));
        match (command, argument.trim()) {
            (":quit", _) => {
                let message = "`:quit` would take the kernel from under the notebook: use the front end's own way to shut it down. \
                               `:clear` forgets all variables and items";
                return Err(Failure::new("UsageError", message));
            }
            (":clear", _) => asked.clear = true,
            (":build_env", _) => asked.build_env = true,
            (":fmt", "" | "{:?}") => asked.pretty = Some(false),
            (":fmt", "{:#?}") => asked.pretty = Some(true),
            (":fmt", other) => {
                let message = format!(
                    "`:fmt` takes {{:?}} or {{:#?}}, and not {other}: values show as tables, figures or debug text"
                );
                return Err(Failure::new("UsageError", message));
            }
            _ => {}
        }
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_commands_are_ours() {
        assert_eq!(review(":vars\nlet a = 1; // :quit").unwrap(), Asked::default());
        assert_eq!(review(":fmt {:#?}").unwrap().pretty, Some(true));
        assert!(review(":clear").unwrap().clear);
        assert!(review(":build_env KEY=value").unwrap().build_env);
        assert_eq!(review(":fmt").unwrap().pretty, Some(false));
        assert!(review(":fmt {:x}").unwrap_err().evalue.contains("{:x}"));
        assert!(review("1\n  :quit").unwrap_err().evalue.contains("shut it down"));
    }
}

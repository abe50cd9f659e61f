//! Completion and inspection of engine commands: lines that begin with a colon.

use super::candidate::{Candidate, Completion};
use trace_view::Bundle;

/// The commands that are useful in a notebook: name, argument, effect.
const COMMANDS: &[(&str, &str, &str)] = &[
    (":clear", "", "drop all variables and items"),
    (":dep", "NAME = \"VERSION\"", "add a crate to the notebook; needs cargo and network access"),
    (":efmt", "{} or {:?}", "format of the error of a `?`"),
    (":explain", "", "explain the last compiler error"),
    (":fmt", "{:?} or {:#?}", "debug text on one line or on several"),
    (":help", "", "list the commands of evcxr, which runs the Rust cells"),
    (":opt", "0, 1 or 2", "optimisation level of later cells"),
    (":show_deps", "", "crates added by `:dep`"),
    (":type", "VARIABLE", "type of a variable"),
    (":vars", "", "variables and their types"),
];

/// Returns candidates for the end of `before`; `None` if that is not in a command. Arguments have no candidates.
pub(super) fn complete(before: &str) -> Option<Completion> {
    let (start, command) = line(before)?;
    let candidate = |(name, argument, effect): &(&str, &str, &str)| Candidate {
        text: (*name).to_owned(),
        kind: "command",
        signature: format!("{argument} {effect}").trim().to_owned(),
    };
    if command.contains(char::is_whitespace) {
        return Some(Completion { start: before.len(), items: Vec::new() });
    }
    let items = COMMANDS.iter().filter(|(name, ..)| name.starts_with(command)).map(candidate).collect();
    Some(Completion { start, items })
}

/// Returns the help of the command at byte `cursor`.
pub(super) fn inspect(code: &str, cursor: usize) -> Option<Bundle> {
    let rest = &code[cursor..];
    let end = cursor + rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (_, command) = line(&code[..end])?;
    let typed = command.split_whitespace().next()?;
    let (name, argument, effect) = COMMANDS.iter().find(|(name, ..)| *name == typed)?;
    Some(Bundle::text(format!("{}\n\n{effect}", format!("{name} {argument}").trim_end())))
}

/// Returns the command in the last line of `before`: its start and its text so far.
fn line(before: &str) -> Option<(usize, &str)> {
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let start = before.len() - before[line..].trim_start().len();
    let command = &before[start..];
    let name = command.strip_prefix(':')?;
    // `::std::…`, `: Type`
    let is_name = name.is_empty() || name.starts_with(|c: char| c.is_alphabetic());
    is_name.then_some((start, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(before: &str) -> Option<Vec<String>> {
        Some(complete(before)?.items.into_iter().map(|item| item.text).collect())
    }

    #[test]
    fn commands_are_offered_at_the_start_of_a_line() {
        assert_eq!(offered("let x = 1;\n  :de"), Some(vec![":dep".to_owned()]));
        assert_eq!(complete("é\n:v").map(|found| found.start), Some(3));
        assert_eq!(offered(":dep ra"), Some(Vec::new()));
        assert_eq!(offered(":").map(|all| all.len()), Some(COMMANDS.len()));
        for rust in ["::std", "let x\n    : Vec", "a::b", "let x: i", ""] {
            assert_eq!(offered(rust), None, "{rust}");
        }
    }

    #[test]
    fn command_is_shown_with_its_argument() {
        let shown = |code, at| inspect(code, at).map(|bundle| bundle.plain().to_owned()).unwrap_or_default();
        assert!(shown(":dep rand = \"0.9\"", 2).starts_with(":dep NAME = \"VERSION\"\n"));
        assert_eq!(shown("vars", 2), "");
    }
}

//! Commands of the Rust engine: lines that begin with a colon.

use super::candidate::{Candidate, Completion};
use trace_view::Bundle;

/// The commands that are of use in a notebook: name, what follows, what it does.
const COMMANDS: &[(&str, &str, &str)] = &[
    (":clear", "", "forget all variables and items"),
    (":dep", "NAME = \"VERSION\"", "bring a crate into the notebook; needs cargo and a network"),
    (":efmt", "{} or {:?}", "how the error of a `?` is written"),
    (":explain", "", "explain the last compiler error"),
    (":fmt", "{:?} or {:#?}", "debug text on one line, or spread over lines"),
    (":help", "", "list the commands of evcxr, which runs the Rust cells"),
    (":opt", "0, 1 or 2", "optimisation level of the cells that follow"),
    (":show_deps", "", "the crates that `:dep` brought"),
    (":type", "VARIABLE", "the type of a variable"),
    (":vars", "", "variables and their types"),
];

/// What could stand at the end of `before` if that is in a command; commands have no Rust.
pub(super) fn complete(before: &str) -> Option<Completion> {
    let (start, command) = line(before)?;
    let candidate = |(name, takes, does): &(&str, &str, &str)| Candidate {
        text: (*name).to_owned(),
        kind: "command",
        signature: format!("{takes} {does}").trim().to_owned(),
    };
    if command.contains(char::is_whitespace) {
        return Some(Completion { start: before.len(), items: Vec::new() });
    }
    let items = COMMANDS.iter().filter(|(name, ..)| name.starts_with(command)).map(candidate).collect();
    Some(Completion { start, items })
}

/// What is known of the command at byte `cursor`.
pub(super) fn inspect(code: &str, cursor: usize) -> Option<Bundle> {
    let rest = &code[cursor..];
    let end = cursor + rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (_, command) = line(&code[..end])?;
    let typed = command.split_whitespace().next()?;
    let (name, takes, does) = COMMANDS.iter().find(|(name, ..)| *name == typed)?;
    Some(Bundle::text(format!("{}\n\n{does}", format!("{name} {takes}").trim_end())))
}

/// The command in the last line of `before`: where it starts, and its text so far.
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
    fn command_is_shown_with_what_it_takes() {
        let shown = |code, at| inspect(code, at).map(|bundle| bundle.plain().to_owned()).unwrap_or_default();
        assert!(shown(":dep rand = \"0.9\"", 2).starts_with(":dep NAME = \"VERSION\"\n"));
        assert_eq!(shown("vars", 2), "");
    }
}

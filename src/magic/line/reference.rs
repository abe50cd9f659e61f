//! The reference page of all magics, generated from the magics' declarations.

use crate::magic::magics::MAGICS;
use kernel_magic::api::Magic;
use kernel_magic::argument::Argument;
use kernel_magic::usage::{meaning, usage_without_flags};
use std::collections::BTreeMap;

/// Flags that at least so many magics declare, with the same words, are explained once.
const SHARED: usize = 4;

/// Returns the page, in Markdown.
pub fn reference() -> String {
    let shared = shared();
    let mut page = String::from(
        "# Magics\n\nWritten by `tracebook reference` from the help pages of the notebook (`%NAME?`); `make reference` writes it anew.\n\n\
         A magic is a line that starts with `%`. It needs no compiler. `x = %NAME …` binds its rows to a Rust variable, and\n\
         `{expr}` in an argument is the value of a Rust expression. Several magics and Rust may share a cell.\n\n",
    );
    page.push_str(&table());
    for magic in MAGICS.iter() {
        page.push_str(&section(*magic, &shared));
    }
    page.push_str(
        "\n## Shared flags\n\nMany magics take these flags; all other flags are explained with their magic.\n\n",
    );
    page.push_str(&rows(shared.values()));
    let mut kinds: Vec<&str> = shared.values().map(|argument| argument.kind.notes()).collect();
    kinds.retain(|notes| !notes.is_empty());
    for notes in kinds {
        page.push_str(&format!("\n{}\n", escaped(notes)));
    }
    page
}

/// Returns the table of magics, in Markdown: usage without flags, and the summary.
fn table() -> String {
    let mut table = String::from("| magic | what it does |\n| --- | --- |\n");
    for magic in MAGICS.iter() {
        table.push_str(&format!(
            "| `{}` | {} |\n",
            usage_without_flags(*magic).replace('|', "\\|"),
            escaped(magic.summary())
        ));
    }
    table
}

fn arguments(magic: &dyn Magic) -> impl Iterator<Item = &'static Argument> {
    magic.arguments().iter().flat_map(|group| group.arguments)
}

/// Returns what the page shows of an argument.
fn shown(argument: &Argument) -> (String, String) {
    (argument.spelled(), meaning(argument))
}

/// Returns the flags that many magics take, by what the page shows of them.
fn shared() -> BTreeMap<(String, String), &'static Argument> {
    let mut seen: BTreeMap<(String, String), (usize, &'static Argument)> = BTreeMap::new();
    for argument in MAGICS.iter().flat_map(|magic| arguments(*magic)).filter(|argument| argument.is_flag()) {
        seen.entry(shown(argument)).or_insert((0, argument)).0 += 1;
    }
    seen.into_iter()
        .filter(|(_, (count, _))| *count >= SHARED)
        .map(|(shown, (_, argument))| (shown, argument))
        .collect()
}

fn section(magic: &dyn Magic, shared: &BTreeMap<(String, String), &'static Argument>) -> String {
    let mut text = format!("\n## `{}`\n\n{}\n\n", magic.spelled(), escaped(magic.summary()));
    let is_shared = |argument: &&&Argument| shared.contains_key(&shown(argument));
    let (common, own): (Vec<&Argument>, Vec<&Argument>) = arguments(magic).partition(|argument| is_shared(&argument));
    if !own.is_empty() {
        text.push_str(&rows(own.iter()));
        text.push('\n');
    }
    if !common.is_empty() {
        let names: Vec<String> = common.iter().map(|argument| format!("`--{}`", argument.name)).collect();
        text.push_str(&format!("Plus the [shared flags](#shared-flags) {}.\n\n", names.join(", ")));
    }
    if let Some(result) = magic.result() {
        text.push_str(&format!("`x = {} …` gives {}.\n\n", magic.spelled(), escaped(result.trim_end_matches('.'))));
    }
    let mut notes = vec![magic.notes()];
    for argument in own {
        if !notes.contains(&argument.kind.notes()) {
            notes.push(argument.kind.notes());
        }
    }
    for notes in notes.into_iter().filter(|notes| !notes.is_empty()) {
        text.push_str(&format!("{}\n\n", escaped(notes)));
    }
    text.push_str(&format!("```text\n{}\n```\n", magic.examples().join("\n")));
    text
}

fn rows<'a>(arguments: impl Iterator<Item = &'a &'static Argument>) -> String {
    let mut table = String::from("| argument | meaning |\n| --- | --- |\n");
    for argument in arguments {
        let spelled = argument.spelled().replace('|', "\\|");
        table.push_str(&format!("| `{spelled}` | {} |\n", escaped(&meaning(argument))));
    }
    table
}

/// Escapes text for Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '|' | '*' | '_' | '[' | ']' | '~' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_contains_every_declaration() {
        let page = reference();
        for magic in MAGICS.iter() {
            assert!(page.contains(&format!("\n## `{}`\n", magic.spelled())), "{}", magic.name());
            assert!(page.contains(&magic.examples().join("\n")), "{}", magic.name());
            for argument in arguments(*magic) {
                assert!(page.contains(&escaped(argument.help)), "{} {}", magic.name(), argument.name);
            }
        }
        assert!(shared().len() > 5, "{:?}", shared().keys());
    }

    #[test]
    fn markdown_characters_are_escaped() {
        assert_eq!(escaped("a|b <c> x_y *"), r"a\|b &lt;c> x\_y \*");
    }
}

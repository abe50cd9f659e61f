//! Usage lines and help pages, generated from a magic's declarations.

use super::api::Magic;
use super::argument::{Argument, Form};
use html_escape::encode_text;
use trace_view::{Bundle, HTML};

/// Returns the usage line with every flag: `%compare_traces CONTROL TEST [--control-rank LIST] …`.
pub fn usage(magic: &dyn Magic) -> String {
    usage_with_flags(magic, usize::MAX)
}

/// Returns the usage line with only the first flag.
pub fn short_usage(magic: &dyn Magic) -> String {
    usage_with_flags(magic, 1)
}

/// Returns the usage line without flags.
pub fn usage_without_flags(magic: &dyn Magic) -> String {
    let mut usage = magic.spelled();
    for argument in magic.arguments().iter().flat_map(|group| group.arguments).filter(|argument| !argument.is_flag()) {
        let (name, optional) = (argument.name, argument.form == Form::Optional);
        usage.push_str(&if optional { format!(" [{name}]") } else { format!(" {name}") });
        if argument.repeatable {
            usage.push_str(&format!(" [{name} …]"));
        }
    }
    usage
}

fn usage_with_flags(magic: &dyn Magic, flags: usize) -> String {
    let mut usage = usage_without_flags(magic);
    let arguments = || magic.arguments().iter().flat_map(|group| group.arguments);
    let count = arguments().filter(|argument| argument.is_flag()).count();
    for flag in arguments().filter(|argument| argument.is_flag()).take(flags) {
        usage.push_str(&format!(" [{}]", flag.spelled()));
    }
    if count > flags {
        usage.push_str(" …");
    }
    usage
}

/// Returns the help page of a magic.
pub fn page(magic: &dyn Magic) -> Bundle {
    Bundle::text(plain(magic)).with(HTML, html(magic).into())
}

fn plain(magic: &dyn Magic) -> String {
    let mut page = format!("Usage: {}\n\n{}\n", short_usage(magic), magic.summary());
    for group in magic.arguments() {
        page.push_str(&format!("\n{}\n", group.title));
        let spelled: Vec<String> = group.arguments.iter().map(Argument::spelled).collect();
        // A longer argument gets a line of its own.
        let width = spelled.iter().map(|text| text.chars().count()).filter(|&width| width <= 26).max().unwrap_or(0);
        for (argument, spelled) in group.arguments.iter().zip(spelled) {
            if spelled.chars().count() > width {
                page.push_str(&format!("  {spelled}\n  {:width$}  {}\n", "", meaning(argument)));
            } else {
                page.push_str(&format!("  {spelled:width$}  {}\n", meaning(argument)));
            }
        }
    }
    if let Some(result) = magic.result() {
        page.push_str(&format!("\nResult\n  x = %{} … gives {result}\n", magic.name()));
    }
    for notes in notes(magic) {
        page.push_str(&format!("\n{notes}\n"));
    }
    page.push_str("\nExamples\n");
    for example in magic.examples() {
        page.push_str(&format!("  {example}\n"));
    }
    page
}

/// Returns the notes of the magic, then those of the kinds of its arguments.
fn notes(magic: &dyn Magic) -> impl Iterator<Item = &'static str> {
    let mut kinds: Vec<&'static str> = Vec::new();
    for argument in magic.arguments().iter().flat_map(|group| group.arguments) {
        if !kinds.contains(&argument.kind.notes()) {
            kinds.push(argument.kind.notes());
        }
    }
    std::iter::once(magic.notes()).chain(kinds).filter(|notes| !notes.is_empty())
}

/// Returns one line: the meaning of an argument and its default.
pub fn meaning(argument: &Argument) -> String {
    let mut line = argument.help.to_owned();
    if argument.is_on() {
        line.push_str(&format!(" (default: yes; --no-{} for no)", argument.name));
    } else if !argument.default.is_empty() {
        line.push_str(&format!(" (default: {})", argument.default));
    }
    if argument.repeatable {
        line.push_str(" (may be repeated)");
    }
    line
}

const CELL: &str = "text-align:left;vertical-align:top;padding:2px 12px 2px 0";

fn html(magic: &dyn Magic) -> String {
    let mut page = format!(
        "<p>Usage: <code>{}</code></p><p>{}</p>",
        encode_text(&short_usage(magic)),
        encode_text(magic.summary())
    );
    for group in magic.arguments().iter().filter(|group| !group.arguments.is_empty()) {
        page.push_str(&format!("<p><b>{}</b></p><table>", encode_text(group.title)));
        for argument in group.arguments {
            page.push_str(&format!(
                "<tr><td style=\"{CELL};white-space:nowrap\"><code>{}</code></td><td style=\"{CELL}\">{}</td></tr>",
                encode_text(&argument.spelled()),
                encode_text(&meaning(argument)),
            ));
        }
        page.push_str("</table>");
    }
    if let Some(result) = magic.result() {
        page.push_str(&format!(
            "<p><b>Result</b></p><p><code>x = %{} …</code> gives {}</p>",
            magic.name(),
            encode_text(result)
        ));
    }
    for paragraph in notes(magic).flat_map(|notes| notes.split("\n\n")) {
        page.push_str(&format!("<p>{}</p>", encode_text(paragraph)));
    }
    page.push_str(&format!("<p><b>Examples</b></p><pre>{}</pre>", encode_text(&magic.examples().join("\n"))));
    page
}

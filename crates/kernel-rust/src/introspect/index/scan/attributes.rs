//! Attributes of an item: documentation, visibility, conditions; and its signature.

use super::Docs;
use ra_ap_syntax::ast::{self, HasAttrs, HasVisibility, VisibilityKind};
use ra_ap_syntax::{AstNode, SyntaxNode};
use std::collections::BTreeSet;

/// Upper bound on a summary, in bytes.
const SUMMARY: usize = 700;

/// Whether users can name an item: its conditions hold, and it is neither unstable nor hidden nor deprecated.
pub(super) fn is_available(item: &impl HasAttrs, features: &BTreeSet<String>) -> bool {
    item.attrs().all(|attr| {
        let text: String = attr.syntax().text().to_string().split_whitespace().collect();
        let inside = text.trim_start_matches("#[").trim_end_matches(']');
        if let Some(condition) = inside.strip_prefix("cfg(").and_then(|rest| rest.strip_suffix(')')) {
            return holds(condition, features);
        }
        !["unstable(", "doc(hidden)", "rustc_deprecated", "deprecated"].iter().any(|start| inside.starts_with(start))
    })
}

/// Whether a condition of `cfg` holds on x86-64 Linux with these features.
fn holds(condition: &str, features: &BTreeSet<String>) -> bool {
    let inner = |name: &str| condition.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    if let Some(list) = inner("all") {
        return split(list).iter().all(|part| holds(part, features));
    }
    if let Some(list) = inner("any") {
        return split(list).iter().any(|part| holds(part, features));
    }
    if let Some(part) = inner("not") {
        return !holds(part, features);
    }
    match condition.split_once('=') {
        Some(("feature", name)) => features.contains(name.trim_matches('"')),
        Some(("target_os", name)) => name == "\"linux\"",
        Some(("target_family", name)) => name == "\"unix\"",
        Some(("target_pointer_width", name)) => name == "\"64\"",
        Some(("target_arch", name)) => name == "\"x86_64\"",
        Some(("target_has_atomic" | "target_has_atomic_load_store", name)) => name != "\"128\"",
        Some(_) => false,
        None => matches!(condition, "unix" | "panic=\"unwind\""),
    }
}

/// Splits a list at commas outside brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[from..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether an item is `pub`.
pub(super) fn is_public(item: &impl HasVisibility) -> bool {
    item.visibility().is_some_and(|visibility| matches!(visibility.kind(), VisibilityKind::Pub))
}

/// Returns the documentation of an item as Markdown.
pub(super) fn doc(node: &SyntaxNode, docs: Docs) -> String {
    let mut text = String::new();
    for comment in ast::DocCommentIter::from_syntax_node(node) {
        let Some((line, _)) = comment.doc_comment() else { continue };
        for line in line.lines() {
            let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
            if docs == Docs::Summary && (line.starts_with("```") || line.starts_with("# ") || text.len() > SUMMARY) {
                return text.trim().to_owned();
            }
            text.push_str(line);
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

/// Returns the signature on one line, without documentation, attributes, visibility and body.
pub(super) fn signature(node: &SyntaxNode) -> String {
    let mut text = String::new();
    for child in node.children_with_tokens() {
        let kind = child.kind();
        use ra_ap_syntax::SyntaxKind::{
            ASSOC_ITEM_LIST, ATTR, BLOCK_EXPR, COMMENT, RECORD_FIELD_LIST, SEMICOLON, TOKEN_TREE, VARIANT_LIST,
            VISIBILITY,
        };
        if matches!(kind, ATTR | COMMENT | VISIBILITY | BLOCK_EXPR | ASSOC_ITEM_LIST | SEMICOLON | TOKEN_TREE)
            || matches!(kind, RECORD_FIELD_LIST if node.kind() != ra_ap_syntax::SyntaxKind::VARIANT)
            || kind == VARIANT_LIST
        {
            continue;
        }
        text.push_str(&child.to_string());
    }
    one_line(&text)
}

/// Joins lines, without comments and without commas before closing brackets.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code))
        .flat_map(str::split_whitespace)
        .collect();
    let text = without_attributes(&words.join(" ")).replace(", A: Allocator = Global", "");
    let text = text.replace(", )", ")").replace(",)", ")").replace("( ", "(").replace(" )", ")");
    let text = text.replace("< ", "<").replace(", >", ">").replace(",>", ">");
    text.trim_end_matches([',', ' ']).to_owned()
}

/// Removes attributes of parameters.
fn without_attributes(text: &str) -> String {
    let mut pieces = text.split("#[");
    let mut stripped = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let mut depth = 1_usize;
        let end = piece.char_indices().find_map(|(at, c)| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at + 1)
        });
        stripped.push_str(piece[end.unwrap_or(piece.len())..].trim_start());
    }
    stripped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cfg_conditions_are_evaluated() {
        let features = BTreeSet::from(["lazy".to_owned()]);
        for (condition, is) in [
            ("feature=\"lazy\"", true),
            ("feature=\"sql\"", false),
            ("all(feature=\"lazy\",not(feature=\"sql\"))", true),
            ("any(feature=\"sql\",all(unix,feature=\"lazy\"))", true),
            ("test", false),
            ("not(test)", true),
            ("windows", false),
        ] {
            assert_eq!(holds(condition, &features), is, "{condition}");
        }
    }

    #[test]
    fn signatures_are_joined_to_one_line() {
        let text = "struct HashMap<\n  K, // keys\n  V,\n  #[unstable(feature = \"a[0]\")] A: Allocator = Global,\n>";
        assert_eq!(one_line(text), "struct HashMap<K, V>");
    }
}

//! Syntax check of Rust that may be unfinished.

use super::{nests_too_deep, without_commands};
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use ra_ap_syntax::{Edition, SourceFile};

/// Result of parsing code whose brackets, strings and comments are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Complete statements, optionally with a final expression.
    Complete,
    /// The last statement lacks its end.
    Unfinished,
    /// An error that no further text can fix.
    Invalid,
}

const HEAD: &str = "fn cell() {";

/// Parses code as the body of a function. Commands of the engine (`:dep …`) count as blanks.
///
/// Code that nests too deep to be parsed counts as complete.
pub(super) fn parse(code: &str) -> Syntax {
    if nests_too_deep(code) {
        return Syntax::Complete;
    }
    let rust = without_commands(code);
    let end = HEAD.len() + end_of_tokens(&rust);
    let errors = SourceFile::parse(&format!("{HEAD}{rust}\n}}"), Edition::Edition2024).errors();
    match errors.iter().map(|error| usize::from(error.range().start())).min() {
        None => Syntax::Complete,
        Some(first) if first >= end => Syntax::Unfinished,
        Some(_) => Syntax::Invalid,
    }
}

/// Returns the end of the last token that is neither a blank nor a comment.
fn end_of_tokens(code: &str) -> usize {
    let (mut at, mut end) = (0, 0);
    for token in tokenize(code, FrontmatterAllowed::No) {
        at += token.len as usize;
        let is_trivia = matches!(
            token.kind,
            TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. }
        );
        if !is_trivia {
            end = at;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_expressions_are_complete() {
        for code in [
            "",
            "// nothing",
            "1 + 1",
            "1..",
            "let x = 1;",
            "let v: Vec<u8> = Vec::new(); v",
            "fn f() -> u8 { 1 }",
            "#[derive(Debug)]\nstruct A { a: u8 }",
            "use std::fmt;\nx?",
            "'a: loop { break 'a }",
            ":dep x = \"1\"\nlet y = 2; // of it",
            "x.await?",
        ] {
            assert_eq!(parse(code), Syntax::Complete, "{code}");
        }
    }

    #[test]
    fn statements_without_an_end_are_unfinished() {
        for code in [
            "let x =",
            "let x: Vec<u8> =",
            "let",
            "let x = 1",
            "struct",
            "struct A",
            "if",
            "if x",
            "match x",
            "while let Some(x) =",
            "fn f()",
            "fn f() -> u8",
            "impl A for",
            "frame.",
            "1 +",
            "a &&  // and",
            "use std::fmt",
            "#[derive(Debug)]",
            "a; b = ",
        ] {
            assert_eq!(parse(code), Syntax::Unfinished, "{code}");
        }
    }

    #[test]
    fn syntax_errors_are_invalid() {
        for code in
            ["let = 7q;", "let x = = 3;", "struct 5", "if { } else else", "fn 1() {}", "a b", "let x 5;", "1 + * / 2;"]
        {
            assert_eq!(parse(code), Syntax::Invalid, "{code}");
        }
    }
}

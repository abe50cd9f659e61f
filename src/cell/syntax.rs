//! What a parser of Rust says of code that may not be whole yet.

use super::nests_too_deep;
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use ra_ap_syntax::{Edition, SourceFile};

/// What a parser says of code whose brackets, strings and comments are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Statements, and an expression perhaps.
    Whole,
    /// The last statement lacks its end.
    Unfinished,
    /// No further text can mend it.
    Wrong,
}

const HEAD: &str = "fn cell() {";

/// Parses code as the body of a function. Lines of evcxr's own (`:dep …`) count as blanks.
pub(super) fn parse(code: &str) -> Syntax {
    if nests_too_deep(code) {
        return Syntax::Whole;
    }
    let rust: String = code.split_inclusive('\n').map(without_command).collect();
    let end = HEAD.len() + end_of_tokens(&rust);
    let errors = SourceFile::parse(&format!("{HEAD}{rust}\n}}"), Edition::Edition2024).errors();
    match errors.iter().map(|error| usize::from(error.range().start())).min() {
        None => Syntax::Whole,
        Some(first) if first >= end => Syntax::Unfinished,
        Some(_) => Syntax::Wrong,
    }
}

/// The line, or as many blanks.
fn without_command(line: &str) -> std::borrow::Cow<'_, str> {
    let text = line.trim_start();
    if text.starts_with(':') && !text.starts_with("::") {
        line.chars().map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) }).collect()
    } else {
        line.into()
    }
}

/// Where the last token ends that is no blank and no comment.
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
    fn statements_and_expressions_are_whole() {
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
            assert_eq!(parse(code), Syntax::Whole, "{code}");
        }
    }

    #[test]
    fn what_lacks_its_end_is_unfinished() {
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
    fn what_no_text_can_mend_is_wrong() {
        for code in
            ["let = 7q;", "let x = = 3;", "struct 5", "if { } else else", "fn 1() {}", "a b", "let x 5;", "1 + * / 2;"]
        {
            assert_eq!(parse(code), Syntax::Wrong, "{code}");
        }
    }
}

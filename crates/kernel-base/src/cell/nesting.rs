//! Nesting depth of Rust code.
//!
//! Rust's parsers and their trees are recursive, and a stack overflow ends the process. Code that is written by hand is far from
//! that depth; code that is generated or pasted may exceed it.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};

/// Deepest code that is parsed.
const MAX_DEPTH: usize = 2000;

/// Whether Rust code may nest deeper than is safe to parse.
pub fn nests_too_deep(code: &str) -> bool {
    deepest(code) > MAX_DEPTH
}

/// Returns an upper bound on the depth of the syntax tree, in tokens: open brackets, and the tokens of the current statement or
/// list element, since operators nest without brackets: `- - -x`, `a.b.c`, `if if`.
fn deepest(code: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    // Of every open bracket: its depth, the depth at which its statements start, and its number of `<`.
    let mut open: Vec<(usize, usize, usize)> = Vec::new();
    let (mut base, mut angles) = (0, 0);
    let mut closed = false;
    let mut at = 0;
    for token in tokenize(code, FrontmatterAllowed::No) {
        let text = &code[at..at + token.len as usize];
        at += token.len as usize;
        let was_closed = std::mem::replace(&mut closed, false);
        match token.kind {
            TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {
                closed = was_closed;
                continue;
            }
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => {
                open.push((depth, base, angles));
                depth += 1;
                (base, angles) = (depth, 0);
            }
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => match open.pop() {
                Some((outer, outer_base, outer_angles)) => {
                    (depth, base, angles) = (outer + 1, outer_base, outer_angles);
                    closed = token.kind == TokenKind::CloseBrace;
                }
                None => depth += 1,
            },
            TokenKind::Semi => {
                angles = 0;
                depth = base;
            }
            // Lists of types are in angles, which are not tracked as brackets.
            TokenKind::Comma => depth = base + angles,
            // A new statement starts after a block.
            TokenKind::Ident if was_closed && !matches!(text, "else" | "as") => depth = base + angles + 1,
            TokenKind::Lt => {
                angles += 1;
                depth += 1;
            }
            _ => depth += 1,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handwritten_code_is_shallow() {
        let long = "let a = f(1, 2);\n".repeat(5000) + &format!("let v = [{}];", "1, 2, ".repeat(50_000));
        let blocks = "if a { b(); } else { c() }\nfn f() -> u8 { 1 }\n".repeat(3000);
        let nested = "for x in y { if z { match w { A => { g(h(i(j))) } } } }".repeat(500);
        let chain = format!("df.lazy(){}.collect()?", ".with_column(col(\"a\") + lit(1))".repeat(100));
        for code in [&long, &blocks, &nested, &chain] {
            assert!(deepest(code) < 600, "{}", deepest(code));
        }
    }

    #[test]
    fn repeated_nesting_of_any_kind_is_deep() {
        let pieces = [
            "(",
            "[",
            "{",
            "Vec<",
            "V<a, ",
            "&",
            "!",
            "- ",
            "if ",
            "|x| ",
            "a.",
            "a = ",
            "f({} ",
            "{ a; ",
            "x {} else ",
        ];
        for piece in pieces {
            assert!(deepest(&piece.repeat(3000)) >= 3000, "{piece}");
        }
    }
}

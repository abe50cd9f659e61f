//! How deep a cell nests. Rust's parsers and the trees they make are recursive, and a stack that overflows ends the
//! process; what people write is far from that, what they paste may not be.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};

/// What is deeper than this is not parsed.
const DEEPEST: usize = 2000;

/// Whether Rust code may nest deeper than is safe to parse.
pub fn nests_too_deep(code: &str) -> bool {
    deepest(code) > DEEPEST
}

/// A bound on the depth of the code's tree, in tokens: those of the brackets that are open, and those of the statement or
/// the element of a list that is being read. Brackets are not the only things that nest: `- - -x`, `a.b.c`, `if if`.
fn deepest(code: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    // Of every open bracket how deep it stands; how deep a statement in the innermost one starts; how many `<` it has.
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
            // Lists of types have angles, which are no brackets.
            TokenKind::Comma => depth = base + angles,
            // Behind a block a new statement starts.
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
    fn what_people_write_is_shallow() {
        let long = "let a = f(1, 2);\n".repeat(5000) + &format!("let v = [{}];", "1, 2, ".repeat(50_000));
        let blocks = "if a { b(); } else { c() }\nfn f() -> u8 { 1 }\n".repeat(3000);
        let nested = "for x in y { if z { match w { A => { g(h(i(j))) } } } }".repeat(500);
        let chain = format!("df.lazy(){}.collect()?", ".with_column(col(\"a\") + lit(1))".repeat(100));
        for code in [&long, &blocks, &nested, &chain] {
            assert!(deepest(code) < 600, "{}", deepest(code));
        }
    }

    #[test]
    fn what_nests_is_deep_whatever_it_is_made_of() {
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

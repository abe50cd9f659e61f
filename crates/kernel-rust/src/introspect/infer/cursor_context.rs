//! Lexical context of the cursor: the receiver before a dot, the path before `::`, or a record.

use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};

/// What the word at the cursor is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CursorContext<'code> {
    /// `receiver.word`
    Member { receiver: &'code str },
    /// `path::word`
    Path { path: &'code str },
    /// A field name in `Record { … }`.
    Field { record: &'code str },
    /// A name without a receiver or a path.
    Word,
    /// No name: the cursor is in a number, a string or a comment.
    NoName,
}

/// One token: kind, start, end.
pub(crate) type Token = (TokenKind, usize, usize);

/// Returns the context of the word that starts at byte `start`.
pub(crate) fn cursor_context(code: &str, start: usize) -> CursorContext<'_> {
    let tokens = tokens(&code[..start]);
    // An open string or comment contains the cursor.
    if let Some(&(kind, ..)) = tokens.last()
        && is_open(kind, code, start)
    {
        return CursorContext::NoName;
    }
    let mut solid: Vec<Token> = tokens.into_iter().filter(|(kind, ..)| !is_blank(*kind)).collect();
    if let Some(&(kind @ TokenKind::Literal { .. }, from, to)) = solid.last()
        && code[from..to].ends_with('.')
    {
        solid.pop();
        // `x.0.` ends with a field and a dot, `1.abs` starts with a number and a dot; elsewhere `1.` is a number.
        let kind = match solid.last() {
            Some((TokenKind::Dot, ..)) => TokenKind::Ident,
            _ if code[start..].starts_with(|c: char| c.is_alphabetic() || c == '_') => kind,
            _ => return CursorContext::NoName,
        };
        solid.push((kind, from, to - 1));
        solid.push((TokenKind::Dot, to - 1, to));
    }
    match solid.as_slice() {
        [before @ .., (TokenKind::Dot, ..)] if !matches!(before.last(), Some((TokenKind::Dot, ..))) => {
            match chain(before) {
                Some((from, to)) => CursorContext::Member { receiver: &code[from..to] },
                None => CursorContext::NoName,
            }
        }
        [before @ .., (TokenKind::Colon, one, _), (TokenKind::Colon, two, _)] if one + 1 == *two => {
            match path(before) {
                Some((from, to)) => CursorContext::Path { path: &code[from..to] },
                None => CursorContext::NoName,
            }
        }
        solid => {
            record(solid).map_or(CursorContext::Word, |(from, to)| CursorContext::Field { record: &code[from..to] })
        }
    }
}

/// Returns the range of the record's name if the next token is one of its fields: `LoadOptions { strict: true,`.
fn record(tokens: &[Token]) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    if !matches!(tokens.last()?.0, TokenKind::OpenBrace | TokenKind::Comma) {
        return None;
    }
    let open = tokens.iter().rposition(|(kind, ..)| {
        match kind {
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth += 1,
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace if depth > 0 => depth -= 1,
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => return true,
            _ => {}
        }
        false
    })?;
    let (TokenKind::OpenBrace, [before @ .., (TokenKind::Ident, from, to)]) = (tokens[open].0, &tokens[..open]) else {
        return None;
    };
    // `struct X {` and `impl X {` are no record expressions.
    let declared = matches!(before.last(), Some((TokenKind::Ident, ..)));
    (!declared).then_some((*from, *to))
}

/// Returns the tokens of `code`.
pub(crate) fn tokens(code: &str) -> Vec<Token> {
    let mut at = 0;
    let mut found = Vec::new();
    for token in tokenize(code, FrontmatterAllowed::No) {
        let end = at + token.len as usize;
        found.push((token.kind, at, end));
        at = end;
    }
    found
}

fn is_blank(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. })
}

/// Whether a token is unterminated at the end of the text.
fn is_open(kind: TokenKind, code: &str, end: usize) -> bool {
    use ra_ap_rustc_lexer::LiteralKind;
    match kind {
        TokenKind::LineComment { .. } => !code[..end].ends_with('\n'),
        TokenKind::BlockComment { terminated, .. } => !terminated,
        TokenKind::Literal { kind, .. } => match kind {
            LiteralKind::Str { terminated }
            | LiteralKind::ByteStr { terminated }
            | LiteralKind::CStr { terminated } => !terminated,
            LiteralKind::RawStr { n_hashes } | LiteralKind::RawByteStr { n_hashes } => n_hashes.is_none(),
            _ => false,
        },
        _ => false,
    }
}

/// Returns the range of the chain of calls that ends with these tokens.
pub(crate) fn chain(tokens: &[Token]) -> Option<(usize, usize)> {
    let end = tokens.last()?.2;
    let mut at = tokens.len();
    loop {
        at = postfix(tokens, at)?;
        // Continue to the left over `::` and `.`.
        match tokens[..at] {
            [.., (TokenKind::Colon, ..), (TokenKind::Colon, ..)] => at -= 2,
            [.., (TokenKind::Dot, ..)] if !matches!(tokens[..at - 1].last(), Some((TokenKind::Dot, ..)) | None) => {
                at -= 1;
            }
            _ => return Some((tokens[at].1, end)),
        }
    }
}

/// Returns the first token of the link that ends before token `at`: a name, a call or index with its brackets, a literal.
fn postfix(tokens: &[Token], mut at: usize) -> Option<usize> {
    loop {
        at = at.checked_sub(1)?;
        match tokens[at].0 {
            TokenKind::Question => {}
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace | TokenKind::Gt => {
                let braces = tokens[at].0 == TokenKind::CloseBrace;
                at = opening(tokens, at)?;
                let before = at.checked_sub(1).map(|before| tokens[before].0);
                match before {
                    // `f(…)`, `x[…]`, `vec![…]`, `(…)(…)`, `collect::<…>(…)`
                    Some(TokenKind::Ident | TokenKind::RawIdent) if !braces => {}
                    Some(TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::Question | TokenKind::Gt)
                        if !braces && !is_arrow(tokens, at) => {}
                    Some(TokenKind::Bang) => {
                        return at.checked_sub(2).filter(|&name| tokens[name].0 == TokenKind::Ident);
                    }
                    Some(TokenKind::Colon) if tokens[at].0 == TokenKind::Lt => {
                        at = at.checked_sub(2)?;
                    }
                    _ => return Some(at),
                }
            }
            TokenKind::Ident | TokenKind::RawIdent | TokenKind::Literal { .. } => return Some(at),
            _ => return None,
        }
    }
}

/// Whether `->` or `=>` precedes token `at`.
fn is_arrow(tokens: &[Token], at: usize) -> bool {
    matches!(tokens[..at], [.., (TokenKind::Minus | TokenKind::Eq, _, end), (TokenKind::Gt, start, _)] if end == start)
}

/// Returns the token that opens the bracket closed by token `at`.
fn opening(tokens: &[Token], at: usize) -> Option<usize> {
    let angles = tokens[at].0 == TokenKind::Gt;
    let mut depth = 0_usize;
    for (index, (kind, ..)) in tokens[..=at].iter().enumerate().rev() {
        match kind {
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth += 1,
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => {
                depth = depth.checked_sub(1)?;
            }
            TokenKind::Gt if angles && !is_arrow(tokens, index + 1) => depth += 1,
            TokenKind::Lt if angles => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// Returns the range of the path that ends with these tokens.
fn path(tokens: &[Token]) -> Option<(usize, usize)> {
    let end = tokens.last()?.2;
    let mut at = tokens.len();
    loop {
        at = at.checked_sub(1)?;
        if tokens[at].0 == TokenKind::Gt {
            at = opening(tokens, at)?;
            match tokens[..at] {
                [.., (TokenKind::Ident, ..)] => at -= 1,
                [.., (TokenKind::Ident, ..), (TokenKind::Colon, ..), (TokenKind::Colon, ..)] => at -= 3,
                _ => return None,
            }
        } else if !matches!(tokens[at].0, TokenKind::Ident | TokenKind::RawIdent) {
            return None;
        }
        match tokens[..at] {
            [.., (TokenKind::Colon, one, _), (TokenKind::Colon, two, _)] if one + 1 == two => at -= 2,
            _ => return Some((tokens[at].1, end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(code: &str) -> Option<&str> {
        match cursor_context(code, code.len()) {
            CursorContext::Member { receiver } => Some(receiver),
            _ => None,
        }
    }

    #[test]
    fn chain_is_found_from_its_end() {
        for (code, is) in [
            ("df.", "df"),
            ("let x = df.lazy().", "df.lazy()"),
            ("f(1, df.lazy()\n  .select([col(\"a\")])  // why\n  .", "df.lazy()\n  .select([col(\"a\")])"),
            ("println!(\"{}\", control.events().", "control.events()"),
            ("TraceDiff::new(&a, &b).", "TraceDiff::new(&a, &b)"),
            ("x.iter().map(|a| a.0).collect::<Vec<_>>().", "x.iter().map(|a| a.0).collect::<Vec<_>>()"),
            ("&df.column(\"a\")?.", "df.column(\"a\")?"),
            ("a + b.c[0].", "b.c[0]"),
            ("vec![1, 2].", "vec![1, 2]"),
            ("(1 + 2).", "(1 + 2)"),
            ("\"text\".", "\"text\""),
            ("Vec::<i32>::new().", "Vec::<i32>::new()"),
            ("if x { a.b }; c.", "c"),
            ("a.0.", "a.0"),
        ] {
            assert_eq!(receiver(code), Some(is), "{code}");
        }
    }

    #[test]
    fn context_is_path_word_field_or_no_name() {
        assert_eq!(cursor_context("use std::collections::", 22), CursorContext::Path { path: "std::collections" });
        assert_eq!(cursor_context("Vec::<u8>::", 11), CursorContext::Path { path: "Vec::<u8>" });
        assert_eq!(cursor_context("let x = ", 8), CursorContext::Word);
        assert_eq!(cursor_context("f(", 2), CursorContext::Word);
        assert_eq!(cursor_context("0..", 3), CursorContext::Word);
        for code in ["let o = LoadOptions { ", "f(1, LoadOptions { strict: f(1, 2), "] {
            assert_eq!(cursor_context(code, code.len()), CursorContext::Field { record: "LoadOptions" }, "{code}");
        }
        for code in ["struct X { ", "impl X { ", "LoadOptions { strict: ", "f(a, ", "{ "] {
            assert_eq!(cursor_context(code, code.len()), CursorContext::Word, "{code}");
        }
        for code in ["// a.", "\"a.", "/* a.", "r#\"a::"] {
            assert_eq!(cursor_context(code, code.len()), CursorContext::NoName, "{code}");
        }
        assert_eq!(cursor_context(".", 1), CursorContext::NoName);
    }

    #[test]
    fn any_text_is_accepted() {
        for code in ["é.", ">.", ").", "a)>.", "::", "}.", "<>::", "->.", "a->b.", "f(|x| -> y).", "1.", "r#a."] {
            cursor_context(code, code.len());
        }
    }
}

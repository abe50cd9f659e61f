//! Walk over the tokens of Rust text: open brackets, unterminated literals, ends of statements.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

/// Position in Rust text, with the brackets that are open there.
#[derive(Debug, Clone)]
pub(super) struct TokenWalk<'code> {
    code: &'code str,
    /// Start of the next token.
    at: usize,
    /// Brackets open before `at`: the closing character, and the offset of the opening one.
    open: Vec<(char, usize)>,
    /// Whether a closing bracket matched no open one.
    mismatch: bool,
    /// Kind and offset of the last token that is neither a blank nor a comment.
    last: Option<(TokenKind, usize)>,
}

/// Class of a token, as far as it concerns the text after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenClass {
    /// A blank or a comment.
    Trivia,
    /// A token of the language.
    Token,
    /// A string or comment that does not end within the text.
    Unterminated,
    /// A literal that no further text can fix, such as a character that does not end on its line.
    Malformed,
}

impl<'code> TokenWalk<'code> {
    /// Starts at byte `at` of `code`, where a statement may start.
    pub(super) fn new(code: &'code str, at: usize) -> Self {
        Self { code, at, open: Vec::new(), mismatch: false, last: None }
    }

    /// Moves over one token; returns its class, start and end. `None` at the end of the text.
    pub(super) fn next_token(&mut self) -> Option<(TokenClass, usize, usize)> {
        let start = self.at;
        let rest = self.code.get(start..).filter(|rest| !rest.is_empty())?;
        let token = tokenize(rest, FrontmatterAllowed::No).next()?;
        // The lexer makes one token of `#"` (reserved since edition 2024), which would hide the start of a string.
        let len = if token.kind == TokenKind::GuardedStrPrefix { 1 } else { token.len as usize };
        self.at = start + len;
        let class = match token.kind {
            TokenKind::Whitespace
            | TokenKind::LineComment { .. }
            | TokenKind::BlockComment { terminated: true, .. } => TokenClass::Trivia,
            TokenKind::BlockComment { terminated: false, .. } => TokenClass::Unterminated,
            TokenKind::Literal { kind, .. } => literal(kind),
            _ => TokenClass::Token,
        };
        if class != TokenClass::Trivia {
            self.track(token.kind, start);
        }
        Some((class, start, self.at))
    }

    /// Whether no bracket is open.
    pub(super) fn balanced(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a closing bracket matched no open one.
    pub(super) fn mismatched(&self) -> bool {
        self.mismatch
    }

    /// Returns the offset of the innermost open bracket.
    pub(super) fn innermost(&self) -> Option<usize> {
        self.open.last().map(|&(_, at)| at)
    }

    /// Whether a statement may start here: after a `;`, or after blanks and comments only.
    pub(super) fn at_statement(&self) -> bool {
        matches!(self.last, None | Some((TokenKind::Semi, _)))
    }

    /// Whether the last token needs another one after it: an operator, a comma, a dot.
    pub(super) fn needs_operand(&self) -> bool {
        use TokenKind::{And, Caret, Colon, Comma, Dot, Eq, Gt, Lt, Minus, Or, Percent, Plus, Slash, Star};
        self.last.is_some_and(|(kind, _)| {
            matches!(
                kind,
                Eq | Comma | Dot | Colon | Plus | Minus | Star | Slash | Percent | Caret | And | Or | Lt | Gt
            )
        })
    }

    fn track(&mut self, kind: TokenKind, at: usize) {
        match kind {
            TokenKind::OpenParen => self.open.push((')', at)),
            TokenKind::OpenBracket => self.open.push((']', at)),
            TokenKind::OpenBrace => self.open.push(('}', at)),
            TokenKind::CloseParen => self.close(')'),
            TokenKind::CloseBracket => self.close(']'),
            TokenKind::CloseBrace => self.close('}'),
            _ => {}
        }
        self.last = Some((kind, at));
    }

    fn close(&mut self, bracket: char) {
        match self.open.pop() {
            Some((expected, _)) if expected == bracket => {}
            _ => self.mismatch = true,
        }
    }
}

fn literal(kind: LiteralKind) -> TokenClass {
    match kind {
        LiteralKind::Char { terminated: false } | LiteralKind::Byte { terminated: false } => TokenClass::Malformed,
        LiteralKind::Str { terminated: false }
        | LiteralKind::ByteStr { terminated: false }
        | LiteralKind::CStr { terminated: false }
        | LiteralKind::RawStr { n_hashes: None }
        | LiteralKind::RawByteStr { n_hashes: None }
        | LiteralKind::RawCStr { n_hashes: None } => TokenClass::Unterminated,
        _ => TokenClass::Token,
    }
}

//! Just enough of Rust's grammar to know where a line starts anew: tokens, brackets, ends of statements.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

/// Walks the tokens of Rust text and keeps what they leave open.
#[derive(Debug, Clone)]
pub(super) struct Walk<'code> {
    code: &'code str,
    /// Where the next token starts.
    at: usize,
    /// The brackets open before `at`: the character, and where it stands.
    open: Vec<(char, usize)>,
    /// A closing bracket that fits no open one was met.
    mismatch: bool,
    /// The last token that is no blank and no comment: kind and offset.
    last: Option<(TokenKind, usize)>,
}

/// What a token means for the text behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A blank or a comment.
    Trivia,
    /// A token of the language.
    Token,
    /// A string or comment that goes on past the end of the text.
    Unterminated,
    /// A literal that no further text can mend, such as a character that does not end on its line.
    Broken,
}

impl<'code> Walk<'code> {
    /// A walk over `code` that starts at byte `at`, where a statement may start.
    pub(super) fn new(code: &'code str, at: usize) -> Self {
        Self { code, at, open: Vec::new(), mismatch: false, last: None }
    }

    /// Goes over one token: what it is, and where it starts and ends. `None` at the end of the text.
    pub(super) fn step(&mut self) -> Option<(Step, usize, usize)> {
        let start = self.at;
        let rest = self.code.get(start..).filter(|rest| !rest.is_empty())?;
        let token = tokenize(rest, FrontmatterAllowed::No).next()?;
        // `#"` is one token to the lexer (reserved since edition 2024) and would hide that a string starts.
        let len = if token.kind == TokenKind::GuardedStrPrefix { 1 } else { token.len as usize };
        self.at = start + len;
        let step = match token.kind {
            TokenKind::Whitespace
            | TokenKind::LineComment { .. }
            | TokenKind::BlockComment { terminated: true, .. } => Step::Trivia,
            TokenKind::BlockComment { terminated: false, .. } => Step::Unterminated,
            TokenKind::Literal { kind, .. } => literal(kind),
            _ => Step::Token,
        };
        if step != Step::Trivia {
            self.track(token.kind, start);
        }
        Some((step, start, self.at))
    }

    /// Whether no bracket is open.
    pub(super) fn balanced(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a bracket was closed that was not open.
    pub(super) fn mismatched(&self) -> bool {
        self.mismatch
    }

    /// Where the innermost open bracket stands.
    pub(super) fn innermost(&self) -> Option<usize> {
        self.open.last().map(|&(_, at)| at)
    }

    /// Whether a statement may start here: nothing but blanks and comments so far, or a `;` last.
    pub(super) fn at_statement(&self) -> bool {
        matches!(self.last, None | Some((TokenKind::Semi, _)))
    }

    /// Whether the last token asks for another one behind it: an operator, a comma, a dot.
    pub(super) fn wants_more(&self) -> bool {
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

fn literal(kind: LiteralKind) -> Step {
    match kind {
        LiteralKind::Char { terminated: false } | LiteralKind::Byte { terminated: false } => Step::Broken,
        LiteralKind::Str { terminated: false }
        | LiteralKind::ByteStr { terminated: false }
        | LiteralKind::CStr { terminated: false }
        | LiteralKind::RawStr { n_hashes: None }
        | LiteralKind::RawByteStr { n_hashes: None }
        | LiteralKind::RawCStr { n_hashes: None } => Step::Unterminated,
        _ => Step::Token,
    }
}

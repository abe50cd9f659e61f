//! Completeness of a cell: whether a console should run it or wait for more lines.

use super::segment::{MagicForm, segment_spans};
use super::syntax::{self, Syntax};
use super::token_walk::{TokenClass, TokenWalk};

/// The answer to Jupyter's `is_complete_request`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completeness {
    /// The cell can run.
    Complete,
    /// A bracket, string or comment is open, a statement lacks its end, or a cell magic its body.
    Incomplete {
        /// Blanks for the start of the next line.
        indent: String,
    },
    /// An error that no further text can fix.
    Invalid,
}

/// Returns whether a cell can run. A magic line always can; Rust is parsed segment by segment, and only the last segment may be
/// incomplete. The text of a cell magic for which `takes_text` is true is no Rust but statements of SQL: it can run if it ends with `;`
/// or with an empty line.
pub fn is_complete(code: &str, takes_text: &dyn Fn(&str) -> bool) -> Completeness {
    let mut last = Completeness::Complete;
    for segment in segment_spans(code) {
        if last != Completeness::Complete {
            return Completeness::Invalid;
        }
        last = match &segment.head {
            None => rust(&code[segment.range]),
            Some(head) if head.form == MagicForm::Cell && takes_text(&code[head.name.clone()]) => {
                statement(&code[head.name.end..segment.range.end])
            }
            Some(head) if head.form == MagicForm::Cell => {
                let body = code[head.args.end..segment.range.end].split_once('\n').map_or("", |(_, below)| below);
                if body.is_empty() {
                    Completeness::Incomplete { indent: String::new() }
                } else {
                    is_complete(body, takes_text)
                }
            }
            Some(_) => Completeness::Complete,
        };
    }
    last
}

/// Returns whether a statement of SQL can run: behind its `;`, or where an empty line says "run it".
fn statement(text: &str) -> Completeness {
    let last_line = text.rfind('\n').map(|end| &text[end + 1..]);
    let has_empty_line = last_line.is_some_and(|line| line.trim().is_empty());
    if !text.trim().is_empty() && (has_empty_line || ends_with_semicolon(text)) {
        Completeness::Complete
    } else {
        Completeness::Incomplete { indent: String::new() }
    }
}

/// Returns whether the last sign of SQL outside of texts, quoted names and comments is a `;`.
fn ends_with_semicolon(text: &str) -> bool {
    let mut last = None;
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let (skipped, end) = match sign {
            '\'' | '"' => (1, if sign == '"' { "\"" } else { "'" }),
            '-' if rest.starts_with("--") => (2, "\n"),
            '/' if rest.starts_with("/*") => (2, "*/"),
            _ => (0, ""),
        };
        if skipped == 0 {
            last = if sign.is_whitespace() { last } else { Some(sign) };
            rest = &rest[sign.len_utf8()..];
            continue;
        }
        let inside = &rest[skipped..];
        rest = match inside.find(end) {
            Some(at) => &inside[at + end.len()..],
            // A comment may end with the text; what else is open goes on.
            None if end == "\n" => "",
            None => return false,
        };
        last = if skipped == 1 { Some(sign) } else { last };
    }
    last == Some(';')
}

/// Returns whether a segment of Rust can run.
fn rust(text: &str) -> Completeness {
    let first = text.trim_start();
    if first.starts_with(':') && first.lines().count() <= 1 {
        return Completeness::Complete;
    }
    let mut walk = TokenWalk::new(text, 0);
    while let Some((class, ..)) = walk.next_token() {
        match class {
            TokenClass::Malformed => return Completeness::Invalid,
            // The next line begins inside the string or comment, so it gets no indent.
            TokenClass::Unterminated => return Completeness::Incomplete { indent: String::new() },
            TokenClass::Trivia | TokenClass::Token => {}
        }
        if walk.mismatched() {
            return Completeness::Invalid;
        }
    }
    if let Some(bracket) = walk.innermost() {
        return Completeness::Incomplete { indent: format!("{}    ", indent_at(text, bracket)) };
    }
    match syntax::parse(text) {
        Syntax::Invalid => Completeness::Invalid,
        // A blank line at the end means "run it".
        Syntax::Unfinished if !text.ends_with("\n\n") => {
            let more = if walk.needs_operand() { "    " } else { "" };
            Completeness::Incomplete { indent: format!("{}{more}", indent_at(text, text.trim_end().len())) }
        }
        _ => Completeness::Complete,
    }
}

/// Returns the indent of the line that contains byte `at`.
fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_complete(code: &str) -> Completeness {
        super::is_complete(code, &|name| name == "trace_sql")
    }

    fn indent(code: &str) -> Option<String> {
        match is_complete(code) {
            Completeness::Incomplete { indent } => Some(indent),
            _ => None,
        }
    }

    #[test]
    fn whole_statements_are_complete() {
        for code in
            ["", "1 + 1", "let x = 1;", "fn f() {\n}\n", "%trace_list", "x?", "let s = \"{\";", "'{'", "'a: loop {}"]
        {
            assert_eq!(is_complete(code), Completeness::Complete, "{code:?}");
        }
    }

    #[test]
    fn magic_lines_are_always_complete() {
        for code in
            ["%trace_load \"a", "let x = %compare_traces (", "fn f() {}\n%show {", ":dep x = \"*", "%trace_list?"]
        {
            assert_eq!(is_complete(code), Completeness::Complete, "{code:?}");
        }
    }

    #[test]
    fn open_brackets_need_an_indented_line() {
        assert_eq!(indent("fn f() {").as_deref(), Some("    "));
        assert_eq!(indent("fn f() {\n    if x {").as_deref(), Some("        "));
        assert_eq!(indent("fn f() {\n    g();").as_deref(), Some("    "));
        assert_eq!(indent("foo(|x| {").as_deref(), Some("    "));
        assert_eq!(indent("%trace_list\nvec![").as_deref(), Some("    "));
    }

    #[test]
    fn open_strings_and_comments_need_more_lines() {
        for code in ["\"abc", "r#\"abc\"", "/* a /* b */", "b\"x", "c\"x", "#\"x"] {
            assert_eq!(indent(code).as_deref(), Some(""), "{code:?}");
        }
    }

    #[test]
    fn trailing_operator_needs_an_operand() {
        assert_eq!(indent("let x =").as_deref(), Some("    "));
        assert_eq!(indent("frame.").as_deref(), Some("    "));
        assert_eq!(is_complete("let x =\n\n"), Completeness::Complete);
    }

    #[test]
    fn syntax_errors_behind_closed_brackets_are_found() {
        for code in ["let = 7q;", "let x = = 3;", "let x = ;\n%trace_list", "let x =\n%who", "%%opt\nlet = 3;"] {
            assert_eq!(is_complete(code), Completeness::Invalid, "{code:?}");
        }
        for code in ["struct", "if", "if x", "let x = 1", "%trace_list\nfn f()", "%%opt\nif x"] {
            assert_eq!(indent(code).as_deref(), Some(""), "{code:?}");
        }
        assert_eq!(is_complete("if x\n\n"), Completeness::Complete, "two line ends");
    }

    #[test]
    fn cell_magic_needs_a_body() {
        assert_eq!(indent("%%opt").as_deref(), Some(""));
        assert_eq!(indent("%%opt\nfn f() {").as_deref(), Some("    "));
        for code in ["%%opt\n1 + 1", "%%opt\n\n", "%%opt\n%who"] {
            assert_eq!(is_complete(code), Completeness::Complete, "{code:?}");
        }
    }

    #[test]
    fn sql_runs_behind_its_semicolon_or_an_empty_line() {
        for code in [
            "%%trace_sql",
            "%%trace_sql\n",
            "%%trace_sql\nSELECT name, dur",
            "%%trace_sql\nSELECT 'a;\nb",
            "%%trace_sql\nSELECT 1 -- a;",
            "%%trace_sql\nSELECT 1 /* a;",
            "%%trace_sql\nSELECT \"a;\"",
            "%%trace_sql --as x SELECT 1",
            "\n%%trace_sql\nSELECT (",
        ] {
            assert_eq!(indent(code).as_deref(), Some(""), "{code:?}");
        }
        for code in [
            "%%trace_sql\nSELECT name\nFROM kernels;",
            "%%trace_sql\nSELECT 1; -- done",
            "%%trace_sql\nSELECT 'it''s';  ",
            "%%trace_sql\nSELECT name\nFROM kernels\n",
            "%%trace_sql\nSELECT (\n  ",
            "%%trace_sql --file question.sql\n",
            "%%trace_sql SELECT 1;",
            "%trace_sql SELECT 1",
        ] {
            assert_eq!(is_complete(code), Completeness::Complete, "{code:?}");
        }
        // Other cell magics hold Rust.
        assert_eq!(is_complete("%%time\nlet = 3;"), Completeness::Invalid);
    }

    #[test]
    fn mismatched_brackets_are_invalid() {
        for code in ["(]", "}", "fn f() )", "'-a\n"] {
            assert_eq!(is_complete(code), Completeness::Invalid, "{code:?}");
        }
    }
}

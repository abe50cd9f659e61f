//! Whether a console should run what was typed or wait for more lines.

use super::segment::{Form, stretches};
use super::syntax::{self, Syntax};
use super::token_walk::{Step, Walk};

/// The answer to Jupyter's `is_complete_request`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completeness {
    /// It can run.
    Complete,
    /// A bracket, string or comment is open, a statement lacks its end, or a cell magic its body.
    Incomplete {
        /// What the next line should start with.
        indent: String,
    },
    /// No further text can mend it.
    Invalid,
}

/// Whether a cell can run. A magic line always can; of Rust a parser tells, stretch by stretch, since only the last one
/// can go on.
pub fn is_complete(code: &str) -> Completeness {
    let stretches = stretches(code);
    let mut last = Completeness::Complete;
    for stretch in stretches {
        if last != Completeness::Complete {
            return Completeness::Invalid;
        }
        last = match &stretch.head {
            None => rust(&code[stretch.range]),
            Some(head) if head.form == Form::Cell => {
                let body = code[head.args.end..stretch.range.end].split_once('\n').map_or("", |(_, below)| below);
                if body.is_empty() { Completeness::Incomplete { indent: String::new() } } else { is_complete(body) }
            }
            Some(_) => Completeness::Complete,
        };
    }
    last
}

fn rust(text: &str) -> Completeness {
    let first = text.trim_start();
    if first.starts_with(':') && first.lines().count() <= 1 {
        return Completeness::Complete;
    }
    let mut walk = Walk::new(text, 0);
    while let Some((step, ..)) = walk.step() {
        match step {
            Step::Broken => return Completeness::Invalid,
            // What the next line starts with is inside the string or comment.
            Step::Unterminated => return Completeness::Incomplete { indent: String::new() },
            Step::Trivia | Step::Token => {}
        }
        if walk.mismatched() {
            return Completeness::Invalid;
        }
    }
    if let Some(bracket) = walk.innermost() {
        return Completeness::Incomplete { indent: format!("{}    ", indent_at(text, bracket)) };
    }
    match syntax::parse(text) {
        Syntax::Wrong => Completeness::Invalid,
        // Two line ends say "run it", whatever it is.
        Syntax::Unfinished if !text.ends_with("\n\n") => {
            let more = if walk.wants_more() { "    " } else { "" };
            Completeness::Incomplete { indent: format!("{}{more}", indent_at(text, text.trim_end().len())) }
        }
        _ => Completeness::Complete,
    }
}

/// The blanks that the line around byte `at` starts with.
fn indent_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn magic_lines_are_complete_whatever_they_hold() {
        for code in
            ["%trace_load \"a", "let x = %compare_traces (", "fn f() {}\n%show {", ":dep x = \"*", "%trace_list?"]
        {
            assert_eq!(is_complete(code), Completeness::Complete, "{code:?}");
        }
    }

    #[test]
    fn open_brackets_ask_for_an_indented_line() {
        assert_eq!(indent("fn f() {").as_deref(), Some("    "));
        assert_eq!(indent("fn f() {\n    if x {").as_deref(), Some("        "));
        assert_eq!(indent("fn f() {\n    g();").as_deref(), Some("    "));
        assert_eq!(indent("foo(|x| {").as_deref(), Some("    "));
        assert_eq!(indent("%trace_list\nvec![").as_deref(), Some("    "));
    }

    #[test]
    fn open_strings_and_comments_ask_for_more() {
        for code in ["\"abc", "r#\"abc\"", "/* a /* b */", "b\"x", "c\"x", "#\"x"] {
            assert_eq!(indent(code).as_deref(), Some(""), "{code:?}");
        }
    }

    #[test]
    fn an_operator_at_the_end_asks_for_its_right_side() {
        assert_eq!(indent("let x =").as_deref(), Some("    "));
        assert_eq!(indent("frame.").as_deref(), Some("    "));
        assert_eq!(is_complete("let x =\n\n"), Completeness::Complete);
    }

    #[test]
    fn a_parser_tells_what_brackets_do_not() {
        for code in ["let = 7q;", "let x = = 3;", "let x = ;\n%trace_list", "let x =\n%who", "%%opt\nlet = 3;"] {
            assert_eq!(is_complete(code), Completeness::Invalid, "{code:?}");
        }
        for code in ["struct", "if", "if x", "let x = 1", "%trace_list\nfn f()", "%%opt\nif x"] {
            assert_eq!(indent(code).as_deref(), Some(""), "{code:?}");
        }
        assert_eq!(is_complete("if x\n\n"), Completeness::Complete, "two line ends");
    }

    #[test]
    fn a_cell_magic_needs_its_body() {
        assert_eq!(indent("%%opt").as_deref(), Some(""));
        assert_eq!(indent("%%opt\nfn f() {").as_deref(), Some("    "));
        for code in ["%%opt\n1 + 1", "%%opt\n\n", "%%opt\n%who"] {
            assert_eq!(is_complete(code), Completeness::Complete, "{code:?}");
        }
    }

    #[test]
    fn what_nothing_can_mend_is_invalid() {
        for code in ["(]", "}", "fn f() )", "'-a\n"] {
            assert_eq!(is_complete(code), Completeness::Invalid, "{code:?}");
        }
    }
}

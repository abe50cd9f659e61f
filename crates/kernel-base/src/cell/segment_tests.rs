#![allow(clippy::unwrap_used)]
use super::*;
use trace_testkit::Random;

fn line<'a>(name: &'a str, args: &'a str) -> Segment<'a> {
    Segment::Line { bind: None, name, args }
}

fn bound<'a>(bind: &'a str, name: &'a str, args: &'a str) -> Segment<'a> {
    Segment::Line { bind: Some(bind), name, args }
}

fn is_rust(code: &str) {
    assert_eq!(segments(code), [Segment::Rust(code)], "{code:?}");
}

#[test]
fn magic_and_rust_mix_in_order() {
    let code = "%a x y\nlet z = 1;\n  %b\n%c \"q\"\nz\n";
    let found = segments(code);
    assert_eq!(
        found,
        [line("a", "x y"), Segment::Rust("let z = 1;\n"), line("b", ""), line("c", "\"q\""), Segment::Rust("z\n")]
    );
}

#[test]
fn segments_are_slices_of_the_cell() {
    let code = "%a\n\nlet x = 1;\n%b\nx";
    let offsets: Vec<usize> = segments(code)
        .iter()
        .filter_map(|segment| match segment {
            Segment::Rust(text) => Some(text.as_ptr() as usize - code.as_ptr() as usize),
            _ => None,
        })
        .collect();
    assert_eq!(offsets, [3, 18]);
}

#[test]
fn unknown_name_is_a_magic() {
    assert_eq!(segments("%trace_lod x"), [line("trace_lod", "x")]);
}

#[test]
fn strings_comments_and_brackets_hide_magics() {
    is_rust("let s = \"\n%a\n\";");
    is_rust("let s = r#\"\"\n%a\n\"#;");
    is_rust("let s = r##\"\n%a\n\"# \n%a\n\"##;");
    is_rust("let s = b\"\n%a\n\";");
    is_rust("let s = c\"\n%a\n\";");
    is_rust("fn f() {}\n/* /* \n%a\n*/ \n%a\n*/");
    is_rust("f(\n%a\n)");
    is_rust("let v = [x\n%a\n];");
    is_rust("fn f() {\n%a\n}");
    is_rust("let s = \"never closed\n%a");
    is_rust("m!(#\"\n%a\n\")");
    assert_eq!(segments("// it's\n%a"), [line("a", "")]);
    assert_eq!(segments("let c = '\"';\n%a"), [Segment::Rust("let c = '\"';\n"), line("a", "")]);
    assert_eq!(segments("let c = '{';\n%a"), [Segment::Rust("let c = '{';\n"), line("a", "")]);
    assert_eq!(segments("fn f<'a>() {}\n%a"), [Segment::Rust("fn f<'a>() {}\n"), line("a", "")]);
    assert_eq!(segments("'l: loop { break 'l }\n%a"), [Segment::Rust("'l: loop { break 'l }\n"), line("a", "")]);
}

#[test]
fn quote_in_a_magic_line_ends_with_the_line() {
    assert_eq!(
        segments("%a it's \"\nlet x = 1;\n%b"),
        [line("a", "it's \""), Segment::Rust("let x = 1;\n"), line("b", "")]
    );
}

#[test]
fn remainder_operators_are_rust() {
    is_rust("let x = a\n    % b;");
    is_rust("let x = a\n    %b;");
    is_rust("let x = a\n% b;");
    is_rust("let x = a % b;");
    is_rust("a %= b");
    is_rust("let x = if c { 1 } else { 2 }\n    %b;");
    is_rust("%");
    is_rust("% a");
    is_rust("%5");
    is_rust("%a.b");
    is_rust("%a(b)");
    is_rust("%%%a");
}

#[test]
fn percent_at_the_first_column_is_always_a_magic() {
    assert_eq!(segments("a\n%b"), [Segment::Rust("a\n"), line("b", "")]);
    assert_eq!(segments("for i in x {}\n%b"), [Segment::Rust("for i in x {}\n"), line("b", "")]);
}

#[test]
fn assignment_of_a_magic_binds() {
    assert_eq!(segments("df = %a x"), [bound("df", "a", "x")]);
    assert_eq!(segments("let df = %a x"), [bound("df", "a", "x")]);
    assert_eq!(segments("  let  mut  df=%a x;"), [bound("df", "a", "x;")]);
    assert_eq!(segments("let let = %a"), [bound("let", "a", "")]);
    is_rust("let df = 1;");
    is_rust("let (a, b) = %a");
    is_rust("df == %a");
    is_rust("let df = %%a");
    is_rust("let df = a %b");
    is_rust("f(\ndf = %a\n)");
}

#[test]
fn question_mark_requests_help() {
    for code in ["%a?", "%a??", "?%a", "?a", "??a", "%%a?", " %a? ", "?%%a"] {
        assert_eq!(segments(code), [Segment::Help { name: "a" }], "{code:?}");
    }
    assert_eq!(segments("%a ?"), [line("a", "?")]);
    is_rust("a?");
    is_rust("f()\n    ?;");
    is_rust("?");
    is_rust("?a b");
}

#[test]
fn cell_magic_owns_the_rest_of_the_cell() {
    assert_eq!(segments("%%a x y\nlet z\n%b\n"), [Segment::Cell { name: "a", args: "x y", body: "let z\n%b\n" }]);
    assert_eq!(segments("\n\n%%a"), [Segment::Cell { name: "a", args: "", body: "" }]);
    assert_eq!(segments("%%a\r\nb"), [Segment::Cell { name: "a", args: "", body: "b" }]);
    assert_eq!(segments("%b\n%%a x"), [line("b", ""), line("%a", "x")]);
}

#[test]
fn engine_commands_end_with_their_line() {
    assert_eq!(segments(":help don't \" {\n %a"), [Segment::Rust(":help don't \" {\n"), line("a", "")]);
    is_rust(":dep x = \"1\"\n:vars\nlet x = 1;");
}

#[test]
fn blanks_and_comments_are_left_out() {
    assert_eq!(segments(""), []);
    assert_eq!(segments(" \n// x\n/* y */\n"), []);
    assert_eq!(segments("// load\n%a\n\n// done\n"), [line("a", "")]);
    is_rust("/* open");
}

#[test]
fn windows_line_ends_end_lines() {
    assert_eq!(
        segments("%a x\r\nlet y = 1;\r\n%b\r\n"),
        [line("a", "x"), Segment::Rust("let y = 1;\r\n"), line("b", "")]
    );
}

#[test]
fn random_text_is_split_without_loss() {
    const PIECES: &[&str] = &[
        "%a", "%", "%%a", "?", "\n", "\n", "\r\n", " ", "\"", "'", "r#\"", "\"#", "/*", "*/", "//", "{", "}", "(", ")",
        "[", "]", "let x =", "x = %b", ";", "é", "\u{2028}", "😀", "b'", "c\"", "##", ":dep", "\\", "$", "%a?", "=",
        "0x", "1e", "\0", "'a",
    ];
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    for _ in 0..20_000 {
        let length = random.below(14);
        let code: String = (0..length).map(|_| *random.of(PIECES)).collect();
        for spans in [segment_spans(&code), segment_spans_while_typing(&code)] {
            let mut at = 0;
            for span in &spans {
                assert_eq!(span.range.start, at, "{code:?}");
                assert!(span.range.end > at, "{code:?}");
                at = span.range.end;
                if let Some(head) = &span.head {
                    let inside = |range: &Range<usize>| {
                        span.range.start <= range.start && range.end <= span.range.end && range.start <= range.end
                    };
                    assert!(inside(&head.name) && inside(&head.args), "{code:?}");
                }
            }
            assert_eq!(at, code.len(), "{code:?}");
        }
        for segment in segments(&code) {
            if let Segment::Line { args, .. } = segment {
                let _ = crate::cell::words(args);
            }
        }
        crate::cell::is_complete(&code, &|name| name == "trace_sql");
        crate::cell::magic_cursor(&code, random.below(code.len() + 1));
    }
}

#[test]
fn long_cell_is_split_in_linear_time() {
    let code = "%a x\nlet y = \"s\";\n".repeat(20_000);
    let start = std::time::Instant::now();
    assert_eq!(segments(&code).len(), 40_000);
    assert!(start.elapsed().as_secs() < 5);
}

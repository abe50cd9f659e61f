//! Help pages and inspection.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::display::Output;
use crate::magic::{MAGICS, inspect};
use crate::session::{Variable, View};
use trace_view::{Bundle, HTML};

fn page(code: &str) -> Bundle {
    match Notebook::default().outputs(code).unwrap().as_slice() {
        [Output::Page(page)] => page.clone(),
        other => panic!("{code}: {other:?}"),
    }
}

#[test]
fn every_form_of_help_gives_the_same_page() {
    let expected = page("%trace_load?");
    for code in ["?%trace_load", "?trace_load", "%trace_load??", "%%trace_load?"] {
        assert_eq!(page(code), expected, "{code}");
    }
    // --help is an output of the cell, which is saved; `?` opens the pager, which is not.
    for code in ["%trace_load --help", "%trace_load -h", "%trace_load x --as y --help"] {
        let shown = [Output::Display { bundle: expected.clone(), id: None }];
        assert_eq!(Notebook::default().outputs(code).unwrap(), shown, "{code}");
    }
}

#[test]
fn help_page_contains_every_declaration() {
    for magic in MAGICS.iter() {
        let page = page(&format!("%{}?", magic.name()));
        let plain = page.plain();
        let html = page.data.get(HTML).and_then(|html| html.as_str()).unwrap();
        assert!(plain.contains(magic.summary()));
        for group in magic.arguments() {
            for argument in group.arguments {
                assert!(plain.contains(argument.help) && plain.contains(&argument.spelled()), "%{}", magic.name());
                assert!(html.contains(&*html_escape::encode_text(argument.help)), "%{}", magic.name());
            }
        }
        assert!(magic.examples().iter().all(|example| plain.contains(example)));
        assert!(!html.contains("<script") && !html.contains("<style"));
    }
}

#[test]
fn help_page_has_usage_summary_arguments_and_examples() {
    assert_eq!(
        page("%trace_drop?").plain(),
        "Usage: %trace_drop NAME\n\nDrop a loaded trace, or all runs of a group: label, variable and memory.\n\nArguments\n  \
         NAME  the trace, or the group of runs\n\nExamples\n  %trace_drop control\n  %trace_drop control_2\n"
    );
}

#[test]
fn question_mark_on_a_variable_shows_its_type() {
    let mut notebook = Notebook::default().with_frame("df", trace::polars::prelude::DataFrame::empty());
    assert_eq!(notebook.text("?df"), "df: DataFrame\n");
}

#[test]
fn inspect_works_on_every_word_of_the_line() {
    let view = View {
        variables: vec![Variable { name: "df".to_owned(), type_name: "DataFrame".to_owned() }],
        ..View::default()
    };
    let code = "let x = 1;\n%show df --top 3\nx";
    let at = |text: &str| code.find(text).unwrap() + 1;
    for word in ["%show", "how", "--top", "3\n"] {
        let page = inspect(code, at(word), &view).unwrap();
        assert!(page.plain().starts_with("Usage: %show VARIABLE"), "{word}: {}", page.plain());
    }
    assert_eq!(inspect(code, at("df"), &view).unwrap().plain(), "df: DataFrame");
    assert_eq!(inspect(code, 3, &view), None);
    assert_eq!(inspect("%nope x", 3, &view), None);
}

#[test]
fn lsmagic_and_magic_name_every_magic() {
    for code in ["%lsmagic", "%magic"] {
        let text = Notebook::default().text(code);
        for magic in MAGICS.iter() {
            assert!(text.contains(&format!("%{}", magic.name())), "{code}: {text}");
        }
    }
}

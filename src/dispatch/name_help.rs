//! `x?`, `?x` and `x??` alone in a cell, as in IPython: what Shift-Tab shows, and of traces and frames what they hold.
//! Nothing is compiled for it.

use crate::introspect;
use crate::session::{Session, View};
use trace_view::{Bundle, HTML, Present};

/// Whether a cell has a question mark where a question has one.
pub(super) fn may_ask(code: &str) -> bool {
    let code = code.trim();
    code.starts_with('?') || code.ends_with('?')
}

/// The name or path that a cell asks about. `x?` is Rust where `x` is a result or an option.
pub(super) fn asked<'code>(code: &'code str, view: &View) -> Option<&'code str> {
    let code = code.trim();
    let name = code.trim_matches('?');
    let (before, behind) =
        (code.len() - code.trim_start_matches('?').len(), code.len() - code.trim_end_matches('?').len());
    if !matches!((before, behind), (1 | 2, 0) | (0, 1 | 2)) || !is_path(name) {
        return None;
    }
    let of_type = |start: &str| {
        view.variables.iter().any(|variable| variable.name == name && variable.type_name.starts_with(start))
    };
    let is_rust = behind > 0 && (of_type("Result<") || of_type("Option<") || of_type("PolarsResult<"));
    (!is_rust).then_some(name)
}

/// `df`, `df.lazy`, `TraceDiff::new`
fn is_path(text: &str) -> bool {
    let words = text.split('.').flat_map(|part| part.split("::"));
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    words.into_iter().all(is_word)
}

/// What is known of it; `None` if nothing is.
pub(super) fn answer(name: &str, session: &Session, view: &View) -> Option<Bundle> {
    if let Some(trace) = session.trace(name) {
        let parts = trace.present().bundles();
        let line = format!("{name}: TraceSet, a loaded trace");
        let join =
            |mime: &str| parts.iter().filter_map(|part| part.data.get(mime)?.as_str()).collect::<Vec<_>>().join("\n");
        let plain = format!("{line}\n\n{}", join(trace_view::PLAIN));
        return Some(Bundle::text(plain).with(HTML, format!("<p>{line}</p>\n{}", join(HTML)).into()));
    }
    introspect::inspect(name, name.len(), view)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Variable;

    #[test]
    fn name_alone_with_a_question_mark_is_a_question() {
        let variable =
            |name: &str, type_name: &str| Variable { name: name.to_owned(), type_name: type_name.to_owned() };
        let variables = vec![variable("df", "DataFrame"), variable("read", "Result<DataFrame, PolarsError>")];
        let view = View { variables, ..View::default() };
        for (code, name) in [
            ("df?", Some("df")),
            (" ?df\n", Some("df")),
            ("df??", Some("df")),
            ("??df", Some("df")),
            ("df.lazy?", Some("df.lazy")),
            ("TraceDiff::new?", Some("TraceDiff::new")),
            ("?read", Some("read")),
            ("read?", None),
            ("df.lazy()?", None),
            ("?df?", None),
            ("df???", None),
            ("?", None),
            ("a + b?", None),
            ("%show?", None),
            ("1?", None),
        ] {
            assert_eq!(asked(code, &view), name, "{code:?}");
        }
    }
}

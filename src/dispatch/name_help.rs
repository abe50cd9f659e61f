//! Help on a name: a cell `x?`, `?x` or `x??`, as in IPython.
//!
//! Shows what Shift-Tab shows, and an overview of a loaded trace. Nothing is compiled.

use crate::introspect;
use crate::session::{Session, View};
use trace_view::{Bundle, HTML, Present};

/// Whether a cell begins or ends with a question mark.
pub(super) fn may_be_query(code: &str) -> bool {
    let code = code.trim();
    code.starts_with('?') || code.ends_with('?')
}

/// Returns the name or path of the cell `x?`. Where `x` is a variable of type `Result` or `Option`, `x?` is Rust.
pub(super) fn queried_name<'code>(code: &'code str, view: &View) -> Option<&'code str> {
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

/// Whether the text is a path of names: `df`, `df.lazy`, `TraceDiff::new`.
fn is_path(text: &str) -> bool {
    let words = text.split('.').flat_map(|path| path.split("::"));
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    words.into_iter().all(is_word)
}

/// Returns the help page of a name; `None` if it is unknown.
pub(super) fn page(name: &str, session: &Session, view: &View) -> Option<Bundle> {
    if let Some(trace) = session.runs(name).first() {
        let bundles = trace_render::bundles(&trace.present());
        let line = match session.groups().runs(name) {
            Some(runs) => format!("{name}: {}, a group of runs; in Rust cells {}", runs.join(", "), trace.label()),
            None => format!("{name}: TraceSet, a loaded trace"),
        };
        let join = |mime: &str| {
            bundles.iter().filter_map(|bundle| bundle.data.get(mime)?.as_str()).collect::<Vec<_>>().join("\n")
        };
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
    fn name_with_a_question_mark_is_a_query() {
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
            assert_eq!(queried_name(code, &view), name, "{code:?}");
        }
    }
}

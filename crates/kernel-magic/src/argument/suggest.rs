//! "did you mean …?": the nearest of some names.

use trace_view::format::nearest;

/// Returns the hint `did you mean x?`; empty if no candidate is near.
pub fn did_you_mean<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, candidates).map_or_else(String::new, |name| format!("did you mean {name}?"))
}

/// Returns the hint `did you mean x? (%who lists all)`; `%who lists all` if no candidate is near.
pub(crate) fn did_you_mean_or<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    lists_all: &str,
) -> String {
    match nearest(typed, candidates) {
        Some(name) => format!("did you mean {name}? ({lists_all})"),
        None => lists_all.to_owned(),
    }
}

/// Returns `a, b or c`.
pub fn any_of<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [name] => name.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", first.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_of_joins_the_last_name_with_or() {
        assert_eq!(any_of(&["cpu", "gpu", "all"]), "cpu, gpu or all");
        assert_eq!((any_of(&["cpu"]), any_of::<&str>(&[])), ("cpu".to_owned(), String::new()));
    }
}

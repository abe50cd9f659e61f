//! "did you mean …?": the nearest of some names.

/// Returns the candidate that `typed` was probably meant to be.
pub(crate) fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let allowed = (typed.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty())
        .map(|candidate| (strsim::damerau_levenshtein(&typed, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, candidate)| {
            distance <= allowed || strsim::jaro_winkler(&typed, &candidate.to_lowercase()) > 0.9
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the hint `did you mean x?`; empty if no candidate is near.
pub(crate) fn did_you_mean<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
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
pub(crate) fn any_of<S: AsRef<str>>(names: &[S]) -> String {
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
    fn nearest_finds_typos_and_rejects_strangers() {
        let names = ["trace_load", "trace_list", "compare_traces"];
        assert_eq!(nearest("trace_lod", names), Some("trace_load"));
        assert_eq!(nearest("compare_trace", names), Some("compare_traces"));
        assert_eq!(nearest("TRACE_LIST", names), Some("trace_list"));
        assert_eq!(nearest("plot", names), None);
        assert_eq!(nearest("tpo", ["top", "log"]), Some("top"));
        assert_eq!(nearest("contrl", ["control", "test"]), Some("control"));
    }

    #[test]
    fn any_of_joins_the_last_name_with_or() {
        assert_eq!(any_of(&["cpu", "gpu", "all"]), "cpu, gpu or all");
        assert_eq!((any_of(&["cpu"]), any_of::<&str>(&[])), ("cpu".to_owned(), String::new()));
    }
}

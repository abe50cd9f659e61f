//! "Did you mean …?"

/// The candidate that `typed` was probably meant to be.
pub(super) fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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

/// ` Did you mean x?`, or nothing.
pub(crate) fn did_you_mean<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, candidates).map_or_else(String::new, |name| format!(" Did you mean {name}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let names = ["trace_load", "trace_list", "compare_traces"];
        assert_eq!(nearest("trace_lod", names), Some("trace_load"));
        assert_eq!(nearest("compare_trace", names), Some("compare_traces"));
        assert_eq!(nearest("TRACE_LIST", names), Some("trace_list"));
        assert_eq!(nearest("plot", names), None);
        assert_eq!(nearest("tpo", ["top", "log"]), Some("top"));
        assert_eq!(nearest("contrl", ["control", "test"]), Some("control"));
    }
}

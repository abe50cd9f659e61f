//! The nearest of some names to one that was mistyped, for hints: "did you mean …?".

/// Returns the name that `typed` was probably meant to be: at most a third of its letters differ, or the beginning is alike; of
/// several the one with the fewest different letters. Upper and lower case are the same.
pub fn nearest<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let typed = typed.to_lowercase();
    let most = (typed.chars().count() / 3).max(1);
    let mut nearest: Option<(usize, &str)> = None;
    for name in names.into_iter().filter(|name| !name.is_empty() && !typed.is_empty()) {
        let lower = name.to_lowercase();
        let distance = strsim::damerau_levenshtein(&typed, &lower);
        let is_near = distance <= most || strsim::jaro_winkler(&typed, &lower) > 0.9;
        if is_near && nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, name));
        }
    }
    nearest.map(|(_, name)| name)
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
    fn nearest_name_has_few_different_letters() {
        let names = ["events", "kernels", "end_ts", "gaps"];
        assert_eq!(nearest("evnets", names), Some("events"));
        assert_eq!(nearest("Kernels", names), Some("kernels"));
        assert_eq!(nearest("gap", names), Some("gaps"));
        assert_eq!(nearest("end", names), None);
        assert_eq!(nearest("operators", names), None);
        assert_eq!(nearest("", ["a", ""]), None);
        assert_eq!(nearest("é", ["e"]), Some("e"));
    }
}

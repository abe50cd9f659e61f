//! The nearest of some names to one that was mistyped.

/// Returns the name that is equal but for the case, else the one with the fewest different letters, if these are at most a third.
pub(super) fn near<'k>(typed: &str, names: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let typed = typed.to_lowercase();
    let letters = typed.chars().count();
    let most = (letters / 3).max(1);
    let similar = names.into_iter().filter(|name| name.chars().count().abs_diff(letters) <= most);
    let found = similar.map(|name| (strsim::osa_distance(&typed, &name.to_lowercase()), name));
    found.filter(|(distance, _)| *distance <= most).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_has_few_different_letters() {
        let names = ["events", "kernels", "end_ts", "gaps"];
        assert_eq!(near("evnets", names), Some("events"));
        assert_eq!(near("Kernels", names), Some("kernels"));
        assert_eq!(near("gap", names), Some("gaps"));
        assert_eq!(near("end", names), None);
        assert_eq!(near("operators", names), None);
        assert_eq!(near("", names), None);
        assert_eq!(near("é", ["e"]), Some("e"));
    }
}

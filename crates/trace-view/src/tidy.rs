//! Names without the colons that an anonymous namespace leaves behind when a name is shortened.

use std::collections::{HashMap, HashSet};

/// Returns `names` as tables and figures show them: `at::native::::k` as `at::native::k`, `::k` as `k`. A name stays as it is
/// if another name would then look the same.
///
/// Frames, files and the data of figures keep HTA's names.
pub fn tidied(names: &[String]) -> Vec<String> {
    let mut originals: HashMap<String, &str> = HashMap::new();
    let mut ambiguous = HashSet::new();
    for name in names {
        let tidy = tidy(name);
        if originals.get(&tidy).is_some_and(|original| original != name) {
            ambiguous.insert(tidy.clone());
        }
        originals.insert(tidy, name);
    }
    let unambiguous = |name: &String| Some(tidy(name)).filter(|tidy| !ambiguous.contains(tidy));
    names.iter().map(|name| unambiguous(name).unwrap_or_else(|| name.clone())).collect()
}

/// Returns one short name without empty namespaces.
pub fn tidy(name: &str) -> String {
    let mut tidy = name.to_owned();
    while tidy.contains("::::") {
        tidy = tidy.replace("::::", "::");
    }
    match tidy.strip_prefix("::") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => tidy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_empty_namespaces_lose_them() {
        let tidied = |names: &[&str]| tidied(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            tidied(&[
                "at::native::::multi_tensor_apply_kernel",
                "::softmax_warp_backward",
                "a::::::b",
                "::",
                "aten::mm"
            ]),
            ["at::native::multi_tensor_apply_kernel", "softmax_warp_backward", "a::b", "::", "aten::mm"]
        );
        assert_eq!(tidied(&["::k", "k", "::k", "::j"]), ["::k", "k", "::k", "j"]);
    }
}

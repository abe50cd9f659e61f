//! Labels of traces and names of frames: Rust identifiers, since cells use them as variables.

use std::path::Path;

/// The keywords of all editions of Rust.
const KEYWORDS: &[&str] = &[
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Names that are patterns rather than variables.
const PATTERNS: &[&str] = &["Err", "None", "Ok", "Some"];

/// The prefix of evcxr's own variables in every cell.
const HIDDEN: &str = "evcxr_";

/// File extensions that say nothing about the trace.
const ENDINGS: &[&str] = &[".zip", ".gz", ".zst", ".json", ".pftrace", ".perfetto-trace", ".trace", ".pt", ".pytorch"];

/// Checks that `name` is a valid name of a Rust variable.
///
/// # Errors
/// The reason, and a valid name.
pub fn check(name: &str) -> Result<(), String> {
    if KEYWORDS.contains(&name) {
        return Err(format!("it is a Rust keyword; try {name}_1"));
    }
    if PATTERNS.contains(&name) || name.starts_with(HIDDEN) {
        return Err(format!("it is reserved in Rust cells; try {}", near(name)));
    }
    if !ra_ap_rustc_lexer::is_ident(name) {
        return Err(format!("expected a Rust identifier; try {}", from_text(name)));
    }
    Ok(())
}

/// Derives the label of a trace from the name of its file or folder.
pub fn from_path(path: &Path) -> String {
    let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    // `.` and `..` have no file name.
    let name = named(path).or_else(|| named(&path.canonicalize().ok()?)).unwrap_or_default();
    let mut stem = name.as_str();
    while let Some(shorter) =
        ENDINGS.iter().find_map(|ending| stem.strip_suffix(ending)).filter(|stem| !stem.is_empty())
    {
        stem = shorter;
    }
    from_text(stem)
}

/// Returns a valid name similar to a reserved one.
fn near(name: &str) -> String {
    match name.strip_prefix(HIDDEN) {
        Some(rest) => from_text(&format!("trace_{rest}")),
        None => format!("{name}_1"),
    }
}

/// Returns the nearest identifier: other characters become `_`.
fn from_text(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        let c = if ra_ap_rustc_lexer::is_id_continue(c) { c } else { '_' };
        if c != '_' || !name.ends_with('_') {
            name.push(c);
        }
    }
    let name = name.trim_end_matches('_');
    if name.is_empty() {
        "trace".to_owned()
    } else if !ra_ap_rustc_lexer::is_ident(name) {
        format!("trace_{}", name.trim_start_matches('_'))
    } else if KEYWORDS.contains(&name) || PATTERNS.contains(&name) || name.starts_with(HIDDEN) {
        near(name)
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_is_derived_from_stem() {
        let label = |path: &str| from_path(Path::new(path));
        assert_eq!(label("/data/control"), "control");
        assert_eq!(label("/data/control/"), "control");
        assert_eq!(label("run-1.pt.trace.json.gz"), "run_1");
        assert_eq!(label("rank 0.json"), "rank_0");
        assert_eq!(label("2024-01-02.json"), "trace_2024_01_02");
        assert_eq!(label("type.json"), "type_1");
        assert_eq!(label("---.json"), "trace");
        assert_eq!(label(".json"), "_json");
        assert_eq!(label("größe.json"), "größe");
        assert!(check(&label("..")).is_ok());
        assert!(check(&label("/")).is_ok());
    }

    #[test]
    fn every_derived_label_is_valid() {
        for path in [
            "",
            "None.json",
            "evcxr_variable_store",
            "evcxr_",
            "a b",
            "_",
            "__",
            "fn",
            "self.json",
            "1",
            "é",
            "日本.json",
            "😀.json.gz",
            "a--b",
            "gen.gz",
        ] {
            let label = from_path(Path::new(path));
            assert_eq!(check(&label), Ok(()), "{path:?} → {label:?}");
        }
    }

    #[test]
    fn keywords_and_other_texts_are_invalid_labels() {
        assert_eq!(check("control"), Ok(()));
        assert_eq!(check("_x"), Ok(()));
        assert_eq!(check("type"), Err("it is a Rust keyword; try type_1".to_owned()));
        assert_eq!(check("run-1"), Err("expected a Rust identifier; try run_1".to_owned()));
        for name in ["", "None", "Some", "Ok", "Err", "evcxr_variable_store", "1a", "a b", "a.b", "_", "self", "crate"]
        {
            assert!(check(name).is_err(), "{name:?}");
        }
    }
}

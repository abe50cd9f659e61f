//! The note on platforms that are not tested.

/// Returns the note on this platform; `None` on Linux x86-64, which is tested.
pub(super) fn note() -> Option<String> {
    note_of(std::env::consts::OS, std::env::consts::ARCH)
}

fn note_of(os: &str, arch: &str) -> Option<String> {
    match (os, arch) {
        ("linux", "x86_64") => None,
        ("linux", "aarch64") | ("macos", _) => Some(format!(
            "{os} on {arch} is not tested: it may work; please report what does not. Linux on x86-64 is tested"
        )),
        _ => Some(format!("{os} on {arch} is not supported. Linux on x86-64 is tested; aarch64 and macOS may work")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_untested_platforms_get_a_note() {
        assert_eq!(note_of("linux", "x86_64"), None);
        for (os, arch, expected) in [
            ("linux", "aarch64", "not tested"),
            ("macos", "aarch64", "not tested"),
            ("macos", "x86_64", "not tested"),
            ("freebsd", "x86_64", "not supported"),
            ("linux", "riscv64", "not supported"),
        ] {
            let note = note_of(os, arch).unwrap_or_default();
            assert!(note.contains(expected) && note.starts_with(&format!("{os} on {arch}")), "{note}");
        }
    }
}

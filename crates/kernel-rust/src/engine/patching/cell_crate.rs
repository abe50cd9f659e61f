//! The crate that evcxr writes for each cell: its name, its folder, its manifest, the level at which it is compiled.

use std::path::{Path, PathBuf};

/// The crate name that evcxr gives to every cell.
pub(in crate::engine) const CELL_CRATE: &str = "ctx";

/// The folder of the crate, in the run's folder.
pub(in crate::engine) const CRATE_FOLDER: &str = "evcxr";

/// The file in the run's folder that turns optimisation on, whatever level evcxr asks for.
const OPTIMISED_FILE: &str = "optimised";

/// Turns optimisation of the cells that follow on or off (`%%opt`).
pub(in crate::engine) fn set_optimised(run_folder: &Path, on: bool) {
    let file = run_folder.join(OPTIMISED_FILE);
    // Without the file cells are slower, not wrong.
    let _ = if on { std::fs::write(file, "") } else { std::fs::remove_file(file) };
}

/// Whether cells are compiled with optimisation.
pub(in crate::engine) fn is_optimised(run_folder: &Path) -> bool {
    run_folder.join(OPTIMISED_FILE).exists()
}

/// Reports the path of the compiled cell to evcxr, in the file `answer`.
///
/// # Errors
/// If the file cannot be written.
pub(in crate::engine) fn report_library(library: &Path, answer: Option<PathBuf>) -> Result<(), String> {
    let library = std::fs::canonicalize(library).unwrap_or_else(|_| library.to_owned());
    let Some(answer) = answer else { return Ok(()) };
    std::fs::write(answer, library.as_os_str().as_encoded_bytes())
        .map_err(|error| format!("cannot write the path of the compiled cell: {error}"))
}

/// Whether the manifest of the crate has dependencies of the user's.
pub(in crate::engine) fn has_dependencies(manifest: &str) -> bool {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    lines.filter(|line| !is_evcxrs_tokio(line)).any(|line| !line.trim().is_empty())
}

/// Whether this is the line of a manifest that evcxr adds for `.await`. It is not needed: the dylib contains tokio, and the
/// prelude names it.
pub(in crate::engine) fn is_evcxrs_tokio(line: &str) -> bool {
    line.trim() == "tokio = {version=\"1.34.0\", features=[\"rt\", \"rt-multi-thread\"]}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_below_dependencies_count() {
        assert!(!has_dependencies("[package]\nname = \"ctx\"\n[dependencies]\n\n"));
        assert!(has_dependencies("[package]\n[dependencies]\nregex = \"1\"\n"));
        let tokio = "[dependencies]\n tokio = {version=\"1.34.0\", features=[\"rt\", \"rt-multi-thread\"]}\n";
        assert!(!has_dependencies(tokio));
        assert!(has_dependencies("[dependencies]\ntokio = \"1\"\n"));
    }
}

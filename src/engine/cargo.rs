//! What rust-analyzer asks cargo, and what it is told.
//!
//! evcxr's rust-analyzer starts about ten processes of cargo and rustc when it loads a manifest, and then reads the
//! sources of whatever they name. The types of variables come from the compiler here (see `compiler`), so it needs none
//! of that: the environment names this binary as its `CARGO`, and no file as its `RUSTC`. It is told of one crate
//! without dependencies; every other question fails, and it goes on without an answer.

use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// The name of the link to this binary by which it knows that rust-analyzer called it.
pub(super) const NAME: &str = "cargo";

/// Answers `cargo metadata … --manifest-path FILE …`; the exit status.
pub(super) fn answer(arguments: &[String]) -> i32 {
    let manifest = arguments.iter().skip_while(|argument| *argument != "--manifest-path").nth(1);
    match (arguments.first().map(String::as_str), manifest.and_then(|file| Path::new(file).parent())) {
        (Some("metadata"), Some(folder)) => {
            let answer = metadata(&folder.to_string_lossy());
            i32::from(writeln!(std::io::stdout(), "{answer}").is_err())
        }
        _ => 1,
    }
}

/// What `cargo metadata` says of the crate that evcxr writes into `folder`, without its dependencies.
fn metadata(folder: &str) -> Value {
    let id = format!("path+file://{folder}#ctx@1.0.0");
    let target = json!({
        "kind": ["cdylib"], "crate_types": ["cdylib"], "name": "ctx", "src_path": format!("{folder}/src/lib.rs"),
        "edition": "2024", "doc": true, "doctest": false, "test": true,
    });
    let package = json!({
        "name": "ctx", "version": "1.0.0", "id": id, "license": null, "license_file": null, "description": null,
        "source": null, "dependencies": [], "targets": [target], "features": {},
        "manifest_path": format!("{folder}/Cargo.toml"), "metadata": null, "publish": null, "authors": [],
        "categories": [], "keywords": [], "readme": null, "repository": null, "homepage": null,
        "documentation": null, "edition": "2024", "links": null, "default_run": null, "rust_version": null,
    });
    json!({
        "packages": [package], "workspace_members": [id], "workspace_default_members": [id],
        "resolve": {"nodes": [{"id": id, "dependencies": [], "deps": [], "features": []}], "root": id},
        "target_directory": format!("{folder}/target"), "build_directory": format!("{folder}/target"),
        "version": 1, "workspace_root": folder, "metadata": null,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_names_the_crate_and_nothing_else() {
        let answer = metadata("/tmp/x y");
        assert_eq!(answer["packages"][0]["targets"][0]["src_path"], "/tmp/x y/src/lib.rs");
        assert_eq!(answer["workspace_members"][0], answer["packages"][0]["id"]);
    }

    #[test]
    fn other_questions_fail() {
        for question in [&["--version"][..], &["locate-project", "--workspace"], &["metadata"], &[]] {
            assert_eq!(answer(&question.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()), 1);
        }
    }
}

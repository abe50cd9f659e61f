//! Tells the kernel which compiler built it, since cells are compiled by the same one; and gives it the sources of the
//! library for cells, so that `tracebook install` can build that without a checkout.

#![allow(clippy::print_stdout)]

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The packages that the library for cells is made of.
const PACKAGES: [&str; 22] = [
    "crates/call-tree",
    "crates/causal",
    "crates/cells",
    "crates/efficiency",
    "crates/hta-rules",
    "crates/sql-engine",
    "crates/statistics",
    "crates/timeline",
    "crates/trace",
    "crates/trace-base",
    "crates/trace-core",
    "crates/trace-data",
    "crates/trace-sql",
    "crates/trace-timeline",
    "crates/trace-analysis",
    "crates/trace-bounds",
    "crates/trace-compare",
    "crates/trace-events",
    "crates/trace-read",
    "crates/trace-render",
    "crates/trace-view",
    "crates/workspace-hack",
];
/// What else the workspace and its lock file name; the manifests are needed, the code is not.
const OTHERS: [&str; 12] = [
    ".",
    "crates/kernel-base",
    "crates/kernel-magic",
    "crates/kernel-rust",
    "crates/rust-analyzer/base-db",
    "crates/rust-analyzer/hir",
    "crates/rust-analyzer/ide",
    "crates/rust-analyzer/ide-db",
    "crates/rust-analyzer/project-model",
    "crates/rust-analyzer/span",
    "crates/rust-analyzer/vfs-notify",
    "crates/trace-testkit",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("-vV").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let version = field("release").unwrap_or(env!("CARGO_PKG_RUST_VERSION"));
    println!("cargo:rustc-env=TRACEBOOK_RUSTC_VERSION={version}");
    // Compilers of a distribution may have none.
    let commit = field("commit-hash").filter(|hash| *hash != "unknown").unwrap_or_default();
    println!("cargo:rustc-env=TRACEBOOK_RUSTC_COMMIT={commit}");

    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let mut files = vec![PathBuf::from("Cargo.lock")];
    for package in PACKAGES {
        files.push(Path::new(package).join("Cargo.toml"));
        files.extend(Some(Path::new(package).join("build.rs")).filter(|file| root.join(file).is_file()));
        println!("cargo:rerun-if-changed={package}/src");
        collect(&root, &Path::new(package).join("src"), &mut files)?;
    }
    files.extend(OTHERS.map(|package| Path::new(package).join("Cargo.toml")));
    files.sort();

    let mut hash = DefaultHasher::new();
    let mut list = String::from("pub(super) const FILES: &[(&str, &str)] = &[\n");
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        std::fs::read(root.join(file))?.hash(&mut hash);
        writeln!(list, "    ({:?}, include_str!({:?})),", file, root.join(file))?;
    }
    list.push_str("];\n");
    println!("cargo:rustc-env=TRACEBOOK_SOURCES={:016x}", hash.finish());
    std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("sources.rs"), list)?;
    Ok(())
}

/// The files below `folder` that are compiled into the library.
fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let name = entry?.file_name();
        let path = folder.join(&name);
        let is_test = name == "tests" || name.to_string_lossy().ends_with("tests.rs");
        if root.join(&path).is_dir() {
            if !is_test {
                collect(root, &path, files)?;
            }
        } else if !is_test {
            files.push(path);
        }
    }
    Ok(())
}

//! Tells the kernel which compiler built it: cells are compiled by the same one.

#![allow(clippy::print_stdout)]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    // `rustc 1.95.0 (59807616e 2026-04-14)`
    let version = text.split_whitespace().nth(1).unwrap_or(env!("CARGO_PKG_RUST_VERSION"));
    println!("cargo:rustc-env=TRACEBOOK_RUSTC_VERSION={version}");
}

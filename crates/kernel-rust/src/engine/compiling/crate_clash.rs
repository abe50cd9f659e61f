//! Notes on another version of polars or plotly that a crate of the user's depends on.
//!
//! `dependencies` refuses a `:dep` line that asks for another polars by name. A crate that depends on one is legal and often
//! harmless, as long as its values do not meet those of cells; if they do, the compiler only says that it expected `DataFrame`
//! and found `DataFrame`.

use super::dependencies::version_of;
use crate::engine::patching::cell_crate::CELL_CRATE;
use std::collections::{BTreeMap, BTreeSet};

/// The crates whose values cells pass around. Most crates have a `serde_json` or a `tokio` of their own.
const WATCHED: &[&str] = &["plotly", "polars", "polars-core"];

/// A package in a lock file.
#[derive(Debug, Default)]
struct Package {
    name: String,
    version: String,
    /// `name`, or `name version` where there are several.
    needs: Vec<String>,
}

/// Returns a note for each other version of a watched crate in the lock file of the cell's crate.
pub(in crate::engine) fn notes(lock: &str) -> Vec<String> {
    let packages = packages(lock);
    let Some(cell) = packages.iter().find(|package| package.name == CELL_CRATE) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    for package in packages.iter().filter(|package| WATCHED.contains(&package.name.as_str())) {
        let ours = version_of(&package.name).unwrap_or("?");
        let bringing: Vec<&str> =
            cell.needs.iter().filter(|need| reaches(need, package, &packages)).map(|need| name(need)).collect();
        // A crate that the user asked for by name needs no note, and polars-core none beside polars.
        let chosen = bringing.iter().all(|bringing| WATCHED.contains(bringing));
        let whole = |other: &Package| other.name == "polars" && other.version == package.version;
        if chosen || package.name == "polars-core" && packages.iter().any(whole) {
            continue;
        }
        notes.push(format!(
            "{} depends on {} {}, and cells use {ours}: their types differ, so pass values as numbers, text or `Vec`, or as a file or \
             bytes of CSV, Parquet, Arrow or JSON",
            bringing.join(", "),
            package.name,
            package.version
        ));
    }
    notes
}

/// Whether a dependency is `wanted`, or depends on it, also indirectly.
fn reaches(need: &str, wanted: &Package, packages: &[Package]) -> bool {
    let by_need: BTreeMap<String, &Package> = packages
        .iter()
        .flat_map(|package| {
            [(package.name.clone(), package), (format!("{} {}", package.name, package.version), package)]
        })
        .collect();
    let (mut open, mut seen) = (vec![need], BTreeSet::new());
    while let Some(need) = open.pop() {
        let Some(package) = by_need.get(need).filter(|_| seen.insert(need.to_owned())) else { continue };
        if (&package.name, &package.version) == (&wanted.name, &wanted.version) {
            return true;
        }
        open.extend(package.needs.iter().map(String::as_str));
    }
    false
}

fn name(need: &str) -> &str {
    need.split(' ').next().unwrap_or(need)
}

/// Parses the packages of a lock file, in which cargo writes one key per line.
fn packages(lock: &str) -> Vec<Package> {
    let value =
        |line: &str, key: &str| Some(line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned());
    let mut packages = Vec::new();
    for block in lock.split("[[package]]").skip(1) {
        let mut package = Package::default();
        for line in block.lines() {
            if let Some(name) = value(line, "name") {
                package.name = name;
            } else if let Some(version) = value(line, "version") {
                package.version = version;
            } else if let Some(need) = line.strip_prefix(" \"") {
                package.needs.push(need.trim_end_matches(['"', ',']).to_owned());
            }
        }
        packages.push(package);
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(packages: &[(&str, &str, &[&str])]) -> String {
        let one = |(name, version, needs): &(&str, &str, &[&str])| {
            let needs: String = needs.iter().map(|need| format!(" \"{need}\",\n")).collect();
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ndependencies = [\n{needs}]\n")
        };
        format!("version = 4\n\n{}", packages.iter().map(one).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn indirect_polars_is_noted_with_the_crate_that_needs_it() {
        let lock = lock(&[
            ("ctx", "1.0.0", &["mine", "other"]),
            ("mine", "0.1.0", &["between"]),
            ("between", "0.2.0", &["polars 0.44.2"]),
            ("other", "0.2.0", &["polars 0.50.0", "other"]),
            ("polars", "0.44.2", &["polars-core"]),
            ("polars-core", "0.44.2", &[]),
            ("polars", "0.50.0", &[]),
        ]);
        let notes = notes(&lock);
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].starts_with("mine depends on polars 0.44.2, and cells use 0.55"), "{}", notes[0]);
        assert!(notes[1].starts_with("other depends on polars 0.50.0"), "{}", notes[1]);
    }

    #[test]
    fn direct_and_unneeded_crates_are_not_noted() {
        assert_eq!(notes(&lock(&[("ctx", "1.0.0", &["polars"]), ("polars", "0.44.2", &[])])), Vec::<String>::new());
        assert_eq!(notes(&lock(&[("ctx", "1.0.0", &["regex"]), ("regex", "1.0.0", &[])])), Vec::<String>::new());
        assert_eq!(notes(&lock(&[("ctx", "1.0.0", &[]), ("polars", "0.44.2", &[])])), Vec::<String>::new());
        assert_eq!(notes("no lock file"), Vec::<String>::new());
    }
}

//! House rules on rooms: each has a row of `docs/house.md`, uses nothing that its row rules out, and none depend on each other in a
//! circle. Names count where they are defined, through re-exports.

use super::names::{Module, Sources, Use};
use super::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A room: its folder or file, and the `src` of its crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Room {
    /// As the page names it: `crates/kernel-base/src/wire`, `crates/causal`, `frame` of `crates/trace-data`.
    name: String,
    /// The folder `src` of its crate.
    sources: PathBuf,
    /// The modules of the crate that belong to it: empty for all of them.
    module: Module,
}

/// What a room must not use.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wall {
    /// Crates, or modules of one: `polars*`, `std::fs`.
    Outside(Vec<&'static str>),
    /// These rooms of the same crate.
    Rooms(BTreeSet<String>),
    /// All crates of ours but these.
    Ours(Vec<String>),
}

/// Words of the page that stand for crates.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("polars", &["polars", "polars_io", "polars_arrow", "polars_core"]),
    ("plotly", &["plotly"]),
    ("evcxr", &["evcxr"]),
    ("tokio", &["tokio"]),
    ("Jupyter", &["jupyter_protocol", "zmq"]),
    ("files", &["std::fs", "std::env"]),
];

/// Returns the names of our crates as paths begin with them.
fn our_crates() -> BTreeSet<String> {
    let folders = fs::read_dir(root().join("crates")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().to_string_lossy().replace('-', "_"));
    names.chain(["tracebook".to_owned()]).collect()
}

/// Returns the folders `src` of the crates that `trace` is made of: those of which the page has a table of rooms.
pub(super) fn trace_crates() -> Vec<PathBuf> {
    let page = fs::read_to_string(root().join("docs/house.md")).unwrap();
    let named = page.lines().filter_map(|line| line.strip_prefix("Inside `")?.split('`').next());
    named.map(|name| root().join(name).join("src")).collect()
}

/// Returns the folders `src` of the crates that the kernel is made of.
fn kernel_crates() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let is_of_kernel = |folder: &PathBuf| folder.file_name().unwrap().to_string_lossy().starts_with("kernel-");
    folders.filter(is_of_kernel).chain([root()]).map(|folder| folder.join("src")).collect()
}

/// Reads the rows of the page for rooms with sources in Rust, each with the words of its last column.
fn rows() -> Vec<(Room, Vec<String>)> {
    let page = fs::read_to_string(root().join("docs/house.md")).unwrap();
    let mut rows = Vec::new();
    let mut inside = None;
    for line in page.lines() {
        if let Some(named) = line.strip_prefix("Inside `") {
            inside = named.split('`').next().map(|name| root().join(name).join("src"));
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &["", name, contents, walls, ""] = &cells[..] else { continue };
        let Some(name) = name.strip_prefix('`').and_then(|name| name.split('`').next()) else { continue };
        assert!(!contents.is_empty(), "docs/house.md does not say what `{name}` contains");
        let (sources, module) = match name.split_once("src/") {
            _ if inside.is_some() => (inside.clone().unwrap(), vec![name.trim_end_matches(".rs").to_owned()]),
            Some((folder, room)) => (root().join(folder).join("src"), room.split('/').map(str::to_owned).collect()),
            None => (root().join(name).join("src"), Vec::new()),
        };
        if sources.is_dir() {
            let walls = walls.split(',').map(|wall| wall.trim().trim_matches('`').to_owned());
            rows.push((
                Room { name: name.to_owned(), sources, module },
                walls.filter(|wall| !wall.is_empty()).collect(),
            ));
        }
    }
    rows
}

/// Reads a word of the last column.
fn wall(word: &str, room: &Room, rooms: &BTreeSet<String>, crates: &BTreeSet<String>) -> Wall {
    let of_crate = |name: &str| {
        let name = name.trim_matches('`').replace('-', "_");
        assert!(crates.contains(&name), "docs/house.md, `{}`: no crate of ours is called `{name}`", room.name);
        name
    };
    if let Some((_, names)) = OUTSIDE.iter().find(|(known, _)| *known == word) {
        return Wall::Outside(names.to_vec());
    }
    if word == "all other rooms" {
        return Wall::Rooms(rooms.iter().filter(|other| **other != room.module.join("/")).cloned().collect());
    }
    let own = room.sources.parent().and_then(Path::file_name).unwrap().to_string_lossy().replace('-', "_");
    if word == "every other crate of ours" {
        return Wall::Ours(vec![own]);
    }
    if let Some(excepted) = word.strip_prefix("every other crate of ours but ") {
        return Wall::Ours(excepted.split(" and ").map(of_crate).chain([own]).collect());
    }
    if let Some(name) = word.strip_prefix("crate ") {
        let others = crates.iter().filter(|one| **one != of_crate(name)).cloned();
        return Wall::Ours(others.collect());
    }
    let outside: Vec<&str> = OUTSIDE.iter().map(|(word, _)| *word).collect();
    assert!(
        rooms.contains(word),
        "docs/house.md, `{}` must not use `{word}`: expected a room of its crate, `crate NAME`, or one of {outside:?}",
        room.name,
    );
    Wall::Rooms(BTreeSet::from([word.to_owned()]))
}

/// Whether a use of a name in a room goes through a wall.
fn is_through(wall: &Wall, used: &Use<'_>, crates: &BTreeSet<String>) -> bool {
    let starts_with = |names: &str| {
        let mut path = used.named.path.iter();
        used.module.is_none() && names.split("::").all(|part| path.next().is_some_and(|segment| segment == part))
    };
    match wall {
        Wall::Outside(names) => names.iter().any(|name| starts_with(name)),
        Wall::Rooms(names) => names.iter().any(|name| {
            let room = parts(name);
            // `crate::dataset` may be a room of a crate below, which the root imports.
            let is_imported =
                used.named.path.strip_prefix(&["crate".to_owned()]).is_some_and(|path| path.starts_with(&room));
            is_imported || used.module.is_some_and(|module| module.starts_with(&room))
        }),
        Wall::Ours(excepted) => {
            crates.iter().any(|name| !excepted.contains(name) && used.module.is_none() && starts_with(name))
        }
    }
}

fn parts(room: &str) -> Module {
    room.trim_end_matches(".rs").split('/').map(str::to_owned).collect()
}

/// Finds the circles among dependencies: sets of which each depends on each other.
fn circles(edges: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let reached = |from: &Module| {
        let (mut found, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(next) = open.pop() {
            for to in edges.get(&next).into_iter().flatten() {
                if found.insert(to.clone()) {
                    open.push(to.clone());
                }
            }
        }
        found
    };
    let all: BTreeMap<&Module, BTreeSet<Module>> = edges.keys().map(|from| (from, reached(from))).collect();
    let mut circles: Vec<Vec<Module>> = Vec::new();
    for (from, to) in &all {
        if to.contains(*from) && !circles.iter().any(|circle| circle.contains(from)) {
            circles.push(
                to.iter().filter(|other| all.get(other).is_some_and(|back| back.contains(*from))).cloned().collect(),
            );
        }
    }
    circles
}

/// Returns what depends on what in a crate: its files, or with `rooms` the folders and files at its root.
fn dependencies(sources: &Sources, rooms: bool) -> BTreeMap<Module, BTreeSet<Module>> {
    let shortened = |module: &Module| if rooms { module[..module.len().min(1)].to_vec() } else { module.clone() };
    let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for used in sources.uses() {
        let Some(to) = used.module else { continue };
        let (from, to) = (shortened(used.from), shortened(to));
        // The root and the prelude name all rooms.
        let is_root = |module: &Module| module.is_empty() || module == &["prelude"];
        if from != to && !is_root(&from) && !is_root(&to) {
            edges.entry(from).or_default().insert(to);
        }
    }
    edges
}

fn described(circles: &[Vec<Module>], what: &str) -> String {
    let of = |circle: &Vec<Module>| circle.iter().map(|module| module.join("/")).collect::<Vec<_>>().join(", ");
    circles.iter().map(|circle| format!("{what} depend on each other in a circle: {}\n", of(circle))).collect()
}

/// Returns the uses that break walls of rooms, as lines.
fn broken(rows: &[(Room, Vec<String>)], crates: &BTreeSet<String>) -> Vec<String> {
    let mut broken = Vec::new();
    let (of_trace, of_kernel) = (trace_crates(), kernel_crates());
    let mut read: BTreeMap<&Path, Sources> = BTreeMap::new();
    for (room, words) in rows {
        let sources = read.entry(&room.sources).or_insert_with(|| Sources::of(&room.sources));
        let are_of_one =
            |crates: &[PathBuf], other: &Room| [room, other].map(|one| crates.contains(&one.sources)) == [true; 2];
        let rooms: BTreeSet<String> = rows
            .iter()
            .filter(|(other, _)| {
                other.sources == room.sources || are_of_one(&of_trace, other) || are_of_one(&of_kernel, other)
            })
            .map(|(other, _)| other.module.join("/"))
            .filter(|name| !name.is_empty())
            .collect();
        for word in words {
            let wall = wall(word, room, &rooms, crates);
            for used in sources.uses().filter(|used| used.from.starts_with(&room.module)) {
                if is_through(&wall, &used, crates) {
                    let (file, line) = (used.file.display(), used.named.line);
                    broken.push(format!(
                        "{file}:{line} names {}, but {} must not use {word}",
                        used.named.path.join("::"),
                        room.name
                    ));
                }
            }
        }
    }
    broken
}

#[test]
fn rooms_use_nothing_that_the_page_rules_out() {
    let broken = broken(&rows(), &our_crates());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn page_has_a_row_for_each_room_and_crate() {
    let rows = rows();
    let named = |sources: &Path, module: &[String]| {
        rows.iter().any(|(room, _)| room.sources == sources && room.module == module)
    };
    for folder in fs::read_dir(root().join("crates")).unwrap() {
        let sources = folder.unwrap().path().join("src");
        assert!(!sources.is_dir() || named(&sources, &[]), "docs/house.md has no row for {}", sources.display());
    }
    let of_trace = trace_crates().into_iter().map(|sources| (sources, true));
    let of_kernel = kernel_crates().into_iter().map(|sources| (sources, false));
    for (sources, has_files) in of_trace.chain(of_kernel) {
        for module in Sources::of(&sources).modules().filter(|module| module.len() == 1) {
            let is_room = sources.join(&module[0]).is_dir() || has_files && module != &["prelude"];
            assert!(
                !is_room || named(&sources, module),
                "docs/house.md has no row for {module:?} of {}",
                sources.display()
            );
        }
    }
    for (room, _) in &rows {
        let path = room.sources.join(room.module.iter().collect::<PathBuf>());
        assert!(
            path.is_dir() || path.with_extension("rs").is_file(),
            "docs/house.md has a row for {}: {path:?}",
            room.name
        );
    }
}

#[test]
fn no_rooms_depend_on_each_other_in_a_circle() {
    let folders = rows().into_iter().map(|(room, _)| room.sources).collect::<BTreeSet<_>>();
    for sources in folders {
        let circles = circles(&dependencies(&Sources::of(&sources), true));
        assert!(circles.is_empty(), "{}:\n{}", sources.display(), described(&circles, "rooms"));
    }
}

#[test]
fn no_files_depend_on_each_other_in_a_circle() {
    for sources in trace_crates() {
        let circles = circles(&dependencies(&Sources::of(&sources), false));
        assert!(circles.is_empty(), "{}:\n{}", sources.display(), described(&circles, "files"));
    }
}

/// Writes a crate of these files.
fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn name_behind_a_re_export_breaks_a_wall() {
    let folder = written(&[
        ("lib.rs", "mod low;\nmod high;\npub use high::Answer;\n"),
        ("high/mod.rs", "mod answer;\n#[cfg(test)]\nmod tests;\npub use answer::Answer;\n"),
        ("high/answer.rs", "pub struct Answer;\n"),
        ("low.rs", "#[cfg(test)]\nuse crate::high::Answer;\nfn f() -> crate::Answer { polars::read() }\n"),
    ]);
    let room =
        |name: &str| Room { name: name.to_owned(), sources: folder.path().to_owned(), module: vec![name.to_owned()] };
    let rows = |walls: &[&str]| {
        let walls = walls.iter().map(|&wall| wall.to_owned()).collect();
        vec![(room("high"), Vec::new()), (room("low"), walls)]
    };
    let count = |walls: &[&str]| broken(&rows(walls), &our_crates()).len();
    assert_eq!([count(&["high"]), count(&["polars"]), count(&["all other rooms"]), count(&["files"])], [1, 1, 1, 0]);
    assert!(
        broken(&rows(&["high"]), &our_crates())[0].contains("low.rs:3 names crate::Answer, but low must not use high")
    );
}

#[test]
fn circle_through_a_re_export_is_found() {
    let folder = written(&[
        ("lib.rs", "mod low;\nmod high;\nmod top;\npub use high::Answer;\n"),
        ("high.rs", "use crate::low::number;\npub struct Answer;\n"),
        ("low.rs", "use crate::Answer;\n"),
        ("top.rs", "use crate::Answer;\nuse crate::low::number;\n"),
    ]);
    let circles = circles(&dependencies(&Sources::of(folder.path()), true));
    assert_eq!(circles, [[["high".to_owned()], ["low".to_owned()]]]);
}

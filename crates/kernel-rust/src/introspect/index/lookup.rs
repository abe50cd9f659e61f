//! The index in memory: items by module, members by type. Items of cells are a layer above the constant base layer.

use super::cell_items::CELL_CRATE;
use super::common_members::is_common;
use super::item::{Item, Kind, Origin};
use super::sources;
use super::type_text::Type;
use flate2::read::GzDecoder;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Read;
use std::sync::LazyLock;
use std::time::Duration;

/// One layer of the index.
#[derive(Default)]
pub(crate) struct Index<'t> {
    /// Items by path of their module.
    modules: BTreeMap<String, Vec<Item<'t>>>,
    /// Members by name of their type or trait.
    members: BTreeMap<&'t str, Vec<Item<'t>>>,
    /// Traits and `Deref` targets by type.
    relations: BTreeMap<String, Vec<Relation<'t>>>,
    /// Items by their name.
    items: BTreeMap<&'t str, Vec<Item<'t>>>,
    /// Paths of the names that cells import.
    imports: BTreeMap<&'t str, &'t str>,
    /// The next lower layer.
    below: Option<&'t Index<'t>>,
}

/// A trait or `Deref` target of a type.
struct Relation<'t> {
    of: Type,
    /// The trait, or `*Target`.
    has: &'t str,
    origin: Origin,
}

static INDEX: LazyLock<Index<'static>> = LazyLock::new(|| {
    let mut index = Index::default();
    let parts = [
        (sources::library_text(), Origin::Library),
        (decompress(include_bytes!("data/polars.gz")), Origin::Polars),
        (decompress(include_bytes!("data/plotly.gz")), Origin::Plotly),
        (decompress(include_bytes!("data/serde_json.gz")), Origin::Json),
        (decompress(include_bytes!("data/std.gz")), Origin::Std),
    ];
    for (text, origin) in parts {
        // Never freed: the index lives as long as the kernel.
        index.add(Box::leak(text.into_boxed_str()), origin);
    }
    index
});

/// Returns the base layer, which the first call builds.
pub(crate) fn index() -> &'static Index<'static> {
    &INDEX
}

/// Delay of the build, which would slow down the start of the kernel.
const STARTUP_DELAY: Duration = Duration::from_secs(1);

/// How much the build yields to the first cells, from 0 to 19.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Builds the base layer on a background thread, so that the first completion need not wait for it.
pub fn warm_up() {
    let _ = std::thread::Builder::new().name("index".to_owned()).spawn(|| {
        std::thread::sleep(STARTUP_DELAY);
        // On Linux this is the priority of the thread, on other systems that of the process. If it stays, the build is as fast as cells.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NICENESS);
        LazyLock::force(&INDEX);
    });
}

/// Decompresses a committed part of the index.
pub(crate) fn decompress(compressed: &[u8]) -> String {
    let mut text = String::new();
    let read = GzDecoder::new(compressed).read_to_string(&mut text);
    debug_assert!(read.is_ok());
    text
}

impl<'t> Index<'t> {
    /// Returns the index with a layer of cell items; `text` is from `scan::index_text`.
    pub(crate) fn with_cells(text: &'t str) -> Self {
        let mut index = Self { below: Some(index()), ..Self::default() };
        index.add(text, Origin::Cell);
        index
    }

    /// Returns the layers, top first.
    fn layers(&self) -> impl Iterator<Item = &Index<'t>> {
        std::iter::successors(Some(self), |layer| layer.below)
    }

    /// Adds a text of `scan::index_text`.
    pub(crate) fn add(&mut self, text: &'t str, origin: Origin) {
        let mut paths: Vec<&'t str> = Vec::new();
        let mut of = "";
        let mut head = "";
        for line in text.lines() {
            let fields: Vec<&'t str> = line.split('\t').collect();
            match fields.as_slice() {
                ["m", path] => {
                    if let Some((above, name)) = path.rsplit_once("::") {
                        let item = Item::new(Kind::Module, name, "", "", "", origin);
                        self.modules.entry(above.to_owned()).or_default().push(item);
                    }
                    self.modules.entry((*path).to_owned()).or_default();
                    paths.push(path);
                }
                ["i", kind, name, homes, signature, doc] => {
                    let Some(kind) = Kind::from_letter(kind) else { continue };
                    let item = Item::new(kind, name, signature, doc, "", origin);
                    for home in homes.split(',').filter_map(|home| paths.get(home.parse::<usize>().ok()?)) {
                        self.modules.entry((*home).to_owned()).or_default().push(item);
                    }
                    self.items.entry(name).or_default().push(item);
                }
                ["b", ty] => {
                    of = ty;
                    // Borrow the name from the text.
                    let name = Type::parse(ty).head;
                    head = match ty.find(&name) {
                        Some(at) => &ty[at..at + name.len()],
                        None => "[]",
                    };
                }
                ["f", kind, name, signature, doc] => {
                    let Some(kind) = Kind::from_letter(kind) else { continue };
                    let item = Item::new(kind, name, signature, doc, of, origin);
                    self.members.entry(head).or_default().push(item);
                }
                ["r", ty, has] => {
                    let of = Type::parse(ty);
                    let relation = Relation { of, has, origin };
                    self.relations.entry(relation.of.head.clone()).or_default().push(relation);
                }
                ["u", name, path] => drop(self.imports.insert(name, path)),
                _ => {}
            }
        }
    }

    /// Returns the items of a module; `None` if there is no such module.
    pub(crate) fn module(&self, path: &str) -> Option<&[Item<'t>]> {
        self.layers().find_map(|layer| layer.modules.get(path)).map(Vec::as_slice)
    }

    /// Returns the items in scope of every cell: items of cells, preludes, and macros of the standard library.
    pub(crate) fn in_scope(&self) -> impl Iterator<Item = &Item<'t>> {
        let preludes = [CELL_CRATE, "trace::prelude", "cells::prelude", "polars::prelude", "std::prelude::v1"];
        let macros = self.module("std").into_iter().flatten().filter(|item| item.kind == Kind::Macro);
        preludes.into_iter().filter_map(|path| self.module(path)).flatten().chain(macros)
    }

    /// Returns the items of a name, those of cells first.
    pub(crate) fn items(&self, name: &str) -> impl Iterator<Item = &Item<'t>> {
        self.layers().filter_map(move |layer| layer.items.get(name)).flatten()
    }

    /// Returns the names that cells import, each with its path.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.imports.iter().map(|(name, path)| (*name, *path))
    }

    /// Returns the origin of a type by the first segment of its path, which may be an import.
    pub(crate) fn origin_of(&self, path: &str) -> Option<Origin> {
        let first = path.trim_start_matches(['&', ' ', ':']).split([':', '<', ' ']).next()?;
        let imported = || self.imports.get(first).and_then(|path| path.split("::").next()).and_then(Origin::of_crate);
        Origin::of_crate(first).or_else(imported)
    }

    /// Returns the members of a type, each with the type or trait that declares it: common members first, then its own, then
    /// those of `Deref` targets and of traits.
    ///
    /// Among types of the same name, the one of origin `preferred` is used, if there is one.
    pub(crate) fn members(&self, ty: &Type, preferred: Option<Origin>) -> Vec<(Item<'t>, Type)> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut waiting = VecDeque::from([ty.clone()]);
        while let Some(ty) = waiting.pop_front() {
            let ty = self.expand_alias(ty);
            if !seen.insert(ty.head.clone()) {
                continue;
            }
            let own = self.layers().filter_map(|layer| layer.members.get(ty.head.as_str())).flatten();
            let relations = self.layers().filter_map(|layer| layer.relations.get(&ty.head)).flatten();
            // Primitive types have no declaration; their members are those of the standard library.
            let declared = self.items(&ty.head).filter(|item| item.kind != Kind::Alias);
            let origins: BTreeSet<Origin> = declared.map(|item| item.origin).collect();
            let origin = preferred.filter(|preferred| origins.contains(preferred)).or_else(|| origins.first().copied());
            let origin = origin.unwrap_or(Origin::Std);
            // Cells and the library implement traits for types of other crates.
            let adds = |from: Origin| from == Origin::Cell || from == Origin::Library && origin != Origin::Cell;
            let meant = |from: Origin| from == origin || adds(from);
            // Of two types of one name, leave out the one without parameters if the type has some.
            let has_params =
                |item: &Item<'t>| ty.args.is_empty() || item.of.contains('<') && !Type::parse(item.of).args.is_empty();
            let mut own: Vec<Item<'t>> = own.filter(|item| meant(item.origin)).copied().collect();
            own.retain(|item| ty.head == "[]" || item.of == ty.head || has_params(item));
            own.sort_by_key(|item| (item.weight(), item.name));
            found.extend(own.into_iter().map(|item| (item, ty.clone())));
            for relation in relations.filter(|relation| meant(relation.origin)) {
                match relation.has.strip_prefix('*') {
                    // `Deref` targets come before traits.
                    Some(target) => waiting.push_front(Type::parse(target).substitute(&ty.bind_params(&relation.of))),
                    None => waiting.push_back(Type::new(relation.has)),
                }
            }
        }
        // Stable sort: the order of the other members stays.
        let common = |item: &Item<'t>, has: &Type| is_common(&ty.head, item.name) || is_common(&has.head, item.name);
        let mut order: Vec<(Item<'t>, Type)> = found;
        order.sort_by_key(|(item, has)| if common(item, has) { (false, item.name) } else { (true, "") });
        order
    }

    /// Returns the member of this name, and the type or trait that declares it.
    pub(crate) fn member(&self, ty: &Type, preferred: Option<Origin>, name: &str) -> Option<(Item<'t>, Type)> {
        self.members(ty, preferred).into_iter().find(|(item, _)| item.name == name)
    }

    /// Returns the methods and fields of all types whose names match.
    pub(crate) fn members_named(&self, matches: &dyn Fn(&str) -> bool) -> Vec<Item<'t>> {
        let all = self.layers().flat_map(|layer| layer.members.values()).flatten();
        all.filter(|item| item.kind.needs_receiver() && matches(item.name)).copied().collect()
    }

    /// Resolves imports and aliases of a type.
    pub(crate) fn expand_alias(&self, ty: Type) -> Type {
        // `use … as Name`
        let renamed = self.imports.get(ty.head.as_str()).and_then(|path| path.rsplit("::").next());
        let ty = match renamed {
            Some(name) if name != ty.head => Type { head: name.to_owned(), args: ty.args },
            _ => ty,
        };
        let Some(alias) = self.items(&ty.head).find(|item| item.kind == Kind::Alias) else { return ty };
        if ty.head == "Result" || self.items(&ty.head).any(|item| item.kind != Kind::Alias) {
            return ty;
        }
        let Some((left, right)) = alias.signature.split_once('=') else { return ty };
        let names = ty.bind_params(&Type::parse(left.trim_start_matches("type ").trim()));
        Type::parse(right).substitute(&names)
    }
}

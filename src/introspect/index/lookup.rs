//! The index in memory: items by module, members by type. What cells define is a layer above what is always there.

use super::cell_items::CELL;
use super::common_members::is_everyday;
use super::item::{Item, Kind, Origin};
use super::sources;
use super::type_text::Type;
use flate2::read::GzDecoder;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Read;
use std::sync::LazyLock;
use std::time::Duration;

/// What is known of what cells can call.
#[derive(Default)]
pub(crate) struct Index<'t> {
    /// By path of a module: what stands in it, with the name it has there.
    modules: BTreeMap<String, Vec<Item<'t>>>,
    /// By the name of a type or trait.
    members: BTreeMap<&'t str, Vec<Item<'t>>>,
    /// What a type has besides: traits, and what it dereferences to.
    relations: BTreeMap<String, Vec<Relation<'t>>>,
    /// Items by name.
    items: BTreeMap<&'t str, Vec<Item<'t>>>,
    /// Paths of names that cells import.
    imports: BTreeMap<&'t str, &'t str>,
    /// The layer below.
    below: Option<&'t Index<'t>>,
}

/// That a type has a trait, or dereferences.
struct Relation<'t> {
    of: Type,
    /// The trait, or `*Target`.
    has: &'t str,
    origin: Origin,
}

static INDEX: LazyLock<Index<'static>> = LazyLock::new(|| {
    let mut index = Index::default();
    let parts = [
        (sources::ours(), Origin::Ours),
        (unpack(include_bytes!("data/polars.gz")), Origin::Polars),
        (unpack(include_bytes!("data/plotly.gz")), Origin::Plotly),
        (unpack(include_bytes!("data/serde_json.gz")), Origin::Json),
        (unpack(include_bytes!("data/std.gz")), Origin::Std),
    ];
    for (text, origin) in parts {
        // It is kept as long as the kernel lives.
        index.add(Box::leak(text.into_boxed_str()), origin);
    }
    index
});

/// The index; made when it is first asked for.
pub(crate) fn index() -> &'static Index<'static> {
    &INDEX
}

/// How long the kernel has the processor for itself as it starts.
const PAUSE: Duration = Duration::from_secs(1);

/// Makes the index on a thread of its own, so that the first question need not wait for it.
pub(crate) fn warm_up() {
    let _ = std::thread::Builder::new().name("api".to_owned()).spawn(|| {
        std::thread::sleep(PAUSE);
        LazyLock::force(&INDEX);
    });
}

/// A part of the index that was written beforehand.
pub(crate) fn unpack(packed: &[u8]) -> String {
    let mut text = String::new();
    let read = GzDecoder::new(packed).read_to_string(&mut text);
    debug_assert!(read.is_ok());
    text
}

impl<'t> Index<'t> {
    /// The index with a layer of what cells define, as `scan::write` wrote it.
    pub(crate) fn with_cells(text: &'t str) -> Self {
        let mut index = Self { below: Some(index()), ..Self::default() };
        index.add(text, Origin::Cell);
        index
    }

    /// The layers, top first.
    fn layers(&self) -> impl Iterator<Item = &Index<'t>> {
        std::iter::successors(Some(self), |layer| layer.below)
    }

    /// Adds what `scan::write` wrote.
    pub(crate) fn add(&mut self, text: &'t str, origin: Origin) {
        let mut paths: Vec<&'t str> = Vec::new();
        let mut of = "";
        let mut head = "";
        for line in text.lines() {
            let parts: Vec<&'t str> = line.split('\t').collect();
            match parts.as_slice() {
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
                    // A name that lives as long as the text does.
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

    /// What stands in a module; `None` if there is no such module.
    pub(crate) fn module(&self, path: &str) -> Option<&[Item<'t>]> {
        self.layers().find_map(|layer| layer.modules.get(path)).map(Vec::as_slice)
    }

    /// What a cell has in scope: what cells define, the preludes, and the macros of the standard library.
    pub(crate) fn in_scope(&self) -> impl Iterator<Item = &Item<'t>> {
        let preludes = [CELL, "trace::prelude", "cells::prelude", "polars::prelude", "std::prelude::v1"];
        let macros = self.module("std").into_iter().flatten().filter(|item| item.kind == Kind::Macro);
        preludes.into_iter().filter_map(|path| self.module(path)).flatten().chain(macros)
    }

    /// Items of a name, those of cells first.
    pub(crate) fn items(&self, name: &str) -> impl Iterator<Item = &Item<'t>> {
        self.layers().filter_map(move |layer| layer.items.get(name)).flatten()
    }

    /// The names that cells import, each with its path.
    pub(crate) fn imports(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.imports.iter().map(|(name, path)| (*name, *path))
    }

    /// Whose a type is that is written with its path, or imported.
    pub(crate) fn origin_of(&self, path: &str) -> Option<Origin> {
        let first = path.trim_start_matches(['&', ' ', ':']).split([':', '<', ' ']).next()?;
        let imported = || self.imports.get(first).and_then(|path| path.split("::").next()).and_then(Origin::of_crate);
        Origin::of_crate(first).or_else(imported)
    }

    /// The members of a type, its own first, then those it has by `Deref` and by traits; with the type that has each.
    /// Of types of one name `near` is meant, if it has one.
    pub(crate) fn members(&self, ty: &Type, near: Option<Origin>) -> Vec<(Item<'t>, Type)> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut waiting = VecDeque::from([ty.clone()]);
        while let Some(ty) = waiting.pop_front() {
            let ty = self.expanded(ty);
            if !seen.insert(ty.head.clone()) {
                continue;
            }
            let own = self.layers().filter_map(|layer| layer.members.get(ty.head.as_str())).flatten();
            let relations = self.layers().filter_map(|layer| layer.relations.get(&ty.head)).flatten();
            // Who declares the type; nobody declares those of the language, which the standard library tells of.
            let declared = self.items(&ty.head).filter(|item| item.kind != Kind::Alias);
            let origins: BTreeSet<Origin> = declared.map(|item| item.origin).collect();
            let origin = near.filter(|near| origins.contains(near)).or_else(|| origins.first().copied());
            let origin = origin.unwrap_or(Origin::Std);
            // Cells and our library add to what others have.
            let adds = |from: Origin| from == Origin::Cell || from == Origin::Ours && origin != Origin::Cell;
            let meant = |from: Origin| from == origin || adds(from);
            // Of two types of one name, that with as few parameters is not meant.
            let like =
                |item: &Item<'t>| ty.args.is_empty() || item.of.contains('<') && !Type::parse(item.of).args.is_empty();
            let mut own: Vec<Item<'t>> = own.filter(|item| meant(item.origin)).copied().collect();
            own.retain(|item| ty.head == "[]" || item.of == ty.head || like(item));
            own.sort_by_key(|item| (item.weight(), item.name));
            found.extend(own.into_iter().map(|item| (item, ty.clone())));
            for relation in relations.filter(|relation| meant(relation.origin)) {
                match relation.has.strip_prefix('*') {
                    // What it dereferences to comes before what traits give.
                    Some(target) => waiting.push_front(Type::parse(target).with(&ty.matched(&relation.of))),
                    None => waiting.push_back(Type::new(relation.has)),
                }
            }
        }
        // What is typed most comes first, whoever has it; then the order is that of closeness.
        let everyday =
            |item: &Item<'t>, has: &Type| is_everyday(&ty.head, item.name) || is_everyday(&has.head, item.name);
        let mut order: Vec<(Item<'t>, Type)> = found;
        order.sort_by_key(|(item, has)| if everyday(item, has) { (false, item.name) } else { (true, "") });
        order
    }

    /// The member of this name, and the type that has it.
    pub(crate) fn member(&self, ty: &Type, near: Option<Origin>, name: &str) -> Option<(Item<'t>, Type)> {
        self.members(ty, near).into_iter().find(|(item, _)| item.name == name)
    }

    /// Every method and field whose name fits.
    pub(crate) fn everywhere(&self, fits: &dyn Fn(&str) -> bool) -> Vec<Item<'t>> {
        let all = self.layers().flat_map(|layer| layer.members.values()).flatten();
        all.filter(|item| item.kind.is_behind_a_dot() && fits(item.name)).copied().collect()
    }

    /// What an alias of a type stands for.
    pub(crate) fn expanded(&self, ty: Type) -> Type {
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
        let names = ty.matched(&Type::parse(left.trim_start_matches("type ").trim()));
        Type::parse(right).with(&names)
    }
}

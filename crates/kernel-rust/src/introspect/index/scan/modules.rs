//! Module tree of the scanned crates, and resolution of names in it.

use super::CrateSource;
use super::attributes::{is_available, is_public};
use super::declared::{ItemReader, MemberBlock, Relation};
use super::item::Item;
use ra_ap_syntax::ast::{self, HasAttrs, HasModuleItem, HasName};
use ra_ap_syntax::{AstNode, Edition, SourceFile};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Modules of the scanned crates.
#[derive(Default)]
pub(super) struct ModuleTree {
    pub(super) modules: Vec<Module>,
    pub(super) items: Vec<Item>,
    /// Root modules by crate name.
    pub(super) roots: BTreeMap<String, usize>,
    pub(super) blocks: Vec<MemberBlock>,
    pub(super) relations: BTreeSet<Relation>,
    /// Cache of resolved names; an entry is empty while it is being resolved.
    known: RefCell<BTreeMap<LookupKey, Vec<Target>>>,
}

/// Module, name, and whether private `use` are visible.
type LookupKey = (usize, String, bool);

#[derive(Default)]
pub(super) struct Module {
    pub(super) root: usize,
    parent: Option<usize>,
    /// Child modules, and whether they are public.
    pub(super) children: BTreeMap<String, (usize, bool)>,
    pub(super) items: Vec<usize>,
    pub(super) uses: Vec<Use>,
}

/// One name of a `use`.
pub(super) struct Use {
    path: Vec<String>,
    /// The imported name; `None` for `*`.
    pub(super) name: Option<String>,
    pub(super) public: bool,
}

/// Target of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Module(usize),
    Item(usize),
}

impl ModuleTree {
    /// Adds a crate.
    pub(super) fn add_crate(&mut self, source: &CrateSource<'_>) {
        let root = self.modules.len();
        self.roots.insert(source.name.to_owned(), root);
        self.modules.push(Module { root, ..Module::default() });
        let mut macros = BTreeMap::new();
        let folder = source.root.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        self.file(source, &mut macros, root, &source.root, &folder);
    }

    fn file(
        &mut self,
        source: &CrateSource<'_>,
        macros: &mut BTreeMap<String, String>,
        module: usize,
        path: &str,
        folder: &str,
    ) {
        let Some(text) = source.files.get(path) else { return };
        let parsed = SourceFile::parse(text, Edition::Edition2024);
        // Macros are defined before their first call, and files that define them come first.
        self.items(source, macros, module, parsed.tree().items(), folder);
    }

    fn items(
        &mut self,
        source: &CrateSource<'_>,
        macros: &mut BTreeMap<String, String>,
        module: usize,
        items: impl Iterator<Item = ast::Item>,
        folder: &str,
    ) {
        for item in items {
            match &item {
                ast::Item::Module(it) => self.module(source, macros, module, it, folder),
                ast::Item::Use(it) => {
                    if it.attrs().all(|attr| !attr.syntax().text().to_string().contains("unstable("))
                        && is_available(it, &source.features)
                        && let Some(tree) = it.use_tree()
                    {
                        self.uses(module, &tree, &[], is_public(it));
                    }
                }
                _ => {
                    let mut reader = ItemReader {
                        features: &source.features,
                        docs: source.docs,
                        is_std: matches!(source.name, "std" | "core" | "alloc"),
                        sees_private: source.sees_private && self.modules[module].parent.is_none(),
                        macros,
                        blocks: &mut self.blocks,
                        relations: &mut self.relations,
                    };
                    if let Some(item) = reader.item(&item) {
                        let at = self.items.len();
                        // Exported macros are items of the crate's root.
                        let exported = item.kind == crate::introspect::index::Kind::Macro && item.public;
                        self.items.push(item);
                        let home = if exported { self.modules[module].root } else { module };
                        self.modules[home].items.push(at);
                    }
                }
            }
        }
    }

    fn module(
        &mut self,
        source: &CrateSource<'_>,
        macros: &mut BTreeMap<String, String>,
        parent: usize,
        item: &ast::Module,
        folder: &str,
    ) {
        let Some(name) = item.name().map(|name| name.text().to_string()) else { return };
        let hidden = |attr: ast::Attr| attr.syntax().text().to_string().replace(' ', "").contains("doc(hidden)");
        let unstable = |attr: ast::Attr| attr.syntax().text().to_string().contains("unstable(");
        // Items of a hidden or unstable module may be re-exported elsewhere, so the module is read, too.
        let shown = !item.attrs().any(hidden) && !item.attrs().any(unstable);
        if shown && !is_available(item, &source.features) {
            return;
        }
        let module = self.modules.len();
        let root = self.modules[parent].root;
        let seen = is_public(item) || source.sees_private && self.modules[parent].parent.is_none();
        self.modules.push(Module { root, parent: Some(parent), ..Module::default() });
        self.modules[parent].children.insert(name.clone(), (module, shown && seen));
        let inner = format!("{folder}/{name}");
        if let Some(list) = item.item_list() {
            self.items(source, macros, module, list.items(), &inner);
            return;
        }
        let named = item.attrs().find_map(|attr| {
            let text = attr.syntax().text().to_string();
            Some(
                text.strip_prefix("#[path")?.trim_start().strip_prefix('=')?.trim().trim_matches(['"', ']']).to_owned(),
            )
        });
        let candidates = match named {
            Some(named) => vec![format!("{folder}/{named}")],
            None => vec![format!("{folder}/{name}.rs"), format!("{inner}/mod.rs")],
        };
        if let Some(path) = candidates.into_iter().find(|path| source.files.contains_key(path)) {
            self.file(source, macros, module, &path, &inner);
        }
    }

    fn uses(&mut self, module: usize, tree: &ast::UseTree, before: &[String], public: bool) {
        let mut path = before.to_vec();
        if let Some(own) = tree.path() {
            path.extend(own.syntax().text().to_string().split("::").map(|part| part.trim().to_owned()));
            path.retain(|part| !part.is_empty());
        }
        if let Some(list) = tree.use_tree_list() {
            list.use_trees().for_each(|tree| self.uses(module, &tree, &path, public));
            return;
        }
        if path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = if tree.star_token().is_some() {
            None
        } else {
            let renamed = tree.rename().and_then(|rename| rename.name()).map(|name| name.text().to_string());
            // `as _`
            if tree.rename().is_some() && renamed.is_none() {
                return;
            }
            renamed.or_else(|| path.last().cloned())
        };
        self.modules[module].uses.push(Use { path, name, public });
    }

    /// Returns the names that the roots of these crates import, private ones included, each with its path.
    pub(super) fn imports(&self, crates: &[&str]) -> BTreeMap<&str, String> {
        let roots = crates.iter().filter_map(|name| self.roots.get(*name));
        let uses = roots.flat_map(|&root| &self.modules[root].uses);
        uses.filter_map(|import| Some((import.name.as_deref()?, import.path.join("::")))).collect()
    }

    /// Resolves a path in a module.
    pub(super) fn resolve(&self, from: usize, path: &[String]) -> Vec<Target> {
        let Some((first, rest)) = path.split_first() else { return vec![Target::Module(from)] };
        let mut found = match first.as_str() {
            "crate" | "$crate" => vec![Target::Module(self.modules[from].root)],
            "self" => vec![Target::Module(from)],
            "super" => self.modules[from].parent.map(Target::Module).into_iter().collect(),
            name => {
                let mut found = self.lookup(from, name, true);
                if found.is_empty() {
                    let name = match name {
                        "alloc_crate" => "alloc",
                        "arrow" => "polars_arrow",
                        name => name,
                    };
                    found.extend(self.roots.get(name).map(|&root| Target::Module(root)));
                }
                found
            }
        };
        for part in rest {
            let modules = found.into_iter().filter_map(|target| match target {
                Target::Module(module) => Some(module),
                Target::Item(_) => None,
            });
            found = modules
                .flat_map(|module| match part.as_str() {
                    "super" => self.modules[module].parent.map(Target::Module).into_iter().collect(),
                    "self" => vec![Target::Module(module)],
                    part => self.lookup(module, part, false),
                })
                .collect();
        }
        found
    }

    /// Resolves a name in a module.
    fn lookup(&self, module: usize, name: &str, with_private: bool) -> Vec<Target> {
        let key = (module, name.to_owned(), with_private);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        self.known.borrow_mut().insert(key.clone(), Vec::new());
        let here = &self.modules[module];
        let mut found: Vec<Target> =
            here.children.get(name).map(|&(child, _)| Target::Module(child)).into_iter().collect();
        found.extend(here.items.iter().filter(|&&item| self.items[item].name == name).map(|&item| Target::Item(item)));
        for import in here.uses.iter().filter(|import| with_private || import.public) {
            match &import.name {
                Some(imported) if imported == name => found.extend(self.resolve(module, &import.path)),
                None if found.is_empty() => {
                    for target in self.resolve(module, &import.path) {
                        if let Target::Module(other) = target {
                            found.extend(self.lookup(other, name, false));
                        }
                    }
                }
                _ => {}
            }
        }
        found.sort();
        found.dedup();
        self.known.borrow_mut().insert(key, found.clone());
        found
    }

    /// Returns the public names of a module.
    pub(super) fn exports(&self, module: usize, seen: &mut BTreeSet<usize>) -> BTreeSet<(String, Target)> {
        let mut names = BTreeSet::new();
        if !seen.insert(module) {
            return names;
        }
        let here = &self.modules[module];
        for (name, &(child, public)) in &here.children {
            if public {
                names.insert((name.clone(), Target::Module(child)));
            }
        }
        for &item in here.items.iter().filter(|&&item| self.items[item].public) {
            names.insert((self.items[item].name.clone(), Target::Item(item)));
        }
        for import in here.uses.iter().filter(|import| import.public) {
            let targets = self.resolve(module, &import.path);
            for target in targets {
                match (&import.name, target) {
                    (Some(name), target) => drop(names.insert((name.clone(), target))),
                    (None, Target::Module(other)) => names.extend(self.exports(other, seen)),
                    (None, Target::Item(_)) => {}
                }
            }
        }
        names
    }
}

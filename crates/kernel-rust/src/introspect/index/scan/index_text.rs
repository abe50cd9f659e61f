//! Text form of the index: one fact per line, fields separated by tabs.
//!
//! ```text
//! m  path                                   a module, numbered from 0
//! i  kind  name  modules  signature  doc    an item, and the numbers of its modules
//! b  type                                   the following members belong to this type or trait
//! f  kind  name  signature  doc             a member
//! r  type  trait                            the type has the methods of the trait; `*T`: it dereferences to T
//! u  name  path                             an import of the cells
//! ```

use super::CrateSource;
use super::item::Item;
use super::modules::{ModuleTree, Target};
use crate::introspect::index::Type;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Deepest level of modules, counted from the crate's root.
const DEPTH: usize = 4;

/// Primitive types, which have members but no item.
const PRIMITIVES: &[&str] = &[
    "[]", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64",
    "u8", "usize",
];

/// Returns the index of the crates, as far as paths from the crates `named` reach.
pub(in crate::introspect) fn index_text(sources: &[CrateSource<'_>], named: &[&str]) -> String {
    let mut tree = ModuleTree::default();
    for source in sources {
        tree.add_crate(source);
    }
    let (modules, items) = reachable(&tree, named);
    let mut text = String::new();
    for path in &modules {
        let _ = writeln!(text, "m\t{path}");
    }
    let mut names: BTreeSet<&str> = PRIMITIVES.iter().copied().collect();
    for ((name, item), homes) in &items {
        let item = &tree.items[*item];
        names.insert(&item.name);
        let homes: Vec<String> = homes.iter().map(ToString::to_string).collect();
        let Item { kind, signature, doc, .. } = item;
        let _ = writeln!(
            text,
            "i\t{}\t{name}\t{}\t{}\t{}",
            kind.letter(),
            homes.join(","),
            escape(&signature.replace(&format!(" {} ", item.name), &format!(" {name} "))),
            escape(doc)
        );
    }
    let mut blocks: BTreeMap<&str, BTreeMap<(&str, char), &Item>> = BTreeMap::new();
    for block in &tree.blocks {
        if names.contains(Type::parse(&block.of).head.as_str()) {
            let members = blocks.entry(&block.of).or_default();
            for member in &block.members {
                members.entry((&member.name, member.kind.letter())).or_insert(member);
            }
        }
    }
    for (of, members) in &blocks {
        let _ = writeln!(text, "b\t{of}");
        for member in members.values() {
            let Item { kind, name, signature, doc, .. } = member;
            let _ = writeln!(text, "f\t{}\t{name}\t{}\t{}", kind.letter(), escape(signature), escape(doc));
        }
    }
    // Cells implement traits for types of other crates, too.
    let with_private: Vec<&str> =
        sources.iter().filter(|source| source.sees_private).map(|source| source.name).collect();
    for relation in &tree.relations {
        if !with_private.is_empty() || names.contains(Type::parse(&relation.of).head.as_str()) {
            let _ = writeln!(text, "r\t{}\t{}", relation.of, relation.has);
        }
    }
    for (name, path) in tree.imports(&with_private) {
        let _ = writeln!(text, "u\t{name}\t{path}");
    }
    text
}

type Items = BTreeMap<(String, usize), BTreeSet<usize>>;

/// Returns the paths of the public modules, and the items with the numbers of their modules.
fn reachable(tree: &ModuleTree, named: &[&str]) -> (Vec<String>, Items) {
    let mut modules = Vec::new();
    let mut items: Items = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut waiting: std::collections::VecDeque<(String, usize)> =
        named.iter().filter_map(|name| Some(((*name).to_owned(), *tree.roots.get(*name)?))).collect();
    while let Some((path, module)) = waiting.pop_front() {
        if !seen.insert(module) {
            continue;
        }
        let home = modules.len();
        modules.push(path.clone());
        for (name, target) in tree.exports(module, &mut BTreeSet::new()) {
            match target {
                Target::Item(item) => drop(items.entry((name, item)).or_default().insert(home)),
                Target::Module(child) if path.matches("::").count() + 1 < DEPTH => {
                    waiting.push_back((format!("{path}::{name}"), child));
                }
                Target::Module(_) => {}
            }
        }
    }
    (modules, items)
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', " ").replace('\n', "\\n")
}

//! What was read, as the text that the index is made of: one fact a line, parts between tabs.
//!
//! ```text
//! m  path                                   a module, numbered from 0
//! i  kind  name  modules  signature  doc    an item, and the modules in which users find it
//! b  type                                   the members that follow belong to this type or trait
//! f  kind  name  signature  doc             a member
//! r  type  has                              the type has the trait's methods; `*T`: it dereferences to T
//! u  name  path                             cells import this
//! ```

use super::modules::{Target, Tree};
use super::{Source, declared::Item};
use crate::introspect::index::Type;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How deep below a crate's root modules are named.
const DEPTH: usize = 4;

/// Types of the language itself, which have members and no item.
const PRIMITIVES: &[&str] = &[
    "[]", "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64",
    "u8", "usize",
];

/// The facts about the crates, as far as paths from the crates `named` lead to them.
pub(in crate::introspect) fn write(sources: &[Source<'_>], named: &[&str]) -> String {
    let mut tree = Tree::default();
    for source in sources {
        tree.read(source);
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
    // Cells give traits to types of others, too.
    let inside: Vec<&str> = sources.iter().filter(|source| source.inside).map(|source| source.name).collect();
    for relation in &tree.relations {
        if !inside.is_empty() || names.contains(Type::parse(&relation.of).head.as_str()) {
            let _ = writeln!(text, "r\t{}\t{}", relation.of, relation.has);
        }
    }
    for (name, path) in tree.imports(&inside) {
        let _ = writeln!(text, "u\t{name}\t{path}");
    }
    text
}

type Items = BTreeMap<(String, usize), BTreeSet<usize>>;

/// The public modules by path, and the items that stand in each.
fn reachable(tree: &Tree, named: &[&str]) -> (Vec<String>, Items) {
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

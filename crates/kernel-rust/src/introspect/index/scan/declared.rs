//! Declarations of a file: items, members of types, implemented traits.

use super::attributes::{doc, is_available, is_public, one_line, signature};
use super::item::Item;
use super::{Docs, expand, setters};
use crate::introspect::index::Kind;
use ra_ap_syntax::ast::{self, AssocItem, HasAttrs, HasName, HasVisibility};
use ra_ap_syntax::{AstNode, SyntaxNode};
use std::collections::{BTreeMap, BTreeSet};

/// The members that one `impl`, trait, struct or enum declares for a type.
#[derive(Debug, Clone)]
pub(super) struct MemberBlock {
    /// The type as written, with its parameters; or the name of a trait.
    pub(super) of: String,
    pub(super) members: Vec<Item>,
}

/// A type and a trait that it implements, or its `Deref` target with a `*` before it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Relation {
    pub(super) of: String,
    pub(super) has: String,
}

/// Traits of std whose methods are called by name.
const METHOD_TRAITS: &[&str] = &[
    "Iterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "IntoIterator",
    "Clone",
    "Default",
    "ToString",
    "FromStr",
    "Read",
    "Write",
    "BufRead",
    "Seek",
    "Extend",
    "Ord",
    "FromIterator",
];

/// Traits whose methods are not called by name: operators, conversions, markers.
const OPERATOR_TRAITS: &[&str] = &[
    "Add",
    "AddAssign",
    "Any",
    "AsMut",
    "AsRef",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Borrow",
    "BorrowMut",
    "Copy",
    "Debug",
    "Deref",
    "DerefMut",
    "Deserialize",
    "Display",
    "Div",
    "DivAssign",
    "Drop",
    "Eq",
    "Error",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "Hash",
    "Index",
    "IndexMut",
    "Into",
    "Mul",
    "MulAssign",
    "Neg",
    "Not",
    "PartialEq",
    "PartialOrd",
    "Rem",
    "RemAssign",
    "Send",
    "Serialize",
    "Shl",
    "Shr",
    "Sub",
    "SubAssign",
    "Sum",
    "Sync",
    "TryFrom",
    "TryInto",
    "Unpin",
    "UnwindSafe",
    "RefUnwindSafe",
    "FusedIterator",
    "TrustedLen",
    "Literal",
    "Visitor",
];

/// Longest signature of a constant with its value, in bytes.
const LONGEST_VALUE: usize = 100;

/// Reader of the items of one module, except its modules and uses.
pub(super) struct ItemReader<'a> {
    pub(super) features: &'a BTreeSet<String>,
    pub(super) docs: Docs,
    /// Whether this is the standard library.
    pub(super) is_std: bool,
    /// Whether private items count as public.
    pub(super) sees_private: bool,
    /// Macros of the crate that were read so far, by name.
    pub(super) macros: &'a mut BTreeMap<String, String>,
    pub(super) blocks: &'a mut Vec<MemberBlock>,
    pub(super) relations: &'a mut BTreeSet<Relation>,
}

impl ItemReader<'_> {
    /// Reads one item. Members and relations are collected; returns the item itself if it has a name.
    pub(super) fn item(&mut self, item: &ast::Item) -> Option<Item> {
        if !is_available(item, self.features) {
            return None;
        }
        match item {
            ast::Item::Impl(block) => {
                self.implementation(block);
                None
            }
            ast::Item::Fn(it) => self.named(Kind::Function, it, self.is_seen(it)),
            ast::Item::Const(it) => self.named(Kind::Constant, it, self.is_seen(it)),
            ast::Item::Static(it) => self.named(Kind::Constant, it, self.is_seen(it)),
            ast::Item::TypeAlias(it) => self.named(Kind::Alias, it, self.is_seen(it)),
            ast::Item::Struct(it) => {
                self.derived(it);
                let item = self.named(Kind::Struct, it, self.is_seen(it))?;
                if let Some(ast::FieldList::RecordFieldList(list)) = it.field_list() {
                    let fields =
                        list.fields().filter(|field| self.is_seen(field) && is_available(field, self.features));
                    let fields = fields.filter_map(|field| self.named(Kind::Field, &field, true)).collect();
                    let of = applied(&item);
                    self.push(of.clone(), fields);
                    if let Some(setters) = setters::of(it, self.docs) {
                        self.relate(of.clone(), "Default");
                        self.push(of, setters);
                    }
                }
                Some(item)
            }
            ast::Item::Enum(it) => {
                self.derived(it);
                let item = self.named(Kind::Enum, it, self.is_seen(it))?;
                let variants = it.variant_list()?.variants().filter(|variant| is_available(variant, self.features));
                let variants = variants.filter_map(|variant| self.named(Kind::Variant, &variant, true)).collect();
                self.push(applied(&item), variants);
                Some(item)
            }
            ast::Item::Trait(it) => {
                let item = self.named(Kind::Trait, it, self.is_seen(it))?;
                let members = it.assoc_item_list().map(|list| self.members(list.assoc_items(), true));
                self.push(item.name.clone(), members.unwrap_or_default());
                Some(item)
            }
            ast::Item::MacroRules(it) => {
                let name = it.name()?.text().to_string();
                let body = it.token_tree()?.syntax().text().to_string();
                self.macros.insert(name.clone(), body);
                let exported = self.sees_private
                    || it.attrs().any(|attr| attr.syntax().text().to_string().contains("macro_export"));
                let mut item = self.named(Kind::Macro, it, exported)?;
                item.signature = format!("macro_rules! {name}");
                Some(item)
            }
            ast::Item::MacroDef(it) => {
                let mut item = self.named(Kind::Macro, it, self.is_seen(it))?;
                item.signature = format!("macro {}", item.name);
                Some(item)
            }
            _ => None,
        }
    }

    fn is_seen(&self, item: &impl HasVisibility) -> bool {
        self.sees_private || is_public(item)
    }

    fn named(&self, kind: Kind, item: &impl HasName, public: bool) -> Option<Item> {
        let node = item.syntax();
        let name = item.name()?.text().to_string();
        let doc = if public { doc(node, self.docs) } else { String::new() };
        let mut signature = signature(node);
        // The value may be a long expression.
        if kind == Kind::Constant
            && signature.len() > LONGEST_VALUE
            && let Some(value) = signature.find(" = ")
        {
            signature.truncate(value);
        }
        Some(Item { kind, name, signature, doc, public })
    }

    fn push(&mut self, of: String, members: Vec<Item>) {
        if !members.is_empty() {
            self.blocks.push(MemberBlock { of, members });
        }
    }

    fn implementation(&mut self, block: &ast::Impl) {
        let Some(of) = block.self_ty().map(|ty| one_line(&ty.syntax().text().to_string())) else { return };
        let Some(list) = block.assoc_item_list() else { return };
        let Some(of_trait) = block.trait_() else {
            let members = self.members(list.assoc_items(), false);
            self.push(of, members);
            return;
        };
        if block.excl_token().is_some() {
            return;
        }
        let text = one_line(&of_trait.syntax().text().to_string());
        let name = text.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default().to_owned();
        if name == "Deref" {
            let target = list.assoc_items().find_map(|item| match item {
                AssocItem::TypeAlias(alias) => alias.ty(),
                _ => None,
            });
            if let Some(target) = target {
                let has = format!("*{}", one_line(&target.syntax().text().to_string()));
                self.relations.insert(Relation { of, has });
            }
        } else {
            self.relate(of, &name);
        }
    }

    fn relate(&mut self, of: String, name: &str) {
        let wanted = if self.is_std { METHOD_TRAITS.contains(&name) } else { !OPERATOR_TRAITS.contains(&name) };
        if wanted {
            self.relations.insert(Relation { of, has: name.to_owned() });
        }
    }

    /// Adds the traits of `#[derive(…)]`.
    fn derived(&mut self, item: &(impl HasAttrs + HasName)) {
        let Some(name) = item.name().map(|name| name.text().to_string()) else { return };
        for attr in item.attrs() {
            let text = attr.syntax().text().to_string();
            let Some(list) = text.split_once("derive(").map(|(_, list)| list) else { continue };
            for wanted in ["Clone", "Default"] {
                if list.split(|c: char| !c.is_alphanumeric()).any(|word| word == wanted) {
                    self.relate(name.clone(), wanted);
                }
            }
        }
    }

    fn members(&mut self, items: impl Iterator<Item = AssocItem>, of_trait: bool) -> Vec<Item> {
        let mut members = Vec::new();
        for item in items {
            match item {
                AssocItem::Fn(it) if (of_trait || self.is_seen(&it)) && is_available(&it, self.features) => {
                    let has_self = it.param_list().is_some_and(|list| list.self_param().is_some());
                    members.extend(self.named(if has_self { Kind::Method } else { Kind::Associated }, &it, true));
                }
                AssocItem::Const(it) if (of_trait || self.is_seen(&it)) && is_available(&it, self.features) => {
                    members.extend(self.named(Kind::Constant, &it, true));
                }
                AssocItem::MacroCall(call) if self.is_std => {
                    if let Some(list) = self.expanded(&call) {
                        members.extend(self.members(list.assoc_items(), of_trait));
                    }
                }
                _ => {}
            }
        }
        members
    }

    /// Expands a macro with named arguments inside an `impl`.
    fn expanded(&self, call: &ast::MacroCall) -> Option<ast::AssocItemList> {
        let name = call.path()?.segment()?.name_ref()?.text().to_string();
        let text = expand::expand(self.macros.get(&name)?, &call.token_tree()?.syntax().text().to_string())?;
        let parsed =
            ra_ap_syntax::SourceFile::parse(&format!("impl X {{ {text} }}"), ra_ap_syntax::Edition::Edition2024);
        let node: SyntaxNode = parsed.tree().syntax().clone();
        node.descendants().find_map(ast::AssocItemList::cast)
    }
}

/// Returns the type with its parameters, as an `impl` would name it.
fn applied(item: &Item) -> String {
    let head = item.signature.split_once(&item.name).map_or("", |(_, rest)| rest);
    let Some(list) = head.strip_prefix('<') else { return item.name.clone() };
    let mut depth = 1;
    let end = list.char_indices().find_map(|(at, c)| {
        depth += match c {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    });
    let names = list[..end.unwrap_or(list.len())].split(',').filter_map(|parameter| {
        let name = parameter.trim().trim_start_matches("const ").split([':', '=', ' ']).next()?;
        (!name.is_empty() && name.starts_with(|c: char| c.is_uppercase())).then(|| name.to_owned())
    });
    format!("{}<{}>", item.name, names.collect::<Vec<_>>().join(", "))
}

//! The type of an expression, as far as signatures tell it.

use super::bindings::{Local, Source, bindings, held};
use crate::introspect::index::Index;
use crate::introspect::index::Type;
use crate::introspect::index::{Item, Kind, Origin};
use crate::session::Variable;
use ra_ap_syntax::ast::{self, HasGenericArgs};
use ra_ap_syntax::{AstNode, Edition, SourceFile};

/// A type, and where the name of it was said: a `Duration` of std's signatures is std's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) ty: Type,
    pub(crate) near: Option<Origin>,
}

impl Found {
    fn plain(ty: Type) -> Self {
        Self { ty, near: None }
    }
}

/// What is known around the cursor.
pub(crate) struct Scope<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) variables: &'a [Variable],
    /// The bindings of the cell that stand before the cursor, last first.
    locals: Vec<Local>,
}

/// How many links of chains, of all bindings that are followed, are looked at.
const DEPTH: usize = 200;

/// Types that grow beyond this are given up: some methods double theirs.
const LARGEST: usize = 64;

impl<'a> Scope<'a> {
    /// The scope at the end of `before`, the cell's text up to the cursor.
    pub(crate) fn new(index: &'a Index<'a>, variables: &'a [Variable], before: &str) -> Self {
        let locals = parsed(before).map(|tree| bindings(tree.syntax())).unwrap_or_default();
        Self { index, variables, locals }
    }

    /// Names that the cell binds before the cursor.
    pub(crate) fn local_names(&self) -> impl Iterator<Item = &str> {
        self.locals.iter().map(|local| local.name.as_str())
    }

    /// The newest binding of a name, and how many bindings are newer; the first `newer` bindings are left out.
    pub(crate) fn local(&self, name: &str, newer: usize) -> Option<(usize, &Local)> {
        self.locals.iter().enumerate().skip(newer).find(|(_, local)| local.name == name)
    }

    /// The type of the expression in this text.
    pub(crate) fn type_of(&self, text: &str) -> Option<Found> {
        self.expr(&tail(text)?, 0, DEPTH)
    }

    /// The type of an expression; of the bindings the first `newer` are made after it.
    pub(crate) fn expr(&self, expr: &ast::Expr, newer: usize, depth: usize) -> Option<Found> {
        self.any_expr(expr, newer, depth.checked_sub(1)?).filter(|found| found.ty.size() <= LARGEST)
    }

    fn any_expr(&self, expr: &ast::Expr, newer: usize, depth: usize) -> Option<Found> {
        match expr {
            ast::Expr::ParenExpr(it) => self.expr(&it.expr()?, newer, depth),
            ast::Expr::RefExpr(it) => self.expr(&it.expr()?, newer, depth),
            ast::Expr::PrefixExpr(it) => self.expr(&it.expr()?, newer, depth),
            ast::Expr::AwaitExpr(it) => self.expr(&it.expr()?, newer, depth),
            ast::Expr::CastExpr(it) => Some(Found::plain(Type::parse(&it.ty()?.syntax().text().to_string()))),
            ast::Expr::TryExpr(it) => {
                let Found { ty, near } = self.expanded(self.expr(&it.expr()?, newer, depth)?);
                Some(Found { ty: ty.args.into_iter().next()?, near })
            }
            ast::Expr::IndexExpr(it) => {
                let Found { ty, near } = self.expr(&it.base()?, newer, depth)?;
                if ty.head == "DataFrame" {
                    return Some(Found::plain(Type::new("Column")));
                }
                Some(Found { ty: ty.args.into_iter().next_back()?, near })
            }
            ast::Expr::Literal(it) => literal(it),
            ast::Expr::MacroExpr(it) => {
                let name = it.macro_call()?.path()?.segment()?.name_ref()?.text().to_string();
                let ty = match name.as_str() {
                    "vec" => Type::new("Vec"),
                    "format" => Type::new("String"),
                    "df" => Type::of("PolarsResult", Type::new("DataFrame")),
                    _ => return None,
                };
                Some(Found::plain(ty))
            }
            ast::Expr::RangeExpr(_) => Some(Found::plain(Type::new("Range"))),
            ast::Expr::TupleExpr(it) => {
                let unknown = || Type::new("_");
                let part = |part| self.expr(&part, newer, depth).map_or_else(unknown, |found| found.ty);
                let args = it.fields().take(LARGEST).map(part).collect();
                Some(Found::plain(Type { head: "()".to_owned(), args }))
            }
            ast::Expr::ArrayExpr(_) => Some(Found::plain(Type::new("[]"))),
            ast::Expr::RecordExpr(it) => Some(Found::plain(Type::parse(&it.path()?.syntax().text().to_string()))),
            ast::Expr::BlockExpr(it) => self.expr(&it.tail_expr()?, newer, depth),
            ast::Expr::PathExpr(it) => self.path(&it.path()?, newer, depth),
            ast::Expr::CallExpr(it) => match it.expr()? {
                ast::Expr::PathExpr(called) => self.call(&called.path()?),
                _ => None,
            },
            ast::Expr::FieldExpr(it) => {
                let Found { ty, near } = self.expr(&it.expr()?, newer, depth)?;
                let name = it.name_ref()?.text().to_string();
                if ty.head == "()" {
                    return Some(Found { ty: ty.args.get(name.parse::<usize>().ok()?)?.clone(), near });
                }
                self.answer(&ty, near, &name)
            }
            ast::Expr::MethodCallExpr(it) => {
                let Found { ty, near } = self.expr(&it.receiver()?, newer, depth)?;
                let name = it.name_ref()?.text().to_string();
                let turbofish = it.generic_arg_list().and_then(|list| list.generic_args().next());
                if let Some(said) = turbofish.filter(|_| matches!(name.as_str(), "collect" | "parse" | "sum")) {
                    let said = Type::parse(&said.syntax().text().to_string());
                    let ty = if name == "parse" { Type::of("Result", said) } else { said };
                    return Some(Found::plain(ty));
                }
                self.answer(&ty, near, &name)
            }
            _ => None,
        }
    }

    /// A variable, a constant, a variant.
    fn path(&self, path: &ast::Path, newer: usize, depth: usize) -> Option<Found> {
        let name = path.segment()?.name_ref()?.text().to_string();
        if let Some(qualifier) = path.qualifier() {
            let owner = Type::parse(&qualifier.syntax().text().to_string());
            let (item, _) = self.index.member(&owner, None, &name)?;
            return match item.kind {
                Kind::Variant => Some(Found::plain(owner)),
                Kind::Constant => Some(self.meant(&item, &owner, Type::parse(item.answers()?))),
                _ => None,
            };
        }
        if let Some((at, local)) = self.local(&name, newer) {
            let Found { ty, near } = match &local.source {
                Source::Written(ty, _) => Found { ty: Type::parse(ty), near: self.index.origin_of(ty) },
                Source::Value(value) => self.expr(value, at + 1, depth)?,
                Source::Held(holder) => {
                    let Found { ty, near } = self.expr(holder, at + 1, depth)?;
                    Found { ty: held(&self.index.expanded(ty))?, near }
                }
                Source::Unknown => return None,
            };
            return Some(Found { ty: local.part(self.index.expanded(ty))?, near });
        }
        self.variables.iter().find(|variable| variable.name == name).map(|variable| Found {
            ty: Type::parse(&variable.type_name),
            near: self.index.origin_of(&variable.type_name),
        })
    }

    /// What a function of a path answers.
    fn call(&self, path: &ast::Path) -> Option<Found> {
        let name = path.segment()?.name_ref()?.text().to_string();
        if let Some(qualifier) = path.qualifier() {
            let text = qualifier.syntax().text().to_string();
            let (owner, near) = (Type::parse(&text), self.index.origin_of(&text));
            if let Some((item, has)) = self.index.member(&owner, near, &name) {
                if item.kind == Kind::Variant {
                    return Some(Found { ty: owner, near });
                }
                return Some(self.meant(&item, himself(&item, &owner, &has), Type::parse(item.answers()?)));
            }
        }
        let arguments = |head: &str| Some(Found::plain(Type::new(head)));
        match name.as_str() {
            "Some" => return arguments("Option"),
            "Ok" | "Err" => return arguments("Result"),
            _ => {}
        }
        let item = self.index.items(&name).find(|item| item.kind == Kind::Function)?;
        Some(self.meant(item, &Type::new(""), Type::parse(item.answers()?)))
    }

    /// What a member of a type answers.
    fn answer(&self, ty: &Type, near: Option<Origin>, name: &str) -> Option<Found> {
        let (item, owner) = self.index.member(ty, near, name)?;
        Some(self.meant(&item, himself(&item, ty, &owner), Type::parse(item.answers()?)))
    }

    /// A type of a signature, with `Self` and the parameters of the owner put in.
    fn meant(&self, item: &Item<'_>, owner: &Type, ty: Type) -> Found {
        let mut names = owner.matched(&Type::parse(item.of));
        names.insert("Self".to_owned(), owner.clone());
        // `Self::Item` of an iterator that says what runs through it.
        if let [item] = owner.args.as_slice()
            && owner.head.ends_with("Iterator")
        {
            names.insert("Item".to_owned(), item.clone());
        }
        Found { ty: ty.with(&names), near: Some(item.origin) }
    }

    fn expanded(&self, found: Found) -> Found {
        Found { ty: self.index.expanded(found.ty), near: found.near }
    }
}

/// What `Self` is in a member that `asked` has from `has`: of a trait it is who was asked.
fn himself<'a>(item: &Item<'_>, asked: &'a Type, has: &'a Type) -> &'a Type {
    if item.of == has.head && has.args.is_empty() { asked } else { has }
}

/// The tree of what stands in a cell, unless it is too deep for a tree.
fn parsed(code: &str) -> Option<SourceFile> {
    let shallow = !crate::cell::nests_too_deep(code);
    shallow.then(|| SourceFile::parse(&format!("fn cell() {{ {code} }}"), Edition::Edition2024).tree())
}

/// The expression in this text.
pub(crate) fn tail(text: &str) -> Option<ast::Expr> {
    parsed(text)?.syntax().descendants().find_map(ast::BlockExpr::cast)?.tail_expr()
}

fn literal(literal: &ast::Literal) -> Option<Found> {
    let text = literal.syntax().text().to_string();
    let head = match text.chars().next()? {
        '"' | 'r' => "str",
        '\'' => "char",
        't' | 'f' => "bool",
        _ => {
            let suffix = text.find(['i', 'u', 'f']).filter(|_| !text.starts_with("0x"));
            match suffix {
                Some(at) => return Some(Found::plain(Type::new(&text[at..]))),
                None if text.contains('.') => "f64",
                None => "i32",
            }
        }
    };
    Some(Found::plain(Type::new(head)))
}

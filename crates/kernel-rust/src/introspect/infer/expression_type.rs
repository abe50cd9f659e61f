//! Type of an expression, as far as signatures and annotations determine it.

use super::bindings::{Local, Source, bindings, item_type};
use crate::introspect::index::Index;
use crate::introspect::index::Type;
use crate::introspect::index::{Item, Kind, Origin};
use crate::session::Variable;
use ra_ap_syntax::ast::{self, HasGenericArgs};
use ra_ap_syntax::{AstNode, Edition, SourceFile};

/// An inferred type, and the origin of the signature that names it: `Duration` in a signature of std is std's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inferred {
    pub(crate) ty: Type,
    pub(crate) origin: Option<Origin>,
}

impl Inferred {
    fn plain(ty: Type) -> Self {
        Self { ty, origin: None }
    }
}

/// Names in scope at the cursor.
pub(crate) struct Scope<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) variables: &'a [Variable],
    /// Bindings of the cell before the cursor, last first.
    locals: Vec<Local>,
}

/// Bound on the depth of the recursion, bindings included.
const MAX_DEPTH: usize = 200;

/// Largest type that is inferred, in names: some methods double their type.
const MAX_TYPE_SIZE: usize = 64;

impl<'a> Scope<'a> {
    /// Returns the scope at the end of `before`, the text of the cell up to the cursor.
    pub(crate) fn new(index: &'a Index<'a>, variables: &'a [Variable], before: &str) -> Self {
        let locals = parsed(before).map(|tree| bindings(tree.syntax())).unwrap_or_default();
        Self { index, variables, locals }
    }

    /// Returns the names that the cell binds before the cursor.
    pub(crate) fn local_names(&self) -> impl Iterator<Item = &str> {
        self.locals.iter().map(|local| local.name.as_str())
    }

    /// Returns the newest binding of a name and its position. The newest `skip` bindings are not visible.
    pub(crate) fn local(&self, name: &str, skip: usize) -> Option<(usize, &Local)> {
        self.locals.iter().enumerate().skip(skip).find(|(_, local)| local.name == name)
    }

    /// Infers the type of the expression in `text`.
    pub(crate) fn type_of(&self, text: &str) -> Option<Inferred> {
        self.expr(&tail(text)?, 0, MAX_DEPTH)
    }

    /// Infers the type of an expression, to which the newest `skip` bindings are not visible.
    pub(crate) fn expr(&self, expr: &ast::Expr, skip: usize, depth: usize) -> Option<Inferred> {
        self.any_expr(expr, skip, depth.checked_sub(1)?).filter(|found| found.ty.size() <= MAX_TYPE_SIZE)
    }

    fn any_expr(&self, expr: &ast::Expr, skip: usize, depth: usize) -> Option<Inferred> {
        match expr {
            ast::Expr::ParenExpr(it) => self.expr(&it.expr()?, skip, depth),
            ast::Expr::RefExpr(it) => self.expr(&it.expr()?, skip, depth),
            ast::Expr::PrefixExpr(it) => self.expr(&it.expr()?, skip, depth),
            ast::Expr::AwaitExpr(it) => self.expr(&it.expr()?, skip, depth),
            ast::Expr::CastExpr(it) => Some(Inferred::plain(Type::parse(&it.ty()?.syntax().text().to_string()))),
            ast::Expr::TryExpr(it) => {
                let Inferred { ty, origin } = self.expand_alias(self.expr(&it.expr()?, skip, depth)?);
                Some(Inferred { ty: ty.args.into_iter().next()?, origin })
            }
            ast::Expr::IndexExpr(it) => {
                let Inferred { ty, origin } = self.expr(&it.base()?, skip, depth)?;
                if ty.head == "DataFrame" {
                    return Some(Inferred::plain(Type::new("Column")));
                }
                Some(Inferred { ty: ty.args.into_iter().next_back()?, origin })
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
                Some(Inferred::plain(ty))
            }
            ast::Expr::RangeExpr(_) => Some(Inferred::plain(Type::new("Range"))),
            ast::Expr::TupleExpr(it) => {
                let unknown = || Type::new("_");
                let element = |field| self.expr(&field, skip, depth).map_or_else(unknown, |found| found.ty);
                let args = it.fields().take(MAX_TYPE_SIZE).map(element).collect();
                Some(Inferred::plain(Type { head: "()".to_owned(), args }))
            }
            ast::Expr::ArrayExpr(_) => Some(Inferred::plain(Type::new("[]"))),
            ast::Expr::RecordExpr(it) => Some(Inferred::plain(Type::parse(&it.path()?.syntax().text().to_string()))),
            ast::Expr::BlockExpr(it) => self.expr(&it.tail_expr()?, skip, depth),
            ast::Expr::PathExpr(it) => self.path(&it.path()?, skip, depth),
            ast::Expr::CallExpr(it) => match it.expr()? {
                ast::Expr::PathExpr(called) => self.call_result(&called.path()?),
                _ => None,
            },
            ast::Expr::FieldExpr(it) => {
                let Inferred { ty, origin } = self.expr(&it.expr()?, skip, depth)?;
                let name = it.name_ref()?.text().to_string();
                if ty.head == "()" {
                    return Some(Inferred { ty: ty.args.get(name.parse::<usize>().ok()?)?.clone(), origin });
                }
                self.member_result(&ty, origin, &name)
            }
            ast::Expr::MethodCallExpr(it) => {
                let Inferred { ty, origin } = self.expr(&it.receiver()?, skip, depth)?;
                let name = it.name_ref()?.text().to_string();
                let turbofish = it.generic_arg_list().and_then(|list| list.generic_args().next());
                if let Some(target) = turbofish.filter(|_| matches!(name.as_str(), "collect" | "parse" | "sum")) {
                    let target = Type::parse(&target.syntax().text().to_string());
                    let ty = if name == "parse" { Type::of("Result", target) } else { target };
                    return Some(Inferred::plain(ty));
                }
                self.member_result(&ty, origin, &name)
            }
            _ => None,
        }
    }

    /// Infers the type of a path: a variable, a constant, or a variant.
    fn path(&self, path: &ast::Path, skip: usize, depth: usize) -> Option<Inferred> {
        let name = path.segment()?.name_ref()?.text().to_string();
        if let Some(qualifier) = path.qualifier() {
            let owner = Type::parse(&qualifier.syntax().text().to_string());
            let (item, _) = self.index.member(&owner, None, &name)?;
            return match item.kind {
                Kind::Variant => Some(Inferred::plain(owner)),
                Kind::Constant => Some(self.substitute_self(&item, &owner, Type::parse(item.result_type()?))),
                _ => None,
            };
        }
        if let Some((at, local)) = self.local(&name, skip) {
            let Inferred { ty, origin } = match &local.source {
                Source::Annotated(ty, _) => Inferred { ty: Type::parse(ty), origin: self.index.origin_of(ty) },
                Source::Value(value) => self.expr(value, at + 1, depth)?,
                Source::ItemOf(collection) => {
                    let Inferred { ty, origin } = self.expr(collection, at + 1, depth)?;
                    Inferred { ty: item_type(&self.index.expand_alias(ty))?, origin }
                }
                Source::Unknown => return None,
            };
            return Some(Inferred { ty: local.project(self.index.expand_alias(ty))?, origin });
        }
        self.variables.iter().find(|variable| variable.name == name).map(|variable| Inferred {
            ty: Type::parse(&variable.type_name),
            origin: self.index.origin_of(&variable.type_name),
        })
    }

    /// Infers the result of a call of a function by path.
    fn call_result(&self, path: &ast::Path) -> Option<Inferred> {
        let name = path.segment()?.name_ref()?.text().to_string();
        if let Some(qualifier) = path.qualifier() {
            let text = qualifier.syntax().text().to_string();
            let (owner, origin) = (Type::parse(&text), self.index.origin_of(&text));
            if let Some((item, has)) = self.index.member(&owner, origin, &name) {
                if item.kind == Kind::Variant {
                    return Some(Inferred { ty: owner, origin });
                }
                return Some(self.substitute_self(
                    &item,
                    self_type(&item, &owner, &has),
                    Type::parse(item.result_type()?),
                ));
            }
        }
        let plain = |head: &str| Some(Inferred::plain(Type::new(head)));
        match name.as_str() {
            "Some" => return plain("Option"),
            "Ok" | "Err" => return plain("Result"),
            _ => {}
        }
        let item = self.index.items(&name).find(|item| item.kind == Kind::Function)?;
        Some(self.substitute_self(item, &Type::new(""), Type::parse(item.result_type()?)))
    }

    /// Infers the result of a method, or the type of a field.
    fn member_result(&self, ty: &Type, origin: Option<Origin>, name: &str) -> Option<Inferred> {
        let (item, owner) = self.index.member(ty, origin, name)?;
        Some(self.substitute_self(&item, self_type(&item, ty, &owner), Type::parse(item.result_type()?)))
    }

    /// Substitutes `Self` and the type parameters of the owner in a type of a signature.
    fn substitute_self(&self, item: &Item<'_>, owner: &Type, ty: Type) -> Inferred {
        let mut names = owner.bind_params(&Type::parse(item.of));
        names.insert("Self".to_owned(), owner.clone());
        // `Self::Item` of an iterator with a known item type.
        if let [item] = owner.args.as_slice()
            && owner.head.ends_with("Iterator")
        {
            names.insert("Item".to_owned(), item.clone());
        }
        Inferred { ty: ty.substitute(&names), origin: Some(item.origin) }
    }

    fn expand_alias(&self, found: Inferred) -> Inferred {
        Inferred { ty: self.index.expand_alias(found.ty), origin: found.origin }
    }
}

/// Returns `Self` for a member that `receiver` has from `owner`: the receiver if the owner is a trait.
fn self_type<'a>(item: &Item<'_>, receiver: &'a Type, owner: &'a Type) -> &'a Type {
    if item.of == owner.head && owner.args.is_empty() { receiver } else { owner }
}

/// Parses the text of a cell; `None` if it nests too deep for the parser.
fn parsed(code: &str) -> Option<SourceFile> {
    let shallow = !crate::cell::nests_too_deep(code);
    shallow.then(|| SourceFile::parse(&format!("fn cell() {{ {code} }}"), Edition::Edition2024).tree())
}

/// Parses the final expression of `text`.
pub(crate) fn tail(text: &str) -> Option<ast::Expr> {
    parsed(text)?.syntax().descendants().find_map(ast::BlockExpr::cast)?.tail_expr()
}

fn literal(literal: &ast::Literal) -> Option<Inferred> {
    let text = literal.syntax().text().to_string();
    let head = match text.chars().next()? {
        '"' | 'r' => "str",
        '\'' => "char",
        't' | 'f' => "bool",
        _ => {
            let suffix = text.find(['i', 'u', 'f']).filter(|_| !text.starts_with("0x"));
            match suffix {
                Some(at) => return Some(Inferred::plain(Type::new(&text[at..]))),
                None if text.contains('.') => "f64",
                None => "i32",
            }
        }
    };
    Some(Inferred::plain(Type::new(head)))
}

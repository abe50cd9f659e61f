//! Bindings of a cell before the cursor, and the source of each one's type.

use crate::introspect::index::Type;
use ra_ap_syntax::ast::{self, HasName};
use ra_ap_syntax::{AstNode, SyntaxNode};

/// A bound name, and how its type follows from the bound expression.
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) source: Source,
    /// Positions in nested tuples, from the type of the source to that of the name.
    positions: Vec<usize>,
}

/// Source of the type of a binding.
#[derive(Clone)]
pub(crate) enum Source {
    /// The annotated type, and the value if there is one.
    Annotated(String, Option<ast::Expr>),
    /// The type of an expression.
    Value(ast::Expr),
    /// The item type of an expression: of a loop, or of the argument of a closure.
    ItemOf(ast::Expr),
    /// Not inferred.
    Unknown,
}

impl Local {
    /// Projects the type of the source to the type of the name.
    pub(crate) fn project(&self, mut ty: Type) -> Option<Type> {
        for &position in &self.positions {
            ty = ty.args.into_iter().nth(position)?;
        }
        Some(ty)
    }
}

/// Returns the bindings of a syntax tree, last first.
pub(crate) fn bindings(tree: &SyntaxNode) -> Vec<Local> {
    let mut found = Vec::new();
    for node in tree.descendants() {
        if let Some(it) = ast::SelfParam::cast(node.clone()) {
            let source = self_type(&it).map_or(Source::Unknown, |ty| Source::Annotated(ty, None));
            found.push(Local { name: "self".to_owned(), source, positions: Vec::new() });
        }
        let bound = if let Some(it) = ast::LetStmt::cast(node.clone()) {
            it.pat()
                .map(|pat| (pat, written(it.ty(), it.initializer()).or_else(|| it.initializer().map(Source::Value))))
        } else if let Some(it) = ast::LetExpr::cast(node.clone()) {
            it.pat().map(|pat| (pat, it.expr().map(Source::Value)))
        } else if let Some(it) = ast::ForExpr::cast(node.clone()) {
            it.pat().map(|pat| (pat, it.iterable().map(Source::ItemOf)))
        } else if let Some(it) = ast::Param::cast(node) {
            it.pat().map(|pat| (pat, written(it.ty(), None).or_else(|| argument(&it).map(Source::ItemOf))))
        } else {
            None
        };
        if let Some((pat, source)) = bound {
            names(&pat, &source.unwrap_or(Source::Unknown), &mut Vec::new(), &mut found);
        }
    }
    found.reverse();
    found
}

/// Returns the type of the `impl` around a `self`.
fn self_type(parameter: &ast::SelfParam) -> Option<String> {
    let block = parameter.syntax().ancestors().find_map(ast::Impl::cast)?;
    Some(block.self_ty()?.syntax().text().to_string())
}

fn written(ty: Option<ast::Type>, value: Option<ast::Expr>) -> Option<Source> {
    let text = ty?.syntax().text().to_string();
    (text.trim() != "_").then_some(Source::Annotated(text, value))
}

/// Returns the receiver of the call whose closure has this parameter: `names` in `names.map(|name| …)`.
fn argument(parameter: &ast::Param) -> Option<ast::Expr> {
    let closure = ast::ClosureExpr::cast(parameter.syntax().parent()?.parent()?)?;
    let call = ast::MethodCallExpr::cast(closure.syntax().parent()?.parent()?)?;
    // The first parameter of a fold is the accumulator.
    let index = closure.param_list()?.params().position(|candidate| candidate == *parameter)?;
    let folds = call.name_ref().is_some_and(|name| ["fold", "try_fold", "scan"].contains(&name.text()));
    if folds && index == 0 { None } else { call.receiver() }
}

/// Adds the names of a pattern to `found`.
fn names(pat: &ast::Pat, source: &Source, positions: &mut Vec<usize>, found: &mut Vec<Local>) {
    let mut elements = |pats: &mut dyn Iterator<Item = ast::Pat>, found: &mut Vec<Local>| {
        for (index, pat) in pats.enumerate() {
            positions.push(index);
            names(&pat, source, positions, found);
            positions.pop();
        }
    };
    match pat {
        ast::Pat::IdentPat(it) => {
            if let Some(name) = it.name() {
                found.push(Local {
                    name: name.text().to_string(),
                    source: source.clone(),
                    positions: positions.clone(),
                });
            }
        }
        ast::Pat::RefPat(it) => {
            if let Some(pat) = it.pat() {
                names(&pat, source, positions, found);
            }
        }
        ast::Pat::ParenPat(it) => {
            if let Some(pat) = it.pat() {
                names(&pat, source, positions, found);
            }
        }
        ast::Pat::TuplePat(it) => elements(&mut it.fields(), found),
        // `Some(x)`, `Ok(x)`
        ast::Pat::TupleStructPat(it) => elements(&mut it.fields(), found),
        _ => {}
    }
}

/// Returns the item type of a collection or an iterator.
pub(crate) fn item_type(ty: &Type) -> Option<Type> {
    let first = ty.args.first();
    let pair = |a: Type, b: Type| Type { head: "()".to_owned(), args: vec![a, b] };
    match ty.head.as_str() {
        "HashMap" | "BTreeMap" | "PlHashMap" => Some(pair(first?.clone(), ty.args.get(1)?.clone())),
        "Enumerate" => Some(pair(Type::new("usize"), item_type(first?)?)),
        "Zip" => Some(pair(item_type(first?)?, item_type(ty.args.get(1)?)?)),
        "Rev" | "Skip" | "Take" | "Cloned" | "Copied" | "Filter" | "Peekable" | "StepBy" | "Chain" | "SkipWhile"
        | "TakeWhile" | "Inspect" | "Fuse" => item_type(first?),
        "Chars" => Some(Type::new("char")),
        "CharIndices" => Some(pair(Type::new("usize"), Type::new("char"))),
        "Lines" | "Split" | "SplitWhitespace" => Some(Type::new("str")),
        "Range" | "RangeInclusive" => Some(first.cloned().unwrap_or_else(|| Type::new("i32"))),
        // Iterate over slices.
        "Windows" | "Chunks" => Some(Type::of("[]", first?.clone())),
        "ChunkedArray" => None,
        _ => ty.args.iter().find(|arg| arg.head != "RandomState").cloned(),
    }
}

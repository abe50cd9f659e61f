//! What a cell binds before the cursor, and where the type of each binding is to be found.

use crate::introspect::index::Type;
use ra_ap_syntax::ast::{self, HasName};
use ra_ap_syntax::{AstNode, SyntaxNode};

/// A name, and how its type follows from what is bound.
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) source: Source,
    /// From the type of the source to that of the name.
    steps: Vec<usize>,
}

/// What is bound.
#[derive(Clone)]
pub(crate) enum Source {
    /// Its type stands in the cell, and maybe its value.
    Written(String, Option<ast::Expr>),
    /// What an expression is.
    Value(ast::Expr),
    /// What an expression holds: in a loop, or as the argument of a closure.
    Held(ast::Expr),
    /// Nobody can tell.
    Unknown,
}

impl Local {
    /// The type of the name, from the type of its source.
    pub(crate) fn part(&self, mut ty: Type) -> Option<Type> {
        for &step in &self.steps {
            ty = ty.args.into_iter().nth(step)?;
        }
        Some(ty)
    }
}

/// The bindings of a tree, last first.
pub(crate) fn bindings(tree: &SyntaxNode) -> Vec<Local> {
    let mut found = Vec::new();
    for node in tree.descendants() {
        if let Some(it) = ast::SelfParam::cast(node.clone()) {
            let source = self_type(&it).map_or(Source::Unknown, |ty| Source::Written(ty, None));
            found.push(Local { name: "self".to_owned(), source, steps: Vec::new() });
        }
        let bound = if let Some(it) = ast::LetStmt::cast(node.clone()) {
            it.pat()
                .map(|pat| (pat, written(it.ty(), it.initializer()).or_else(|| it.initializer().map(Source::Value))))
        } else if let Some(it) = ast::LetExpr::cast(node.clone()) {
            it.pat().map(|pat| (pat, it.expr().map(Source::Value)))
        } else if let Some(it) = ast::ForExpr::cast(node.clone()) {
            it.pat().map(|pat| (pat, it.iterable().map(Source::Held)))
        } else if let Some(it) = ast::Param::cast(node) {
            it.pat().map(|pat| (pat, written(it.ty(), None).or_else(|| argument(&it).map(Source::Held))))
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

/// The type whose `impl` a `self` stands in.
fn self_type(parameter: &ast::SelfParam) -> Option<String> {
    let block = parameter.syntax().ancestors().find_map(ast::Impl::cast)?;
    Some(block.self_ty()?.syntax().text().to_string())
}

fn written(ty: Option<ast::Type>, value: Option<ast::Expr>) -> Option<Source> {
    let text = ty?.syntax().text().to_string();
    (text.trim() != "_").then_some(Source::Written(text, value))
}

/// What is called with the closure of which this is a parameter: `names` in `names.map(|name| …)`.
fn argument(parameter: &ast::Param) -> Option<ast::Expr> {
    let closure = ast::ClosureExpr::cast(parameter.syntax().parent()?.parent()?)?;
    let call = ast::MethodCallExpr::cast(closure.syntax().parent()?.parent()?)?;
    // Of a fold's two the first is something else.
    let index = closure.param_list()?.params().position(|other| other == *parameter)?;
    let folds = call.name_ref().is_some_and(|name| ["fold", "try_fold", "scan"].contains(&name.text()));
    if folds && index == 0 { None } else { call.receiver() }
}

/// The names in a pattern.
fn names(pat: &ast::Pat, source: &Source, steps: &mut Vec<usize>, found: &mut Vec<Local>) {
    let mut parts = |pats: &mut dyn Iterator<Item = ast::Pat>, found: &mut Vec<Local>| {
        for (index, pat) in pats.enumerate() {
            steps.push(index);
            names(&pat, source, steps, found);
            steps.pop();
        }
    };
    match pat {
        ast::Pat::IdentPat(it) => {
            if let Some(name) = it.name() {
                found.push(Local { name: name.text().to_string(), source: source.clone(), steps: steps.clone() });
            }
        }
        ast::Pat::RefPat(it) => {
            if let Some(pat) = it.pat() {
                names(&pat, source, steps, found);
            }
        }
        ast::Pat::ParenPat(it) => {
            if let Some(pat) = it.pat() {
                names(&pat, source, steps, found);
            }
        }
        ast::Pat::TuplePat(it) => parts(&mut it.fields(), found),
        // `Some(x)`, `Ok(x)`
        ast::Pat::TupleStructPat(it) => parts(&mut it.fields(), found),
        _ => {}
    }
}

/// What runs through something that holds others.
pub(crate) fn held(ty: &Type) -> Option<Type> {
    let first = ty.args.first();
    let pair = |a: Type, b: Type| Type { head: "()".to_owned(), args: vec![a, b] };
    match ty.head.as_str() {
        "HashMap" | "BTreeMap" | "PlHashMap" => Some(pair(first?.clone(), ty.args.get(1)?.clone())),
        "Enumerate" => Some(pair(Type::new("usize"), held(first?)?)),
        "Zip" => Some(pair(held(first?)?, held(ty.args.get(1)?)?)),
        "Rev" | "Skip" | "Take" | "Cloned" | "Copied" | "Filter" | "Peekable" | "StepBy" | "Chain" | "SkipWhile"
        | "TakeWhile" | "Inspect" | "Fuse" => held(first?),
        "Chars" => Some(Type::new("char")),
        "CharIndices" => Some(pair(Type::new("usize"), Type::new("char"))),
        "Lines" | "Split" | "SplitWhitespace" => Some(Type::new("str")),
        "Range" | "RangeInclusive" => Some(first.cloned().unwrap_or_else(|| Type::new("i32"))),
        // Their values run through them.
        "Windows" | "Chunks" => Some(Type::of("[]", first?.clone())),
        "ChunkedArray" => None,
        _ => ty.args.iter().find(|arg| arg.head != "RandomState").cloned(),
    }
}

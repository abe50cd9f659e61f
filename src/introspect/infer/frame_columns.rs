//! The columns of the frame that an expression evaluates to, as far as the text of the cell says: along a chain of calls,
//! through the bindings of the cell, from the variables and traces of the notebook.

use super::bindings::Source;
use super::expression_type::{Scope, tail};
use crate::introspect::index::Type;
use crate::session::View;
use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasArgList};
use std::cell::Cell;
use trace::EVENT_COLUMNS;
use trace_view::FrameSchema;

/// Names and data types of columns; a type that is not known is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) names: Vec<(String, String)>,
    /// Whether there are no others.
    pub(crate) complete: bool,
}

/// What a chain of frame methods has reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    Frame(Columns),
    /// Between `group_by` and `agg`.
    Grouped {
        keys: Columns,
        rows: Columns,
    },
}

/// How many expressions are looked at: what is bound twice is followed twice.
const STEPS: usize = 2000;

/// How deep one expression may lie in another.
const DEPTH: usize = 200;

/// Finds the shapes of expressions.
pub(crate) struct Shapes<'a> {
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) view: &'a View,
    steps: Cell<usize>,
}

/// Methods after which a frame has the columns it had.
const KEEPS: &[&str] = &[
    "as_ref",
    "bottom_k",
    "cache",
    "clone",
    "collect",
    "drop_nans",
    "drop_nulls",
    "expect",
    "explode",
    "fill_nan",
    "fill_null",
    "filter",
    "first",
    "gather_every",
    "head",
    "last",
    "lazy",
    "limit",
    "max",
    "mean",
    "median",
    "min",
    "quantile",
    "reverse",
    "sample_frac",
    "sample_n_literal",
    "shift",
    "slice",
    "sort",
    "sort_by_exprs",
    "sort_in_place",
    "std",
    "sum",
    "tail",
    "to_owned",
    "top_k",
    "unique",
    "unique_generic",
    "unique_stable",
    "unique_stable_generic",
    "unwrap",
    "unwrap_or_default",
    "var",
    "vstack",
];

impl Columns {
    pub(crate) fn of(schema: &FrameSchema) -> Self {
        Self { names: schema.columns.clone(), complete: schema.is_complete() }
    }

    pub(crate) fn dtype(&self, name: &str) -> &str {
        self.names.iter().find(|(of, _)| of == name).map_or("", |(_, dtype)| dtype)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|(of, _)| of == name)
    }

    /// With these columns besides; one of the same name is replaced.
    fn and(mut self, more: Columns) -> Self {
        for (name, dtype) in more.names {
            match self.names.iter_mut().find(|(of, _)| *of == name) {
                Some(old) => old.1 = dtype,
                None => self.names.push((name, dtype)),
            }
        }
        self.complete &= more.complete;
        self
    }

    fn incomplete(mut self) -> Self {
        self.complete = false;
        self
    }
}

impl Shape {
    /// The columns that the arguments of its methods may name.
    pub(crate) fn rows(self) -> Columns {
        match self {
            Self::Frame(columns) => columns,
            Self::Grouped { rows, .. } => rows,
        }
    }
}

impl<'a> Shapes<'a> {
    pub(crate) fn new(scope: &'a Scope<'a>, view: &'a View) -> Self {
        Self { scope, view, steps: Cell::new(STEPS) }
    }

    /// The shape of the expression in this text.
    pub(crate) fn of_text(&self, text: &str) -> Option<Shape> {
        self.of(&tail(text)?, 0, DEPTH)
    }

    /// One step less is left; `None` if none was.
    pub(crate) fn step(&self) -> Option<()> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        Some(())
    }

    /// The shape of an expression; of the bindings the first `newer` are made after it.
    pub(crate) fn of(&self, expr: &ast::Expr, newer: usize, depth: usize) -> Option<Shape> {
        self.step()?;
        let depth = depth.checked_sub(1)?;
        match expr {
            ast::Expr::ParenExpr(it) => self.of(&it.expr()?, newer, depth),
            ast::Expr::RefExpr(it) => self.of(&it.expr()?, newer, depth),
            ast::Expr::PrefixExpr(it) => self.of(&it.expr()?, newer, depth),
            ast::Expr::TryExpr(it) => self.of(&it.expr()?, newer, depth),
            ast::Expr::AwaitExpr(it) => self.of(&it.expr()?, newer, depth),
            ast::Expr::BlockExpr(it) => self.of(&it.tail_expr()?, newer, depth),
            ast::Expr::PathExpr(it) => self.variable(&it.path()?, newer, depth),
            ast::Expr::CallExpr(it) => {
                let ast::Expr::PathExpr(called) = it.expr()? else { return None };
                let name = called.path()?.segment()?.name_ref()?.text().to_string();
                let mut arguments = it.arg_list()?.args();
                match name.as_str() {
                    "Ok" | "Some" => self.of(&arguments.next()?, newer, depth),
                    "concat" => self.of(&list(&arguments.next()?).into_iter().next()?, newer, depth),
                    "new" | "new_infer_height" if owner(&called.path()?).as_deref() == Some("DataFrame") => {
                        let none = Columns { names: Vec::new(), complete: true };
                        Some(Shape::Frame(self.outputs(&arguments.last()?, &none, newer, depth)))
                    }
                    _ => None,
                }
            }
            ast::Expr::MacroExpr(it) => {
                let call = it.macro_call()?;
                let is_df = call.path()?.segment()?.name_ref()?.text() == "df";
                is_df.then(|| {
                    Shape::Frame(of_macro(&call.token_tree().map(|tree| tree.to_string()).unwrap_or_default()))
                })
            }
            ast::Expr::MethodCallExpr(it) => self.method(it, newer, depth),
            _ => None,
        }
    }

    fn variable(&self, path: &ast::Path, newer: usize, depth: usize) -> Option<Shape> {
        let name = path.as_single_name_ref()?.text().to_string();
        if let Some((at, local)) = self.scope.local(&name, newer) {
            return match &local.source {
                Source::Value(value) | Source::Written(_, Some(value)) => self.of(value, at + 1, depth),
                _ => None,
            };
        }
        let variable = self.view.variables.iter().find(|variable| variable.name == name)?;
        let schema = self.view.frames.get(&name).filter(|_| is_frame(&Type::parse(&variable.type_name)))?;
        Some(Shape::Frame(Columns::of(schema)))
    }

    fn method(&self, call: &ast::MethodCallExpr, newer: usize, depth: usize) -> Option<Shape> {
        let name = call.name_ref()?.text().to_string();
        let receiver = call.receiver()?;
        let arguments: Vec<ast::Expr> = call.arg_list().map(|list| list.args().collect()).unwrap_or_default();
        if matches!(name.as_str(), "events" | "decoded") {
            return self.events(&receiver, newer, depth).map(Shape::Frame);
        }
        let outputs = |at: usize, rows: &Columns| match arguments.get(at) {
            Some(argument) => self.outputs(argument, rows, newer, depth),
            None => Columns { names: Vec::new(), complete: false },
        };
        let columns = match self.of(&receiver, newer, depth)? {
            Shape::Grouped { keys, rows } => {
                return Some(match name.as_str() {
                    "agg" => Shape::Frame(keys.and(outputs(0, &rows))),
                    "having" => Shape::Grouped { keys, rows },
                    _ => Shape::Frame(keys.and(rows).incomplete()),
                });
            }
            Shape::Frame(columns) => columns,
        };
        let changed = match name.as_str() {
            keeps if KEEPS.contains(&keeps) => columns,
            "select" | "select_seq" => outputs(0, &columns),
            "with_column" | "with_columns" | "with_columns_seq" => {
                let added = outputs(0, &columns);
                columns.and(added)
            }
            "with_row_index" => {
                let index = self.text(arguments.first()?, newer, depth)?;
                let first = Columns { names: vec![(index, "u32".to_owned())], complete: true };
                first.and(columns)
            }
            "group_by" | "group_by_stable" => {
                return Some(Shape::Grouped { keys: outputs(0, &columns), rows: columns });
            }
            "group_by_dynamic" | "rolling" => {
                let keys = outputs(0, &columns).and(outputs(1, &columns));
                return Some(Shape::Grouped { keys, rows: columns });
            }
            "drop" | "drop_many" => {
                let dropped = outputs(0, &columns);
                let complete = columns.complete && dropped.complete;
                let names = columns.names.into_iter().filter(|(name, _)| !dropped.has(name)).collect();
                Columns { names, complete }
            }
            "rename" => {
                let (old, new) = (outputs(0, &columns), outputs(1, &columns));
                renamed(columns, &old, &new)
            }
            "describe" => {
                let first = Columns { names: vec![("statistic".to_owned(), "str".to_owned())], complete: true };
                first.and(columns)
            }
            "semi_join" | "anti_join" => columns,
            "join" | "left_join" | "inner_join" | "full_join" | "cross_join" => {
                let right = arguments.first().and_then(|other| self.of(other, newer, depth)).map(Shape::rows);
                let Some(right) = right else { return Some(Shape::Frame(columns.incomplete())) };
                let said = arguments.get(3).map(|last| last.syntax().text().to_string()).unwrap_or_default();
                let keys =
                    if name == "cross_join" { Columns { names: vec![], complete: true } } else { outputs(2, &right) };
                joined(columns, right, &keys, &name, &said)
            }
            // Another method that makes a frame makes one that holds some of these.
            _ => {
                let made = self.scope.expr(&ast::Expr::MethodCallExpr(call.clone()), newer, depth)?.ty;
                if !is_frame(&self.scope.index.expanded(made)) {
                    return None;
                }
                columns.incomplete()
            }
        };
        Some(Shape::Frame(changed))
    }

    /// The events of a trace set, or of one rank of it.
    fn events(&self, of: &ast::Expr, newer: usize, depth: usize) -> Option<Columns> {
        let ty = self.scope.index.expanded(self.scope.expr(of, newer, depth)?.ty);
        let whole = match ty.head.as_str() {
            "TraceSet" => true,
            "Trace" => false,
            _ => return None,
        };
        // The label that the chain starts with.
        let label = of.syntax().descendants().filter_map(ast::NameRef::cast).find_map(|name| {
            self.scope.local(name.text(), newer).is_none().then(|| self.view.events.get(name.text())).flatten()
        });
        let mut columns = match label {
            Some(schema) => Columns::of(schema),
            None => {
                let names = std::iter::once("rank").chain(EVENT_COLUMNS.iter().map(|column| column.name));
                Columns { names: names.map(|name| (name.to_owned(), String::new())).collect(), complete: true }
            }
        };
        if !whole {
            columns.names.retain(|(name, _)| name != "rank");
        }
        Some(columns)
    }
}

fn renamed(columns: Columns, old: &Columns, new: &Columns) -> Columns {
    let complete = columns.complete && old.complete && new.complete && old.names.len() == new.names.len();
    let new_name = |name: &str| {
        let at = old.names.iter().position(|(of, _)| of == name)?;
        Some(new.names.get(at)?.0.clone())
    };
    let names = columns.names.into_iter().map(|(name, dtype)| (new_name(&name).unwrap_or(name), dtype));
    Columns { names: names.collect(), complete }
}

/// What a join makes: `name` is the method, `said` the text of its options.
fn joined(left: Columns, right: Columns, keys: &Columns, name: &str, said: &str) -> Columns {
    if said.contains("Semi") || said.contains("Anti") {
        return left;
    }
    let full = name == "full_join" || said.contains("Full");
    let complete = left.complete && right.complete && keys.complete && !said.contains("suffix");
    let added = right.names.into_iter().filter(|(column, _)| full || !keys.has(column));
    let added: Vec<(String, String)> = added
        .map(|(column, dtype)| if left.has(&column) { (format!("{column}_right"), dtype) } else { (column, dtype) })
        .collect();
    let mut all = left;
    all.names.extend(added);
    all.complete = complete;
    all
}

/// The columns that `df![…]` names.
fn of_macro(tokens: &str) -> Columns {
    let mut names = Vec::new();
    for piece in tokens.split("=>") {
        let Some(text) = piece.trim_end().strip_suffix('"').and_then(|text| text.rsplit('"').next()) else { continue };
        names.push((text.to_owned(), String::new()));
    }
    Columns { names, complete: true }
}

/// The type in front of the last part of a path.
fn owner(path: &ast::Path) -> Option<String> {
    Some(Type::parse(&path.qualifier()?.syntax().text().to_string()).head)
}

/// The elements of a list that is written out; one expression is a list of one.
pub(crate) fn list(expr: &ast::Expr) -> Vec<ast::Expr> {
    match expr {
        ast::Expr::ArrayExpr(it) => it.exprs().collect(),
        ast::Expr::RefExpr(it) => it.expr().map(|inner| list(&inner)).unwrap_or_default(),
        ast::Expr::ParenExpr(it) => it.expr().map(|inner| list(&inner)).unwrap_or_default(),
        ast::Expr::MacroExpr(it) => {
            let call = it.macro_call();
            let tree = call.as_ref().filter(|call| call.path().is_some_and(|path| path.syntax().text() == "vec"));
            let tokens = tree.and_then(ast::MacroCall::token_tree).map(|tree| tree.to_string()).unwrap_or_default();
            let inner = tokens.trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
            tail(&format!("[{inner}]")).map_or_else(Vec::new, |array| match array {
                ast::Expr::ArrayExpr(it) => it.exprs().collect(),
                _ => Vec::new(),
            })
        }
        other => vec![other.clone()],
    }
}

/// Whether a type is a frame, or a result that holds one.
pub(crate) fn is_frame(ty: &Type) -> bool {
    match ty.head.as_str() {
        "DataFrame" | "LazyFrame" => true,
        "Result" | "PolarsResult" | "Option" => ty.args.first().is_some_and(is_frame),
        _ => false,
    }
}

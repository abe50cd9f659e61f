//! Columns of the frame that an expression evaluates to: inferred along chains of calls and through the bindings of the cell,
//! starting at the variables and traces of the notebook.

use super::bindings::Source;
use super::expression_type::{Scope, tail};
use crate::introspect::index::Type;
use crate::session::View;
use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasArgList};
use std::cell::Cell;
use trace_core::columns::EVENT_COLUMNS;
use trace_view::FrameSchema;

/// Names and data types of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    /// A data type that is not known is empty.
    pub(crate) names: Vec<(String, String)>,
    /// Whether all columns are known.
    pub(crate) complete: bool,
}

/// State of a chain of frame methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FrameShape {
    Frame(Columns),
    /// Between `group_by` and `agg`.
    Grouped {
        keys: Columns,
        rows: Columns,
    },
}

/// Bound on the number of visited expressions. A binding that is used twice is visited twice.
const MAX_STEPS: usize = 2000;

/// Bound on the depth of the recursion.
const MAX_DEPTH: usize = 200;

/// Infers the frames that expressions evaluate to.
pub(crate) struct FrameInference<'a> {
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) view: &'a View,
    steps: Cell<usize>,
}

/// Methods that keep the columns of a frame.
const SAME_COLUMNS: &[&str] = &[
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

    /// Adds columns; one of the same name is replaced.
    fn extended_by(mut self, more: Columns) -> Self {
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

impl FrameShape {
    /// Returns the columns that arguments of the next method may name.
    pub(crate) fn input_columns(self) -> Columns {
        match self {
            Self::Frame(columns) => columns,
            Self::Grouped { rows, .. } => rows,
        }
    }
}

impl<'a> FrameInference<'a> {
    pub(crate) fn new(scope: &'a Scope<'a>, view: &'a View) -> Self {
        Self { scope, view, steps: Cell::new(MAX_STEPS) }
    }

    /// Infers the frame of the expression in `text`.
    pub(crate) fn shape_of_text(&self, text: &str) -> Option<FrameShape> {
        self.shape_of(&tail(text)?, 0, MAX_DEPTH)
    }

    /// Counts a visited expression; `None` beyond the bound.
    pub(crate) fn count_step(&self) -> Option<()> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        Some(())
    }

    /// Infers the frame of an expression, to which the newest `skip` bindings are not visible.
    pub(crate) fn shape_of(&self, expr: &ast::Expr, skip: usize, depth: usize) -> Option<FrameShape> {
        self.count_step()?;
        let depth = depth.checked_sub(1)?;
        match expr {
            ast::Expr::ParenExpr(it) => self.shape_of(&it.expr()?, skip, depth),
            ast::Expr::RefExpr(it) => self.shape_of(&it.expr()?, skip, depth),
            ast::Expr::PrefixExpr(it) => self.shape_of(&it.expr()?, skip, depth),
            ast::Expr::TryExpr(it) => self.shape_of(&it.expr()?, skip, depth),
            ast::Expr::AwaitExpr(it) => self.shape_of(&it.expr()?, skip, depth),
            ast::Expr::BlockExpr(it) => self.shape_of(&it.tail_expr()?, skip, depth),
            ast::Expr::PathExpr(it) => self.variable(&it.path()?, skip, depth),
            ast::Expr::CallExpr(it) => {
                let ast::Expr::PathExpr(called) = it.expr()? else { return None };
                let name = called.path()?.segment()?.name_ref()?.text().to_string();
                let mut arguments = it.arg_list()?.args();
                match name.as_str() {
                    "Ok" | "Some" => self.shape_of(&arguments.next()?, skip, depth),
                    "concat" => self.shape_of(&list(&arguments.next()?).into_iter().next()?, skip, depth),
                    "new" | "new_infer_height" if owner(&called.path()?).as_deref() == Some("DataFrame") => {
                        let none = Columns { names: Vec::new(), complete: true };
                        Some(FrameShape::Frame(self.outputs(&arguments.last()?, &none, skip, depth)))
                    }
                    _ => None,
                }
            }
            ast::Expr::MacroExpr(it) => {
                let call = it.macro_call()?;
                let is_df = call.path()?.segment()?.name_ref()?.text() == "df";
                is_df.then(|| {
                    FrameShape::Frame(df_macro_columns(
                        &call.token_tree().map(|tree| tree.to_string()).unwrap_or_default(),
                    ))
                })
            }
            ast::Expr::MethodCallExpr(it) => self.method(it, skip, depth),
            _ => None,
        }
    }

    fn variable(&self, path: &ast::Path, skip: usize, depth: usize) -> Option<FrameShape> {
        let name = path.as_single_name_ref()?.text().to_string();
        if let Some((at, local)) = self.scope.local(&name, skip) {
            return match &local.source {
                Source::Value(value) | Source::Annotated(_, Some(value)) => self.shape_of(value, at + 1, depth),
                _ => None,
            };
        }
        let variable = self.view.variables.iter().find(|variable| variable.name == name)?;
        let schema = self.view.frames.get(&name).filter(|_| is_frame(&Type::parse(&variable.type_name)))?;
        Some(FrameShape::Frame(Columns::of(schema)))
    }

    fn method(&self, call: &ast::MethodCallExpr, skip: usize, depth: usize) -> Option<FrameShape> {
        let name = call.name_ref()?.text().to_string();
        let receiver = call.receiver()?;
        let arguments: Vec<ast::Expr> = call.arg_list().map(|list| list.args().collect()).unwrap_or_default();
        if matches!(name.as_str(), "events" | "decoded") {
            return self.events(&receiver, skip, depth).map(FrameShape::Frame);
        }
        let outputs = |at: usize, rows: &Columns| match arguments.get(at) {
            Some(argument) => self.outputs(argument, rows, skip, depth),
            None => Columns { names: Vec::new(), complete: false },
        };
        let columns = match self.shape_of(&receiver, skip, depth)? {
            FrameShape::Grouped { keys, rows } => {
                return Some(match name.as_str() {
                    "agg" => FrameShape::Frame(keys.extended_by(outputs(0, &rows))),
                    "having" => FrameShape::Grouped { keys, rows },
                    _ => FrameShape::Frame(keys.extended_by(rows).incomplete()),
                });
            }
            FrameShape::Frame(columns) => columns,
        };
        let changed = match name.as_str() {
            keeps if SAME_COLUMNS.contains(&keeps) => columns,
            "select" | "select_seq" => outputs(0, &columns),
            "with_column" | "with_columns" | "with_columns_seq" => {
                let added = outputs(0, &columns);
                columns.extended_by(added)
            }
            "with_row_index" => {
                let index = self.text_value(arguments.first()?, skip, depth)?;
                let first = Columns { names: vec![(index, "u32".to_owned())], complete: true };
                first.extended_by(columns)
            }
            "group_by" | "group_by_stable" => {
                return Some(FrameShape::Grouped { keys: outputs(0, &columns), rows: columns });
            }
            "group_by_dynamic" | "rolling" => {
                let keys = outputs(0, &columns).extended_by(outputs(1, &columns));
                return Some(FrameShape::Grouped { keys, rows: columns });
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
                first.extended_by(columns)
            }
            "semi_join" | "anti_join" => columns,
            "join" | "left_join" | "inner_join" | "full_join" | "cross_join" => {
                let right = arguments
                    .first()
                    .and_then(|other| self.shape_of(other, skip, depth))
                    .map(FrameShape::input_columns);
                let Some(right) = right else { return Some(FrameShape::Frame(columns.incomplete())) };
                let options = arguments.get(3).map(|last| last.syntax().text().to_string()).unwrap_or_default();
                let keys =
                    if name == "cross_join" { Columns { names: vec![], complete: true } } else { outputs(2, &right) };
                joined(columns, right, &keys, &name, &options)
            }
            // Any other method that returns a frame is assumed to keep some of the columns.
            _ => {
                let result = self.scope.expr(&ast::Expr::MethodCallExpr(call.clone()), skip, depth)?.ty;
                if !is_frame(&self.scope.index.expand_alias(result)) {
                    return None;
                }
                columns.incomplete()
            }
        };
        Some(FrameShape::Frame(changed))
    }

    /// Returns the event columns of a trace set or of one rank.
    fn events(&self, of: &ast::Expr, skip: usize, depth: usize) -> Option<Columns> {
        let ty = self.scope.index.expand_alias(self.scope.expr(of, skip, depth)?.ty);
        let whole = match ty.head.as_str() {
            "TraceSet" => true,
            "Trace" => false,
            _ => return None,
        };
        // The label at the start of the chain.
        let label = of.syntax().descendants().filter_map(ast::NameRef::cast).find_map(|name| {
            self.scope.local(name.text(), skip).is_none().then(|| self.view.events.get(name.text())).flatten()
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

/// Returns the columns of a join: `name` is the method, `options` the text of its last argument.
fn joined(left: Columns, right: Columns, keys: &Columns, name: &str, options: &str) -> Columns {
    if options.contains("Semi") || options.contains("Anti") {
        return left;
    }
    let full = name == "full_join" || options.contains("Full");
    let complete = left.complete && right.complete && keys.complete && !options.contains("suffix");
    let added = right.names.into_iter().filter(|(column, _)| full || !keys.has(column));
    let added: Vec<(String, String)> = added
        .map(|(column, dtype)| if left.has(&column) { (format!("{column}_right"), dtype) } else { (column, dtype) })
        .collect();
    let mut all = left;
    all.names.extend(added);
    all.complete = complete;
    all
}

/// Returns the columns of `df![…]`.
fn df_macro_columns(tokens: &str) -> Columns {
    let mut names = Vec::new();
    for piece in tokens.split("=>") {
        let Some(text) = piece.trim_end().strip_suffix('"').and_then(|text| text.rsplit('"').next()) else { continue };
        names.push((text.to_owned(), String::new()));
    }
    Columns { names, complete: true }
}

/// Returns the type before the last segment of a path.
fn owner(path: &ast::Path) -> Option<String> {
    Some(Type::parse(&path.qualifier()?.syntax().text().to_string()).head)
}

/// Returns the elements of a list literal; any other expression is a list of one.
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

/// Whether a type is a frame, or a `Result` or `Option` of one.
pub(crate) fn is_frame(ty: &Type) -> bool {
    match ty.head.as_str() {
        "DataFrame" | "LazyFrame" => true,
        "Result" | "PolarsResult" | "Option" => ty.args.first().is_some_and(is_frame),
        _ => false,
    }
}

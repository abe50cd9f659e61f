//! Output columns of polars expressions.

use super::bindings::Source;
use super::frame_columns::{Columns, FrameInference, list};
use ra_ap_syntax::AstNode;
use ra_ap_syntax::ast::{self, HasArgList, LiteralKind};

/// Functions whose output has the name of their first argument.
const NAMED_AS_FIRST_ARGUMENT: &[&str] = &[
    "all_horizontal",
    "any_horizontal",
    "coalesce",
    "concat_list",
    "concat_str",
    "count",
    "first",
    "last",
    "max",
    "max_horizontal",
    "mean",
    "mean_horizontal",
    "median",
    "min",
    "min_horizontal",
    "n_unique",
    "quantile",
    "std",
    "sum",
    "sum_horizontal",
    "var",
];

/// Methods that keep the data type of a column.
const KEEPS_TYPE: &[&str] = &[
    "alias",
    "clone",
    "fill_null",
    "filter",
    "first",
    "into",
    "last",
    "max",
    "min",
    "over",
    "reverse",
    "shift",
    "sort",
];

impl FrameInference<'_> {
    /// Returns the output columns of an argument over the columns `rows`. The argument is an expression, a name, or a list of
    /// those.
    pub(crate) fn outputs(&self, argument: &ast::Expr, rows: &Columns, skip: usize, depth: usize) -> Columns {
        let mut made = Columns { names: Vec::new(), complete: true };
        for expr in list(argument) {
            match self.expr_outputs(&expr, rows, skip, depth) {
                Some(names) => made.names.extend(names),
                None => made.complete = false,
            }
        }
        made
    }

    /// Returns the output columns of one expression; `None` if their names do not follow from the text.
    fn expr_outputs(
        &self,
        expr: &ast::Expr,
        rows: &Columns,
        skip: usize,
        depth: usize,
    ) -> Option<Vec<(String, String)>> {
        self.count_step()?;
        let depth = depth.checked_sub(1)?;
        let one = |name: String| Some(vec![(name, String::new())]);
        match expr {
            ast::Expr::ParenExpr(it) => self.expr_outputs(&it.expr()?, rows, skip, depth),
            ast::Expr::RefExpr(it) => self.expr_outputs(&it.expr()?, rows, skip, depth),
            ast::Expr::PrefixExpr(it) => self.expr_outputs(&it.expr()?, rows, skip, depth),
            ast::Expr::BinExpr(it) => Some(untyped(self.expr_outputs(&it.lhs()?, rows, skip, depth)?)),
            ast::Expr::Literal(_) => {
                let name = self.text_value(expr, skip, depth)?;
                let dtype = rows.dtype(&name).to_owned();
                Some(vec![(name, dtype)])
            }
            ast::Expr::PathExpr(it) => {
                let path = it.path()?;
                let (at, local) = self.scope.local(path.as_single_name_ref()?.text(), skip)?;
                match &local.source {
                    Source::Value(value) | Source::Annotated(_, Some(value)) => {
                        let made = self.outputs(value, rows, at + 1, depth);
                        made.complete.then_some(made.names)
                    }
                    _ => None,
                }
            }
            ast::Expr::CallExpr(it) => {
                let ast::Expr::PathExpr(called) = it.expr()? else { return None };
                let name = called.path()?.segment()?.name_ref()?.text().to_string();
                let arguments: Vec<ast::Expr> = it.arg_list()?.args().collect();
                let first = arguments.first();
                match name.as_str() {
                    "col" => self.columns(&self.text_value(first?, skip, depth)?, rows),
                    "all" => rows.complete.then(|| rows.names.clone()),
                    "cols" | "by_name" => {
                        let names = list(first?).into_iter().map(|name| self.text_value(&name, skip, depth));
                        let names: Option<Vec<String>> = names.collect();
                        Some(names?.into_iter().map(|name| (name.clone(), rows.dtype(&name).to_owned())).collect())
                    }
                    "len" => Some(vec![("len".to_owned(), "u32".to_owned())]),
                    "lit" => one("literal".to_owned()),
                    // `Column::new("a".into(), …)`
                    "new" => one(self.text_value(first?, skip, depth)?),
                    name if NAMED_AS_FIRST_ARGUMENT.contains(&name) => {
                        let made = self.outputs(first?, rows, skip, depth);
                        Some(untyped(made.names.into_iter().take(1).collect()))
                    }
                    _ => None,
                }
            }
            ast::Expr::MethodCallExpr(it) => self.method_output(it, rows, skip, depth),
            _ => None,
        }
    }

    fn method_output(
        &self,
        call: &ast::MethodCallExpr,
        rows: &Columns,
        skip: usize,
        depth: usize,
    ) -> Option<Vec<(String, String)>> {
        let name = call.name_ref()?.text().to_string();
        let receiver = call.receiver()?;
        let first = call.arg_list().and_then(|list| list.args().next());
        let inner = || self.expr_outputs(&receiver, rows, skip, depth);
        match name.as_str() {
            "alias" => {
                let alias = self.text_value(&first?, skip, depth)?;
                let dtype = inner().and_then(|names| names.into_iter().next()).map(|(_, dtype)| dtype);
                Some(vec![(alias, dtype.unwrap_or_default())])
            }
            "suffix" | "prefix" => {
                let affix = self.text_value(&first?, skip, depth)?;
                let ast::Expr::MethodCallExpr(names) = receiver else { return None };
                let names = self.expr_outputs(&names.receiver()?, rows, skip, depth)?;
                let affixed =
                    |of: String| if name == "suffix" { format!("{of}{affix}") } else { format!("{affix}{of}") };
                Some(names.into_iter().map(|(of, _)| (affixed(of), String::new())).collect())
            }
            "field_by_name" => Some(vec![(self.text_value(&first?, skip, depth)?, String::new())]),
            // `when(…).then(x).otherwise(y)` has the name of `x`.
            "then" if matches!(&receiver, ast::Expr::CallExpr(_)) => {
                Some(untyped(self.expr_outputs(&first?, rows, skip, depth)?))
            }
            "map" | "map_many" | "to_expr" | "fields" | "field_by_names" | "unnest" => None,
            name if KEEPS_TYPE.contains(&name) => inner(),
            _ => Some(untyped(inner()?)),
        }
    }

    /// Returns the columns of `col(name)`.
    fn columns(&self, name: &str, rows: &Columns) -> Option<Vec<(String, String)>> {
        match name {
            "*" => rows.complete.then(|| rows.names.clone()),
            pattern if pattern.starts_with('^') => None,
            name => Some(vec![(name.to_owned(), rows.dtype(name).to_owned())]),
        }
    }

    /// Returns the string value of an expression: of a literal, a conversion of one, or a binding of one.
    pub(crate) fn text_value(&self, expr: &ast::Expr, skip: usize, depth: usize) -> Option<String> {
        self.count_step()?;
        let depth = depth.checked_sub(1)?;
        match expr {
            ast::Expr::Literal(it) => match it.kind() {
                LiteralKind::String(text) => text.value().ok().map(|text| text.into_owned()),
                _ => None,
            },
            ast::Expr::RefExpr(it) => self.text_value(&it.expr()?, skip, depth),
            ast::Expr::ParenExpr(it) => self.text_value(&it.expr()?, skip, depth),
            ast::Expr::MethodCallExpr(it) => {
                let converts = ["into", "to_string", "to_owned", "clone", "as_str"];
                converts.contains(&it.name_ref()?.text()).then(|| self.text_value(&it.receiver()?, skip, depth))?
            }
            ast::Expr::CallExpr(it) => {
                let called = it.expr()?.syntax().text().to_string();
                let converts = ["String::from", "PlSmallStr::from", "PlSmallStr::from_static"];
                converts
                    .contains(&called.as_str())
                    .then(|| self.text_value(&it.arg_list()?.args().next()?, skip, depth))?
            }
            ast::Expr::PathExpr(it) => {
                let (at, local) = self.scope.local(it.path()?.as_single_name_ref()?.text(), skip)?;
                match &local.source {
                    Source::Value(value) | Source::Annotated(_, Some(value)) => self.text_value(value, at + 1, depth),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Clears the data types.
fn untyped(mut names: Vec<(String, String)>) -> Vec<(String, String)> {
    names.iter_mut().for_each(|(_, dtype)| dtype.clear());
    names
}

//! The language of `--where`: [`Where`].

use super::condition::{Condition, Item, Value};
use super::parse::{Node, parse};
use crate::config::known_args;
use crate::error::WhereReason;
use crate::{Error, Result};
use polars::prelude::{DataFrame, DataType, Expr, PlSmallStr, lit};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A filter of events as a text: `name ~ "^nccl" and dur > 100us and stream in 7,20`.
///
/// | written | meaning |
/// | --- | --- |
/// | `dur > 100us`, `ts < 1.5s` | comparison: `==` (or `=`), `!=`, `<`, `<=`, `>`, `>=`; times need a unit: ns, us, ms, s |
/// | `cat == kernel`, `name == "Memcpy DtoH"` | texts; quotes where there are blanks or signs, `"…"` or `'…'` |
/// | `name ~ "^nccl"`, `name !~ gemm` | a regular expression that matches somewhere, or nowhere |
/// | `stream in 7,20`, `rank not in (0, 4-7)` | one of a list; `4-7` are four numbers |
/// | `stream is null`, `iteration is not null` | without a value, with one |
/// | `a and b`, `a or b`, `not a`, `( … )` | also `&`, `\|`, `!`; `not` binds first, then `and`, then `or` |
///
/// A column is any of [`Trace::events`](crate::Trace::events), or `rank`; back quotes enclose a name with other characters.
/// An event without the value does not satisfy a condition, so that `stream != 7` (the opposite of `stream == 7`) includes
/// CPU events, which have no stream. Inside quotes a `\` is literal, except before the quote.
///
/// # Errors
/// [`Error::BadWhere`] gives the reason and marks the position.
///
/// # Example
/// ```
/// let where_ = "name ~ '^nccl' and dur > 100us".parse::<trace::filter::Where>()?;
/// let expr = where_.expr();
/// # Ok::<(), trace::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Where {
    text: String,
    node: Node,
}

impl Where {
    /// Returns the filter as a polars expression: true or false for each event, never null.
    pub fn expr(&self) -> Expr {
        expr(&self.node)
    }

    /// Checks that a frame has the columns, with values of the types that they are compared with.
    ///
    /// # Errors
    /// [`Error::BadWhere`] with a mark at the first mistake.
    pub fn check(&self, df: &DataFrame) -> Result<()> {
        let types: Vec<_> = df.columns().iter().map(|column| (column.name().clone(), column.dtype().clone())).collect();
        self.check_types(&types)
    }

    /// Tells whether a condition is on the column `name`.
    pub fn names_column(&self, name: &str) -> bool {
        self.columns().contains(&name)
    }

    /// Tells whether all conditions are on these columns.
    pub fn names_only(&self, names: &[&str]) -> bool {
        self.columns().iter().all(|column| names.contains(column))
    }

    /// Returns the columns of all conditions.
    fn columns(&self) -> Vec<&str> {
        let (mut found, mut open) = (Vec::new(), vec![&self.node]);
        while let Some(node) = open.pop() {
            match node {
                Node::All(nodes) | Node::Any(nodes) => open.extend(nodes),
                Node::Not(node) => open.push(node),
                Node::Condition { column, .. } => found.push(column.as_str()),
            }
        }
        found
    }

    /// Checks columns of which only names and types are known, as [`Where::check`] does.
    pub(crate) fn check_types(&self, columns: &[(PlSmallStr, DataType)]) -> Result<()> {
        let mut open = vec![&self.node];
        while let Some(node) = open.pop() {
            match node {
                Node::All(nodes) | Node::Any(nodes) => open.extend(nodes.iter().rev()),
                Node::Not(node) => open.push(node),
                Node::Condition { column, at, condition, value, has_unit } => {
                    let known = columns.iter().find(|(name, _)| name == column);
                    let Some((_, dtype)) = known else { return Err(self.wrong(at.clone(), unknown(column, columns))) };
                    if *has_unit && crate::frame::columns::known(column).is_none() {
                        return Err(self.wrong(value.clone(), WhereReason::NotATime { column: column.clone() }));
                    }
                    if let Some(reason) = misfit(column, dtype, condition) {
                        return Err(self.wrong(value.clone(), reason));
                    }
                }
            }
        }
        Ok(())
    }

    fn wrong(&self, at: Range<usize>, reason: WhereReason) -> Error {
        Error::BadWhere { text: self.text.clone(), at, reason }
    }
}

impl FromStr for Where {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match parse(text) {
            Ok(node) => Ok(Self { text: text.to_owned(), node }),
            Err((at, reason)) => Err(Error::BadWhere { text: text.to_owned(), at, reason }),
        }
    }
}

impl fmt::Display for Where {
    /// The text as written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn expr(node: &Node) -> Expr {
    match node {
        Node::All(nodes) => joined(nodes, Expr::and, true),
        Node::Any(nodes) => joined(nodes, Expr::or, false),
        Node::Not(node) => expr(node).not(),
        Node::Condition { column, condition, .. } => condition.clone().expr(column),
    }
}

/// Joins the nodes by halves, so that a long list does not become a deep tree.
fn joined(nodes: &[Node], join: fn(Expr, Expr) -> Expr, of_none: bool) -> Expr {
    match nodes {
        [] => lit(of_none),
        [node] => expr(node),
        nodes => {
            let (first, rest) = nodes.split_at(nodes.len() / 2);
            join(joined(first, join, of_none), joined(rest, join, of_none))
        }
    }
}

/// Returns why a column is missing.
fn unknown(column: &str, columns: &[(PlSmallStr, DataType)]) -> WhereReason {
    if let Some(arg) = known_args().find(|arg| arg.column.name == column) {
        return WhereReason::NotLoaded { column: column.to_owned(), arg: arg.key };
    }
    let close = |name: &&PlSmallStr| {
        name.eq_ignore_ascii_case(column) || name.contains(column) || column.contains(name.as_str())
    };
    let names = || columns.iter().map(|(name, _)| name);
    let text = |name: &PlSmallStr| name.to_string();
    let (similar, available) = (names().find(close).map(text), names().map(text).collect());
    WhereReason::UnknownColumn { column: column.to_owned(), similar, available }
}

/// Returns why a condition does not fit a column of this type; `None` if it fits.
fn misfit(column: &str, dtype: &DataType, condition: &Condition) -> Option<WhereReason> {
    let is_text = |value: &Value| matches!(value, Value::Text(_));
    let (texts, numbers) = match condition {
        Condition::Absent => return None,
        Condition::Matches(_) => (true, false),
        Condition::Compare(_, value) => (is_text(value), !is_text(value)),
        Condition::In(items) => {
            let text = |item: &Item| matches!(item, Item::One(value) if is_text(value));
            (items.iter().any(text), !items.iter().all(text))
        }
    };
    if dtype.is_numeric() && texts {
        return Some(WhereReason::HoldsNumbers { column: column.to_owned() });
    }
    if !dtype.is_numeric() && *dtype != DataType::Null && numbers {
        return Some(WhereReason::HoldsTexts { column: column.to_owned() });
    }
    None
}

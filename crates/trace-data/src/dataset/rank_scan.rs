//! Scan of a table of several ranks, which reads one rank after the other: what a rank does not contribute leaves memory before
//! the next.

use crate::Result;
use crate::exec::checkpoint;
use polars::prelude::{
    AnonymousScanArgs, Column, DataFrame, Expr, IntoLazy, LiteralValue, Operator, PlSmallStr, SchemaRef,
};

/// What a query wants of a table: columns, conditions and a number of rows.
pub(crate) struct RankScan {
    /// The columns, in order.
    pub names: Vec<PlSmallStr>,
    /// Conditions that are applied to each rank.
    per_row: Vec<Expr>,
    /// Conditions that need the rows of all ranks.
    together: Vec<Expr>,
    rows: Option<usize>,
}

impl RankScan {
    /// Returns what polars wants of a table of this schema.
    pub(super) fn of(args: &AnonymousScanArgs, schema: &SchemaRef) -> Self {
        let names = match &args.with_columns {
            Some(names) => names.to_vec(),
            None => schema.iter_names().cloned().collect(),
        };
        let conditions = args.predicate.as_ref().map(conjuncts).unwrap_or_default();
        let (per_row, together) = conditions.into_iter().partition(looks_at_one_row);
        Self { names, per_row, together, rows: args.n_rows }
    }

    /// Returns the rows of all ranks that the query wants.
    ///
    /// `constant` returns the columns that have one value in a rank: a condition on them alone may rule the rank out, which then is
    /// not read; one rank is always read, for the types. `read` returns the named columns of a rank.
    ///
    /// # Errors
    /// Those of `read`, [`Error::Cancelled`](crate::Error::Cancelled), and if polars refuses.
    pub(super) fn collect<R>(
        &self,
        ranks: impl IntoIterator<Item = R>,
        constant: impl Fn(&R) -> Vec<Column>,
        read: impl Fn(&R, &[PlSmallStr]) -> Result<DataFrame>,
    ) -> Result<DataFrame> {
        let condition = self.per_row.iter().cloned().reduce(Expr::and);
        let mut all: Option<DataFrame> = None;
        for rank in ranks {
            checkpoint::check()?;
            let found = all.as_ref().map_or(0, DataFrame::height);
            let wanted = match self.rows {
                Some(most) if found >= most && all.is_some() => break,
                Some(most) => most - found,
                None => usize::MAX,
            };
            if all.is_some() && rules_out(&self.per_row, constant(&rank)) {
                continue;
            }
            let mut rows = read(&rank, &self.names)?;
            if let Some(condition) = &condition {
                rows = rows.lazy().filter(condition.clone()).collect()?;
            }
            if rows.height() > wanted {
                rows = rows.head(Some(wanted));
            }
            match &mut all {
                Some(all) => {
                    all.vstack_mut_owned_unchecked(rows);
                }
                None => all = Some(rows),
            }
        }
        let all = all.unwrap_or_default();
        match self.together.iter().cloned().reduce(Expr::and) {
            Some(condition) => Ok(all.lazy().filter(condition).collect()?),
            None => Ok(all),
        }
    }
}

/// Returns the conditions of which all must hold. Those that polars only adds while it sorts, for speed, are left out: they cannot be
/// evaluated apart from its plan.
fn conjuncts(condition: &Expr) -> Vec<Expr> {
    match condition {
        Expr::BinaryExpr { left, op: Operator::And | Operator::LogicalAnd, right } => {
            conjuncts(left).into_iter().chain(conjuncts(right)).collect()
        }
        condition if condition.into_iter().any(|part| matches!(part, Expr::Display { .. })) => Vec::new(),
        condition => vec![condition.clone()],
    }
}

/// Whether the value of an expression for a row follows from that row alone, as far as is known.
fn looks_at_one_row(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) => true,
        Expr::Literal(value) => !matches!(value, LiteralValue::Series(_) | LiteralValue::Range(_)),
        Expr::Alias(input, _) => looks_at_one_row(input),
        Expr::Cast { expr, .. } => looks_at_one_row(expr),
        Expr::BinaryExpr { left, right, .. } => looks_at_one_row(left) && looks_at_one_row(right),
        Expr::Ternary { predicate, truthy, falsy } => {
            [predicate, truthy, falsy].into_iter().all(|expr| looks_at_one_row(expr))
        }
        Expr::Function { input, function } => {
            use polars::prelude::{BooleanFunction, FunctionExpr, StringFunction};
            let by_row = match function {
                FunctionExpr::Boolean(function) => matches!(
                    function,
                    BooleanFunction::IsNull
                        | BooleanFunction::IsNotNull
                        | BooleanFunction::Not
                        | BooleanFunction::IsBetween { .. }
                ),
                FunctionExpr::StringExpr(function) => matches!(
                    function,
                    StringFunction::Contains { .. } | StringFunction::StartsWith | StringFunction::EndsWith
                ),
                _ => false,
            };
            by_row && input.iter().all(looks_at_one_row)
        }
        _ => false,
    }
}

/// Whether a condition on the constant columns of a rank alone leaves none of its rows.
fn rules_out(conditions: &[Expr], constant: Vec<Column>) -> bool {
    let Ok(row) = DataFrame::new(1, constant) else { return false };
    conditions.iter().any(|condition| {
        // A condition on another column fails here.
        row.clone().lazy().filter(condition.clone()).collect().is_ok_and(|left| left.height() == 0)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use polars::prelude::{col, lit};

    #[test]
    fn conditions_on_one_row_are_recognised() {
        for of_row in [
            col("dur").gt(lit(1)),
            col("a").is_null().not(),
            col("a").cast(polars::prelude::DataType::Int32).eq(col("b")),
        ] {
            assert!(looks_at_one_row(&of_row), "{of_row}");
        }
        for of_all in
            [col("dur").sum().gt(lit(1)), col("dur").shift(lit(1)).is_null(), col("a").max().over([col("b")]).unwrap()]
        {
            assert!(!looks_at_one_row(&of_all), "{of_all}");
        }
        let of_rank = |rank: i64| vec![Column::new("rank".into(), [rank])];
        assert!(rules_out(&[col("dur").gt(lit(0)), col("rank").eq(lit(3))], of_rank(2)));
        assert!(!rules_out(&[col("dur").gt(lit(0)), col("rank").eq(lit(3))], of_rank(3)));
    }

    #[test]
    fn conditions_on_trace_and_rank_rule_ranks_out() {
        let constant = || vec![Column::new("trace".into(), ["job"]), Column::new("rank".into(), [3_i64])];
        let rules_out = |condition: Expr| rules_out(&[condition], constant());
        assert!(rules_out(col("rank").eq(lit(2))) && !rules_out(col("rank").gt(lit(2))));
        assert!(rules_out(col("trace").eq(lit("test"))) && !rules_out(col("trace").eq(lit("job"))));
        assert!(rules_out(col("trace").eq(lit("job")).and(col("rank").lt(lit(3)))));
        assert!(!rules_out(col("dur").gt(lit(5))));
    }
}

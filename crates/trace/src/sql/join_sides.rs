//! The conditions of a join: which side each expression is about, and what of them can be counted before the join runs.

use super::pairs::Less;
use polars::prelude::{DataType, Expr, Operator, PlSmallStr, Schema};

/// The columns of both sides of a join, and what is appended to those of the right side that both have.
pub(super) struct Sides<'s> {
    pub(super) left: &'s Schema,
    pub(super) right: &'s Schema,
    pub(super) suffix: &'s str,
}

/// An expression of one side, with the columns of that side.
pub(super) enum Side {
    Left(Expr),
    Right(Expr),
}

/// A condition between both sides.
pub(super) enum Between {
    /// Equal values, of the left and of the right side.
    Equal(Expr, Expr),
    /// Numbers, the first of the left side. Of a condition with `>` both have the other sign.
    Less(Expr, Expr, Less),
}

impl Sides<'_> {
    /// Returns the side of an expression over the columns of the join; `None` if it is about both or none.
    pub(super) fn of(&self, expr: &Expr) -> Option<Side> {
        let mut is_left = None;
        for part in expr {
            let Expr::Column(name) = part else { continue };
            let left = if self.left.contains(name) {
                true
            } else {
                self.of_right(name)?;
                false
            };
            if is_left.is_some_and(|known| known != left) {
                return None;
            }
            is_left = Some(left);
        }
        if is_left? {
            return Some(Side::Left(expr.clone()));
        }
        Some(Side::Right(expr.clone().map_expr(|part| match part {
            Expr::Column(name) => Expr::Column(self.of_right(&name).unwrap_or(name)),
            part => part,
        })))
    }

    /// Returns the name that a column of the right side has there.
    fn of_right(&self, name: &PlSmallStr) -> Option<PlSmallStr> {
        let own = name.strip_suffix(self.suffix).filter(|own| self.right.contains(own)).map(PlSmallStr::from_str);
        own.or_else(|| self.right.contains(name).then(|| name.clone()))
    }

    /// Returns a condition between both sides; `None` for one that cannot be counted.
    pub(super) fn between(&self, condition: &Expr) -> Option<Between> {
        let Expr::BinaryExpr { left, op, right } = condition else { return None };
        let (left, right, swapped) = match (self.of(left)?, self.of(right)?) {
            (Side::Left(left), Side::Right(right)) => (left, right, false),
            (Side::Right(right), Side::Left(left)) => (left, right, true),
            _ => return None,
        };
        let (is_less, is_strict) = match op {
            Operator::Eq => return Some(Between::Equal(left, right)),
            Operator::Lt => (true, true),
            Operator::LtEq => (true, false),
            Operator::Gt => (false, true),
            Operator::GtEq => (false, false),
            _ => return None,
        };
        let less = Less { is_strict };
        let [left, right] = [left, right].map(|bound| bound.cast(DataType::Float64));
        Some(if is_less != swapped { Between::Less(left, right, less) } else { Between::Less(-left, -right, less) })
    }
}

/// Appends the parts of a condition that are joined by AND.
pub(super) fn conjuncts(condition: &Expr, found: &mut Vec<Expr>) {
    match condition {
        Expr::BinaryExpr { left, op: Operator::And | Operator::LogicalAnd, right } => {
            conjuncts(left, found);
            conjuncts(right, found);
        }
        condition => found.push(condition.clone()),
    }
}

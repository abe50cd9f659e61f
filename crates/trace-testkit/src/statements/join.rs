//! Joins of two or three relations.

use super::ColumnKind;
use super::draft::{Draft, Scope, Source};
use super::relation::Aliased;
use super::value::Value;

/// Joins, some of which keep rows without a partner.
const KINDS: [&str; 8] =
    ["JOIN", "INNER JOIN", "JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN", "FULL JOIN", "FULL OUTER JOIN"];

/// Columns of both sides by which they can be joined.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) left: Value,
    pub(super) right: Value,
}

impl Draft<'_> {
    /// Two or three relations, joined to at most about `most` rows.
    pub(super) fn join(&mut self, most: usize) -> Source {
        let left = self.pick();
        let right = if self.chance(25) { self.again(&left) } else { self.pick() };
        match self.random.below(100) {
            0..=59 => match self.pair(&left.columns, &right.columns) {
                Some(pair) if self.chance(10) => self.join_by_comma(&left, &right, &pair, most),
                Some(pair) => {
                    let (a, b) = self.sides(&left, &right, &pair, most);
                    let joined = self.joined_by(a, b, &pair, most);
                    if self.chance(30) { self.third(joined, most) } else { joined }
                }
                None => self.unequal_join(&left, &right, most),
            },
            60..=71 => match self.shared_column(&left, &right) {
                Some(pair) => self.join_using(&left, &right, &pair, most),
                None => self.unequal_join(&left, &right, most),
            },
            72..=90 => self.unequal_join(&left, &right, most),
            _ => {
                let (a, b) = (self.rows_of(&left, 40), self.rows_of(&right, most.min(2000) / 40));
                both(a, b, |a, b| format!("{a} CROSS JOIN {b}"))
            }
        }
    }

    /// The relation of `table` under another alias.
    fn again(&mut self, table: &Aliased) -> Aliased {
        let alias = self.alias();
        Aliased::new(table.relation.clone(), alias)
    }

    /// Columns by which rows can be joined, often of equal names or with values in common.
    pub(super) fn pair(&mut self, left: &[Value], right: &[Value]) -> Option<Pair> {
        let is_key = |value: &&Value| value.is_stored && value.kind != ColumnKind::Real;
        let (mut all, mut likely) = (Vec::new(), Vec::new());
        for a in left.iter().filter(is_key) {
            for b in right.iter().filter(is_key).filter(|b| b.kind == a.kind) {
                all.push((a, b));
                let has_match = a.samples.literals.iter().take(20).any(|literal| b.samples.literals.contains(literal));
                if name_of(a) == name_of(b) || has_match {
                    likely.push((a, b));
                }
            }
        }
        let of = if !likely.is_empty() && self.chance(85) { likely } else { all };
        if of.is_empty() {
            return None;
        }
        let (a, b) = self.of(&of);
        Some(Pair { left: a.clone(), right: b.clone() })
    }

    /// As many rows of both sides as give at most `most` joined rows.
    fn sides(&mut self, left: &Aliased, right: &Aliased, pair: &Pair, most: usize) -> (Source, Source) {
        /// A side of fewer rows is not worth a whole table on the other side.
        const FEWEST_ROWS: usize = 50;
        let rows = (left.relation.rows as f64, right.relation.rows as f64);
        if rows.0 * rows.1 * pair.left.samples.share_of_equal(&pair.right.samples) <= most as f64 {
            return (self.rows_of(left, usize::MAX), self.rows_of(right, usize::MAX));
        }
        // The rows that are left may all have the same key.
        let some = most as f64 / (rows.0 * pair.left.samples.largest_share());
        if some as usize >= FEWEST_ROWS {
            return (self.rows_of(left, usize::MAX), self.rows_of(right, some as usize));
        }
        let side = most.isqrt();
        (self.rows_of(left, side), self.rows_of(right, side))
    }

    /// A join by equal columns, and perhaps another condition.
    fn joined_by(&mut self, left: Source, right: Source, pair: &Pair, most: usize) -> Source {
        let kind = self.of(&KINDS);
        let mut joined = both(left, right, |left, right| format!("{left} {kind} {right}"));
        joined.scope.rows = joined.scope.rows.min(most);
        joined.text += &format!(" ON {}", self.equality(pair));
        if self.chance(35) {
            joined.text += &format!(" AND {}", self.condition_of_both(&joined.scope, pair));
        }
        joined
    }

    fn equality(&mut self, pair: &Pair) -> String {
        let (a, b) = if self.chance(85) { (&pair.left, &pair.right) } else { (&pair.right, &pair.left) };
        format!("{} = {}", a.text, b.text)
    }

    /// A condition for ON, in most cases of columns of both sides.
    fn condition_of_both(&mut self, scope: &Scope, pair: &Pair) -> String {
        self.without_subqueries(|draft| match draft.random.below(4) {
            0 => draft.condition(scope, 1),
            1 => {
                let of = if draft.chance(50) { &pair.left } else { &pair.right };
                draft.comparison_with_literal(of)
            }
            _ => draft.inequality(scope),
        })
    }

    fn join_by_comma(&mut self, left: &Aliased, right: &Aliased, pair: &Pair, most: usize) -> Source {
        let (a, b) = self.sides(left, right, pair, most);
        let mut joined = both(a, b, |a, b| format!("{a}, {b}"));
        joined.filters.push(self.equality(pair));
        joined.scope.rows = joined.scope.rows.min(most);
        joined
    }

    /// Columns of the same name, for USING.
    fn shared_column(&mut self, left: &Aliased, right: &Aliased) -> Option<Pair> {
        let mut shared = Vec::new();
        for a in left.columns.iter().filter(|a| a.kind != ColumnKind::Real) {
            shared
                .extend(right.columns.iter().filter(|b| b.kind == a.kind && name_of(a) == name_of(b)).map(|b| (a, b)));
        }
        if shared.is_empty() {
            return None;
        }
        let (a, b) = self.of(&shared);
        Some(Pair { left: a.clone(), right: b.clone() })
    }

    fn join_using(&mut self, left: &Aliased, right: &Aliased, pair: &Pair, most: usize) -> Source {
        let (kind, name) = (self.of(&KINDS), name_of(&pair.left).to_owned());
        let (a, b) = self.sides(left, right, pair, most);
        let mut joined = both(a, b, |a, b| format!("{a} {kind} {b} USING ({name})"));
        joined.width -= 1;
        joined.scope.rows = joined.scope.rows.min(most);
        if self.chance(25) {
            let third = self.again(right);
            let side = most / joined.scope.rows.max(1);
            let kind = self.of(&KINDS);
            if side >= 5 {
                let rows = self.rows_of(&third, side);
                joined = both(joined, rows, |a, b| format!("{a} {kind} {b} USING ({name})"));
                joined.width -= 1;
            }
        }
        // The column of either side.
        joined.scope.columns.push(pair.left.or(&pair.right, name));
        joined
    }

    /// A join by other conditions than equal columns, for which engines look at all pairs of rows.
    fn unequal_join(&mut self, left: &Aliased, right: &Aliased, most: usize) -> Source {
        let kind = self.of(&KINDS);
        let side = most.min(90_000).isqrt();
        let most_left = self.of(&[20, 100, 300]).min(side);
        let (a, b) = (self.rows_of(left, most_left), self.rows_of(right, side));
        let mut joined = both(a, b, |a, b| format!("{a} {kind} {b}"));
        let (scope, columns) = (joined.scope.clone(), (left.columns.clone(), right.columns.clone()));
        let on = self.without_subqueries(|draft| match draft.random.below(6) {
            0 => {
                let pair = draft.pair(&columns.0, &columns.1);
                pair.map(|pair| format!("{} IS NOT DISTINCT FROM {}", pair.left.text, pair.right.text))
            }
            1 => draft.pair(&columns.0, &columns.1).filter(|pair| pair.left.kind == ColumnKind::Int).map(|pair| {
                let divisor = draft.of(&[3, 7, 10]);
                format!("({} % {divisor}) = ({} % {divisor})", pair.left.text, pair.right.text)
            }),
            2 => {
                let equality = draft.pair(&columns.0, &columns.1).map(|pair| draft.equality(&pair));
                equality.map(|equality| format!("({equality} OR {})", draft.condition(&scope, 1)))
            }
            _ => None,
        });
        let on = on.unwrap_or_else(|| {
            let first = self.inequality_of(&columns.0, &columns.1);
            if self.chance(40) { format!("{first} AND {}", self.inequality(&scope)) } else { first }
        });
        joined.text += &format!(" ON {on}");
        joined
    }

    /// Another relation, joined with `joined` by a column of any of its relations.
    fn third(&mut self, joined: Source, most: usize) -> Source {
        /// Fewer rows join with too few.
        const FEWEST_ROWS: usize = 5;
        let table = self.pick();
        let Some(pair) = self.pair(&joined.scope.columns, &table.columns) else { return joined };
        let rows = joined.scope.rows as f64;
        let is_whole = rows * table.relation.rows as f64 * pair.right.samples.largest_share() <= most as f64;
        let side = if is_whole { usize::MAX } else { most / joined.scope.rows.max(1) };
        if side < FEWEST_ROWS {
            return joined;
        }
        let right = self.rows_of(&table, side);
        self.joined_by(joined, right, &pair, most)
    }

    /// A comparison of two columns of `scope` other than their equality.
    fn inequality(&mut self, scope: &Scope) -> String {
        self.inequality_of(&scope.columns, &scope.columns)
    }

    fn inequality_of(&mut self, left: &[Value], right: &[Value]) -> String {
        let a = self.random.of(left).clone();
        let same_kind: Vec<&Value> = right.iter().filter(|b| b.kind == a.kind && b.text != a.text).collect();
        if same_kind.is_empty() {
            return self.comparison_with_literal(&a);
        }
        let (b, c) = (self.of(&same_kind).text.clone(), self.of(&same_kind).text.clone());
        match self.random.below(6) {
            0 => format!("{} BETWEEN {b} AND {c}", a.text),
            1 => format!("{} BETWEEN {b} AND {}", a.text, self.literal(&a)),
            2 => format!("{} <> {b}", a.text),
            _ => format!("{} {} {b}", a.text, self.of(&["<", "<=", ">", ">="])),
        }
    }
}

/// The quoted name of a column without its alias.
fn name_of(column: &Value) -> &str {
    column.text.split_once('.').map_or(&column.text, |(_, name)| name)
}

/// Two sources side by side, of all pairs of their rows.
fn both(left: Source, right: Source, text: impl FnOnce(&str, &str) -> String) -> Source {
    let text = text(&left.text, &right.text);
    let mut scope = left.scope;
    scope.columns.extend(right.scope.columns);
    scope.order.extend(right.scope.order);
    scope.rows = scope.rows.saturating_mul(right.scope.rows);
    let filters = left.filters.into_iter().chain(right.filters).collect();
    Source { text, scope, filters, width: left.width + right.width }
}

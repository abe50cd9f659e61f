//! Window functions.

use super::ColumnKind;
use super::aggregate::MOST_BITS;
use super::draft::{Draft, Scope, Source};
use super::select::{Output, Query};

/// What a window function depends on besides the rows of its partition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The order of rows, also of those that are equal in all but some columns.
    Rows,
    /// The order of groups of equal rows.
    Groups,
    /// None.
    Free,
}

impl Draft<'_> {
    /// A query with window functions over rows.
    pub(super) fn windows(&mut self, mut source: Source) -> Query {
        self.restrict(&mut source);
        let tail = format!(" FROM {}{}", source.text, source.condition());
        let mut outputs = Vec::new();
        for _ in 0..self.random.below(3) {
            outputs.push(Output::exact(self.any(&source.scope, 1).text));
        }
        self.with_windows(outputs, &source.scope, tail)
    }

    /// A query with window functions over groups.
    pub(super) fn windows_over_groups(&mut self, source: Source) -> Query {
        let grouping = self.grouping(source, false);
        let outputs = grouping.keys.iter().map(|key| Output::exact(key.text.clone())).collect();
        self.with_windows(outputs, &grouping.scope, grouping.tail)
    }

    fn with_windows(&mut self, mut outputs: Vec<Output>, scope: &Scope, mut tail: String) -> Query {
        let saved = std::mem::take(&mut self.subqueries);
        if self.chance(12) {
            // Two functions of one window.
            let window = self.window(scope, Order::Rows);
            tail += &format!(" WINDOW w AS ({window})");
            for _ in 0..2 {
                let (function, is_exact) = self.window_function(scope).0;
                outputs.push(Output { text: format!("{function} OVER w"), is_exact });
            }
        } else {
            // Equal rows have no order of their own, so two functions may number them differently. Groups are not equal.
            let mut may_order_rows = true;
            for _ in 0..=self.random.below(2) {
                let (output, order) = self.window_output(scope, may_order_rows);
                may_order_rows = scope.is_grouped || (may_order_rows && order != Order::Rows);
                outputs.push(output);
            }
        }
        self.subqueries = saved;
        let distinct = if outputs.iter().all(|output| output.is_exact) && self.chance(6) { "DISTINCT " } else { "" };
        self.selected(distinct, outputs, &tail)
    }

    /// The rows of a query whose number within a partition is small.
    pub(super) fn first_of_each(&mut self, mut source: Source) -> Query {
        self.restrict(&mut source);
        let (a, b) = (self.any(&source.scope, 1), self.column(&source.scope));
        let function = self.of(&["ROW_NUMBER", "RANK", "DENSE_RANK"]);
        let order = if function == "ROW_NUMBER" { Order::Rows } else { Order::Groups };
        let window = self.without_subqueries(|draft| draft.window(&source.scope, order));
        let alias = self.alias();
        let tail = format!(
            " FROM (SELECT {} AS c0, {} AS c1, {function}() OVER ({window}) AS n FROM {}{}) AS {alias} WHERE {alias}.n <= {}",
            a.text,
            b.text,
            source.text,
            source.condition(),
            self.of(&[1, 2, 5])
        );
        let outputs = ["c0", "c1", "n"].map(|name| Output::exact(format!("{alias}.{name}")));
        self.selected("", outputs.into(), &tail)
    }

    /// A function of a window, and the order that its result depends on.
    fn window_output(&mut self, scope: &Scope, may_order_rows: bool) -> (Output, Order) {
        let ((mut function, mut is_exact), mut order) = self.window_function(scope);
        while order == Order::Rows && !may_order_rows {
            ((function, is_exact), order) = self.window_function(scope);
        }
        let is_aggregate = order == Order::Free;
        if is_aggregate && self.chance(12) {
            function += &format!(" FILTER (WHERE {})", self.condition(scope, 1));
        }
        let window = match self.random.below(6) {
            _ if !is_aggregate => {
                let frame =
                    if function.ends_with("_VALUE") && self.chance(50) { self.rows_frame() } else { String::new() };
                self.window(scope, order) + &frame
            }
            0 => self.window(scope, Order::Free),
            1 => self.window(scope, Order::Groups),
            2 => {
                let window = self.window(scope, Order::Groups);
                let end = self.of(&["CURRENT ROW", "UNBOUNDED FOLLOWING"]);
                let bounds = self.of(&["RANGE BETWEEN UNBOUNDED PRECEDING AND", "RANGE BETWEEN CURRENT ROW AND"]);
                format!("{window} {bounds} {end}")
            }
            3 if self.chance(60) => {
                let window = self.window(scope, Order::Groups);
                let (before, after) = (self.random.below(3), self.random.below(3));
                format!("{window} GROUPS BETWEEN {before} PRECEDING AND {after} FOLLOWING")
            }
            _ if may_order_rows => {
                order = Order::Rows;
                self.window(scope, Order::Rows) + &self.rows_frame()
            }
            _ => self.window(scope, Order::Groups),
        };
        (Output { text: format!("{function} OVER ({window})"), is_exact }, order)
    }

    /// A function with its arguments and whether engines agree on all its digits; the order that it depends on.
    fn window_function(&mut self, scope: &Scope) -> ((String, bool), Order) {
        let value = self.any(scope, 1);
        let text = match self.random.below(14) {
            0 | 1 => "ROW_NUMBER()".into(),
            2 => return (("RANK()".into(), true), Order::Groups),
            3 => return (("DENSE_RANK()".into(), true), Order::Groups),
            4 => format!("NTILE({})", self.of(&[1, 2, 3, 4, 10])),
            5 | 6 => {
                let (function, literal) = (self.of(&["LAG", "LEAD"]), self.literal(&value));
                match self.random.below(3) {
                    0 => format!("{function}({})", value.text),
                    1 => format!("{function}({}, {})", value.text, self.of(&[1, 2, 5])),
                    _ => format!("{function}({}, {}, {literal})", value.text, self.of(&[1, 2, 5])),
                }
            }
            7 => format!("FIRST_VALUE({})", value.text),
            8 => format!("LAST_VALUE({})", value.text),
            9 | 10 if let Some(sum) = self.sum_of_sums(scope) => return ((sum, true), Order::Free),
            _ => {
                let aggregate = self.aggregate_of_all(scope, false);
                return ((aggregate.value.text, aggregate.is_exact), Order::Free);
            }
        };
        ((text, true), Order::Rows)
    }

    /// The sum of an aggregate of groups.
    fn sum_of_sums(&mut self, scope: &Scope) -> Option<String> {
        let mut sums = scope.columns.iter().filter(|column| column.text.starts_with("SUM("));
        let sum = sums.find(|sum| sum.kind == ColumnKind::Int)?.within(MOST_BITS);
        Some(format!("SUM({})", sum.text))
    }

    /// PARTITION BY and ORDER BY of a window, without its frame.
    fn window(&mut self, scope: &Scope, order: Order) -> String {
        let mut clauses = Vec::new();
        if self.chance(65) {
            let count = self.of(&[1, 1, 2]);
            let of: Vec<String> = (0..count).map(|_| self.any(scope, 1).text).collect();
            clauses.push(format!("PARTITION BY {}", of.join(", ")));
        }
        let mut terms = Vec::new();
        if order != Order::Free {
            for _ in 0..=self.random.below(2) {
                terms.push(self.any(scope, 1).text);
            }
        }
        if order == Order::Rows {
            terms.extend(scope.order.iter().cloned());
        }
        if !terms.is_empty() {
            let of: Vec<String> = terms
                .into_iter()
                .map(|term| {
                    let direction = self.of(&["", "", " ASC", " DESC"]);
                    format!("{term}{direction} NULLS {}", self.of(&["FIRST", "LAST"]))
                })
                .collect();
            clauses.push(format!("ORDER BY {}", of.join(", ")));
        }
        clauses.join(" ")
    }

    fn rows_frame(&mut self) -> String {
        let before = self.random.below(4);
        let after = self.random.below(4);
        match self.random.below(7) {
            0 => " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW".into(),
            1 => " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING".into(),
            2 => " ROWS UNBOUNDED PRECEDING".into(),
            3 => format!(" ROWS {before} PRECEDING"),
            4 => format!(" ROWS BETWEEN {} PRECEDING AND {before} PRECEDING", before + after),
            5 => format!(" ROWS BETWEEN {before} FOLLOWING AND {} FOLLOWING", before + after),
            _ => format!(" ROWS BETWEEN {before} PRECEDING AND {after} FOLLOWING"),
        }
    }
}

//! A table with all values as text, the common base of the text and HTML forms.

use crate::format::{number, seconds};
use crate::names::one_line;
use crate::tree::Node;
use crate::{Header, Kind, Table, TableValue, Tree, Unit};

/// The most rows of the text and HTML forms.
pub(super) const MOST_ROWS: usize = 100;
/// The most rows of the HTML form of a tree, collapsed ones included.
pub(super) const MOST_TREE_ROWS: usize = 150;

/// A table whose values are text.
pub(super) struct Grid {
    pub(super) caption: String,
    pub(super) heads: Vec<Head>,
    /// The rows, each with a value per column.
    pub(super) rows: Vec<Vec<Shown>>,
    /// The number of rows, and the notes.
    pub(super) footer: String,
    /// The place of each row in the tree; empty if the table is no tree.
    pub(super) nodes: Vec<Node>,
    /// The column that shows the tree.
    pub(super) tree_column: usize,
}

/// The header of a column.
pub(super) struct Head {
    /// Name and unit.
    pub(super) text: String,
    pub(super) meaning: String,
    pub(super) kind: Kind,
}

impl Head {
    /// Tells whether the column is aligned to the right, as all numbers are.
    pub(super) fn right(&self) -> bool {
        is_number(self.kind)
    }
}

/// A value as text.
pub(super) struct Shown {
    /// The complete text, not elided.
    pub(super) text: String,
    /// The bar behind it, if the column has bars.
    pub(super) bar: Option<Bar>,
}

/// A bar from zero to a value, in percent of the column's width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) tone: Tone,
}

/// The meaning of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// A difference: more in the test.
    More,
    /// A difference: less in the test.
    Less,
    /// A size.
    Size,
}

impl Grid {
    /// Formats the rows of the first page, at most [`MOST_ROWS`].
    pub(super) fn of(table: &Table) -> Self {
        Self::of_rows(table, MOST_ROWS)
    }

    /// Formats at most `most` rows of the first page, of a tree those whose path is open.
    pub(super) fn of_rows(table: &Table, most: usize) -> Self {
        match table.checked_tree() {
            Some(tree) => Self::of_tree(table, &tree, most.min(tree.visible())),
            None => {
                let shown = table.first_page();
                Self::of_shown(table, shown.iter().take(most).map(Vec::as_slice).collect())
            }
        }
    }

    /// Formats at most `most` rows of a tree, collapsed ones included.
    pub(super) fn of_tree(table: &Table, tree: &Tree, most: usize) -> Self {
        let most = table.page.as_ref().map_or(most, |page| page.rows.min(most));
        let mut rows = tree.by_weight();
        rows.truncate(most);
        rows.sort_unstable();
        let shown = rows.iter().filter_map(|&row| table.rows.get(row)).map(Vec::as_slice).collect();
        Self { nodes: tree.nodes(&rows), tree_column: table.tree_column(), ..Self::of_shown(table, shown) }
    }

    fn of_shown(table: &Table, shown: Vec<&[TableValue]>) -> Self {
        let decimals = decimals(table);
        let ranges = ranges(table, &shown);
        let rows = shown
            .iter()
            .map(|row| {
                table.headers.iter().enumerate().map(|(column, header)| {
                    let cell = row.get(column).unwrap_or(&TableValue::Null);
                    Shown {
                        text: write(cell, header, decimals[column]),
                        bar: ranges[column].and_then(|range| bar(cell, header.kind, range)),
                    }
                })
            })
            .map(Iterator::collect)
            .collect();
        let heads = table.headers.iter().map(head).collect();
        let footer = footer(table, shown.len());
        Self { caption: one_line(&table.caption), heads, rows, footer, nodes: Vec::new(), tree_column: 0 }
    }
}

/// Returns the decimals of every column, from the first page. Columns of one unit have the same number, since readers compare
/// them.
pub(super) fn decimals(table: &Table) -> Vec<usize> {
    let alone = |column: usize| {
        number::decimals(table.first_page().iter().filter_map(|row| match row.get(column)? {
            TableValue::Float(value) => Some(*value),
            _ => None,
        }))
    };
    let alone: Vec<usize> = (0..table.headers.len()).map(alone).collect();
    let unit = |column: usize| table.headers[column].unit;
    (0..alone.len())
        .map(|column| match unit(column) {
            Unit::None | Unit::Count => alone[column],
            shared => {
                (0..alone.len()).filter(|&other| unit(other) == shared).map(|other| alone[other]).max().unwrap_or(0)
            }
        })
        .collect()
}

/// Returns the number of rows of the answer; a table made by hand may leave `total_rows` at zero.
pub(super) fn total_rows(table: &Table) -> usize {
    table.total_rows.max(table.rows.len())
}

fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Number | Kind::Id | Kind::Difference | Kind::Bar)
}

fn head(header: &Header) -> Head {
    let unit = header.unit.symbol();
    let name = one_line(&header.name);
    let text = if unit.is_empty() { name } else { format!("{} [{unit}]", without_unit(&name)) };
    Head { text, meaning: one_line(&header.meaning), kind: header.kind }
}

/// Removes the unit from HTA's `sum (us)`, since the table may show another unit.
fn without_unit(name: &str) -> &str {
    name.strip_suffix("(us)").map_or(name, str::trim_end)
}

fn write(cell: &TableValue, header: &Header, decimals: usize) -> String {
    // A duration that is far smaller than those around it has a unit of its own: `−71.0 ns` among ms.
    let float = |value: f64| match header.unit.seconds() {
        Some(in_seconds) if number::is_tiny(value, decimals) => seconds(value * in_seconds),
        _ => number::float(value, decimals),
    };
    match (cell, header.kind) {
        (TableValue::Null, _) => number::DASH.to_owned(),
        // HTA writes an ASCII hyphen.
        (TableValue::Text(text), Kind::Change) if text == "-" => "−".to_owned(),
        (TableValue::Text(text), _) => one_line(text),
        (TableValue::Int(value), Kind::Id | Kind::Name) => value.to_string(),
        (TableValue::Int(value), Kind::Difference) => number::difference(*value as f64, number::int(*value, decimals)),
        (TableValue::Int(value), _) => number::int(*value, decimals),
        (TableValue::Float(value), Kind::Difference) => number::difference(*value, float(*value)),
        (TableValue::Float(value), _) => float(*value),
    }
}

fn value(cell: &TableValue) -> Option<f64> {
    match cell {
        TableValue::Int(value) => Some(*value as f64),
        TableValue::Float(value) => Some(*value).filter(|value| value.is_finite()),
        TableValue::Null | TableValue::Text(_) => None,
    }
}

/// Returns the range of each column with bars, which includes zero. Columns of one scale share theirs.
fn ranges(table: &Table, shown: &[&[TableValue]]) -> Vec<Option<(f64, f64)>> {
    let values = |column: usize| shown.iter().filter_map(move |row| value(row.get(column)?));
    let alone: Vec<Option<(f64, f64)>> = (0..table.headers.len())
        .map(|column| {
            let header = &table.headers[column];
            let whole = if header.kind == Kind::Bar && header.unit == Unit::Percent { 100.0 } else { 0.0 };
            has_bars(header, values(column).count())
                .then(|| values(column).fold((0.0, whole), |(least, most): (f64, f64), v| (least.min(v), most.max(v))))
        })
        .collect();
    let scale = |column: usize| Some(table.headers[column].scale.as_str()).filter(|scale| !scale.is_empty());
    let share = |one: usize, other: usize| one == other || scale(one).is_some() && scale(one) == scale(other);
    let shared = |column: usize| {
        let sharing = (0..alone.len()).filter(|&other| share(column, other)).filter_map(|other| alone[other]);
        sharing.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    };
    (0..alone.len()).map(|column| alone[column].and_then(|_| shared(column))).collect()
}

/// Tells whether a column has bars: if the answer says so, or if it has several durations to compare. Points in time have the same
/// units, but a bar would mean nothing.
fn has_bars(header: &Header, values: usize) -> bool {
    let duration = header.kind == Kind::Number && header.is_duration();
    matches!(header.kind, Kind::Difference | Kind::Bar) || duration && values > 1
}

fn bar(cell: &TableValue, kind: Kind, (least, most): (f64, f64)) -> Option<Bar> {
    let value = value(cell).filter(|&value| value != 0.0)?;
    let percent = |at: f64| (at - least) / (most - least) * 100.0;
    let tone = match kind {
        Kind::Difference if value > 0.0 => Tone::More,
        Kind::Difference => Tone::Less,
        _ => Tone::Size,
    };
    Some(Bar { from: percent(value.min(0.0)), to: percent(value.max(0.0)), tone })
}

fn footer(table: &Table, shown: usize) -> String {
    let total = total_rows(table);
    let count = |n: usize| number::int(i64::try_from(n).unwrap_or(i64::MAX), 0);
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let of = if shown == total { String::new() } else { format!("{} of ", count(shown)) };
    let columns = table.headers.len();
    let mut parts =
        vec![format!("{of}{} row{} × {} column{}", count(total), plural(total), count(columns), plural(columns))];
    parts.extend(table.notes.iter().map(|note| one_line(note)));
    let more = table.page.as_ref().map(|page| one_line(&page.more)).filter(|more| shown < total && !more.is_empty());
    if let Some(more) = more {
        parts.push(more);
    } else if shown < table.rows.len() {
        parts.push(format!("{} rows in JupyterLab with the Tracebook extension", count(table.rows.len())));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(kind: Kind, cells: Vec<TableValue>) -> Table {
        let rows: Vec<Vec<TableValue>> = cells.into_iter().map(|cell| vec![cell]).collect();
        Table { headers: vec![Header::new("x", Unit::Millis, kind)], rows, ..Table::default() }
    }

    fn texts(grid: &Grid) -> Vec<&str> {
        grid.rows.iter().map(|row| row[0].text.as_str()).collect()
    }

    #[test]
    fn column_has_uniform_decimals() {
        let cells = vec![TableValue::Float(1307.74), TableValue::Int(2), TableValue::Null, TableValue::Float(f64::NAN)];
        assert_eq!(texts(&Grid::of(&table(Kind::Number, cells))), ["1,307.7", "2.0", "—", "—"]);
    }

    #[test]
    fn columns_of_one_unit_have_same_decimals() {
        let mut two = table(Kind::Number, vec![TableValue::Float(122.13)]);
        two.headers.push(Header::new("y", Unit::Millis, Kind::Difference));
        two.headers.push(Header::new("z", Unit::Count, Kind::Number));
        two.rows[0].extend([TableValue::Float(45.21), TableValue::Float(2.0)]);
        let grid = Grid::of(&two);
        assert_eq!(
            grid.rows[0].iter().map(|shown| shown.text.as_str()).collect::<Vec<_>>(),
            ["122.13", "▲ +45.21", "2"]
        );
    }

    #[test]
    fn header_shows_unit_of_values_instead_of_htas() {
        let shown = |name| head(&Header::new(name, Unit::Millis, Kind::Number)).text;
        assert_eq!(shown("sum (us)"), "sum [ms]");
        assert_eq!(shown("idle_time(us)"), "idle_time [ms]");
        assert_eq!(head(&Header::new("sum (us)", Unit::None, Kind::Number)).text, "sum (us)");
    }

    #[test]
    fn duration_far_smaller_than_its_column_has_its_own_unit() {
        let cells = || vec![TableValue::Float(207.15), TableValue::Float(-0.000_071), TableValue::Float(0.004)];
        assert_eq!(texts(&Grid::of(&table(Kind::Number, cells()))), ["207.2", "−71.0 ns", "0.0040"]);
        assert_eq!(texts(&Grid::of(&table(Kind::Difference, cells())))[1], "▼ −71.0 ns");
        let mut plain = table(Kind::Number, cells());
        plain.headers[0].unit = Unit::Percent;
        assert_eq!(texts(&Grid::of(&plain))[1], "−0.000071");
    }

    #[test]
    fn identifiers_have_no_separators() {
        assert_eq!(texts(&Grid::of(&table(Kind::Id, vec![TableValue::Int(123_456)]))), ["123456"]);
    }

    #[test]
    fn bars_of_differences_begin_at_zero() {
        let grid = Grid::of(&table(
            Kind::Difference,
            vec![TableValue::Float(-20.5), TableValue::Float(20.5), TableValue::Null],
        ));
        let bar = |from, to, tone| Some(Bar { from, to, tone });
        let expected = [bar(0.0, 50.0, Tone::Less), bar(50.0, 100.0, Tone::More), None];
        assert_eq!(grid.rows.iter().map(|row| row[0].bar).collect::<Vec<_>>(), expected);
        let more = Grid::of(&table(
            Kind::Difference,
            vec![TableValue::Float(5.0), TableValue::Float(10.0), TableValue::Float(0.0)],
        ));
        let expected = [bar(0.0, 50.0, Tone::More), bar(0.0, 100.0, Tone::More), None];
        assert_eq!(more.rows.iter().map(|row| row[0].bar).collect::<Vec<_>>(), expected);
        assert_eq!(grid.heads[0].text, "x [ms]");
    }

    #[test]
    fn several_durations_have_bars_of_shared_scale() {
        let names = ["a_total", "b_total", "ts"];
        let header = |name: &&str| Header {
            scale: if *name == "ts" { String::new() } else { "total".to_owned() },
            ..Header::new(*name, Unit::Millis, Kind::Number)
        };
        let headers: Vec<Header> = names.iter().map(header).collect();
        let row = |a, b| vec![TableValue::Float(a), TableValue::Float(b), TableValue::Float(1.0)];
        let mut two = Table { headers, rows: vec![row(5.0, 10.0), row(2.0, 0.0)], ..Table::default() };
        let to = |table: &Table| {
            let grid = Grid::of(table);
            grid.rows
                .iter()
                .map(|row| row.iter().map(|shown| shown.bar.map(|bar| bar.to)).collect())
                .collect::<Vec<Vec<_>>>()
        };
        assert_eq!(to(&two), [[Some(50.0), Some(100.0), None], [Some(20.0), None, None]]);
        two.rows.pop();
        assert_eq!(to(&two), [[None, None, None]]);
        let share = Header::new("share", Unit::Percent, Kind::Bar);
        let one = Table { headers: vec![share], rows: vec![vec![TableValue::Float(40.0)]], ..Table::default() };
        assert_eq!(to(&one), [[Some(40.0)]], "of a hundred");
    }

    #[test]
    fn footer_of_page_says_how_to_see_more() {
        let mut paged = table(Kind::Number, (0..60).map(TableValue::Int).collect());
        paged.page = Some(crate::Page { rows: 20, more: "--top 50 shows more".to_owned() });
        let grid = Grid::of(&paged);
        assert_eq!(grid.rows.len(), 20);
        assert_eq!(grid.footer, "20 of 60 rows × 1 column · --top 50 shows more");
    }

    #[test]
    fn footer_counts_hidden_rows() {
        let mut cut = table(Kind::Number, (0..120).map(TableValue::Int).collect());
        cut.total_rows = 1284;
        cut.notes.push("sorted by |Δ| ↓".to_owned());
        let footer = Grid::of(&cut).footer;
        assert!(
            footer.starts_with("100 of 1,284 rows × 1 column · sorted by |Δ| ↓ · 120 rows in JupyterLab"),
            "{footer}"
        );
        assert_eq!(Grid::of(&table(Kind::Number, vec![TableValue::Int(1)])).footer, "1 row × 1 column");
    }

    #[test]
    fn short_row_is_filled_with_dashes() {
        let mut short = table(Kind::Number, vec![]);
        short.rows.push(vec![]);
        assert_eq!(texts(&Grid::of(&short)), ["—"]);
    }
}

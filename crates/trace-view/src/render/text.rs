//! Plain text, for terminals, logs and front ends without richer forms.

use super::grid::Grid;
use crate::names::{elide, elide_apart, elide_within, is_control};
use crate::tree::Node;
use crate::{Figure, Header, Kind, Points, Table, TableValue, grouped};

/// The width of a table in characters, above which names are elided.
const WIDTH: usize = 120;
/// The least width of a column of names, and in a table that must fit a screen.
const LEAST_NAME: usize = 32;
const LEAST_FITTING_NAME: usize = 18;
/// A header is not broken into lines narrower than this.
const LEAST_HEAD: usize = 10;
/// How far a row of a tree is indented at most.
const MOST_INDENT: usize = 40;
/// The least width of a name in a tree.
const LEAST_TREE_NAME: usize = 16;
/// The most values in the text of a figure.
const MOST_VALUES: usize = 20;

/// Replaces characters that could control a terminal; line ends and tabs stay.
pub fn terminal_safe(text: &str) -> String {
    text.chars().map(|c| if is_control(c) && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// Writes a table in aligned columns: caption, headers, the same rows as the HTML form, footer.
pub(super) fn table(table: &Table) -> String {
    grid(Grid::of(table), &Room { width: WIDTH, least_name: LEAST_NAME })
}

/// Writes a table with all rows of its first page.
pub(super) fn whole_table(table: &Table) -> String {
    grid(Grid::of_rows(table, usize::MAX), &Room { width: WIDTH, least_name: LEAST_NAME })
}

/// Writes a table so that no line is longer than a screen; see [`Table::text_within`].
pub(super) fn table_within(table: &Table, width: usize) -> String {
    fitting(Grid::of(table), width)
}

/// Writes a table with all rows of its first page so that no line is longer than a screen.
pub(super) fn whole_table_within(table: &Table, width: usize) -> String {
    fitting(Grid::of_rows(table, usize::MAX), width)
}

/// Writes a table so that no line is longer than a screen: names are elided, and where that is not enough, columns on the right are left
/// out, which the footer names.
fn fitting(mut fitting: Grid, width: usize) -> String {
    // A row of a tree may end with how many rows below it are not shown.
    let behind = fitting.nodes.iter().map(|node| length(&self::left_out(Some(node)))).max().unwrap_or(0);
    let room = Room { width: width.saturating_sub(behind), least_name: LEAST_FITTING_NAME };
    let mut left_out = Vec::new();
    while fitting.heads.len() > 1 && fitting.heads.len() - 1 != fitting.tree_column && !fits(&fitting, &room) {
        left_out.extend(fitting.heads.pop().map(|head| head.text));
        fitting.rows.iter_mut().for_each(|row| row.truncate(fitting.heads.len()));
    }
    if !left_out.is_empty() {
        left_out.reverse();
        let columns = if left_out.len() == 1 { "a column that does" } else { "columns that do" };
        fitting.footer.push_str(&format!("\nwithout {columns} not fit the width: {}", left_out.join(", ")));
    }
    grid(fitting, &room)
}

/// The room of a table.
struct Room {
    /// The longest line, in characters.
    width: usize,
    /// The least width of a column of names.
    least_name: usize,
}

/// Tells whether the lines of a table are no longer than they may be.
fn fits(grid: &Grid, room: &Room) -> bool {
    let heads: Vec<Vec<String>> = (0..grid.heads.len()).map(|column| head(grid, column)).collect();
    let widths = widths(grid, &heads, room);
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1) <= room.width
}

fn grid(grid: Grid, room: &Room) -> String {
    let heads: Vec<Vec<String>> = (0..grid.heads.len()).map(|column| head(&grid, column)).collect();
    let widths = widths(&grid, &heads, room);
    let columns: Vec<Vec<String>> = (0..widths.len()).map(|column| cells(&grid, column, widths[column])).collect();
    let line = |texts: Vec<&str>| {
        let padded = texts.into_iter().zip(&grid.heads).zip(&widths).map(|((text, head), &width)| {
            let gap = " ".repeat(width.saturating_sub(length(text)));
            if head.right() { format!("{gap}{text}") } else { format!("{text}{gap}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = Vec::with_capacity(grid.rows.len() + 6);
    if !grid.caption.is_empty() {
        lines.push(grid.caption);
    }
    let deepest = heads.iter().map(Vec::len).max().unwrap_or(0);
    for depth in 0..deepest {
        // All headers end on the same line.
        let index = |head: &Vec<String>| (depth + head.len()).checked_sub(deepest);
        lines.push(line(heads.iter().map(|head| index(head).map_or("", |depth| head[depth].as_str())).collect()));
    }
    lines.push(widths.iter().map(|&width| "─".repeat(width)).collect::<Vec<_>>().join("  "));
    lines.extend(
        (0..grid.rows.len()).map(|row| {
            line(columns.iter().map(|column| column[row].as_str()).collect()) + &left_out(grid.nodes.get(row))
        }),
    );
    lines.push(grid.footer);
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Writes a figure: its titles, and its values as a table.
pub(super) fn figure(figure: &Figure) -> String {
    let titles = [figure.title.as_str(), figure.subtitle.as_str()];
    let caption = titles.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" · ");
    if figure.series.iter().all(|series| series.x.is_empty()) {
        return format!("{caption}\nnothing to draw").trim_start().to_owned();
    }
    table(&Table { caption, ..values(figure) })
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Breaks the header of a column into lines about as narrow as its values: `control_total_`, `duration [ms]`.
fn head(grid: &Grid, column: usize) -> Vec<String> {
    let values = grid.rows.iter().map(|row| length(&row[column].text)).max().unwrap_or(0);
    let mut lines = vec![String::new()];
    for word in grid.heads[column].text.split_inclusive(['_', ' ']) {
        let last = lines.last().map_or(0, |line| length(line));
        if last > 0 && last + length(word.trim_end()) > values.max(LEAST_HEAD) {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(word);
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Says how many rows below a row of a tree are not shown; nothing if there is none.
fn left_out(node: Option<&Node>) -> String {
    match node.map_or(0, |node| node.left) {
        0 => String::new(),
        1 => "  + 1 row below".to_owned(),
        left => format!("  + {} rows below", grouped(left)),
    }
}

/// Returns how far a name is indented in a tree, its mark included.
fn indent(node: &Node) -> usize {
    (node.level * 2).min(MOST_INDENT) + 2
}

/// Writes the names of a tree: indented, with a mark if there are rows below, elided to the width.
fn tree_names(grid: &Grid, whole: &[String], width: usize) -> Vec<String> {
    let room = |node: &Node| width.saturating_sub(indent(node)).max(LEAST_TREE_NAME);
    let short = elide_within(whole, &grid.nodes.iter().map(room).collect::<Vec<_>>());
    let name = |(node, short): (&Node, String)| {
        let mark = match (node.open, node.parent) {
            (true, _) => '▾',
            (_, true) => '▸',
            _ => ' ',
        };
        format!("{}{mark} {short}", " ".repeat(indent(node) - 2))
    };
    grid.nodes.iter().zip(short).map(name).collect()
}

/// Elides the values of a column to its width; different names stay different.
fn cells(grid: &Grid, column: usize, width: usize) -> Vec<String> {
    let whole: Vec<String> = grid.rows.iter().map(|row| row[column].text.clone()).collect();
    if column == grid.tree_column && !grid.nodes.is_empty() {
        return tree_names(grid, &whole, width);
    }
    if grid.heads[column].kind == Kind::Name {
        return elide_apart(&whole, width);
    }
    whole.iter().map(|text| elide(text, width)).collect()
}

/// Returns the width of every column; names and other texts share the width that the numbers leave.
fn widths(grid: &Grid, heads: &[Vec<String>], of: &Room) -> Vec<usize> {
    let head = |column: usize| heads[column].iter().map(|line| length(line)).max().unwrap_or(0);
    let indents = |column: usize, row: usize| match grid.nodes.get(row) {
        Some(node) if column == grid.tree_column => indent(node),
        _ => 0,
    };
    let text = |column: usize, row: usize| length(&grid.rows[row][column].text) + indents(column, row);
    let widest = |column: usize| (0..grid.rows.len()).map(|row| text(column, row)).max().unwrap_or(0);
    let least = |column: usize| {
        let deepest = (0..grid.nodes.len()).map(|row| indents(column, row)).max().unwrap_or(0);
        of.least_name.max(deepest + LEAST_TREE_NAME)
    };
    let mut widths: Vec<usize> = (0..heads.len()).map(|column| widest(column).max(head(column))).collect();
    let elastic: Vec<usize> =
        (0..widths.len()).filter(|&column| matches!(grid.heads[column].kind, Kind::Name | Kind::Text)).collect();
    let gaps = 2 * widths.len().saturating_sub(1);
    let fixed: usize = (0..widths.len()).filter(|column| !elastic.contains(column)).map(|column| widths[column]).sum();
    let mut room = of.width.saturating_sub(fixed + gaps);
    // Narrow columns first: the width that they leave goes to the wide ones.
    let mut narrow_first = elastic.clone();
    narrow_first.sort_by_key(|&column| widths[column]);
    for (done, column) in narrow_first.into_iter().enumerate() {
        let fair = (room / (elastic.len() - done)).max(least(column)).max(head(column));
        widths[column] = widths[column].min(fair);
        room = room.saturating_sub(widths[column]);
    }
    widths
}

/// Returns the values of a figure as a table: one row per position if all series have the same positions, else one per value.
fn values(figure: &Figure) -> Table {
    let position = if figure.x.title.is_empty() { "name" } else { figure.x.title.as_str() };
    let position_kind = |points: &Points| if matches!(points, Points::Names(_)) { Kind::Name } else { Kind::Number };
    let y = |series: &crate::Series, index: usize| {
        series.y.get(index).map_or(TableValue::Null, |&value| TableValue::Float(value))
    };
    let Some(first) = figure.series.first() else { return Table::default() };
    let mut table = Table::default();
    if figure.series.iter().all(|series| series.x == first.x) {
        table.headers.push(Header::new(position, figure.x.unit, position_kind(&first.x)));
        table.headers.extend(figure.series.iter().map(|series| Header::new(&series.name, figure.y.unit, Kind::Number)));
        table.total_rows = first.x.len();
        for index in 0..first.x.len().min(MOST_VALUES) {
            let row = figure.series.iter().map(|series| y(series, index));
            table.rows.push(std::iter::once(at(&first.x, index)).chain(row).collect());
        }
    } else {
        table.headers = vec![
            Header::new("series", crate::Unit::None, Kind::Text),
            Header::new(position, figure.x.unit, position_kind(&first.x)),
            Header::new(if figure.y.title.is_empty() { "value" } else { &figure.y.title }, figure.y.unit, Kind::Number),
        ];
        for series in &figure.series {
            table.total_rows += series.x.len();
            for index in 0..series.x.len().min(MOST_VALUES.saturating_sub(table.rows.len())) {
                table.rows.push(vec![TableValue::Text(series.name.clone()), at(&series.x, index), y(series, index)]);
            }
        }
    }
    table
}

fn at(points: &Points, index: usize) -> TableValue {
    match points {
        Points::Names(names) => names.get(index).map_or(TableValue::Null, |name| TableValue::Text(name.clone())),
        Points::Numbers(numbers) => numbers.get(index).map_or(TableValue::Null, |&number| TableValue::Float(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Series, Unit};

    fn sample(name: &str) -> Table {
        Table {
            caption: "ops_diff · control → test".to_owned(),
            headers: vec![
                Header::new("name", Unit::None, Kind::Name),
                Header::new("diff", Unit::Micros, Kind::Difference),
            ],
            rows: vec![
                vec![TableValue::Text(name.to_owned()), TableValue::Float(1307.7)],
                vec![TableValue::Text("aten::mm".to_owned()), TableValue::Float(-2698.1)],
            ],
            total_rows: 2,
            notes: vec!["sorted by |Δ|".to_owned()],
            ..Table::default()
        }
    }

    #[test]
    fn columns_are_aligned_and_the_footer_counts() {
        let text = table(&sample("aten::add"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "ops_diff · control → test");
        assert_eq!(lines[1], "name        diff [µs]");
        assert!(lines[2].starts_with("─────────  ──────────"));
        assert_eq!(lines[3], "aten::add  ▲ +1,307.7");
        assert_eq!(lines[4], "aten::mm   ▼ −2,698.1");
        assert_eq!(lines[5], "2 rows × 2 columns · sorted by |Δ|");
    }

    #[test]
    fn long_names_are_elided_to_the_width() {
        let text = table(&sample(&"k".repeat(4000)));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(text.contains('…') && text.contains("▲ +1,307.7"));
    }

    #[test]
    fn columns_that_do_not_fit_are_left_out_and_named() {
        let mut wide = sample(&"aten::convolution_backward".repeat(3));
        for column in ["control", "test", "verdict"] {
            wide.headers.push(Header::new(column, Unit::Micros, Kind::Number));
            wide.rows.iter_mut().for_each(|row| row.push(TableValue::Float(1_234_567.8)));
        }
        let all = whole_table_within(&wide, 80);
        assert!(all.contains("verdict") && !all.contains("without"), "{all}");
        for width in [40, 50, 60, 80, 120] {
            let text = whole_table_within(&wide, width);
            assert!(
                text.lines().filter(|line| !line.starts_with("without")).all(|line| length(line) <= width),
                "{text}"
            );
        }
        let narrow = whole_table_within(&wide, 50);
        assert!(
            narrow.contains("diff")
                && narrow.ends_with("without columns that do not fit the width: test [µs], verdict [µs]"),
            "{narrow}"
        );
        assert!(whole_table_within(&sample("a"), 3).contains("name"), "the first column stays");
    }

    #[test]
    fn long_headers_break_between_words() {
        let mut wide = sample("aten::add");
        wide.headers[1].name = "control_total_duration".to_owned();
        let text = table(&wide);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[4], "name             [µs]");
        assert_eq!(lines[1..4], ["             control_", "               total_", "             duration"]);
    }

    #[test]
    fn names_cannot_control_terminal() {
        let text = table(&sample("\u{1b}]0;owned\u{7}\r\nfake row"));
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}') && !text.contains('\r'));
        assert_eq!(text.lines().count(), 6);
        assert_eq!(terminal_safe("a\u{1b}[2Jb\n\tc\u{9b}"), "a\u{fffd}[2Jb\n\tc\u{fffd}");
    }

    #[test]
    fn text_of_tree_shows_open_paths() {
        let row = |name: &str, diff: f64| vec![TableValue::Text(name.to_owned()), TableValue::Float(diff)];
        let tree = Table {
            rows: vec![
                row("step", 3.5),
                row("forward", 0.0),
                row("aten::mm", 0.0),
                row("gemm", 0.0),
                row("backward", 3.0),
                row(&"k".repeat(200), 3.0),
            ],
            total_rows: 6,
            ..sample("")
        };
        let text = table(&tree.clone().tree(vec![0, 1, 2, 3, 1, 2], vec![true, false, true, false, true, false]));
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert!(lines[3].starts_with("▾ step  ") && lines[3].ends_with("▲ +3.5"), "{text}");
        assert!(lines[4].starts_with("  ▸ forward  ") && lines[4].ends_with("0.0  + 2 rows below"), "{text}");
        assert!(lines[5].starts_with("  ▾ backward  "), "{text}");
        assert!(lines[6].starts_with("      kkk") && lines[6].contains('…'), "{text}");
        assert_eq!(
            lines[7],
            "4 of 6 rows × 2 columns · sorted by |Δ| · 6 rows in JupyterLab with the Tracebook extension"
        );
        let deep = tree.tree((0..6).map(|level| level * 100).collect(), vec![true; 6]);
        assert!(table(&deep).lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn figure_text_lists_values() {
        let names = Points::Names(vec!["aten::mm".to_owned()]);
        let series =
            |name: &str, y: f64| Series { name: name.to_owned(), mark: crate::Mark::Bar, x: names.clone(), y: vec![y] };
        let text = figure(&Figure {
            title: "Ops".to_owned(),
            series: vec![series("control", 4.0), series("test", f64::NAN)],
            ..Figure::default()
        });
        assert!(text.starts_with("Ops\n") && text.contains("aten::mm        4     —"), "{text}");
        assert_eq!(figure(&Figure::default()), "nothing to draw");
    }
}

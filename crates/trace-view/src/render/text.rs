//! Plain text for terminals, logs and front ends that draw nothing richer.

use super::grid::{Grid, Shown};
use super::names::{elide, steers};
use crate::{Cell, Figure, Header, Kind, Points, Table};

/// How wide a table may be before its names are elided.
const WIDTH: usize = 120;
/// What a name keeps at least.
const LEAST_NAME: usize = 24;
/// How many values of a figure its text shows.
const MOST_VALUES: usize = 20;

/// `text` without control characters that could steer a terminal; line ends and tabs stay.
pub fn terminal_safe(text: &str) -> String {
    text.chars().map(|c| if steers(c) && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// A table in aligned columns: caption, head, the same rows as the HTML form, footer.
pub(super) fn table(table: &Table) -> String {
    let grid = Grid::of(table);
    let widths = widths(&grid);
    let mut lines = Vec::with_capacity(grid.rows.len() + 4);
    if !grid.caption.is_empty() {
        lines.push(grid.caption.clone());
    }
    let line = |texts: &mut dyn Iterator<Item = &str>| {
        let cells = texts.zip(&grid.heads).zip(&widths).map(|((text, head), &width)| {
            let text = elide(text, width);
            let gap = " ".repeat(width.saturating_sub(text.chars().count()));
            if head.right() { format!("{gap}{text}") } else { format!("{text}{gap}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    if !grid.heads.is_empty() {
        lines.push(line(&mut grid.heads.iter().map(|head| head.text.as_str())));
        lines.push(widths.iter().map(|&width| "─".repeat(width)).collect::<Vec<_>>().join("  "));
    }
    lines.extend(grid.rows.iter().map(|row| line(&mut row.iter().map(|shown| shown.text.as_str()))));
    lines.push(grid.footer);
    lines.join("\n")
}

/// A figure in words: its titles, and its values as a table.
pub(super) fn figure(figure: &Figure) -> String {
    let titles = [figure.title.as_str(), figure.subtitle.as_str()];
    let caption = titles.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" · ");
    if figure.series.iter().all(|series| series.x.is_empty()) {
        return format!("{caption}\nnothing to draw").trim_start().to_owned();
    }
    table(&Table { caption, ..values(figure) })
}

/// The width of every column; names and other texts share what the numbers leave.
fn widths(grid: &Grid) -> Vec<usize> {
    let length = |text: &str| text.chars().count();
    let mut widths: Vec<usize> = (0..grid.heads.len())
        .map(|column| {
            let cell = |row: &Vec<Shown>| length(&row[column].text);
            grid.rows.iter().map(cell).max().unwrap_or(0).max(length(&grid.heads[column].text))
        })
        .collect();
    let elastic: Vec<usize> =
        (0..widths.len()).filter(|&column| matches!(grid.heads[column].kind, Kind::Name | Kind::Text)).collect();
    let gaps = 2 * widths.len().saturating_sub(1);
    let fixed: usize = (0..widths.len()).filter(|column| !elastic.contains(column)).map(|column| widths[column]).sum();
    let mut room = WIDTH.saturating_sub(fixed + gaps);
    // Narrow columns first: what they leave goes to the wide ones.
    let mut narrow_first = elastic.clone();
    narrow_first.sort_by_key(|&column| widths[column]);
    for (done, column) in narrow_first.into_iter().enumerate() {
        let fair = (room / (elastic.len() - done)).max(LEAST_NAME);
        widths[column] = widths[column].min(fair);
        room = room.saturating_sub(widths[column]);
    }
    widths
}

/// The values of a figure: one row per place when all series stand at the same places, else one per value.
fn values(figure: &Figure) -> Table {
    let place = if figure.x.title.is_empty() { "name" } else { figure.x.title.as_str() };
    let place_kind = |points: &Points| if matches!(points, Points::Names(_)) { Kind::Name } else { Kind::Number };
    let y = |series: &crate::Series, index: usize| series.y.get(index).map_or(Cell::Null, |&value| Cell::Float(value));
    let Some(first) = figure.series.first() else { return Table::default() };
    let mut table = Table::default();
    if figure.series.iter().all(|series| series.x == first.x) {
        table.headers.push(Header::new(place, figure.x.unit, place_kind(&first.x)));
        table.headers.extend(figure.series.iter().map(|series| Header::new(&series.name, figure.y.unit, Kind::Number)));
        table.total_rows = first.x.len();
        for index in 0..first.x.len().min(MOST_VALUES) {
            let row = figure.series.iter().map(|series| y(series, index));
            table.rows.push(std::iter::once(at(&first.x, index)).chain(row).collect());
        }
    } else {
        table.headers = vec![
            Header::new("series", crate::Unit::None, Kind::Text),
            Header::new(place, figure.x.unit, place_kind(&first.x)),
            Header::new(if figure.y.title.is_empty() { "value" } else { &figure.y.title }, figure.y.unit, Kind::Number),
        ];
        for series in &figure.series {
            table.total_rows += series.x.len();
            for index in 0..series.x.len().min(MOST_VALUES.saturating_sub(table.rows.len())) {
                table.rows.push(vec![Cell::Text(series.name.clone()), at(&series.x, index), y(series, index)]);
            }
        }
    }
    table
}

fn at(points: &Points, index: usize) -> Cell {
    match points {
        Points::Names(names) => names.get(index).map_or(Cell::Null, |name| Cell::Text(name.clone())),
        Points::Numbers(numbers) => numbers.get(index).map_or(Cell::Null, |&number| Cell::Float(number)),
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
                vec![Cell::Text(name.to_owned()), Cell::Float(1307.7)],
                vec![Cell::Text("aten::mm".to_owned()), Cell::Float(-2698.1)],
            ],
            total_rows: 2,
            notes: vec!["sorted by |Δ|".to_owned()],
        }
    }

    #[test]
    fn columns_are_aligned_and_the_footer_counts() {
        let text = table(&sample("aten::add"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "ops_diff · control → test");
        assert_eq!(lines[1], "name        diff [µs]");
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
    fn a_name_cannot_steer_the_terminal() {
        let text = table(&sample("\u{1b}]0;owned\u{7}\r\nfake row"));
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}') && !text.contains('\r'));
        assert_eq!(text.lines().count(), 6);
        assert_eq!(terminal_safe("a\u{1b}[2Jb\n\tc\u{9b}"), "a\u{fffd}[2Jb\n\tc\u{fffd}");
    }

    #[test]
    fn a_figure_says_its_values() {
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

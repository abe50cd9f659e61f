//! Trees as HTML that passes JupyterLab's sanitiser: rows that the reader expands without a script, in aligned columns.
//!
//! A table cannot be folded without a script, so each row is a line of boxes of fixed widths, and a row with others below it is the
//! summary of `<details>`. A box of a name is narrower by what the row is indented, so that the columns behind it are aligned.

use super::grid::{Grid, Head, Shown};
use super::html::{align, prose, push, tint, title};
use crate::names::{elide, elide_within};
use crate::tree::Node;
use crate::{Kind, grouped};

/// How far each level is indented, in em; less if the tree is deep.
const STEP: f64 = 1.2;
/// How far the deepest level is indented at most.
const MOST_INDENT: f64 = 16.0;
/// Deeper levels are written as this one: browsers and sanitisers bound how deep elements are nested.
const DEEPEST: usize = 48;
/// The width of a character, in em: of a monospace font, and of digits and letters on average.
const MONO: f64 = 0.62;
const CHAR: f64 = 0.58;
/// The width of a row that fits most windows, and the least width of the names in a wider one, in em.
const FITTING: f64 = 56.0;
const LEAST_NAMES: f64 = 25.0;
/// The fewest characters of a name.
const LEAST_CHARS: usize = 12;
/// The most characters of any other text that are shown.
const TEXT_CHARS: usize = 36;

/// The widths of the boxes of a tree, in em.
struct Widths {
    columns: Vec<f64>,
    step: f64,
}

/// Writes a tree; the paths that are open at first are expanded.
pub(super) fn tree(grid: &Grid) -> String {
    let mut html = String::with_capacity(1024 + grid.rows.len() * (grid.heads.len() + 1) * 110);
    let widths = Widths::of(grid);
    html.push_str("<div style=\"max-height:540px;overflow:auto;\">");
    if !grid.caption.is_empty() {
        push(
            &mut html,
            format_args!("<div style=\"font-weight:bold;padding:2px 0 6px 0;\">{}</div>", prose(&grid.caption)),
        );
    }
    push(
        &mut html,
        format_args!(
            "<div style=\"width:{:.1}em;margin-left:1.3em;line-height:1.5;white-space:nowrap;\">",
            widths.whole()
        ),
    );
    heads(&mut html, grid, &widths);
    let short: Vec<Vec<String>> = (0..grid.heads.len()).map(|column| shortened(grid, column, &widths)).collect();
    // The rows that are not closed yet: their level, and how many rows below them are left out.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for (index, (row, node)) in grid.rows.iter().zip(&grid.nodes).enumerate() {
        let level = node.level.min(DEEPEST);
        close(&mut html, &mut path, level, &widths);
        let line = Line { row, node, level, short: short.iter().map(|column| column[index].as_str()).collect() };
        if node.parent {
            let open = if node.open { " open" } else { "" };
            push(
                &mut html,
                format_args!(
                    "<details{open}{}><summary style=\"list-style-position:outside;{LINE}\">",
                    indent(level, &widths)
                ),
            );
            line.write(&mut html, grid, &widths);
            html.push_str("</summary>");
            path.push((level, node.left));
        } else {
            push(&mut html, format_args!("<div style=\"{}{LINE}\">", margin(level, &widths)));
            line.write(&mut html, grid, &widths);
            html.push_str("</div>");
        }
    }
    close(&mut html, &mut path, 0, &widths);
    push(
        &mut html,
        format_args!(
            "</div></div><div style=\"font-size:90%;opacity:.75;padding:4px 0;\">{}</div>",
            prose(&grid.footer)
        ),
    );
    html
}

/// The line below a row, which the eye follows from the name to the numbers.
const LINE: &str = "border-bottom:1px solid rgba(128,128,128,.25);";

/// Returns the left margin of a row below another.
fn margin(level: usize, widths: &Widths) -> String {
    if level == 0 { String::new() } else { format!("margin-left:{:.2}em;", widths.step) }
}

/// Returns the attribute with the left margin of a row with rows below it.
fn indent(level: usize, widths: &Widths) -> String {
    if level == 0 { String::new() } else { format!(" style=\"{}\"", margin(level, widths)) }
}

/// Ends the rows that are not above a row of `level`.
fn close(html: &mut String, path: &mut Vec<(usize, usize)>, level: usize, widths: &Widths) {
    while let Some((_, left)) = path.pop_if(|(open, _)| *open >= level) {
        if left > 0 {
            let rows = if left == 1 { "row" } else { "rows" };
            push(
                html,
                format_args!(
                    "<div style=\"margin-left:{:.2}em;font-style:italic;opacity:.75;\">+ {} {rows} below</div>",
                    widths.step,
                    grouped(left)
                ),
            );
        }
        html.push_str("</details>");
    }
}

fn heads(html: &mut String, grid: &Grid, widths: &Widths) {
    push(html, format_args!("<div style=\"{LINE}\">"));
    for (column, head) in grid.heads.iter().enumerate() {
        push(
            html,
            format_args!(
                "<span style=\"display:inline-block;width:{:.1}em;text-align:{};white-space:normal;vertical-align:bottom;\"{}>\
                 <b>{}</b></span> ",
                widths.columns[column],
                align(head),
                title(&head.meaning),
                prose(&head.text).replace('_', "_<wbr>")
            ),
        );
    }
    html.push_str("</div>");
}

/// A row to write.
struct Line<'a> {
    row: &'a [Shown],
    node: &'a Node,
    level: usize,
    short: Vec<&'a str>,
}

impl Line<'_> {
    fn write(&self, html: &mut String, grid: &Grid, widths: &Widths) {
        for (column, (shown, head)) in self.row.iter().zip(&grid.heads).enumerate() {
            let short = self.short[column];
            let is_tree = column == grid.tree_column;
            let width = widths.columns[column] - if is_tree { widths.step * self.level as f64 } else { 0.0 };
            let whole = if short == shown.text { String::new() } else { title(&shown.text) };
            push(
                html,
                format_args!(
                    "<span style=\"display:inline-block;width:{width:.1}em;{}{}\"{whole}>",
                    if head.right() { "text-align:right;" } else { "" },
                    shown.bar.map(tint).unwrap_or_default()
                ),
            );
            let weight = if is_tree && self.node.level == 0 { "font-weight:bold;" } else { "" };
            match head.kind {
                // The font is set inside, since em depends on it.
                Kind::Name => push(
                    html,
                    format_args!("<span style=\"font-family:monospace;{weight}\">{}</span></span> ", prose(short)),
                ),
                _ => push(html, format_args!("{}</span> ", prose(short))),
            }
        }
    }
}

impl Widths {
    fn of(grid: &Grid) -> Self {
        let deepest = grid.nodes.iter().map(|node| node.level.min(DEEPEST)).max().unwrap_or(0);
        let step = STEP.min(MOST_INDENT / deepest.max(1) as f64);
        let level = |row: usize| grid.nodes.get(row).map_or(0, |node| node.level.min(DEEPEST)) as f64;
        let chars = |text: &str| text.chars().count() as f64;
        let width = |(column, head): (usize, &Head)| {
            let rows = grid.rows.iter().enumerate();
            let texts = rows.map(|(row, values)| {
                let indent = if column == grid.tree_column { step * level(row) } else { 0.0 };
                let chars = chars(&values[column].text);
                if head.kind == Kind::Name {
                    chars * MONO + indent
                } else {
                    chars.min(TEXT_CHARS as f64) * CHAR + indent
                }
            });
            let words = head.text.split_inclusive(['_', ' ']).map(|word| chars(word) * CHAR * 1.1);
            texts.chain(words).fold(0.0, f64::max) + 0.8
        };
        let mut columns: Vec<f64> = grid.heads.iter().enumerate().map(width).collect();
        let names: f64 =
            grid.heads.iter().zip(&columns).filter(|(head, _)| head.kind == Kind::Name).map(|(_, width)| width).sum();
        let excess = columns.iter().sum::<f64>() - FITTING;
        if excess > 0.0 {
            let share = ((names - excess) / names).max(0.0);
            for (column, _) in columns.iter_mut().zip(&grid.heads).filter(|(_, head)| head.kind == Kind::Name) {
                *column = (*column * share).max(LEAST_NAMES.min(*column));
            }
        }
        Self { columns, step }
    }

    /// Returns the width of a row, with the blanks between the boxes.
    fn whole(&self) -> f64 {
        self.columns.iter().map(|column| column + 0.4).sum()
    }
}

/// Shortens the texts of a column to the width of its boxes.
fn shortened(grid: &Grid, column: usize, widths: &Widths) -> Vec<String> {
    let whole: Vec<String> = grid.rows.iter().map(|row| row[column].text.clone()).collect();
    if grid.heads[column].kind != Kind::Name {
        return whole.iter().map(|text| elide(text, TEXT_CHARS)).collect();
    }
    let room = |node: &Node| {
        let indent = if column == grid.tree_column { widths.step * node.level.min(DEEPEST) as f64 } else { 0.0 };
        (((widths.columns[column] - indent - 0.6) / MONO) as usize).max(LEAST_CHARS)
    };
    elide_within(&whole, &grid.nodes.iter().map(room).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Header, Table, TableValue, Unit};

    fn sample(levels: Vec<u32>, open: Vec<bool>) -> Table {
        let row = |index: usize| vec![TableValue::Text(format!("<b>{index}")), TableValue::Float(index as f64 - 1.0)];
        Table {
            caption: "tree_diff <i>".to_owned(),
            headers: vec![
                Header::new("name", Unit::None, Kind::Name),
                Header::new("diff", Unit::Micros, Kind::Difference),
            ],
            rows: (0..levels.len()).map(row).collect(),
            ..Table::default()
        }
        .tree(levels, open)
    }

    #[test]
    fn rows_with_others_below_are_details() {
        let html = sample(vec![0, 1, 2, 1, 0], vec![true, false, false, false, false]).html();
        assert_eq!(html.matches("<details open").count(), 1);
        assert_eq!(html.matches("<details").count(), 2);
        assert_eq!((html.matches("</details>").count(), html.matches("</summary>").count()), (2, 2));
        assert_eq!(
            (html.matches("<div").count(), html.matches("<span").count()),
            (html.matches("</div>").count(), html.matches("</span>").count())
        );
        assert!(html.contains("&lt;b&gt;2") && !html.contains("<b>2") && !html.contains("<i>"), "{html}");
        assert!(!html.contains("var(") && !html.contains(" id=") && !html.contains(" class="));
    }

    #[test]
    fn columns_behind_the_names_are_aligned() {
        let html = sample(vec![0, 1, 2], vec![true; 3]).html();
        // The box of a name is narrower by what the row is indented.
        let boxes: Vec<f64> = html
            .split("<span style=\"display:inline-block;width:")
            .skip(1)
            .step_by(2)
            .map(|text| text.split_once("em").unwrap().0.parse().unwrap())
            .collect();
        assert_eq!(boxes.len(), 4);
        let indents: Vec<f64> = boxes[1..].iter().map(|width| boxes[0] - width).collect();
        assert!(indents.iter().zip([0.0, 1.2, 2.4]).all(|(got, want)| (got - want).abs() < 0.11), "{indents:?}");
    }

    #[test]
    fn rows_that_are_left_out_are_counted() {
        let levels: Vec<u32> = std::iter::once(0).chain((0..400).map(|row| 1 + row % 2)).collect();
        let table = sample(levels, vec![true]);
        let html = super::super::html::table(&table);
        // The root, and 149 of its 200 children: none of those that are two levels below it.
        assert_eq!(html.matches("</summary>").count(), 150);
        assert_eq!(html.matches("+ 1 row below</div>").count(), 149);
        assert!(html.contains("+ 102 rows below</div>") && html.contains("150 of 401 rows"));
    }

    #[test]
    fn deep_trees_are_bounded() {
        let deep = 4_000;
        let html = sample((0..deep).collect(), vec![true; deep as usize]).html();
        let nested = html.split('<').fold((0_usize, 0_usize), |(open, most), tag| {
            let open = match tag {
                _ if tag.starts_with("details") => open + 1,
                _ if tag.starts_with("/details") => open - 1,
                _ => open,
            };
            (open, most.max(open))
        });
        assert_eq!(nested, (0, DEEPEST + 1));
    }
}

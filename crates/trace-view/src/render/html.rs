//! HTML that passes JupyterLab's sanitiser: inline styles only, no scripts, style sheets or theme variables. All escaping of
//! HTML is here.
//!
//! Text keeps the theme's colour, since no colour is readable on both a white and a dark page; backgrounds are transparent tints.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::grid::{Bar, Grid, Head, MOST_TREE_ROWS, Shown, Tone};
use super::tree_html;
use crate::names::{elide, elide_apart};
use crate::{Folded, Kind, Table};

/// The most characters of a name that are shown; its `title` has the complete name.
const NAME_CHARS: usize = 40;
/// The most characters of any other text that are shown.
const TEXT_CHARS: usize = 120;

// The colours of test and control in figures, and a grey: distinguishable without red-green vision.
const ORANGE: &str = "239,138,43,.42";
const BLUE: &str = "59,125,216,.38";
const GREY: &str = "140,143,163,.3";
/// The box of a warning.
const WARNING: &str =
    "margin:4px 0;padding:6px 10px;border-left:4px solid rgba(255,152,0,.9);background:rgba(255,152,0,.16);";
const MONOSPACE: &str = "font-family:monospace;";

/// Writes a paragraph that is set off as a warning.
pub(super) fn warning(text: &str) -> String {
    format!(
        "<p style=\"{WARNING}white-space:pre-wrap;\"><b>Warning:</b> {}</p>",
        prose(&super::text::terminal_safe(text))
    )
}

/// Writes sentences that their title unfolds, of a warning with its colours.
pub(super) fn folded(folded: &Folded) -> String {
    let (box_style, word) = if folded.is_warning { (WARNING, "<b>Warning:</b> ") } else { ("margin:4px 0;", "") };
    format!(
        "<details style=\"{box_style}\"><summary style=\"cursor:pointer;\">{word}{}</summary>\
         <div style=\"padding:4px 0 0 1.1em;white-space:pre-wrap;\">{}</div></details>",
        prose(&super::text::terminal_safe(&folded.title)),
        prose(&super::text::terminal_safe(&folded.text))
    )
}

/// Writes a table with a caption and a footer that says how much of the answer it shows.
pub(super) fn table(table: &Table) -> String {
    match table.checked_tree() {
        Some(tree) => tree_html::tree(&Grid::of_tree(table, &tree, MOST_TREE_ROWS)),
        None => grid(&Grid::of(table)),
    }
}

/// Writes a table with all rows of its first page.
pub(super) fn whole_table(table: &Table) -> String {
    match table.checked_tree() {
        Some(tree) => tree_html::tree(&Grid::of_tree(table, &tree, usize::MAX)),
        None => grid(&Grid::of_rows(table, usize::MAX)),
    }
}

fn grid(grid: &Grid) -> String {
    let mut html = String::with_capacity(512 + grid.rows.len() * grid.heads.len() * 96);
    html.push_str(
        "<div style=\"max-height:540px;overflow:auto;\"><table style=\"border-collapse:collapse;margin:0;\">",
    );
    if !grid.caption.is_empty() {
        push(
            &mut html,
            format_args!(
                "<caption style=\"text-align:left;font-weight:bold;padding:2px 0 6px 0;white-space:nowrap;\">{}</caption>",
                prose(&grid.caption)
            ),
        );
    }
    html.push_str("<thead><tr>");
    for head in &grid.heads {
        push(
            &mut html,
            format_args!(
                "<th scope=\"col\" style=\"text-align:{};padding:3px 6px;vertical-align:bottom;\"{}>{}</th>",
                align(head),
                title(&head.meaning),
                // A long header may be broken, but not before its unit.
                prose(&head.text).replace(" [", "&nbsp;[").replace('_', "_<wbr>")
            ),
        );
    }
    html.push_str("</tr></thead><tbody>");
    let short: Vec<Vec<String>> = (0..grid.heads.len()).map(|column| elided(grid, column)).collect();
    for (index, row) in grid.rows.iter().enumerate() {
        html.push_str("<tr>");
        for ((shown, head), short) in row.iter().zip(&grid.heads).zip(&short) {
            cell(&mut html, shown, &short[index], head);
        }
        html.push_str("</tr>");
    }
    push(
        &mut html,
        format_args!(
            "</tbody></table></div><div style=\"font-size:90%;opacity:.75;padding:4px 0;\">{}</div>",
            prose(&grid.footer)
        ),
    );
    html
}

/// Elides the texts of a column.
fn elided(grid: &Grid, column: usize) -> Vec<String> {
    let whole = grid.rows.iter().map(|row| row[column].text.clone());
    match grid.heads[column].kind {
        Kind::Name => elide_apart(&whole.collect::<Vec<_>>(), NAME_CHARS),
        _ => whole.map(|text| elide(&text, TEXT_CHARS)).collect(),
    }
}

fn cell(html: &mut String, shown: &Shown, short: &str, head: &Head) {
    let whole = if short == shown.text { String::new() } else { title(&shown.text) };
    push(
        html,
        format_args!(
            "<td style=\"text-align:{};padding:3px 6px;white-space:nowrap;{}{}\"{whole}>{}</td>",
            align(head),
            if head.kind == Kind::Name { MONOSPACE } else { "" },
            shown.bar.map(tint).unwrap_or_default(),
            prose(short)
        ),
    );
}

/// Returns the style of the bar behind a value: orange for more, blue for less, grey without direction.
pub(super) fn tint(bar: Bar) -> String {
    let colour = match bar.tone {
        Tone::More => ORANGE,
        Tone::Less => BLUE,
        Tone::Size => GREY,
    };
    let Bar { from, to, .. } = bar;
    if from < 0.05 {
        return format!("background:linear-gradient(90deg,rgba({colour}) {to:.1}%,rgba(0,0,0,0) {to:.1}%);");
    }
    format!(
        "background:linear-gradient(90deg,rgba(0,0,0,0) {from:.1}%,rgba({colour}) {from:.1}%,rgba({colour}) {to:.1}%,\
         rgba(0,0,0,0) {to:.1}%);"
    )
}

pub(super) fn align(head: &Head) -> &'static str {
    if head.right() { "right" } else { "left" }
}

/// Returns a `title` attribute after a blank; nothing for an empty text.
pub(super) fn title(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(text)) }
}

/// Escapes text between tags. JupyterLab typesets formulas in HTML, but not across elements: each delimiter gets its own.
pub(super) fn prose(text: &str) -> String {
    escape(text).replace('$', "<span>$</span>").replace('\\', "<span>\\</span>")
}

/// Escapes text between tags and in quoted attributes.
pub fn escape(text: &str) -> Cow<'_, str> {
    html_escape::encode_quoted_attribute(text)
}

pub(super) fn push(html: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = html.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Header, TableValue, Unit};

    const EVIL: &str = "<script>alert(\"x\")</script> & 'k<float>' ";

    fn evil() -> Table {
        Table {
            caption: EVIL.to_owned(),
            headers: vec![
                Header { meaning: EVIL.to_owned(), ..Header::new(EVIL, Unit::None, Kind::Name) },
                Header::new("kind", Unit::None, Kind::Category),
                Header::new("time", Unit::Millis, Kind::Difference),
            ],
            rows: vec![vec![
                TableValue::Text(EVIL.repeat(20)),
                TableValue::Text(EVIL.to_owned()),
                TableValue::Float(-1.5),
            ]],
            total_rows: 1,
            notes: vec![EVIL.to_owned()],
            ..Table::default()
        }
    }

    #[test]
    fn all_texts_are_escaped() {
        let lines = Folded { title: EVIL.to_owned(), text: EVIL.to_owned(), is_warning: true };
        for html in [table(&evil()), warning(EVIL), folded(&lines)] {
            assert!(!html.contains("<script") && !html.contains("alert(\"") && !html.contains("'k"), "{html}");
            assert!(
                html.contains("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#x27;k&lt;float&gt;&#x27;")
            );
        }
    }

    #[test]
    fn long_names_are_elided_and_complete_in_title() {
        let name = format!("{}MIDDLE{}", "a".repeat(80), "b".repeat(80));
        let mut long = evil();
        long.rows[0][0] = TableValue::Text(name.clone());
        let html = table(&long);
        assert!(html.contains(&format!(" title=\"{name}\">aaa")), "{html}");
        assert_eq!(html.matches("MIDDLE").count(), 1);
    }

    #[test]
    fn dollar_signs_are_not_tex() {
        let html = warning("$x$ \\(y\\)");
        assert!(html.contains("<span>$</span>x<span>$</span> <span>\\</span>(y<span>\\</span>)"), "{html}");
    }

    #[test]
    fn table_has_inline_styles_only() {
        let html = table(&evil());
        assert!(html.contains("max-height:540px;overflow:auto;"));
        assert!(html.contains("time&nbsp;[ms]</th>") && html.contains("<th scope=\"col\" style=\"text-align:right;"));
        assert_eq!(html.matches("<td ").count(), html.matches("<td style=\"text-align:").count());
        assert!(!html.contains("var(") && !html.contains(" id=") && !html.contains(" class="));
    }

    #[test]
    fn less_time_is_blue_and_more_is_orange() {
        let mut both = evil();
        both.rows.push(vec![TableValue::Null, TableValue::Null, TableValue::Float(3.0)]);
        let html = table(&both);
        assert!(html.contains("(90deg,rgba(59,125,216,.38) 33.3%,rgba(0,0,0,0) 33.3%)"), "{html}");
        assert!(html.contains("rgba(239,138,43,.42) 33.3%,rgba(239,138,43,.42) 100.0%"), "{html}");
        assert!(html.contains("▼ −1.5<") && html.contains("▲ +3.0<"));
        assert!(html.contains(">—</td>"));
    }
}

//! The page of a report: sentence, tables, waterfall, flame graph and timeline in one file that needs no network.

use super::drawn::{import_map, inert};
use super::html_page::{CONTENT_STYLE, of_bundle};
use html_escape::{encode_double_quoted_attribute, encode_text};
use serde_json::Value;
use std::io::Write;
use trace_view::{Bundle, FLAME, PNG, Part, Report, TIMELINE, Table, TableValue};

/// Bytes of a page, at most; drawn figures give way to their pictures.
pub(crate) const LARGEST: usize = 3_000_000;

/// Rows of a table that has no verdicts; the rest is folded.
const ROWS: usize = 10;

const STYLE: &str = "\
:root { color-scheme: light dark; }\n\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 960px; margin: 28px auto; padding: 0 18px; background: #fff; color: #1c1e26; }\n\
h1 { font-size: 15px; font-weight: 600; opacity: .75; margin: 0 0 6px; overflow-wrap: anywhere; }\n\
h2 { font-size: 17px; margin: 30px 0 8px; }\n\
.lead { font-size: 22px; line-height: 1.35; font-weight: 600; margin: 0 0 14px; overflow-wrap: anywhere; }\n\
.text { white-space: pre-wrap; margin: 10px 0; overflow-wrap: anywhere; }\n\
section { margin: 14px 0; }\n\
table { font-size: 13px; }\n\
summary { cursor: pointer; padding: 4px 0; opacity: .85; }\n\
.drawn { min-height: 60px; }\n\
.live .picture { display: none; }\n\
footer { margin: 34px 0 10px; font-size: 13px; opacity: .7; }\n\
@media (prefers-color-scheme: dark) { body { background: #14161c; color: #e6e8ef; } }\n\
@media print {\n\
:root { color-scheme: light; }\n\
body { background: #fff; color: #000; max-width: none; margin: 0; font-size: 11pt; }\n\
.drawn { display: none; }\n\
.picture, .live .picture { display: block; }\n\
details::details-content { display: block; content-visibility: visible; }\n\
summary { list-style: none; }\n\
}\n";

/// What nothing in the page may do: load, send, frame. Its own scripts are `data:` URLs.
const POLICY: &str = "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline' data: blob:; worker-src data: blob:; base-uri 'none'; form-action 'none'";

/// A report: what is compared, the answer, and the figures of a step.
pub(crate) struct ReportPage<'a> {
    /// `control → test`.
    pub title: &'a str,
    /// Sentences first, then tables and figures.
    pub report: &'a Report,
    /// Title and output of the flame graph and of the timeline.
    pub(crate) flame: (&'a str, &'a Bundle),
    pub timeline: (&'a str, &'a Bundle),
}

impl ReportPage<'_> {
    /// Writes the page, smaller than [`LARGEST`].
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut page = Vec::new();
        for is_drawn in [[true, true], [true, false], [false, false]] {
            page.clear();
            self.fill(&mut page, is_drawn)?;
            if page.len() < LARGEST {
                break;
            }
        }
        out.write_all(&page)
    }

    /// Writes the page, with the flame graph and the timeline drawn or as pictures only.
    fn fill(&self, out: &mut Vec<u8>, [flame, timeline]: [bool; 2]) -> std::io::Result<()> {
        let title = encode_text(self.title);
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<style>\n{STYLE}{CONTENT_STYLE}</style>\n<title>{title}</title>\n"
        )?;
        if flame || timeline {
            writeln!(out, "<script type=\"importmap\">{}</script>", import_map())?;
        }
        write!(out, "</head>\n<body>\n<h1>{title}</h1>\n")?;
        let mut parts = self.report.parts.iter();
        if let Some(Part::Text(text)) = self.report.parts.first() {
            parts.next();
            let (lead, rest) = text.split_once('\n').unwrap_or((text, ""));
            writeln!(out, "<p class=\"lead\">{}</p>", encode_text(lead))?;
            writeln!(out, "<p class=\"text\">{}</p>", encode_text(rest))?;
        }
        for part in parts {
            match part {
                Part::Text(text) => writeln!(out, "<p class=\"text\">{}</p>", encode_text(text))?,
                Part::Table(table) => self::table(out, table)?,
                part => writeln!(out, "<section>{}</section>", of_bundle(part))?,
            }
        }
        figure(out, self.flame, FLAME, flame)?;
        figure(out, self.timeline, TIMELINE, timeline)?;
        write!(
            out,
            "<footer>Written by Tracebook. The page holds all of its data and loads nothing.</footer>\n\
             <script>addEventListener(\"beforeprint\", () => document.querySelectorAll(\"details\").forEach((one) => {{ one.open = true; }}));</script>\n\
             </body>\n</html>\n"
        )
    }
}

/// Writes a table: rows whose verdict is a change, or the first ones; the rest can be unfolded.
fn table(out: &mut Vec<u8>, table: &Table) -> std::io::Result<()> {
    let verdict = table.headers.iter().position(|header| header.name == "verdict");
    let is_change = |row: &&Vec<TableValue>| {
        let word = verdict.and_then(|column| row.get(column));
        matches!(word, Some(TableValue::Text(word)) if !["no relevant change", "inconclusive", "too few"].contains(&word.as_str()))
    };
    let (mut first, mut rest): (Vec<_>, Vec<_>) = table.rows.iter().cloned().partition(|row| is_change(&row));
    // A short table reads best whole; without verdicts its order counts.
    if first.is_empty() || table.rows.len() <= ROWS {
        first = table.rows.clone();
        rest = first.split_off(first.len().min(ROWS));
    }
    let of = |rows: Vec<Vec<TableValue>>, caption: &str| Table {
        caption: caption.to_owned(),
        total_rows: rows.len(),
        rows,
        notes: Vec::new(),
        ..table.clone()
    };
    let (caption, subject) = table.caption.split_once(" · ").unwrap_or((&table.caption, ""));
    writeln!(out, "<h2>{}</h2>", encode_text(&capitalized(caption)))?;
    writeln!(out, "<section>{}</section>", of(first, subject).html())?;
    if !rest.is_empty() {
        let count = trace_view::format::counted(rest.len(), "further row");
        writeln!(out, "<details><summary>{count}</summary><section>{}</section></details>", of(rest, "").html())?;
    }
    Ok(())
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Writes a flame graph or a timeline: its picture, which the script replaces on the screen.
fn figure(out: &mut Vec<u8>, (title, bundle): (&str, &Bundle), mime: &str, is_drawn: bool) -> std::io::Result<()> {
    let picture = bundle.data.get(PNG).and_then(Value::as_str).unwrap_or_default();
    let plain = encode_double_quoted_attribute(bundle.plain());
    let (name, module, mount, heading) = match mime {
        FLAME => ("flame", "flame.js", "mountFlame", "Flame graph of the step"),
        _ => ("timeline", "timeline.js", "mountTimeline", "Timeline of a step"),
    };
    writeln!(out, "<h2>{heading}</h2>\n<div id=\"{name}\">")?;
    if !is_drawn {
        writeln!(out, "<p class=\"text\">{}</p>", encode_text(title))?;
        writeln!(out, "<p class=\"text\">Only its picture fits into this page; %{name} draws it whole.</p>")?;
    }
    let picture: String = picture.split_whitespace().collect();
    writeln!(out, "<img class=\"picture\" src=\"data:image/png;base64,{picture}\" alt=\"{plain}\">")?;
    if is_drawn {
        let content = bundle.data.get(mime).cloned().unwrap_or(Value::Null);
        writeln!(
            out,
            "<div class=\"drawn\"></div>\n<script type=\"module\">\nimport {{ {mount} }} from \"tracebook/{module}\";\n\
             const place = document.getElementById(\"{name}\");\nplace.classList.add(\"live\");\n\
             {mount}(place.querySelector(\".drawn\"), {});\n</script>",
            inert(&content)
        )?;
    }
    writeln!(out, "</div>")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;
    use trace_view::{Header, Kind, Unit};

    const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";

    fn page(data: &str) -> String {
        let headers =
            vec![Header::new("operator", Unit::None, Kind::Name), Header::new("verdict", Unit::None, Kind::Category)];
        let row =
            |name: &str, verdict: &str| vec![TableValue::Text(name.to_owned()), TableValue::Text(verdict.to_owned())];
        let mut rows = vec![row("quiet", "no relevant change"); 11];
        rows.push(row(HOSTILE, "regression"));
        let table =
            Table { caption: format!("operators · {HOSTILE}"), headers, total_rows: 12, rows, ..Table::default() };
        let report = Report::of(Part::Text(format!("The step takes 3 % longer, {HOSTILE}.\nBy class.")))
            .with(Part::Table(table));
        let bundle =
            |mime| Bundle::text(HOSTILE).with(mime, json!({"name": HOSTILE, "data": data})).with(PNG, json!("AAAA"));
        let (flame, timeline) = (bundle(FLAME), bundle(TIMELINE));
        let page =
            ReportPage { title: HOSTILE, report: &report, flame: ("Flame", &flame), timeline: ("Timeline", &timeline) };
        let mut out = Vec::new();
        page.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn page_begins_with_the_sentence_and_hostile_names_are_inert() {
        let page = page("");
        assert!(page.contains("<p class=\"lead\">The step takes 3 % longer"), "{page}");
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "hostile");
        // Import map, two figures and the handler of printing.
        assert_eq!(page.matches("</script>").count(), 4);
        assert!(!page.contains("http://") && !page.contains("https://") || !page.contains("src=\"http"));
    }

    #[test]
    fn rows_that_changed_come_first_the_rest_is_folded() {
        let page = page("");
        let (shown, folded) = page.split_once("<details>").unwrap();
        assert!(shown.contains("regression") && !shown.contains("no relevant change"));
        assert!(folded.contains("11 further rows") && folded.contains("no relevant change"));
    }

    #[test]
    fn figures_give_way_where_the_page_would_be_too_large() {
        let page = page(&"x".repeat(LARGEST));
        assert!(page.len() < LARGEST && page.contains("Only its picture fits"), "{}", page.len());
    }
}

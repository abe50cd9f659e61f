//! A report as one self-contained HTML file, without scripts.

use std::io::Write;
use trace_view::{HTML, PNG, Part, Report};

/// The style of tables and pictures in any page: pictures that were drawn on white are inverted on a dark page, and nothing is cut
/// in print, where a name may be broken anywhere, a number nowhere.
pub(super) const CONTENT_STYLE: &str = "\
section { overflow-x: auto; }\n\
section div { max-height: none !important; }\n\
table { font-variant-numeric: tabular-nums; }\n\
caption { white-space: normal !important; }\n\
img { max-width: 100%; height: auto; background: #fff; }\n\
@media screen and (prefers-color-scheme: dark) { img { filter: invert(.91) hue-rotate(180deg); } }\n\
@media print {\n\
section, section div { overflow: visible !important; }\n\
table { font-size: 6.5pt; max-width: 100%; }\n\
th, td { padding: 1px 3px !important; print-color-adjust: exact; -webkit-print-color-adjust: exact; }\n\
th, td[style*=\"align:left\"] { white-space: normal !important; }\n\
td[style*=\"monospace\"] { overflow-wrap: anywhere; min-width: 9em; }\n\
tr, svg, img { break-inside: avoid; }\n\
h1, h2, summary { break-after: avoid; }\n\
}\n";

/// The head of the page; follows the light or dark theme of the browser.
const HEAD: &str = "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
<meta name=\"color-scheme\" content=\"light dark\">\n<style>\n\
body { font: 14px/1.45 system-ui, sans-serif; max-width: 1100px; margin: 24px auto; padding: 0 16px; }\n\
section { margin: 18px 0; }\n\
pre { white-space: pre-wrap; font: inherit; }\n\
@media print { :root { color-scheme: light; } body { max-width: none; margin: 0; } }\n";

/// Writes the page.
///
/// # Errors
/// If it cannot be written.
pub fn write_html(title: &str, report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let title = html_escape::encode_text(title);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n{HEAD}{CONTENT_STYLE}</style>\n<title>{title}</title>\n</head>\n<body>\n"
    )?;
    writeln!(out, "<h1>{title}</h1>")?;
    for part in &report.parts {
        let content = match part {
            Part::Text(text) => format!("<pre>{}</pre>", html_escape::encode_text(text)),
            Part::Table(table) => table.html(),
            part => of_bundle(part),
        };
        if !content.is_empty() {
            writeln!(out, "<section>\n{content}\n</section>")?;
        }
    }
    writeln!(out, "</body>\n</html>")
}

/// Returns the HTML of a warning, of a figure its drawing, else its picture with the values as alternative text.
pub(super) fn of_bundle(part: &Part) -> String {
    if let Part::Figure(figure) = part {
        return trace_render::inline_svg(figure);
    }
    let bundle = trace_render::bundle(part, None);
    let text = |mime: &str| bundle.data.get(mime).and_then(|content| content.as_str());
    match (text(HTML), text(PNG)) {
        (Some(html), _) => html.to_owned(),
        (_, Some(picture)) => {
            let picture: String = picture.split_whitespace().collect();
            let text = html_escape::encode_double_quoted_attribute(bundle.plain());
            format!("<img src=\"data:image/png;base64,{picture}\" alt=\"{text}\">")
        }
        _ => format!("<pre>{}</pre>", html_escape::encode_text(bundle.plain())),
    }
}

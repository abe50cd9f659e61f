//! Figures as files: an HTML page or a PNG picture.

use super::output_file::write;
use crate::Error;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::path::Path;
use trace_render::offline_plotly_js;
use trace_view::{Bundle, PLOTLY, PNG};

/// Writes the figure in `bundle` as one HTML file that needs no network.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_page(path: &Path, title: &str, bundle: &Bundle) -> Result<(), Error> {
    let figure = bundle.data.get(PLOTLY).cloned().unwrap_or(Value::Null);
    // Escapes `</script>` and `<!--` in names, which would end the script.
    let figure = figure.to_string().replace('<', "\\u003c");
    write(path, |out| {
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
             <div id=\"figure\" style=\"width:100%\"></div>\n<script>",
            html_escape::encode_text(title)
        )?;
        out.write_all(offline_plotly_js().as_bytes())?;
        write!(
            out,
            "</script>\n<script>\nconst figure = {figure};\n\
             Plotly.newPlot(\"figure\", figure.data, figure.layout, figure.config);\n</script>\n"
        )
    })
}

/// Writes the picture in `bundle` as a PNG file.
///
/// # Errors
/// If the figure has no picture (nothing to draw), or the file cannot be written.
pub(crate) fn write_picture(path: &Path, bundle: &Bundle) -> Result<(), Error> {
    let missing = || std::io::Error::other("the figure has no picture");
    let picture = bundle
        .data
        .get(PNG)
        .and_then(Value::as_str)
        .and_then(|text| STANDARD.decode(text).ok())
        .ok_or_else(|| Error::File { path: path.to_owned(), cause: missing() })?;
    write(path, |out| out.write_all(&picture))
}

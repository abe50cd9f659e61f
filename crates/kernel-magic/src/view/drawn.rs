//! A timeline or a flame graph as one HTML file, drawn by the scripts of the extension.

use crate::Error;
use crate::context::write;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kernel_base::scripts::SCRIPTS;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use trace_view::{Bundle, FLAME, PNG};

/// The head of the page; follows the light or dark theme of the browser.
const HEAD: &str = "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
<meta name=\"color-scheme\" content=\"light dark\">\n<style>\n\
body { font: 14px/1.45 system-ui, sans-serif; margin: 16px; }\nimg { max-width: 100%; background: #fff; }\n</style>\n";

/// Writes the output as a page that needs no network: what the extension draws of it, and its picture where scripts are off.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_drawn(path: &Path, title: &str, bundle: &Bundle, mime: &str) -> Result<(), Error> {
    let (module, mount) = if mime == FLAME { ("flame.js", "mountFlame") } else { ("timeline.js", "mountTimeline") };
    let content = bundle.data.get(mime).cloned().unwrap_or(Value::Null);
    let title = html_escape::encode_text(title);
    let picture = bundle.data.get(PNG).and_then(Value::as_str).unwrap_or_default();
    let plain = html_escape::encode_double_quoted_attribute(bundle.plain());
    write(path, |out| {
        write!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n{HEAD}<title>{title}</title>\n")?;
        writeln!(out, "<script type=\"importmap\">{}</script>", import_map())?;
        write!(out, "</head>\n<body>\n<div id=\"drawn\"></div>\n<noscript>")?;
        writeln!(out, "<img src=\"data:image/png;base64,{picture}\" alt=\"{plain}\"></noscript>")?;
        writeln!(
            out,
            "<script type=\"module\">\nimport {{ {mount} }} from \"{}\";\n\
             {mount}(document.getElementById(\"drawn\"), {});\n</script>\n</body>\n</html>",
            format_args!("tracebook/{module}"),
            inert(&content)
        )
    })
}

/// Returns the import map of a page: the scripts of the extension by name, as `data:` URLs.
pub(super) fn import_map() -> String {
    // A module in a `data:` URL cannot name another one by a relative path.
    let absolute =
        |text: &str| text.replace("from \"./", "from \"tracebook/").replace("import(\"./", "import(\"tracebook/");
    let url = |text: &str| format!("data:text/javascript;base64,{}", STANDARD.encode(absolute(text)));
    let modules: BTreeMap<String, String> =
        SCRIPTS.iter().map(|(name, text)| (format!("tracebook/{name}"), url(text))).collect();
    inert(&json!({ "imports": modules }))
}

/// JSON inside a script: `</script>` and `<!--` in names would end it.
pub(super) fn inert(json: &Value) -> String {
    json.to_string().replace('<', "\\u003c")
}

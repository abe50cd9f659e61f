//! MIME bundles: alternative forms of one output. A front end draws the richest form it knows.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Plain text, which every bundle has.
pub const PLAIN: &str = "text/plain";
/// HTML that survives JupyterLab's sanitiser.
pub const HTML: &str = "text/html";
/// A raster image, base64.
pub const PNG: &str = "image/png";
/// A Plotly figure: `data` and `layout`.
pub const PLOTLY: &str = "application/vnd.plotly.v1+json";
/// A table drawn by our JupyterLab extension.
pub const TABLE: &str = "application/vnd.tracebook.table.v1+json";
/// A timeline drawn by our JupyterLab extension.
pub const TIMELINE: &str = "application/vnd.tracebook.timeline.v1+json";
/// A flame graph drawn by our JupyterLab extension.
pub const FLAME: &str = "application/vnd.tracebook.flame.v1+json";

/// The start of the plain text of a warning.
pub(crate) const WARNING: &str = "Warning: ";

/// Encodes bytes for a bundle, in base64.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// One output: MIME type → content, as a Jupyter message carries it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Bundle {
    /// MIME type → content: JSON for `+json` types, base64 for images, otherwise text.
    pub data: Map<String, Value>,
    /// MIME type → hints for the front end.
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

impl Bundle {
    /// Creates a bundle of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().with(PLAIN, Value::String(text.into()))
    }

    /// Adds an alternative.
    pub fn with(mut self, mime: &str, content: Value) -> Self {
        self.data.insert(mime.to_owned(), content);
        self
    }

    /// Returns the text of a warning; `None` for anything else.
    pub fn warning(&self) -> Option<&str> {
        self.plain().strip_prefix(WARNING)
    }

    /// Returns the plain text, empty if there is none.
    pub fn plain(&self) -> &str {
        self.data.get(PLAIN).and_then(Value::as_str).unwrap_or_default()
    }
}

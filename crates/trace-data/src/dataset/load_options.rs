//! Options of a load.

use crate::frame::Wanted;
use crate::{Cache, Compat, ParserConfig, Result};

/// Options of a load.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Exact values, or those of HTA, bit-exact.
    pub compat: Compat,
    /// Ranks to load; `None` for all.
    pub ranks: Option<Vec<i64>>,
    /// The label; `None` derives it from the name of the file or folder.
    pub label: Option<String>,
    /// Which arguments become columns; `None` for [`ParserConfig::get_default_cfg`].
    pub parser_config: Option<ParserConfig>,
    /// Refuses a file that is not strict JSON ([`Error::NotStrictJson`](crate::Error::NotStrictJson)). Otherwise all valid events are kept, with a warning.
    /// Strict loading reads each file a second time, with serde_json.
    pub strict: bool,
    /// The cache of loaded ranks; `None` reads every file.
    pub cache: Option<Cache>,
}

impl LoadOptions {
    /// Returns the arguments that become columns.
    pub(super) fn wanted(&self) -> Result<Wanted> {
        self.parser_config.as_ref().map_or_else(|| Wanted::of(&ParserConfig::get_default_cfg()), Wanted::of)
    }
}

//! The config of loads without one, which HTA's `set_default_cfg` changes: a value of the execution context.

use super::context::Inherited;
use crate::Result;
use crate::config::{ParserConfig, YamlVersion};
use std::sync::PoisonError;

impl ParserConfig {
    /// Returns a copy of the config of loads without one: HTA's default arguments unless
    /// [`ParserConfig::set_default_cfg`] changed them.
    pub fn get_default_cfg() -> Self {
        let default = Inherited::here().parser_config();
        let default = default.read().unwrap_or_else(PoisonError::into_inner);
        default.clone().unwrap_or_else(|| Self::new([]))
    }

    /// Makes a copy of `config` the config of later loads without one, of this thread and of the threads that have its
    /// [`Execution`](crate::Execution). Set in a Rust cell, it applies to loads in cells, not to magics.
    pub fn set_default_cfg(config: &Self) {
        let default = Inherited::here().parser_config();
        *default.write().unwrap_or_else(PoisonError::into_inner) = Some(config.clone());
    }

    /// Makes the defaults of a version the config of later loads without one, as [`ParserConfig::set_default_cfg`] does.
    ///
    /// # Errors
    /// As [`ParserConfig::get_versioned_cfg`].
    pub fn set_global_parser_config_version(version: YamlVersion) -> Result<()> {
        Self::set_default_cfg(&Self::get_versioned_cfg(version)?);
        Ok(())
    }
}

impl Default for ParserConfig {
    fn default() -> Self {
        Self::get_default_cfg()
    }
}

//! Which arguments of events become columns: HTA's `ParserConfig`.
//!
//! Plain data: the known arguments ([`AVAILABLE_ARGS`]), their groups, and the request of one load.

mod available;
mod groups;
mod infer;
mod parser_config;
mod spec;

pub use available::{AVAILABLE_ARGS, AvailableArg};
pub use groups::{ALL_ARGS, ARG_GROUPS, ArgGroup};
pub use parser_config::{ParserBackend, ParserConfig};
pub use spec::{AttributeSpec, DefaultValue, ValueType, YamlVersion};

pub(crate) use available::by_raw_name;
pub(crate) use infer::column_of;

#[cfg(test)]
mod tests;

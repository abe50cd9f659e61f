//! The arguments of events that become columns: HTA's `ParserConfig`.
//!
//! Plain data: the known arguments ([`AVAILABLE_ARGS`]), their groups, and the request of one load.

mod available;
mod groups;
mod infer;
mod own_args;
mod parser_config;
mod read_later;
mod spec;

pub use available::{AVAILABLE_ARGS, AvailableArg};
pub use groups::{ALL_ARGS, ARG_GROUPS, ArgGroup};
pub use own_args::OWN_ARGS;
pub use parser_config::{ParserBackend, ParserConfig};
pub use spec::{AttributeSpec, DefaultValue, ValueType, YamlVersion};

pub use infer::column_of;
pub use own_args::{ALWAYS_READ, by_raw_name, known_args};
pub use read_later::READ_LATER;

#[cfg(test)]
mod tests;

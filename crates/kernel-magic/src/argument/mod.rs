//! Arguments of magics: their declarations, and the values of a call.

#[allow(clippy::module_inception)]
mod argument;
mod call;
mod percentage;
mod suggest;
mod value;

pub use argument::{Argument, Form, Group, IdKind, Kind};
pub use call::Call;
pub use percentage::Percentage;
pub(crate) use suggest::did_you_mean_or;
pub use suggest::{any_of, did_you_mean};
pub use value::Value;
pub use value::{expected, parser_words, read};

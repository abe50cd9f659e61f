//! Frames of events: raw events become columns, and columns are derived from them.

mod align;
mod align_mtia;
mod args;
mod autograd;
mod build;
mod builder;
mod categories;
pub(crate) mod columns;
mod correlate;
mod defaults;
mod derive;
mod event_rows;
mod finish;
mod int_column;
mod interner;
mod iterations;
mod merge;
mod once_per_text;
mod step_name;
pub(crate) mod tables;
mod time;
mod unify;

pub(crate) use align::rows_in_whole_steps;
pub(crate) use align_mtia::mtia_rows_in_whole_steps;
pub(crate) use args::Wanted;
pub(crate) use build::Builder;
pub(crate) use categories::{Categories, categorical, categorical_unchecked};
pub(crate) use event_rows::{EventRows, READ_COLUMNS};
pub(crate) use finish::Built;
pub(crate) use int_column::{IntColumn, value_of};
pub(crate) use once_per_text::once_per_text;
pub(crate) use step_name::StepName;
pub(crate) use unify::{NamedType, cast, common_types};

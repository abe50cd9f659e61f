//! The table of all magics: those of `kernel-magic`, and that of SQL.
//!
//! `%lsmagic`, `%magic` and `%help` list this table: no other magic depends on it.

use super::trace_sql::TraceSql;
use crate::Error;
use kernel_magic::api::{Magic, Topic};
use kernel_magic::{About, Help, LsMagic, TOPICS, magics};
use std::sync::LazyLock;

/// All magics, in the order of the help pages: loading and comparing, analyses, then those for the notebook.
pub static MAGICS: LazyLock<Vec<&'static dyn Magic>> =
    LazyLock::new(|| magics(&TraceSql, [&LsMagic(topics), &About(all), &Help(known, topics)]));

fn topics() -> Vec<Topic> {
    let of = |names: &[&str]| names.iter().filter_map(|name| find(name)).collect();
    TOPICS.iter().map(|(topic, names)| (*topic, of(names))).collect()
}

fn all() -> &'static [&'static dyn Magic] {
    &MAGICS
}

fn known(name: &str) -> Result<&'static dyn Magic, Error> {
    find(name).ok_or_else(|| super::line::unknown_magic(name).into())
}

/// Returns the magic called `name`.
pub fn find(name: &str) -> Option<&'static dyn Magic> {
    MAGICS.iter().copied().find(|magic| magic.name() == name)
}

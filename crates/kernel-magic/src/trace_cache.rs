//! `%trace_cache`: the cache of loaded traces.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use crate::Error;
use std::time::{Duration, SystemTime};
use trace_core::{CACHE_VARIABLE, Cache};
use trace_view::format::{bytes, grouped};
use trace_view::{Header, Kind as ColumnKind, Part, Report, Table, TableValue, Unit};

pub(super) struct TraceCache;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::optional("PATH", Kind::Path, "with --clear, remove only what was loaded from this file or folder")],
    ),
    Group::new(
        "Flags",
        &[
            Argument::flag("limit", Kind::Size, "set the limit until the kernel ends, and remove what exceeds it")
                .or("10G or a tenth of the disk"),
            Argument::flag("clear", Kind::Switch, "remove the entries"),
        ],
    ),
];

impl Magic for TraceCache {
    fn name(&self) -> &'static str {
        "trace_cache"
    }

    fn summary(&self) -> &'static str {
        "Show, limit or clear the cache of loaded traces."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "%trace_load keeps the columns of a trace in a file if that is worth it, and maps the file when the trace is loaded \
         again with the same options. A trace that changed, or another version of Tracebook, is read again. What was not used for \
         longest is removed first.\n\n\
         The limit is 10 GiB or a tenth of the disk, whichever is less. TRACEBOOK_CACHE=20G changes it, TRACEBOOK_CACHE=/a/folder \
         moves the cache, TRACEBOOK_CACHE=off turns it off; set it before Jupyter starts. %trace_load --no-cache loads without it."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%trace_cache",
            "%trace_cache --limit 20G",
            "%trace_cache --clear ${TRACEBOOK_DATA:-data}/control",
            "%trace_cache --clear",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let found = context.session.cache().map_err(|reason| call.cannot("use the cache", reason))?;
        let Some(cache) = found else {
            context.print_line(format!("The cache is off: {CACHE_VARIABLE}=off."));
            return Ok(());
        };
        let path = call.path("PATH");
        if path.is_some() && !call.switch("clear") {
            let error = call.cannot("show the entries of one path", "PATH says what --clear removes");
            return Err(error.hint("%trace_cache shows all entries").into());
        }
        let unable = |error: trace_core::Error| Error::from(error);
        if call.switch("clear") {
            let cleared = cache.clear(path.as_deref()).map_err(unable)?;
            let remaining = match cleared.in_use {
                0 => String::new(),
                in_use => format!("; kept {}, which {} in use", files(in_use), if in_use == 1 { "is" } else { "are" }),
            };
            context.print_line(format!("removed {}: {}{remaining}", files(cleared.files), bytes(cleared.bytes)));
        }
        if let Some(limit) = call.whole("limit") {
            cache.set_limit(limit).map_err(unable)?;
        }
        if call.switch("clear") && call.whole("limit").is_none() {
            return Ok(());
        }
        context.show(&Report::of(Part::Table(table(&cache))));
        Ok(())
    }
}

/// Returns the table of entries.
fn table(cache: &Cache) -> Table {
    let entries = cache.entries();
    let head = |name: &str, kind| Header::new(name, Unit::None, kind);
    let now = SystemTime::now();
    let rows: Vec<Vec<TableValue>> = entries
        .iter()
        .map(|entry| {
            vec![
                TableValue::Text(entry.source.display().to_string()),
                TableValue::Int(entry.ranks as i64),
                TableValue::Int(entry.events as i64),
                TableValue::Text(bytes(entry.bytes)),
                TableValue::Text(ago(now.duration_since(entry.last_used).unwrap_or_default())),
            ]
        })
        .collect();
    let foreign = match cache.foreign_files() {
        0 => None,
        1 => Some("1 file in this folder is not of the cache: it is neither counted nor removed".to_owned()),
        more => Some(format!(
            "{} files in this folder are not of the cache: they are neither counted nor removed",
            grouped(more)
        )),
    };
    let size = format!("{} of at most {} in {}", bytes(cache.bytes()), bytes(cache.limit()), cache.folder().display());
    Table {
        caption: "cached traces".to_owned(),
        headers: vec![
            head("trace", ColumnKind::Name),
            Header::new("ranks", Unit::Count, ColumnKind::Number),
            Header::new("events", Unit::Count, ColumnKind::Number),
            head("size", ColumnKind::Text),
            head("last used", ColumnKind::Text),
        ],
        total_rows: rows.len(),
        notes: std::iter::once(size)
            .chain(foreign)
            .chain(rows.is_empty().then(|| "a rank is kept if it has 50,000 events, or took 0.1 s to load".to_owned()))
            .collect(),
        rows,
        ..Table::default()
    }
}

fn files(count: usize) -> String {
    format!("{} file{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Formats how long ago something was: `5 min ago`.
fn ago(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_down_to_one_unit() {
        let of = |seconds| ago(Duration::from_secs(seconds));
        assert_eq!([of(0), of(59), of(60), of(7199)], ["just now", "just now", "1 min ago", "1 h ago"]);
        assert_eq!([of(100_000), of(200_000)], ["27 h ago", "2 days ago"]);
    }
}

//! The drill-down of tables: for each row, the notebook cell that lists its events with `%events`.

use crate::argument::Call;
use trace_core::columns::{COUNTS_SUFFIX, MEAN_SUFFIX, NAME, RANK, SHORT_NAME};
use trace_core::{By, DeviceType, Selection, Side, Window};
use trace_view::{EventCell, EventCells};

/// Returns one cell for each side of a comparison, with its ranks, iterations, device and condition. If each rank has rows
/// of its own and ranks of equal numbers are compared, the cell lists the events of the rank of its row.
pub(crate) fn drill_down_by_side(call: &Call<'_>, selection: &Selection) -> EventCells {
    let (name, flag) = if selection.use_short_name { (SHORT_NAME, "--short-name") } else { (NAME, "--name") };
    let device = match selection.device_type {
        DeviceType::ALL => String::new(),
        device => format!(" --device-type {}", device.to_string().to_lowercase()),
    };
    let paired = selection.control.ranks.iter().any(|rank| selection.test.ranks.contains(rank));
    let rank = (selection.by == Some(By::Rank) && paired).then(|| RANK.to_owned());
    let cell = |side: &Side, argument: &str| {
        let ranks = if rank.is_some() { String::new() } else { format!(" --rank {}", list(&side.ranks)) };
        let iterations = match &side.window {
            Window::Iterations(numbers) if !numbers.is_empty() => format!(" --iteration {}", list(numbers)),
            _ => String::new(),
        };
        EventCell {
            counts: format!("{}{COUNTS_SUFFIX}", side.label),
            ..cell(call, call.required(argument), flag, &format!("{ranks}{iterations}{device}"))
        }
    };
    let cells = vec![cell(&selection.control, "CONTROL"), cell(&selection.test, "TEST")];
    EventCells { name: name.to_owned(), rank, cells }
}

/// A run whose events stand for those of its side.
pub(crate) struct RunOfSide {
    /// The label of the run.
    pub label: String,
    /// What the cell says.
    pub title: String,
    /// The label of the side in the columns of the table.
    pub side: String,
}

/// Returns one cell for each side of a comparison of all iterations, with the ranks and iterations of the call.
pub(crate) fn drill_down_by_label(call: &Call<'_>, runs: [RunOfSide; 2]) -> EventCells {
    let (name, flag) = if call.switch("use-short-name") { (SHORT_NAME, "--short-name") } else { (NAME, "--name") };
    let device = match call.text("device-type") {
        Some(device @ ("cpu" | "gpu")) => format!(" --device-type {device}"),
        _ => String::new(),
    };
    let cells = runs.into_iter().zip(["control", "test"]).map(|(run, word)| {
        let option = |what: &str| {
            let numbers = call.list(&format!("{word}-{what}"));
            numbers.map(|numbers| format!(" --{what} {}", list(numbers))).unwrap_or_default()
        };
        let rest = format!("{}{}{device}", option("rank"), option("iteration"));
        // Without time, there are no events.
        EventCell {
            title: run.title,
            counts: format!("{}{MEAN_SUFFIX}", run.side),
            ..cell(call, &run.label, flag, &rest)
        }
    });
    EventCells { name: name.to_owned(), rank: None, cells: cells.collect() }
}

/// Returns the cell for a table about one trace whose column `name` holds full names of events, with the ranks and
/// iterations of the call. `has_rank`: the table has a column `rank`, which replaces `--rank`; `short_names`: it shows short names.
pub(crate) fn drill_down(call: &Call<'_>, label: &str, has_rank: bool, short_names: bool) -> EventCells {
    let option = |flag: &str| call.list(flag).map(|numbers| format!(" --{flag} {}", list(numbers))).unwrap_or_default();
    let rank = if has_rank { String::new() } else { option("rank") };
    let flag = if short_names { "--short-name" } else { "--name" };
    let cell = cell(call, label, flag, &format!("{rank}{}", option("iteration")));
    EventCells { name: NAME.to_owned(), rank: has_rank.then(|| RANK.to_owned()), cells: vec![cell] }
}

fn cell(call: &Call<'_>, label: &str, flag: &str, rest: &str) -> EventCell {
    let condition = call.condition("where").map(|condition| format!(" --where {}", quoted(&condition.to_string())));
    EventCell {
        title: format!("events in {label}"),
        before: format!("%events {label} {flag} "),
        after: format!("{rest}{}", condition.unwrap_or_default()),
        counts: String::new(),
    }
}

/// `0,2,4`
fn list(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// Quotes a text as one word of a magic line.
fn quoted(text: &str) -> String {
    if !text.contains('\'') {
        return format!("'{text}'");
    }
    let escaped: String =
        text.chars().flat_map(|c| matches!(c, '"' | '\\' | '{' | '$').then_some('\\').into_iter().chain([c])).collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_one_word_with_the_same_text() {
        for text in ["dur > 1us", "name == \"a b\"", "name == \"it's {x} $y \\ \"", ""] {
            let words = kernel_base::cell::words(&quoted(text));
            let pieces: Vec<_> = words.into_iter().flatten().flat_map(|word| word.pieces).collect();
            let [kernel_base::cell::Piece::Text { text: read, .. }] = &pieces[..] else { panic!("{text}: {pieces:?}") };
            assert_eq!(read, text);
        }
    }
}

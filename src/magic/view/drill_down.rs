//! The notebook cells behind the rows of a table: what `%events` is called with to list them.

use crate::magic::argument::Call;
use trace::{DeviceType, Selection, Side, Window};
use trace_view::{EventCell, EventCells};

/// One cell for each side of a comparison of two loaded traces, with the ranks, iterations, device and events compared.
pub(crate) fn drill_down_by_side(call: &Call<'_>, selection: &Selection) -> EventCells {
    let (name, flag) = if selection.use_short_name { ("short_name", "--short-name") } else { ("name", "--name") };
    let device = match selection.device_type {
        DeviceType::ALL => String::new(),
        device => format!(" --device-type {}", device.to_string().to_lowercase()),
    };
    let cell = |side: &Side, place: &str| {
        let ranks = format!(" --rank {}", list(&side.ranks));
        let iterations = match &side.window {
            Window::Iterations(numbers) if !numbers.is_empty() => format!(" --iteration {}", list(numbers)),
            _ => String::new(),
        };
        EventCell {
            counts: format!("{}_counts", side.label),
            ..cell(call, call.required(place), flag, &format!("{ranks}{iterations}{device}"))
        }
    };
    let cells = vec![cell(&selection.control, "CONTROL"), cell(&selection.test, "TEST")];
    EventCells { name: name.to_owned(), rank: None, cells }
}

/// The cell for the rows of a table about one loaded trace, whose column `name` has whole names of events; `ranked` says
/// whether there is a column `rank`. Ranks and iterations that the call names are kept.
pub(crate) fn drill_down(call: &Call<'_>, label: &str, ranked: bool) -> EventCells {
    let given = |flag: &str| call.list(flag).map(|numbers| format!(" --{flag} {}", list(numbers))).unwrap_or_default();
    let rank = if ranked { String::new() } else { given("rank") };
    let cell = cell(call, label, "--name", &format!("{rank}{}", given("iteration")));
    EventCells { name: "name".to_owned(), rank: ranked.then(|| "rank".to_owned()), cells: vec![cell] }
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

/// A text as one word of a magic line.
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
    fn a_text_becomes_one_word_that_means_itself() {
        for text in ["dur > 1us", "name == \"a b\"", "name == \"it's {x} $y \\ \"", ""] {
            let words = crate::cell::words(&quoted(text));
            let pieces: Vec<_> = words.into_iter().flatten().flat_map(|word| word.pieces).collect();
            let [crate::cell::Piece::Text { text: read, .. }] = &pieces[..] else { panic!("{text}: {pieces:?}") };
            assert_eq!(read, text);
        }
    }
}

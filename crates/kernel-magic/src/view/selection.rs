//! The flags that select what is compared: HTA's parameters of a comparison.

use super::selected_events::{DEVICE_TYPE, USE_SHORT_NAME, WHERE, selected_events};
use crate::Error;
use crate::argument::{Argument, Call, Group, IdKind, Kind};
use crate::context::Context;
use std::sync::Arc;
use trace_core::{By, DeviceType, SelectEvents, Selection, Side, TraceDiff, Window};
use trace_view::format::{counted, grouped, ranges};

/// The marker of iterations, shared by comparisons of events.
const MARKER: Argument = Argument::flag(
    "marker",
    Kind::Regex,
    "annotations, operators or modules that count as iterations, from 0 on; with --stats, none takes recordings as they are",
)
.or("ProfilerStep; with --stats else the call that repeats and launches most of the work");

/// Flags that select events of both traces.
pub const SELECTION: Group = Group::new(
    "What is compared",
    &[
        Argument::flag("control-rank", Kind::List(IdKind::Ranks), "rank or ranks of CONTROL, or all").or("its first"),
        Argument::flag("test-rank", Kind::List(IdKind::Ranks), "rank or ranks of TEST, or all")
            .or("its first")
            .of_second_trace(),
        Argument::flag(
            "control-iteration",
            Kind::List(IdKind::Iterations),
            "iteration or iterations of CONTROL, or all",
        )
        .or("its first"),
        Argument::flag("test-iteration", Kind::List(IdKind::Iterations), "iteration or iterations of TEST, or all")
            .or("its first")
            .of_second_trace(),
        MARKER,
        DEVICE_TYPE,
        WHERE,
        USE_SHORT_NAME,
    ],
);

/// The flag that gives each rank or iteration rows of its own.
pub const GROUPS: Group = Group::new(
    "Groups",
    &[Argument::flag(
        "by",
        Kind::Choice(&By::WORDS),
        "a row per operator and rank, or per operator and iteration; all of them are then compared by default",
    )
    .or("one row per operator")],
);

/// Returns the first flag of [`SELECTION`] that was given.
pub(crate) fn selection_flag(call: &Call<'_>) -> Option<&'static str> {
    let is_set = |name: &&'static str| call.decided(name).unwrap_or(call.has(name));
    SELECTION.arguments.iter().map(|argument| argument.name).find(is_set)
}

/// Builds the comparison of a call.
///
/// # Errors
/// If a label is not loaded.
pub fn trace_diff(call: &Call<'_>, control: &str, test: &str, context: &Context<'_>) -> Result<TraceDiff, Error> {
    let control = context.trace(call, control)?;
    let test = context.trace(call, test)?;
    let mut diff = TraceDiff::new(Arc::as_ref(&control), Arc::as_ref(&test))
        .select(selected_events(call))
        .use_short_name(call.switch("use-short-name"));
    if let Some(by) = call.text("by") {
        diff = diff.by(by.parse()?);
    }
    Ok(diff)
}

/// Says how many iterations a comparison leaves unused by default: HTA compares the first with the first.
pub(crate) fn unused_iterations(call: &Call<'_>, diff: &TraceDiff, selection: &Selection) -> Option<String> {
    let is_chosen = ["control-iteration", "test-iteration", "marker", "by"].iter().any(|flag| call.has(flag));
    let all: usize = diff.iterations().iter().map(Vec::len).sum();
    let used = |side: &Side| match &side.window {
        Window::Iterations(numbers) => numbers.len(),
        Window::Whole => 0,
    };
    let unused = all.saturating_sub(used(&selection.control) + used(&selection.test));
    (!is_chosen && unused > 0).then(|| {
        format!("{} of {} are left unused; --stats compares all of them.", counted(unused, "iteration"), grouped(all))
    })
}

/// Returns the caption of a comparison: `control → test · GPU · rank 3 → 1 · iteration 1010 → 1010`.
pub fn caption(selection: &Selection) -> String {
    let Selection { control, test, device_type, use_short_name, filter, marker, by } = selection;
    let device = match device_type {
        DeviceType::ALL => "CPU + GPU".to_owned(),
        device => device.to_string(),
    };
    let several = control.ranks.len() > 1 || test.ranks.len() > 1;
    let mut parts = vec![
        format!("{} → {}", control.label, test.label),
        device,
        format!("rank{} {} → {}", if several { "s" } else { "" }, ranges(&control.ranks), ranges(&test.ranks)),
        windows(control, test),
    ];
    parts.extend(marker.as_ref().map(|marker| format!("iterations are {marker}")));
    parts.extend(by.map(|by| format!("by {by}")));
    if *use_short_name {
        parts.push("short names".to_owned());
    }
    parts.extend(filter.clone());
    parts.join(" · ")
}

fn windows(control: &Side, test: &Side) -> String {
    match (&control.window, &test.window) {
        (Window::Whole, Window::Whole) => "whole window".to_owned(),
        (Window::Iterations(a), Window::Iterations(b)) => {
            let several = a.len() > 1 || b.len() > 1;
            format!("iteration{} {} → {}", if several { "s" } else { "" }, ranges(a), ranges(b))
        }
        (a, b) => format!("{a} → {b}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(label: &str, ranks: &[i64], window: Window) -> Side {
        Side { label: label.to_owned(), ranks: ranks.to_vec(), window }
    }

    #[test]
    fn caption_names_labels_device_ranks_and_iterations() {
        let mut selection = Selection {
            control: side("control", &[3], Window::Iterations(vec![1010])),
            test: side("test", &[1], Window::Iterations(vec![1010])),
            device_type: DeviceType::GPU,
            use_short_name: false,
            filter: None,
            marker: None,
            by: None,
        };
        assert_eq!(caption(&selection), "control → test · GPU · rank 3 → 1 · iteration 1010 → 1010");
        selection.control.ranks = vec![0, 2, 4, 5, 6, 7];
        selection.test.window = Window::Whole;
        selection.device_type = DeviceType::ALL;
        selection.use_short_name = true;
        selection.filter = Some("where dur > 1us".to_owned());
        selection.by = Some(By::Rank);
        assert_eq!(
            caption(&selection),
            "control → test · CPU + GPU · ranks 0, 2, 4–7 → 1 · iteration 1010 → whole window · by rank · short names · where dur > 1us"
        );
    }
}

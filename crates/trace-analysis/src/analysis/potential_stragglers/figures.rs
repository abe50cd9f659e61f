//! Figures of the compared collectives.

use super::kernel::{Kernel, word};
use crate::stats::micros;
use std::collections::BTreeMap;
use trace_view::{Axis, BarMode, Choice, Figure, Mark, Points, Series, Unit};

/// Draws the compared kernels as lines from start to end at the height of their rank; a menu switches to all long ones.
pub(super) fn timeline(long: &[Kernel<'_>], kernels: &[Kernel<'_>]) -> Figure {
    let lines = |name: String, kernels: &[&Kernel<'_>]| {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for kernel in kernels {
            // The third point is the gap to the next line.
            let end = micros(kernel.start.saturating_add(kernel.dur));
            x.extend([micros(kernel.start), end, end]);
            y.extend([kernel.rank as f64, kernel.rank as f64, f64::NAN]);
        }
        Series { name, mark: Mark::Line, x: Points::Numbers(x), y }
    };
    let late = |late: bool| kernels.iter().filter(|kernel| kernel.late == late).collect::<Vec<_>>();
    let marked = [true, false].into_iter().map(|is| (format!("is_straggler: {}", word(is)), late(is)));
    let mut series: Vec<Series> =
        marked.filter(|(_, kernels)| !kernels.is_empty()).map(|(name, kernels)| lines(name, &kernels)).collect();
    let compared = series.len();
    let mut streams: BTreeMap<(i64, &str), Vec<&Kernel<'_>>> = BTreeMap::new();
    for kernel in long {
        streams.entry((kernel.stream, kernel.name)).or_default().push(kernel);
    }
    series.extend(
        streams.into_iter().map(|((stream, name), kernels)| lines(format!("{name} on stream {stream}"), &kernels)),
    );
    let choices = vec![
        Choice { name: "compared kernels".to_owned(), series: (0..compared).collect() },
        Choice { name: "all long kernels".to_owned(), series: (compared..series.len()).collect() },
    ];
    Figure {
        title: "Timeline of long communication kernels".to_owned(),
        x: Axis { title: "Time since the first event".to_owned(), unit: Unit::Micros, ..Axis::default() },
        y: Axis { title: "Rank".to_owned(), whole: true, ..Axis::default() },
        series,
        choices,
        ..Figure::default()
    }
}

/// Draws a bar per step and rank, the marked ones as a series of their own.
pub(super) fn figure(kernels: &[Kernel<'_>]) -> Figure {
    let several = kernels.first().zip(kernels.last()).is_some_and(|(first, last)| first.step != last.step);
    let label = |kernel: &Kernel<'_>| {
        if several { format!("step {} · rank {}", kernel.step, kernel.rank) } else { kernel.rank.to_string() }
    };
    let series = |late: bool| Series {
        name: format!("is_straggler: {}", word(late)),
        mark: Mark::Bar,
        x: Points::Names(kernels.iter().map(label).collect()),
        y: kernels.iter().map(|kernel| if kernel.late == late { kernel.normalized } else { f64::NAN }).collect(),
    };
    Figure {
        title: "Potential Stragglers".to_owned(),
        x: Axis { title: "Rank".to_owned(), ..Axis::default() },
        y: Axis { title: "Start of the collective, in mean steps".to_owned(), ..Axis::default() },
        bars: BarMode::Stack,
        series: vec![series(true), series(false)],
        ..Figure::default()
    }
}

//! Kernels below 10 µs: their number, and their share of busy time and of steps.

use crate::analysis::RankView;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::{RankEvents, StepName};
use crate::interval::{Span, length, union_length};
use serde::{Deserialize, Serialize};
use trace_bounds::critical_path::SHORT_KERNEL_NS;
use trace_view::format::{grouped, nanoseconds as time};

/// Kernels below 10 µs, over all ranks with kernels; times in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortKernels {
    /// Their number.
    pub count: u64,
    /// Number of all kernels.
    pub kernels: u64,
    /// Time during which a short kernel runs on any stream.
    pub short_ns: i64,
    /// Time during which anything runs on the GPU.
    pub busy_ns: i64,
    /// Length of the profiler steps, else of the recording; `None` if a filter left events out.
    pub steps_ns: Option<i64>,
    /// Whether these are profiler steps.
    pub has_steps: bool,
}

impl ShortKernels {
    /// Counts the short kernels of a view; `None` without kernels.
    pub(in crate::analysis) fn of(view: &RankView) -> Option<Self> {
        let rows = view.rank_events();
        let kinds = rows.kinds();
        let (mut kernels, mut count) = (0, 0);
        let (mut work, mut short) = (Vec::with_capacity(view.gpu().len()), Vec::new());
        for event in cancellable(view.gpu()).filter(|event| event.is_work) {
            let row = event.row as usize;
            work.push(event.span());
            if kinds[row] == EventKind::Kernel {
                kernels += 1;
                if rows.dur(row) < SHORT_KERNEL_NS {
                    count += 1;
                    short.extend(span(rows, row));
                }
            }
        }
        if kernels == 0 {
            return None;
        }
        let short_ns = union_length(short);
        let (steps_ns, has_steps) = if view.is_filtered() { (None, false) } else { steps(view) };
        Some(Self { count, kernels, short_ns, busy_ns: union_length(work), steps_ns, has_steps })
    }

    /// Tells whether any kernel of a view takes less than 10 µs, but some time.
    pub(in crate::analysis) fn any(view: &RankView) -> bool {
        let rows = view.rank_events();
        let kernels = view.gpu().iter().filter(|event| event.is_work).map(|event| event.row as usize);
        let mut kernels = kernels.filter(|&row| rows.kinds()[row] == EventKind::Kernel);
        kernels.any(|row| (1..SHORT_KERNEL_NS).contains(&rows.dur(row)))
    }

    /// Returns the sum with that of other ranks.
    pub(in crate::analysis) fn with(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            kernels: self.kernels + other.kernels,
            short_ns: self.short_ns.saturating_add(other.short_ns),
            busy_ns: self.busy_ns.saturating_add(other.busy_ns),
            steps_ns: self.steps_ns.zip(other.steps_ns).map(|(one, other)| one.saturating_add(other)),
            has_steps: self.has_steps && other.has_steps,
        }
    }

    /// Returns the sentence, without its full stop.
    pub fn sentence(&self) -> String {
        if self.count == 0 {
            return "No kernel takes less than 10 µs".to_owned();
        }
        let percent = |whole: i64| 100.0 * self.short_ns as f64 / whole.max(1) as f64;
        let of_steps = self.steps_ns.map(|steps| {
            let what = if self.has_steps { "the steps" } else { "the recording" };
            format!(" and {:.1} % of {what}", percent(steps))
        });
        format!(
            "Kernels below 10 µs: {} ({:.1} %), {}, {:.1} % of the time in which the GPU is busy{}",
            grouped(self.count as i64),
            100.0 * self.count as f64 / self.kernels.max(1) as f64,
            time(self.short_ns),
            percent(self.busy_ns),
            of_steps.unwrap_or_default(),
        )
    }
}

fn span(rows: &RankEvents, row: usize) -> Option<Span> {
    let start = rows.ts(row)?;
    Some(Span { start, end: start.saturating_add(rows.dur(row)) })
}

/// Returns the length of the profiler steps of a view together, else of all its events, and whether there are steps.
fn steps(view: &RankView) -> (Option<i64>, bool) {
    let rows = view.rank_events();
    let kinds = rows.kinds();
    let mut is_step = rows.per_text(StepName::is_step);
    let (mut steps, mut whole) = (None, Span { start: i64::MAX, end: i64::MIN });
    for &row in cancellable(view.rows()) {
        let at = row as usize;
        let Some(span) = span(rows, at) else { continue };
        if kinds[at] == EventKind::Annotation && is_step(rows.name(at)) {
            steps = Some(steps.unwrap_or(0) + length(&[span]).max(0));
        }
        whole = Span { start: whole.start.min(span.start), end: whole.end.max(span.end) };
    }
    (steps.or((whole.start < whole.end).then(|| length(&[whole]))), steps.is_some())
}

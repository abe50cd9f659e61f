//! The figures of an answer: what bounds each step as bars, the path of one step through its threads and streams.

use super::answer::{BoundWindow, CriticalPathAnswer, LaneKey};
use causal::BoundBy;
use foldhash::HashMap;
use trace_view::{Axis, BarMode, Figure, Mark, Points, Series, Unit};

/// Windows that are drawn.
const MOST_WINDOWS: usize = 60;
/// Lanes that are drawn: those of the path first.
pub(super) const MOST_LANES: usize = 14;
/// Height of a lane and of what is around the lanes, in pixels.
const LANE_HEIGHT: u32 = 26;
const AROUND: u32 = 190;
/// Intervals that the figure draws; of more, those of less than a pixel are left out.
const MOST_INTERVALS: usize = 4_000;
const NOT_ON_PATH: &str = "not on the path";
const PATH: &str = "critical path";

impl CriticalPathAnswer {
    /// Returns the time of each window by what bounds it, as stacked bars.
    pub fn figure(&self) -> Figure {
        let drawn: Vec<&BoundWindow> = self.windows.iter().take(MOST_WINDOWS).collect();
        let longest = drawn.iter().map(|window| window.duration_ns()).max().unwrap_or(0);
        let (unit, per_ns) = fitting(longest);
        let names: Vec<String> = drawn.iter().map(|window| self.short_title(window)).collect();
        let summaries: Vec<HashMap<BoundBy, i64>> =
            drawn.iter().map(|window| window.summary().into_iter().collect()).collect();
        let series = BoundBy::ALL.into_iter().filter(|class| summaries.iter().any(|of| of.contains_key(class)));
        let series = series.map(|class| Series {
            name: class.word().to_owned(),
            mark: Mark::Bar,
            x: Points::Names(names.clone()),
            y: summaries.iter().map(|of| of.get(&class).map_or(0.0, |&ns| ns as f64 * per_ns)).collect(),
        });
        Figure {
            title: "What bounds the step".to_owned(),
            subtitle: if self.windows.len() > drawn.len() {
                format!("{} · first {} of {} windows", self.label, drawn.len(), self.windows.len())
            } else {
                self.label.clone()
            },
            y: Axis { title: "time on the critical path".to_owned(), unit, ..Axis::default() },
            bars: BarMode::Stack,
            series: series.collect(),
            ..Figure::default()
        }
    }

    /// Returns the threads and streams of a window with the path drawn through them; `None` if there is nothing to draw.
    pub fn path_figure(&self, window: &BoundWindow) -> Option<Figure> {
        if window.lanes.is_empty() || window.duration_ns() <= 0 {
            return None;
        }
        let (unit, per_ns) = fitting(window.duration_ns());
        let count = window.lanes.len();
        // The first lane is at the top.
        let positions: HashMap<LaneKey, f64> =
            window.lanes.iter().enumerate().map(|(at, lane)| (lane.key, (count - 1 - at) as f64)).collect();
        let x = |ns: i64| (ns - window.start) as f64 * per_ns;
        let mut series = Vec::new();
        let mut busy = Spans::default();
        for lane in &window.lanes {
            for &(start, end) in &lane.busy {
                busy.add(x(start), x(end), positions[&lane.key]);
            }
        }
        series.push(busy.series(NOT_ON_PATH));
        let least = if window.intervals.len() > MOST_INTERVALS { window.duration_ns() / 1_500 } else { 0 };
        let mut by_class: HashMap<BoundBy, Spans> = HashMap::default();
        let (mut line_x, mut line_y) = (Vec::new(), Vec::new());
        for interval in window.intervals.iter().filter(|interval| interval.duration() >= least) {
            let Some(&y) = positions.get(&interval.lane_key()) else { continue };
            by_class.entry(interval.bound_by).or_default().add(x(interval.start), x(interval.end), y);
            line_x.extend([x(interval.start), x(interval.end)]);
            line_y.extend([y, y]);
        }
        series.extend(BoundBy::ALL.into_iter().filter_map(|class| Some(by_class.remove(&class)?.series(class.word()))));
        series.push(Series { name: PATH.to_owned(), mark: Mark::Line, x: Points::Numbers(line_x), y: line_y });
        Some(Figure {
            title: "The critical path".to_owned(),
            subtitle: format!("{} · {}", self.label, self.short_title(window)),
            x: Axis { title: "time from the start of the window".to_owned(), unit, ..Axis::default() },
            y: Axis { names: window.lanes.iter().rev().map(|lane| lane.name.clone()).collect(), ..Axis::default() },
            series,
            height: Some(AROUND + LANE_HEIGHT * u32::try_from(count).unwrap_or(1)),
            ..Figure::default()
        })
    }

    /// Returns the step over the factor of each change; `None` without [`CriticalPath::sweep`](crate::CriticalPath).
    pub fn sweep_figure(&self) -> Option<Figure> {
        let points = || self.sweeps.iter().flat_map(|sweep| sweep.points.iter());
        let longest = points().map(|(_, ns)| *ns).max()?;
        let (unit, per_ns) = fitting(longest);
        let series = self.sweeps.iter().map(|sweep| Series {
            name: sweep.condition.clone(),
            mark: Mark::Line,
            x: Points::Numbers(sweep.points.iter().map(|(factor, _)| *factor).collect()),
            y: sweep.points.iter().map(|(_, ns)| *ns as f64 * per_ns).collect(),
        });
        let subtitle = match self.sweeps.as_slice() {
            [one] => format!("{} · {}", self.label, one.condition),
            _ => self.label.clone(),
        };
        Some(Figure {
            title: "The step over the factor".to_owned(),
            subtitle,
            x: Axis { title: "factor: 1 is as recorded, 0.5 twice as fast, 0 free".to_owned(), ..Axis::default() },
            y: Axis { title: "step".to_owned(), unit, ..Axis::default() },
            series: series.collect(),
            ..Figure::default()
        })
    }

    /// `rank 0 · ProfilerStep#4`.
    pub(super) fn short_title(&self, window: &BoundWindow) -> String {
        let what = if window.annotation.is_empty() { "whole recording" } else { &window.annotation };
        let same = |other: &&BoundWindow| other.rank == window.rank && other.annotation == window.annotation;
        match window.instances {
            // Annotations of one name are told apart by their numbers.
            Some((first, _)) if self.windows.iter().filter(same).count() > 1 => {
                format!("rank {} · {what} · {first}", window.rank)
            }
            _ => format!("rank {} · {what}", window.rank),
        }
    }
}

/// Intervals on lanes.
#[derive(Default)]
struct Spans {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Spans {
    fn add(&mut self, start: f64, end: f64, lane: f64) {
        self.x.extend([start, end, end]);
        self.y.extend([lane, lane, f64::NAN]);
    }

    fn series(self, name: &str) -> Series {
        Series { name: name.to_owned(), mark: Mark::Span, x: Points::Numbers(self.x), y: self.y }
    }
}

/// The unit that fits a duration, and how many of it a nanosecond is.
pub(super) fn fitting(ns: i64) -> (Unit, f64) {
    let unit = Unit::fitting(ns as f64 / 1e9);
    (unit, 1e-9 / unit.seconds().unwrap_or(1.0))
}

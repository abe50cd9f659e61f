//! Replays: the time of every point, had causes taken another time.

use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::NONE;
use crate::model::graph::{Graph, Lag};
use crate::model::segment::{Segment, Window};
use std::convert::Infallible;
use std::ops::Range;
use std::rc::Rc;

/// Times of the points: of a range of them those of a replay, of the points before it as recorded. Points after it are not asked for.
#[derive(Debug)]
pub(crate) struct Times<'t> {
    recorded: &'t [i64],
    first: u32,
    replayed: &'t [i64],
}

impl<'t> Times<'t> {
    /// The recorded times.
    pub(crate) fn recorded(graph: &'t Graph) -> Self {
        Self { recorded: &graph.ts, first: graph.points() as u32, replayed: &[] }
    }

    /// The time of a point.
    #[inline]
    pub(crate) fn at(&self, point: u32) -> i64 {
        let recorded = || self.recorded[point as usize];
        point.checked_sub(self.first).and_then(|at| self.replayed.get(at as usize).copied()).unwrap_or_else(recorded)
    }
}

/// The recording as it would have been from the begin of a window to its end.
#[derive(Debug)]
pub struct Replay<'g> {
    graph: &'g Graph,
    window: Window,
    points: Rc<Points>,
}

/// Replayed points.
#[derive(Debug)]
struct Points {
    first: u32,
    times: Vec<i64>,
    /// By point the cause that it had to wait for; [`NONE`] without causes.
    binding: Vec<u32>,
}

impl Graph {
    /// Replays a window with each lag multiplied by what `factor` says of it. Negative factors count as 0, and what is not a number
    /// as 1. Points without a cause stay where they were.
    ///
    /// A change begins with the window: what happened before it on any thread, stream or rank stays as recorded. So a window's begin
    /// does not move, and its length never grows when a factor falls. The window of a whole recording has nothing before it.
    pub fn replay(&self, window: &Window, factor: impl Fn(&Lag) -> f64) -> Replay<'_> {
        let Ok(points) = self.replayed(window, &factor, &mut || Ok::<(), Infallible>(()));
        Replay { graph: self, window: *window, points: Rc::new(points) }
    }

    /// Replays windows as [`Graph::replay`] does, each by itself, unless `check` fails before the end. Windows of whole recordings
    /// share one replay.
    ///
    /// # Errors
    /// Once `check` fails.
    pub fn replays(
        &self,
        windows: &[Window],
        factor: impl Fn(&Lag) -> f64,
        check: &mut Check<'_>,
    ) -> Result<Vec<Replay<'_>>, Stopped> {
        let mut replays: Vec<Replay<'_>> = Vec::with_capacity(windows.len());
        for window in windows {
            let shared = replays.last().filter(|last| last.window.thread.is_none() && window.thread.is_none());
            let points = match shared {
                Some(last) => Rc::clone(&last.points),
                None => Rc::new(self.replayed(window, &factor, check)?),
            };
            replays.push(Replay { graph: self, window: *window, points });
        }
        Ok(replays)
    }

    fn replayed<E>(
        &self,
        window: &Window,
        factor: &impl Fn(&Lag) -> f64,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Points, E> {
        let points = self.replayed_for(window);
        let (mut times, mut binding) = (Vec::new(), vec![NONE; points.len()]);
        let first = points.start;
        self.run(window, points, factor, &mut times, |index, cause| binding[index] = cause as u32, check)?;
        Ok(Points { first, times, binding })
    }

    /// Computes the times of the points that a change within a window can move, see [`Graph::replayed_for`].
    fn run<E>(
        &self,
        window: &Window,
        points: Range<u32>,
        factor: &impl Fn(&Lag) -> f64,
        times: &mut Vec<i64>,
        mut bind: impl FnMut(usize, usize),
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        times.clear();
        times.reserve_exact(points.len());
        // Estimates put points into the order that are earlier than those before them.
        let held = if window.thread.is_some() { self.aligned(window).0 } else { i64::MIN };
        for (index, point) in points.clone().enumerate() {
            at_times(index, check)?;
            let recorded = self.ts[point as usize];
            if recorded <= held {
                times.push(recorded);
                continue;
            }
            let mut latest: Option<i64> = None;
            let rank = self.span(point).rank;
            for cause in self.causes(point) {
                let (from, lag) = (self.from[cause], self.lag_on(rank, cause));
                let begin = from.checked_sub(points.start).map_or(self.ts[from as usize], |from| times[from as usize]);
                let time = begin.saturating_add(scaled(lag.ns, factor(&lag)));
                if latest.is_none_or(|latest| latest < time) {
                    latest = Some(time);
                    bind(index, cause);
                }
            }
            times.push(latest.unwrap_or(recorded));
        }
        Ok(())
    }

    /// The largest difference between the recorded time of a point and that of a replay without changes, in ns: 0.
    pub fn replay_error_ns(&self) -> i64 {
        let Ok(error) = Savings::of(self).error(&mut || Ok::<(), Infallible>(()));
        error
    }
}

/// A lag times a factor.
#[inline]
fn scaled(ns: i64, factor: f64) -> i64 {
    if factor == 1.0 || factor.is_nan() { ns } else { (ns as f64 * factor.max(0.0)).round() as i64 }
}

impl Replay<'_> {
    /// Returns how long the window lasts in the replay, in ns.
    pub fn length(&self) -> i64 {
        let (start, end) = self.bounds();
        end.saturating_sub(start)
    }

    /// Returns when the window begins and ends in the replay, in ns on the clock of its rank. The job ends with the latest end of
    /// the windows of all ranks.
    pub fn bounds(&self) -> (i64, i64) {
        let (start, end) = self.graph.bounds(&self.window, &self.times());
        let ahead = self.graph.ahead(self.window.rank);
        (start.saturating_add(ahead), end.saturating_add(ahead))
    }

    /// Returns what bounds the window in the replay: segments in order of time, without gaps, from its begin to its end.
    pub fn path(&self) -> Vec<Segment> {
        let of_replay = |point: u32| {
            let index = point.checked_sub(self.points.first)?;
            self.points.binding.get(index as usize).copied().filter(|&cause| cause != NONE)
        };
        let binding = |point: u32| of_replay(point).map(|cause| cause as usize).or_else(|| self.graph.binding(point));
        self.graph.walk(&self.window, &self.times(), binding)
    }

    fn times(&self) -> Times<'_> {
        Times { recorded: &self.graph.ts, first: self.points.first, replayed: &self.points.times }
    }
}

/// Replays one after the other in the same memory, for their windows alone.
#[derive(Debug)]
pub struct Savings<'g> {
    graph: &'g Graph,
    times: Vec<i64>,
}

impl<'g> Savings<'g> {
    /// Prepares replays of a graph.
    pub fn of(graph: &'g Graph) -> Self {
        Self { graph, times: Vec::new() }
    }

    /// Returns how long windows last, each in a replay of its own, in ns, see [`Graph::replay`] and [`Replay::length`].
    ///
    /// # Errors
    /// Once `check` fails.
    pub fn windows(
        &mut self,
        windows: &[Window],
        factor: impl Fn(&Lag) -> f64,
        check: &mut Check<'_>,
    ) -> Result<Vec<i64>, Stopped> {
        let mut lengths = Vec::with_capacity(windows.len());
        let mut whole_is_known = false;
        for window in windows {
            let points = self.graph.replayed_for(window);
            let first = points.start;
            if !(whole_is_known && window.thread.is_none()) {
                self.graph.run(window, points, &factor, &mut self.times, |_, _| (), check)?;
            }
            whole_is_known = window.thread.is_none();
            let times = Times { recorded: &self.graph.ts, first, replayed: &self.times };
            let (start, end) = self.graph.bounds(window, &times);
            lengths.push(end.saturating_sub(start));
        }
        Ok(lengths)
    }

    /// Returns the largest difference between the recorded time of a point and that of a replay without changes, in ns: 0.
    ///
    /// # Errors
    /// Once `check` fails.
    pub fn error_ns(&mut self, check: &mut Check<'_>) -> Result<i64, Stopped> {
        self.error(check)
    }

    fn error<E>(&mut self, check: &mut dyn FnMut() -> Result<(), E>) -> Result<i64, E> {
        let all = Window { rank: 0, thread: None, start: i64::MIN, end: i64::MAX };
        self.graph.run(&all, self.graph.replayed_for(&all), &|_| 1.0, &mut self.times, |_, _| (), check)?;
        let both = self.times.iter().zip(&self.graph.ts);
        Ok(both.map(|(replayed, recorded)| replayed.saturating_sub(*recorded).saturating_abs()).max().unwrap_or(0))
    }
}

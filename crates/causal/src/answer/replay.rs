//! Replays: the time of every point, had causes taken another time.

use super::segment::{Segment, Window};
use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::NONE;
use crate::model::graph::{Graph, Lag};
use std::convert::Infallible;

/// The recording as it would have been.
#[derive(Debug)]
pub struct Replay<'g> {
    graph: &'g Graph,
    times: Vec<i64>,
    /// By point the cause that it had to wait for; [`NONE`] without causes.
    binding: Vec<u32>,
}

impl Graph {
    /// Replays the recording with each lag multiplied by what `factor` says of it. Negative factors count as 0, and what is not a
    /// number as 1. Points without a cause stay where they were.
    pub fn replay(&self, factor: impl Fn(&Lag) -> f64) -> Replay<'_> {
        let Ok(replay) = self.replayed(&factor, &mut || Ok::<(), Infallible>(()));
        replay
    }

    /// Replays the recording as [`Graph::replay`] does, unless `check` fails before the end.
    ///
    /// # Errors
    /// Once `check` fails.
    pub fn try_replay(&self, factor: impl Fn(&Lag) -> f64, check: &mut Check<'_>) -> Result<Replay<'_>, Stopped> {
        self.replayed(&factor, check)
    }

    fn replayed<E>(
        &self,
        factor: &impl Fn(&Lag) -> f64,
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Replay<'_>, E> {
        let mut times = Vec::with_capacity(self.points());
        let mut binding = vec![NONE; self.points()];
        self.run(factor, &mut times, |point, cause| binding[point] = cause as u32, check)?;
        Ok(Replay { graph: self, times, binding })
    }

    /// Computes the time of every point.
    fn run<E>(
        &self,
        factor: &impl Fn(&Lag) -> f64,
        times: &mut Vec<i64>,
        mut bind: impl FnMut(usize, usize),
        check: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        times.clear();
        for point in 0..self.points() {
            at_times(point, check)?;
            let mut latest: Option<i64> = None;
            for cause in self.causes(point as u32) {
                let lag = self.lag_of(cause, point as u32);
                let time = times[self.from[cause] as usize].saturating_add(scaled(lag.ns, factor(&lag)));
                if latest.is_none_or(|latest| latest < time) {
                    latest = Some(time);
                    bind(point, cause);
                }
            }
            times.push(latest.unwrap_or(self.ts[point]));
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
    /// Returns how long a window lasts in the replay, in ns.
    pub fn window(&self, window: &Window) -> i64 {
        let (start, end) = self.bounds(window);
        end.saturating_sub(start)
    }

    /// Returns when a window begins and ends in the replay, in ns on the clock of its rank. The job ends with the latest end of
    /// the windows of all ranks.
    pub fn bounds(&self, window: &Window) -> (i64, i64) {
        let (start, end) = self.graph.bounds(window, &self.times);
        let ahead = self.graph.ahead(window.rank);
        (start.saturating_add(ahead), end.saturating_add(ahead))
    }

    /// Returns what bounds a window in the replay: segments in order of time, without gaps, from its begin to its end.
    pub fn path(&self, window: &Window) -> Vec<Segment> {
        let binding = |point: u32| Some(self.binding[point as usize] as usize).filter(|&cause| cause != NONE as usize);
        self.graph.walk(window, &self.times, binding)
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
        Self { graph, times: Vec::with_capacity(graph.points()) }
    }

    /// Returns how long windows last in a replay, in ns, see [`Graph::replay`] and [`Replay::window`].
    ///
    /// # Errors
    /// Once `check` fails.
    pub fn windows(
        &mut self,
        windows: &[Window],
        factor: impl Fn(&Lag) -> f64,
        check: &mut Check<'_>,
    ) -> Result<Vec<i64>, Stopped> {
        self.graph.run(&factor, &mut self.times, |_, _| (), check)?;
        let length = |window: &Window| {
            let (start, end) = self.graph.bounds(window, &self.times);
            end.saturating_sub(start)
        };
        Ok(windows.iter().map(length).collect())
    }

    /// Returns the largest difference between the recorded time of a point and that of a replay without changes, in ns: 0.
    ///
    /// # Errors
    /// Once `check` fails.
    pub fn error_ns(&mut self, check: &mut Check<'_>) -> Result<i64, Stopped> {
        self.error(check)
    }

    fn error<E>(&mut self, check: &mut dyn FnMut() -> Result<(), E>) -> Result<i64, E> {
        self.graph.run(&|_| 1.0, &mut self.times, |_, _| (), check)?;
        let both = self.times.iter().zip(&self.graph.ts);
        Ok(both.map(|(replayed, recorded)| replayed.saturating_sub(*recorded).saturating_abs()).max().unwrap_or(0))
    }
}

//! Drawings of listed values over time: a line per rank and key, or a heat map of many ranks.

use super::listed::Finished;
use super::plan::MOST_POINTS;
use super::{Answer, ByRank};
use crate::Result;
use crate::present::{MOST_RANKS, RankMap, RankTimeline};
use crate::stats::nanos;
use polars::prelude::{DataFrame, DataType};
use trace_view::{Axis, Figure, Mark, Points, Series, Thinning, Unit};

/// How values over time are drawn, which are listed by key and time.
pub(super) struct OverTime {
    /// The columns of keys and of values.
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    /// The name of a key's line, and of its largest value.
    pub(super) line: fn(&str) -> String,
    pub(super) largest: fn(&str) -> String,
    pub(super) unit: Unit,
    /// Titles of the figure and of its axis of values.
    pub(super) title: &'static str,
    pub(super) axis: &'static str,
    /// Title of the heat map, and what its colours mean.
    pub(super) map_title: &'static str,
    pub(super) meaning: &'static str,
}

/// The values of one key: moments in ms, and values.
type Line = (String, Vec<(f64, f64)>);

impl OverTime {
    /// Adds a drawing of these rows to an answer, unless there are none: lines, or a heat map of many ranks.
    ///
    /// # Errors
    /// If a column is missing.
    pub(super) fn answer(&self, answer: Answer, ranks: &ByRank<Finished>) -> Result<Answer> {
        if ranks.0.values().all(|rows| rows.len() == 0) {
            return Ok(answer);
        }
        if ranks.0.len() <= MOST_RANKS {
            return Ok(Answer { figures: vec![self.figure(ranks)?], ..answer });
        }
        let (map, timeline) = self.map(ranks)?;
        Ok(answer.with_map(&map, |map| timeline.drawn(map, self.map_title, self.meaning, self.unit), 0))
    }

    /// Draws a step line for each rank and key, thinned out.
    ///
    /// # Errors
    /// If a column is missing.
    fn figure(&self, ranks: &ByRank<Finished>) -> Result<Figure> {
        let several = ranks.0.len() > 1;
        let (mut lines, mut points) = (0, 0);
        for rows in ranks.0.values() {
            lines += rows.read(|frame| runs(frame, self.key))?.len();
            points += rows.len();
        }
        let mut thinning = Thinning::of(lines, points, MOST_POINTS);
        let mut series = Vec::with_capacity(lines);
        for (rank, rows) in &ranks.0 {
            for (key, points) in rows.read(|frame| self.lines(frame))? {
                let line = (self.line)(&key);
                let name = if several { format!("rank {rank} · {line}") } else { line };
                let (x, y) = points.into_iter().unzip();
                let mut drawn = Series { name, mark: Mark::Step, x: Points::Numbers(x), y };
                thinning.line(&mut drawn);
                series.push(drawn);
            }
        }
        Ok(Figure {
            title: self.title.to_owned(),
            subtitle: thinning.note().unwrap_or_default(),
            x: Axis { title: "Time".to_owned(), unit: Unit::Millis, ..Axis::default() },
            y: Axis { title: self.axis.to_owned(), unit: self.unit, ..Axis::default() },
            series,
            ..Figure::default()
        })
    }

    /// Returns the largest value of each rank by key, and the values over time.
    ///
    /// # Errors
    /// If a column is missing.
    fn map(&self, ranks: &ByRank<Finished>) -> Result<(RankMap, RankTimeline)> {
        let mut map = RankMap::of(ranks.0.keys().copied());
        let (mut start, mut end) = (f64::INFINITY, f64::NEG_INFINITY);
        for rows in ranks.0.values() {
            for at in rows.read(moments)? {
                (start, end) = (start.min(at), end.max(at));
            }
        }
        let mut timeline = RankTimeline::of(map.ranks(), (start, end));
        for (&rank, rows) in &ranks.0 {
            for (key, points) in rows.read(|frame| self.lines(frame))? {
                let largest = points.iter().map(|point| point.1).fold(f64::NAN, f64::max);
                map.set(&(self.largest)(&key), self.unit, rank, largest);
                timeline.add(rank, &points);
            }
        }
        Ok((map, timeline))
    }

    fn lines(&self, frame: &DataFrame) -> Result<Vec<Line>> {
        let moments = moments(frame)?;
        let values = frame.column(self.value)?.cast(&DataType::Float64)?;
        let values = values.f64()?;
        let runs = runs(frame, self.key)?.into_iter();
        let mut points = moments.into_iter().zip(values.iter().map(|value| value.unwrap_or(f64::NAN)));
        Ok(runs.map(|(key, rows)| (key, points.by_ref().take(rows).collect())).collect())
    }
}

/// Returns the moments in ms.
fn moments(frame: &DataFrame) -> Result<Vec<f64>> {
    let moments = frame.column("ts")?.f64()?;
    Ok(moments.iter().map(|ts| nanos(ts.unwrap_or(f64::NAN)) as f64 / 1e6).collect())
}

/// Returns the keys, which are in runs, and the number of rows of each.
fn runs(frame: &DataFrame, key: &str) -> Result<Vec<(String, usize)>> {
    let column = frame.column(key)?;
    let mut runs: Vec<(String, usize)> = Vec::new();
    if column.dtype().is_string() {
        for key in column.str()?.iter().map(Option::unwrap_or_default) {
            match runs.last_mut() {
                Some((last, rows)) if last == key => *rows += 1,
                _ => runs.push((key.to_owned(), 1)),
            }
        }
        return Ok(runs);
    }
    let mut last = None;
    for key in column.i64()?.iter().map(Option::unwrap_or_default) {
        match runs.last_mut() {
            Some((_, rows)) if last == Some(key) => *rows += 1,
            _ => runs.push((key.to_string(), 1)),
        }
        last = Some(key);
    }
    Ok(runs)
}

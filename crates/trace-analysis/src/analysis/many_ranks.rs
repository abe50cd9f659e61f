//! Answers about more ranks than a reader reads one by one: heat maps instead of bars per rank, and the rows of the ranks that
//! differ most first. Frames stay complete.

use super::{Answer, AnswerTable};
use crate::present::{MOST_RANKS, RankMap};
use crate::stats::Centre;
use polars::prelude::{Column as FrameColumn, DataFrame, DataType, IdxCa, IdxSize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use trace_view::{Column, HeatMap, Unit};

/// A frame with a row per rank, or per rank and key.
struct RankRows {
    ranks: Vec<i64>,
    /// The key of each row, unique within its rank: `stream 7 · host_wait`; empty if there is one row per rank.
    keys: Vec<String>,
    measures: Vec<(&'static str, Unit, Vec<Option<f64>>)>,
}

impl RankRows {
    /// Reads the rows of a table; `None` if it has few ranks, or rows that represent events.
    fn of(table: &AnswerTable) -> Option<Self> {
        let frame = &table.frame;
        // Before the rows are looked at, which may be in files.
        if table.columns.iter().any(is_moment) {
            return None;
        }
        let ranks: Vec<i64> = frame.column("rank").ok()?.i64().ok()?.iter().collect::<Option<_>>()?;
        let distinct: BTreeSet<i64> = ranks.iter().copied().collect();
        if distinct.len() <= MOST_RANKS {
            return None;
        }
        let (mut keys, mut measures) = (Vec::new(), Vec::new());
        for column in frame.columns().iter().filter(|column| column.name() != "rank") {
            let known = table.columns.iter().find(|known| known.name == column.name().as_str())?;
            match kind(known, column.dtype()) {
                Kind::Measure => measures.push((known.name, known.unit, numbers(column)?)),
                Kind::Key => keys.push((known.name, column)),
            }
        }
        let keys = unique_keys(&ranks, &keys)?;
        Some(Self { ranks, keys, measures })
    }

    /// Returns for each row the largest distance of a measure from the median of the rows with its key.
    fn distances(&self) -> Vec<f64> {
        let mut by_key: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, key) in self.keys.iter().enumerate() {
            by_key.entry(key).or_default().push(row);
        }
        let mut far = vec![0.0_f64; self.ranks.len()];
        for rows in by_key.values() {
            for (_, _, values) in &self.measures {
                let Some(centre) = Centre::of(rows.iter().filter_map(|&row| values[row])) else { continue };
                for &row in rows {
                    let distance = values[row].map_or(0.0, |value| centre.z(value).abs());
                    far[row] = far[row].max(distance);
                }
            }
        }
        far
    }

    /// Returns these measures as a map, named by key and, if there are several, by measure.
    fn map(&self, drawn: &[&str]) -> RankMap {
        let mut map = RankMap::of(self.ranks.iter().copied());
        for (row, key) in self.keys.iter().enumerate() {
            for &(name, unit, ref values) in self.measures.iter().filter(|(name, ..)| drawn.contains(name)) {
                let label = match (key.as_str(), drawn.len()) {
                    ("", _) => words(name),
                    (key, 1) => key.to_owned(),
                    (key, _) => format!("{key} · {}", words(name)),
                };
                map.set(&label, unit, self.ranks[row], values[row].unwrap_or(f64::NAN));
            }
        }
        map
    }
}

/// The role of a column.
enum Kind {
    /// Tells rows of one rank apart.
    Key,
    /// Compared between ranks.
    Measure,
}

/// Whether a column is a point in time: its rows represent events.
fn is_moment(column: &Column) -> bool {
    matches!(column.name, "ts" | "end" | "correlation" | "index")
}

fn kind(column: &Column, dtype: &DataType) -> Kind {
    let is_measure = dtype.is_float() || (dtype.is_integer() && column.unit != Unit::None);
    if is_measure { Kind::Measure } else { Kind::Key }
}

/// Returns the name of a column in words, without its unit: `idle_time(us)` → `idle time`.
fn words(name: &str) -> String {
    name.strip_suffix("(us)").unwrap_or(name).trim_end().replace('_', " ")
}

fn numbers(column: &FrameColumn) -> Option<Vec<Option<f64>>> {
    Some(column.cast(&DataType::Float64).ok()?.f64().ok()?.iter().collect())
}

/// Joins as many of the columns as tell the rows of each rank apart; `None` if all do not.
fn unique_keys(ranks: &[i64], columns: &[(&str, &FrameColumn)]) -> Option<Vec<String>> {
    let mut keys = vec![String::new(); ranks.len()];
    let mut rest = columns.iter();
    loop {
        let mut seen = HashSet::new();
        let rows = ranks.iter().zip(&keys).enumerate();
        let twice: HashSet<String> = rows
            .filter(|(_, (rank, key))| !seen.insert((**rank, key.as_str())))
            .map(|(_, (_, key))| key.clone())
            .collect();
        if twice.is_empty() {
            return Some(keys);
        }
        let (name, column) = rest.next()?;
        let texts = column.cast(&DataType::String).ok()?;
        let texts = texts.str().ok()?;
        let is_text = column.dtype().is_string() || column.dtype().is_categorical();
        for (key, text) in keys.iter_mut().zip(texts.iter()).filter(|(key, _)| twice.contains(*key)) {
            let text = text.unwrap_or_default();
            let part = if is_text { text.to_owned() } else { format!("{} {text}", words(name)) };
            *key = if key.is_empty() { part } else { format!("{key} · {part}") };
        }
    }
}

impl AnswerTable {
    /// Returns the rows ordered by their distance from those of other ranks, the farthest first (the largest robust z-score
    /// of a column), and the number of ranks; `None` if there are no more than 32, or if rows represent events.
    pub fn most_different_first(&self) -> Option<(DataFrame, usize)> {
        let rows = RankRows::of(self)?;
        let far = rows.distances();
        let mut order: Vec<IdxSize> = (0..far.len() as IdxSize).collect();
        order.sort_by(|&one, &other| far[other as usize].total_cmp(&far[one as usize]));
        let frame = self.frame.take(&IdxCa::from_vec("row".into(), order)).ok()?;
        Some((frame, rows.ranks.iter().collect::<BTreeSet<_>>().len()))
    }
}

impl Answer {
    /// Replaces all figures but the first `count` by a heat map of `drawn`, columns of the table `name`, and adds the sentence on
    /// outliers; with few ranks nothing changes.
    pub(super) fn with_heat_map(self, title: &str, name: &str, drawn: &[&str], count: usize) -> Self {
        let table = self.whole_tables().into_iter().find(|table| table.name == name);
        let Some(rows) = table.as_ref().and_then(RankRows::of) else { return self };
        self.with_map(&rows.map(drawn), |map| map.deviations(title), count)
    }

    /// Replaces all figures but the first `count` by the drawing of a map, and adds the sentence on outliers, once; with few
    /// ranks nothing changes.
    pub(super) fn with_map(mut self, map: &RankMap, draw: impl Fn(&RankMap) -> HeatMap, count: usize) -> Self {
        if !map.is_large() {
            return self;
        }
        if self.heat_maps.is_empty() {
            self.notes.push(map.sentence());
        }
        self.figures.truncate(count);
        self.heat_maps.push(draw(map));
        self
    }
}

//! A trace at a glance.

use crate::error::numbers;
use crate::{Compat, RankInfo, TraceSet};
use trace_view::{Cell, Header, Kind, Part, Present, Report, Table, Unit, grouped};

/// A small table, a row per rank, and what was repaired while loading.
impl Present for TraceSet {
    fn present(&self) -> Report {
        let header = |name: &str, unit, kind, meaning: &str| Header {
            meaning: meaning.to_owned(),
            ..Header::new(name, unit, kind)
        };
        let rounding = match self.compat() {
            Compat::Exact => "",
            Compat::Hta => " · with HTA's rounding",
        };
        let table = Table {
            caption: format!("trace {} · {} events{rounding}", self.label(), grouped(self.event_count())),
            headers: vec![
                header("rank", Unit::None, Kind::Id, "process of the job"),
                header("events", Unit::Count, Kind::Number, "events that have a duration and a category"),
                header("span", Unit::Millis, Kind::Number, "from the start of the first event to the end of the last"),
                header("iterations", Unit::None, Kind::Text, "numbers of the ProfilerStep events"),
                header("streams", Unit::None, Kind::Text, "GPU streams"),
                header("device", Unit::None, Kind::Text, "told by the names of runtime calls"),
                header("file", Unit::None, Kind::Name, "where the rank was read from"),
            ],
            rows: self.info().into_iter().map(row).collect(),
            total_rows: self.traces().len(),
            notes: Vec::new(),
        };
        let report = Report::of(Part::Table(table));
        self.warnings().iter().fold(report, |report, warning| report.with(Part::Warning(warning.to_string())))
    }
}

fn row(info: &RankInfo) -> Vec<Cell> {
    let list =
        |values: &[i64], none: &str| Cell::Text(if values.is_empty() { none.to_owned() } else { ranges(values) });
    vec![
        Cell::Int(info.rank),
        Cell::Int(i64::try_from(info.events).unwrap_or(i64::MAX)),
        Cell::Float(info.span() as f64 / 1e6),
        list(&info.iterations, "no ProfilerStep"),
        list(&info.streams, "none"),
        Cell::Text(device(info).to_owned()),
        Cell::Text(info.file.clone()),
    ]
}

/// What the GPU is; HTA's word for one that is not known would be odd where there is none.
fn device(info: &RankInfo) -> &str {
    if info.streams.is_empty() && info.device_type == "UNKNOWN GPU" { "no GPU activity" } else { &info.device_type }
}

/// Ascending numbers with runs folded: `1009–1014`, `7, 20–22`.
fn ranges(values: &[i64]) -> String {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for &value in values {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == value => *last = value,
            _ => runs.push((value, value)),
        }
    }
    if runs.len() == values.len() {
        return numbers(values);
    }
    let texts: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first}–{last}"),
        })
        .collect();
    crate::error::texts(&texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_numbers_are_folded() {
        assert_eq!(ranges(&[7, 20, 21, 22]), "7, 20–22");
        assert_eq!(ranges(&[1009, 1010, 1011, 1012]), "1009–1012");
        assert_eq!(ranges(&[3, 4, 9, 10, 11]), "3, 4, 9–11");
        assert_eq!(ranges(&[3]), "3");
    }
}

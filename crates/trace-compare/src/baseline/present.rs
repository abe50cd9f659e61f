//! Baselines as tables.

use super::file::Baselines;
use super::stored::Baseline;
use statistics::{FEWEST, prediction, variance};
use trace_view::format::counted;
use trace_view::{Header, Kind, Part, Present, Report, Table, TableValue, Unit};

/// Rows of the table of regions.
const ROWS: usize = 20;
/// Meaning of the column of spreads.
const SPREAD: &str = "standard deviation between runs, in percent of the mean";
/// Level of the intervals.
const LEVEL: f64 = 0.95;

/// One row for each baseline: name, runs, mean step, spread between runs, date.
impl Present for Baselines {
    fn present(&self) -> Report {
        if self.all().is_empty() {
            return Report::of(Part::Text("no baseline is kept; baseline add NAME RUN… makes one".to_owned()));
        }
        let rows = self.all().iter().map(|baseline| {
            vec![
                TableValue::Text(baseline.name.clone()),
                TableValue::Int(baseline.runs.len() as i64),
                TableValue::Float(mean(&baseline.step_us)),
                spread(&baseline.step_us),
                TableValue::Int(baseline.regions.len() as i64),
                TableValue::Text(baseline.date.clone()),
            ]
        });
        let headers = vec![
            Header::new("baseline", Unit::None, Kind::Text),
            Header::new("runs", Unit::Count, Kind::Number),
            Header::new("step", Unit::Micros, Kind::Number),
            Header { meaning: SPREAD.to_owned(), ..Header::new("spread", Unit::Percent, Kind::Number) },
            Header::new("regions", Unit::Count, Kind::Number),
            Header::new("changed", Unit::None, Kind::Text),
        ];
        let rows: Vec<_> = rows.collect();
        let table =
            Table { caption: "baselines".to_owned(), headers, total_rows: rows.len(), rows, ..Table::default() };
        Report::of(Part::Table(table.in_fitting_time_unit()))
    }
}

/// The runs, and for step, classes and the largest regions mean, spread between runs and the interval of one more run.
impl Present for Baseline {
    fn present(&self) -> Report {
        let labels: Vec<String> = self.runs.iter().map(|run| run.label.clone()).collect();
        let runs = counted(self.runs.len(), "run");
        let mut text = format!("{}: {runs} ({}), {}.", self.name, trace_view::format::list(&labels), self.date);
        if self.runs.len() < FEWEST {
            text.push_str(&format!(" Too few to judge a run: {FEWEST} are needed."));
        }
        let mut rows = vec![row("step", &self.step_us)];
        rows.extend(self.classes.iter().map(|(class, us)| row(&class.replace('_', " "), us)));
        rows.extend(self.regions.iter().take(ROWS).map(|region| row(&region.called(), &region.us)));
        let headers = vec![
            Header::new("time a step", Unit::None, Kind::Name),
            Header::new("mean", Unit::Micros, Kind::Number),
            Header { meaning: SPREAD.to_owned(), ..Header::new("spread", Unit::Percent, Kind::Number) },
            Header {
                meaning: "95 % interval of one more run".to_owned(),
                ..Header::new("from", Unit::Micros, Kind::Number)
            },
            Header {
                meaning: "95 % interval of one more run".to_owned(),
                ..Header::new("to", Unit::Micros, Kind::Number)
            },
        ];
        let total_rows = rows.len() + self.regions.len().saturating_sub(ROWS);
        let table = Table {
            caption: "where one more run of the same program is expected".to_owned(),
            headers,
            rows,
            total_rows,
            ..Table::default()
        };
        Report::of(Part::Text(text)).with(Part::Table(table.in_fitting_time_unit()))
    }
}

fn row(name: &str, us: &[f64]) -> Vec<TableValue> {
    let interval = prediction(us, LEVEL).ok();
    let end = |end: Option<f64>| end.map_or(TableValue::Null, TableValue::Float);
    vec![
        TableValue::Text(name.to_owned()),
        TableValue::Float(mean(us)),
        spread(us),
        end(interval.map(|interval| interval.low.max(0.0))),
        end(interval.map(|interval| interval.high)),
    ]
}

/// Standard deviation between runs in percent of the mean; nothing of one run.
fn spread(us: &[f64]) -> TableValue {
    let centre = mean(us);
    if us.len() < 2 || centre <= 0.0 {
        return TableValue::Null;
    }
    TableValue::Float(100.0 * variance(us).sqrt() / centre)
}

fn mean(us: &[f64]) -> f64 {
    us.iter().sum::<f64>() / us.len().max(1) as f64
}

//! The answer of a gate as sentences and tables.

use super::answer::{ChangedRegion, GateAnswer};
use super::case::{MEANS, MEDIAN, Outcome, interval, means, needed_words, percent};
use super::structure::number;
use trace_view::format::{microseconds as time, microseconds_changed as time_changed};
use trace_view::{Header, Kind, Part, Present, Report, Table, TableValue, Unit};

/// Rows of the tables of regions.
const ROWS: usize = 15;

/// A sentence, what differs by structure, limits, regressions, improvements, accepted changes, warnings.
impl Present for GateAnswer {
    fn present(&self) -> Report {
        let mut sentences = vec![self.sentence()];
        sentences
            .extend(Some(self.structure()).filter(|text| !text.is_empty()).map(|text| format!("Structure: {text}.")));
        // The table has no room for long reasons.
        let others = self.cases.iter().filter(|case| case.outcome != Outcome::Passed);
        sentences.extend(others.filter(|case| !self.is_named(case)).map(|case| format!("Also: {}.", case.sentence())));
        let [control, test] = self.step_us.map(time);
        sentences.push(format!("Step: {control} → {test}; {}; {}.", self.scope_words(), self.comparability_words()));
        let mut report = Report::of(Part::Text(sentences.join("\n")));
        report.parts.extend(self.warnings.iter().cloned().map(Part::Warning));
        report.parts.push(Part::Table(self.limit_table()));
        for (caption, regions) in [
            ("regions that certainly got slower", self.regressions().collect::<Vec<_>>()),
            ("regions that certainly got faster", self.improvements().collect()),
        ] {
            if !regions.is_empty() {
                report.parts.push(Part::Table(region_table(caption, &regions)));
            }
        }
        if !self.facts.is_empty() {
            report.parts.push(Part::Table(self.structure_table()));
        }
        if !self.accepted.is_empty() {
            report.parts.push(Part::Table(self.accepted_table()));
        }
        report
    }
}

impl GateAnswer {
    fn limit_table(&self) -> Table {
        let rows = self.cases.iter().map(|case| {
            let needed = case.needed.map_or_else(|| "—".to_owned(), needed_words);
            vec![
                case.limit.of.to_string(),
                percent(case.limit.share),
                if [case.control_us, case.test_us] == [0.0, 0.0] {
                    "—".to_owned()
                } else {
                    means(case.control_us, case.test_us)
                },
                case.growth.map_or_else(|| "—".to_owned(), interval),
                case.outcome.word().to_owned(),
                case.why.clone(),
                needed,
            ]
        });
        table("limits", &["limit", "at most", MEANS, MEDIAN, "outcome", "why", "needed"], rows.collect(), usize::MAX)
    }

    fn structure_table(&self) -> Table {
        let rows = self.facts.iter().map(|fact| {
            let [one, other] = fact.count.map(number);
            let change = time_changed(fact.delta_us);
            vec![fact.what.word().to_owned(), fact.operator.clone(), format!("{one} → {other}"), change]
        });
        let headers = ["what", "operator", "count a step", "change of time"];
        table("what differs by structure", &headers, rows.collect(), ROWS)
    }

    fn accepted_table(&self) -> Table {
        let rows = self.accepted.iter().map(|one| {
            let now = match one.attributed_us {
                Some([_, test]) => time(test),
                None => "no such region".to_owned(),
            };
            let accepted = &one.accepted;
            vec![
                accepted.region.clone(),
                time(accepted.up_to_us),
                now,
                if one.honoured { "yes" } else { "no" }.to_owned(),
                accepted.by.clone(),
                accepted.date.clone(),
                accepted.reason.clone(),
            ]
        });
        let headers = ["region", "up to, a step", "now", "honoured", "by", "date", "reason"];
        table("accepted changes", &headers, rows.collect(), usize::MAX)
    }
}

fn region_table(caption: &str, regions: &[&ChangedRegion]) -> Table {
    let rows = regions.iter().map(|region| {
        let [control, test] = region.attributed_us;
        vec![
            region.called(),
            means(control, test),
            region.growth.map_or_else(|| "—".to_owned(), interval),
            region
                .q
                .map_or_else(|| "—".to_owned(), |q| if q < 1e-4 { "< 0.0001".to_owned() } else { format!("{q:.4}") }),
        ]
    });
    table(caption, &["region", MEANS, MEDIAN, "q"], rows.collect(), ROWS)
}

fn table(caption: &str, headers: &[&str], rows: Vec<Vec<String>>, most: usize) -> Table {
    let total_rows = rows.len();
    Table {
        caption: caption.to_owned(),
        headers: headers.iter().map(|header| Header::new(*header, Unit::None, Kind::Text)).collect(),
        rows: rows.into_iter().take(most).map(|row| row.into_iter().map(TableValue::Text).collect()).collect(),
        total_rows,
        ..Table::default()
    }
}

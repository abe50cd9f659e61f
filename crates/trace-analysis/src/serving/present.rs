//! The page of an answer: sentences, tables, figures.

use super::answer::{ServingAnswer, StepSource};
use crate::Result;
use trace_view::{Part, Present, Report};

/// Rows of the table of steps.
const STEPS: usize = 20;

impl ServingAnswer {
    /// Returns the page: sentences, the tables of phases and of their time, figures of steps over time, and the first `top` steps.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn report(&self, top: usize) -> Result<Report> {
        let mut report = Report::of(Part::Text(self.sentences().join("\n")));
        if self.phases.is_empty() {
            return Ok(report);
        }
        report.parts.push(Part::Table(self.summary_table()?));
        if self.device.is_some() {
            report.parts.push(Part::Table(self.time_table()?));
        }
        report.parts.extend(self.figures().into_iter().map(Part::Figure));
        if top > 0 && self.source == StepSource::Annotations {
            let mut table = self.step_table(top)?;
            if table.total_rows > table.rows.len() {
                table.rest = "`--table steps --top 0` shows all".to_owned();
            }
            report.parts.push(Part::Table(table));
        }
        Ok(report)
    }
}

impl Present for ServingAnswer {
    fn present(&self) -> Report {
        self.report(STEPS).unwrap_or_else(|error| Report::of(Part::Warning(error.to_string())))
    }
}

//! An answer as sentences, figures and tables.

use super::answer::{BoundWindow, CriticalPathAnswer, OnPath, WhatIf, diagnosis};
use super::tables::{BY_NAME_COLUMNS, EDGE_COLUMNS, PATH_COLUMNS, SUMMARY_COLUMNS, WHAT_IF_COLUMNS};
use crate::Result;
use crate::present::answer_table;
use causal::BoundBy;
use polars::prelude::{DataFrame, SortMultipleOptions};
use trace_view::format::{counted, nanoseconds as time};
use trace_view::{Column, Page, Part, Present, Report, Table};

/// Windows that a sentence names.
const MOST_WINDOWS: usize = 3;
/// Rows of the summary on its first page.
const SUMMARY_ROWS: usize = 40;
/// Rows of the path on its first page.
const PATH_ROWS: usize = 15;
/// A saving below this share of the window is not worth a sentence.
const WORTH: f64 = 0.005;

/// Sentences, figure, and tables with the names that savings are known of.
impl Present for CriticalPathAnswer {
    fn present(&self) -> Report {
        let known = |window: &BoundWindow| window.names.iter().filter(|row| row.saved_ns.is_some()).count();
        let top = self.windows.iter().map(known).max().unwrap_or(0);
        self.report(top).unwrap_or_else(|error| Report::of(Part::Warning(error.to_string())))
    }
}

impl CriticalPathAnswer {
    /// Returns the page: sentences, figures, and the tables `summary`, `what_if` if there are changes, `by_name` with `top` names, and of one
    /// window `path`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn report(&self, top: usize) -> Result<Report> {
        let mut report = Report::of(Part::Text(self.sentences()));
        if self.windows.is_empty() {
            return Ok(report);
        }
        let path = if let [window] = self.windows.as_slice() { self.path_figure(window) } else { None };
        report.parts.push(Part::Figure(path.unwrap_or_else(|| self.figure())));
        if !self.what_if.is_empty() {
            report.parts.push(Part::Table(self.what_if_table()?));
        }
        let one = self.windows.len() == 1;
        let mut table = self.table(&self.summary()?, SUMMARY_COLUMNS, "what bounds the step", one);
        table.page = Some(Page { rows: SUMMARY_ROWS, more: "`x = %critical_path …` binds all".to_owned() });
        report.parts.push(Part::Table(table));
        if top > 0 {
            let longest = SortMultipleOptions::default().with_order_descending(true).with_maintain_order(true);
            let frame = self.by_name()?.sort(["duration"], longest)?.head(Some(top));
            let mut table = self.table(&frame, BY_NAME_COLUMNS, "the critical path by name", one);
            table.total_rows = self.windows.iter().map(|window| window.names.len()).sum();
            table.rest = "`--top` shows more".to_owned();
            table.notes.push("savings are of the step, by replay; — was not computed".to_owned());
            report.parts.push(Part::Table(table));
        }
        if one {
            let path = self.path()?;
            let mut table = self.table(&path.head(Some(Table::MOST_ROWS)), PATH_COLUMNS, "the critical path", one);
            table.total_rows = path.height();
            table.page =
                Some(Page { rows: PATH_ROWS, more: "`x = %critical_path …` binds all as x_path".to_owned() });
            report.parts.push(Part::Table(table));
        }
        if self.edges.is_some() {
            let edges = self.edges()?;
            let mut table =
                self.table(&edges.head(Some(Table::MOST_ROWS)), EDGE_COLUMNS, "the edges of the graph", false);
            table.total_rows = edges.height();
            table.page =
                Some(Page { rows: PATH_ROWS, more: "`x = %critical_path …` binds all as x_edges".to_owned() });
            report.parts.push(Part::Table(table));
        }
        if !self.notes.is_empty() {
            report.parts.push(Part::Text(self.notes.join("\n")));
        }
        Ok(report)
    }

    /// Returns the page of the changes: sentences, the table `what_if`, and with a sweep its figure.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn what_if_report(&self) -> Result<Report> {
        let mut report = Report::of(Part::Text(self.what_if_sentences()));
        if !self.what_if.is_empty() {
            report.parts.push(Part::Table(self.what_if_table()?));
        }
        report.parts.extend(self.sweep_figure().map(Part::Figure));
        if !self.notes.is_empty() {
            report.parts.push(Part::Text(self.notes.join("\n")));
        }
        Ok(report)
    }

    fn what_if_sentences(&self) -> String {
        let Some(first) = self.windows.first() else { return "There is nothing to follow.".to_owned() };
        let which = match self.windows.len() {
            1 => self.long_title(first),
            count => format!("The step of {count} windows of {}", self.label),
        };
        let bound = format!("{which} is {}.", self.diagnosis());
        if !self.proposes {
            let sentences: Vec<String> = self.what_if.iter().map(sentence).collect();
            return format!("{bound}\n{}", sentences.join("\n"));
        }
        match self.what_if.first() {
            Some(best) => format!(
                "{bound} Of single changes that make something twice as fast, {} saves most: {} ({:.1} %), {} → {}.",
                best.change,
                time(best.saved_ns()),
                best.percent(),
                time(best.before_ns),
                time(best.after_ns)
            ),
            None => format!("{bound} No single change that makes something twice as fast saves anything."),
        }
    }

    /// Returns the table of the changes that the question tries out.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn what_if_table(&self) -> Result<Table> {
        let mut table = self.table(&self.what_if()?, WHAT_IF_COLUMNS, "what if", false);
        let unmatched: Vec<&str> =
            self.what_if.iter().filter(|row| !row.matches).map(|row| row.change.as_str()).collect();
        if !unmatched.is_empty() {
            table.notes.push(format!("nothing meets the condition of: {}", unmatched.join("; ")));
        }
        Ok(table)
    }

    /// Returns the answer in sentences: what bounds the step and what would help most, then what is missing.
    pub fn sentences(&self) -> String {
        let Some(first) = self.windows.first() else { return "There is nothing to follow.".to_owned() };
        let shares = self.shares();
        let whole: i64 = shares.iter().map(|(_, ns)| ns).sum();
        let which = match self.windows.len() {
            1 => self.long_title(first),
            count => format!("{} windows of {}", count, self.label),
        };
        let longest = shares.iter().max_by_key(|(_, ns)| *ns);
        let part = longest.map_or(String::new(), |(class, ns)| format!(": {} {}", percent(*ns, whole), words(*class)));
        let verb = if self.windows.len() == 1 { "is" } else { "are" };
        let advice = self.advice();
        let gap = if advice.is_empty() { "" } else { " " };
        let mut text = format!("{which} {verb} {}{part}.{gap}{advice}", self.diagnosis());
        text.push_str(&format!("\nOf {}: {}.", time(whole), listed(&shares, whole)));
        if self.windows.len() > 1 {
            let apart: Vec<String> = self
                .windows
                .iter()
                .filter(|window| diagnosis(&window.summary()) != self.diagnosis())
                .take(MOST_WINDOWS)
                .map(|window| format!("{} is {}", self.short_title(window), diagnosis(&window.summary())))
                .collect();
            if !apart.is_empty() {
                text.push_str(&format!("\nNot all are: {}.", apart.join(", ")));
            }
        }
        for row in &self.what_if {
            text.push_str(&format!("\n{}", sentence(row)));
        }
        let unexplained = shares.iter().find(|(class, _)| *class == BoundBy::Unexplained);
        if let Some((_, ns)) = unexplained {
            text.push_str(&format!(
                "\n{} ({}) is unexplained: what happened then starts later than everything recorded allows.",
                time(*ns),
                percent(*ns, whole)
            ));
        }
        text
    }

    /// What would help most.
    fn advice(&self) -> String {
        let best = self
            .windows
            .iter()
            .flat_map(|window| window.names.iter().map(move |row| (window, row)))
            .filter_map(|(window, row)| Some((window, row, row.saved_ns?)))
            .max_by_key(|(_, _, saved)| saved[0]);
        match best {
            Some((window, row, saved)) if saved[0] as f64 > WORTH * window.duration_ns() as f64 => {
                let of =
                    if self.windows.len() == 1 { String::new() } else { format!(" of {}", self.short_title(window)) };
                format!(
                    "Most would help: {} twice as fast, −{} ({}){of}; for free −{} ({}).",
                    self.what(row),
                    time(saved[0]),
                    percent(saved[0], window.duration_ns()),
                    time(saved[1]),
                    percent(saved[1], window.duration_ns()),
                )
            }
            Some(_) => "Nothing alone would help much: no name twice as fast saves half a percent.".to_owned(),
            None => String::new(),
        }
    }

    /// `gemm_fwd`, `the gaps before gelu_kernel`, `Python without an event`.
    pub(super) fn what(&self, row: &OnPath) -> String {
        let name = self.name(row.name);
        match (row.bound_by, name) {
            (BoundBy::Python, None) => "Python without an event".to_owned(),
            (BoundBy::NotRecorded, None) => "the time between events of a thread".to_owned(),
            (class, None) => words(class).to_owned(),
            (BoundBy::LaunchOverhead, Some(name)) => format!("the launches of {name}"),
            (BoundBy::KernelKernelOverhead, Some(name)) => format!("the gaps around {name}"),
            (BoundBy::Synchronization, Some(name)) => format!("waking after {name}"),
            (BoundBy::WaitingForRank, Some(name)) => format!("waiting for other ranks in {name}"),
            (_, Some(name)) => name.to_owned(),
        }
    }

    /// `rank 0 of job, ProfilerStep#4 (instance 1 of 4), 1.36 ms,`
    fn long_title(&self, window: &BoundWindow) -> String {
        let what = match window.instances {
            None => "the whole recording".to_owned(),
            Some((first, last)) if first == last => {
                format!("{} (instance {first}, of {} from 0)", window.annotation, window.of)
            }
            Some((first, last)) => format!("{} (instances {first}–{last}, of {} from 0)", window.annotation, window.of),
        };
        format!("Rank {} of {}, {what}, {},", window.rank, self.label, time(window.duration_ns()))
    }

    fn caption(&self, what: &str) -> String {
        match self.windows.as_slice() {
            [window] => format!("{what} · {} · {}", self.label, self.short_title(window)),
            windows => format!("{what} · {} · {}", self.label, counted(windows.len(), "window")),
        }
    }

    /// A table of a frame with these columns; without those that name the window if there is only `one`.
    fn table(&self, frame: &DataFrame, columns: &[Column], what: &str, one: bool) -> Table {
        let table = answer_table(frame, columns, &self.caption(what), frame.height());
        let names_window = |name: &str| matches!(name, "rank" | "of_rank" | "annotation" | "instance");
        let is_path = columns == PATH_COLUMNS;
        let selected: Vec<String> = table
            .headers
            .iter()
            .map(|header| header.name.clone())
            .filter(|name| !one || !names_window(name) || (is_path && name == "rank"))
            .collect();
        table.select(&selected).in_fitting_time_unit()
    }
}

/// Says what a change would do.
fn sentence(row: &WhatIf) -> String {
    if !row.matches {
        return format!("What if {}: nothing meets the condition.", row.change);
    }
    let saved = row.saved_ns();
    let change = match saved {
        0 => "the step stays".to_owned(),
        ns if ns > 0 => format!("the step is {} shorter ({:.1} %)", time(ns), row.percent()),
        ns => format!("the step is {} longer ({:.1} %)", time(-ns), -row.percent()),
    };
    format!(
        "What if {}: {change}, {} → {}; then {:.0} % of it is {}.",
        row.change,
        time(row.before_ns),
        time(row.after_ns),
        100.0 * row.bound_by.1,
        row.bound_by.0
    )
}

/// Lists shares, the largest first; `12.0 % computing, 3.0 % launching`.
fn listed(shares: &[(BoundBy, i64)], whole: i64) -> String {
    let mut sorted = shares.to_vec();
    sorted.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    let parts: Vec<String> =
        sorted.into_iter().map(|(class, ns)| format!("{} {}", percent(ns, whole), words(class))).collect();
    parts.join(", ")
}

pub(super) fn percent(part: i64, whole: i64) -> String {
    let share = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    if share != 0.0 && share.abs() < 0.05 { "< 0.1 %".to_owned() } else { format!("{share:.1} %") }
}

/// What a class of time is, in a sentence.
pub fn words(class: BoundBy) -> &'static str {
    match class {
        BoundBy::Cpu => "own time of operators",
        BoundBy::DataLoading => "loading data",
        BoundBy::Python => "Python",
        BoundBy::CudaRuntime => "inside runtime calls",
        BoundBy::LaunchOverhead => "launch latency",
        BoundBy::Compute => "kernels",
        BoundBy::Communication => "communication",
        BoundBy::Memory => "copies and fills",
        BoundBy::KernelKernelOverhead => "gaps between kernels",
        BoundBy::Synchronization => "waking after waits",
        BoundBy::WaitingForRank => "waiting for ranks that are not loaded",
        BoundBy::NotRecorded => "not recorded on the thread",
        BoundBy::Unexplained => "unexplained",
    }
}

//! An explanation as sentences, a figure and tables.

use super::certainty::{Certainty, Judged};
use super::explanation::Explanation;
use super::figure::WaterfallLevel;
use super::phase_match::PhaseMatch;
use super::region_group::Group;
use super::side_summary::lending_sentence;
use crate::Warning;
use crate::certainty::{Sentence, VERDICTS, lines};
use call_tree::{Cause, Change, Class, Grade};
use trace_view::format::{counted, microseconds as time, microseconds_changed as signed, ranges};
use trace_view::{Folded, Header, Kind, Part, Present, Report, Table, TableValue, Unit};

/// Rows of operators and kernels of a page that does not say how many.
const TOP: usize = 15;
/// Says that frames of Python are on one side only.
pub(super) const STACKS_DIFFER: &str =
    "Only one side was recorded with Python frames; they are ignored on both, and host times are not comparable.";
/// Title of the sentences below the answer.
const DETAILS: &str = "Details: changed calls, classes of time, waiting, noise, comparability";
/// Rows of the table of idle time.
const IDLE_ROWS: usize = 8;

/// Sentences, waterfall, the 15 operators and kernels with the largest change, idle time by cause, warnings.
impl Present for Explanation {
    fn present(&self) -> Report {
        self.report(TOP)
    }
}

impl Explanation {
    /// The page with so many rows of operators and kernels.
    pub fn report(&self, top: usize) -> Report {
        let lead = self.lead_sentences();
        let mut report = Report::of(Part::Text(lines(&lead)));
        report.parts.push(Part::Folded(Folded {
            title: DETAILS.to_owned(),
            text: lines(&self.details(&lead)),
            is_warning: false,
        }));
        report.parts.extend(Warning::parts(&self.warnings));
        report.parts.extend(self.is_without_stacks().then(|| Part::Warning(STACKS_DIFFER.to_owned())));
        report.parts.push(Part::Figure(self.waterfall(WaterfallLevel::default())));
        report.parts.push(Part::Table(self.class_table()));
        report.parts.extend(self.communication_tables().into_iter().map(Part::Table));
        if top > 0 && self.chosen_regions().next().is_some() {
            report.parts.push(Part::Table(self.region_table(top)));
        }
        if !self.idle.is_empty() {
            report.parts.push(Part::Table(self.idle_table()));
        }
        report.parts.extend(self.wait_table().map(Part::Table));
        report.parts.push(Part::Text(self.notes()));
        report
    }

    /// Formats what is compared: `control → test · ranks 0–3 → 0–3 · 24 + 24 samples`.
    pub(super) fn caption(&self) -> String {
        let [control, test] = &self.sides;
        let ranks = |ranks: &[i64]| format!("{}{}", if ranks.len() == 1 { "rank " } else { "ranks " }, ranges(ranks));
        let one = ranks(&control.ranks);
        let both = if control.ranks == test.ranks { one } else { format!("{one} → {}", ranks(&test.ranks)) };
        let samples = self.samples_text();
        let phase = self.phases.as_ref().and_then(PhaseMatch::compared);
        let phase = phase.map_or(String::new(), |phase| format!("phase {} · ", phase.letter));
        let chosen = self.chosen.as_ref().map_or(String::new(), |chosen| format!(" · {}", chosen.text));
        format!("{} → {} · {both} · {phase}{samples}{chosen}", control.name(), test.name())
    }

    /// All sentences: the answer ([`Explanation::lead`]), then what else differs and how comparable the recordings are.
    pub fn sentences(&self) -> String {
        lines(&self.conclusions())
    }

    /// The same sentences as data: what each is about, and its numbers.
    pub fn conclusions(&self) -> Vec<Sentence> {
        let mut sentences = self.lead_sentences();
        sentences.extend(self.details(&sentences));
        sentences
    }

    /// What a page folds below the answer: structure, classes, waiting, noise, comparability, and what to record next where the answer
    /// does not say it.
    /// Says how many kernels of graphs got operators of companions; `None` without companions.
    pub fn lending(&self) -> Option<Sentence> {
        lending_sentence(&self.sides)
    }

    fn details(&self, lead: &[Sentence]) -> Vec<Sentence> {
        let findings = self.findings();
        let mut sentences: Vec<Sentence> = Vec::new();
        sentences.extend(findings.apart());
        sentences.extend(self.structure_sentence());
        let mut classes: Vec<_> = self.classes.iter().filter(|class| class.delta_us != 0.0).collect();
        classes.sort_by(|one, other| other.delta_us.abs().total_cmp(&one.delta_us.abs()));
        if !classes.is_empty() {
            let parts: Vec<String> = classes
                .iter()
                .map(|class| format!("{} {}", class.class.replace('_', " "), signed(class.delta_us)))
                .collect();
            let sentence = Sentence::new("classes", format!("By class: {}.", parts.join(", ")));
            sentences.push(classes.iter().fold(sentence, |sentence, class| sentence.with(class.class, class.delta_us)));
        }
        if let (Some(control), Some(test)) = (self.largest_part(0), self.largest_part(1)) {
            let [one, other] = [&control, &test].map(|part| format!("{:.1} %", part.percent));
            let [a, b] = self.sides.each_ref().map(|side| side.name());
            let text = if control.what == test.what {
                format!("The largest part of a step is {}: {one} of it in {a}, {other} in {b}.", control.what)
            } else {
                format!(
                    "The largest part of a step is {} in {a} ({one} of it), {} in {b} ({other}).",
                    control.what, test.what
                )
            };
            let sentence = Sentence::new("largest_part", text);
            sentences.push(sentence.with("control_percent", control.percent).with("test_percent", test.percent));
        }
        sentences.extend(self.wait_sentences());
        sentences.extend(self.waiting_sentence());
        sentences.extend(self.lending());
        sentences.extend(self.noise_sentences());
        let is_included = lead.iter().any(|sentence| sentence.kind == "next");
        sentences.extend(findings.advice().filter(|_| !is_included));
        sentences
    }

    /// Returns the largest part of the step of a side: a class of time on the GPU, or idle time by its cause. `None` for a step without
    /// time. What *bounds* the step is another question, which the critical path answers: work that takes long may run in the shadow of
    /// other work.
    pub(super) fn largest_part(&self, side: usize) -> Option<LargestShare> {
        let of = |change: Change| if side == 0 { change.control.value() } else { change.test.value() };
        let classes = self.found.classes.iter().map(|&(class, time)| (class_words(class), of(time)));
        let idle = self.found.idle.iter().map(|&((cause, _), time)| (cause_words(cause), of(time)));
        let mut parts: Vec<(&'static str, f64)> = Vec::new();
        for (what, time) in classes.chain(idle) {
            match parts.iter_mut().find(|(known, _)| *known == what) {
                Some((_, sum)) => *sum += time,
                None => parts.push((what, time)),
            }
        }
        let step = of(self.found.step_ns);
        let (what, ns) = parts.into_iter().reduce(|most, part| if part.1 > most.1 { part } else { most })?;
        (step > 0.0 && ns > 0.0).then(|| LargestShare { what, percent: 100.0 * ns / step })
    }

    fn class_table(&self) -> Table {
        let certainty = self.certainty();
        let row = |name: &str, control: f64, test: f64, delta: f64, judged: Option<Judged>| {
            let mut values = vec![
                TableValue::Text(name.to_owned()),
                TableValue::Float(control),
                TableValue::Float(test),
                TableValue::Float(delta),
            ];
            values.extend(certainty_values(judged));
            values
        };
        let mut rows: Vec<Vec<TableValue>> = self
            .classes
            .iter()
            .map(|class| {
                let judged = certainty.class(class.class);
                row(&class.class.replace('_', " "), class.control_us, class.test_us, class.delta_us, judged)
            })
            .collect();
        rows.push(row("step", self.step.control_us, self.step.test_us, self.step.delta_us, Some(certainty.step)));
        let mut headers = vec![Header::new("class", Unit::None, Kind::Text)];
        headers.extend(self.sides_and_change());
        headers.extend(certainty_headers());
        with_common_verdict(Table {
            caption: format!("the step divided · {}", self.caption()),
            headers,
            total_rows: rows.len(),
            rows,
            ..Table::default()
        })
    }

    pub(super) fn sides_and_change(&self) -> [Header; 3] {
        let [control, test] = &self.sides;
        let side = |name: &str, meaning: &str| Header {
            meaning: meaning.to_owned(),
            scale: "time".to_owned(),
            ..Header::new(name, Unit::Micros, Kind::Bar)
        };
        [
            side(&control.name(), "control: share of the step, mean over samples"),
            side(&test.name(), "test: share of the step, mean over samples"),
            Header { meaning: "test − control".to_owned(), ..Header::new("change", Unit::Micros, Kind::Difference) },
        ]
    }

    /// The regions with the largest change; those of the same operator, kernel and grade are one row.
    fn region_table(&self, top: usize) -> Table {
        let meaning = |name: &str, unit: Unit, kind: Kind, meaning: &str| Header {
            meaning: meaning.to_owned(),
            ..Header::new(name, unit, kind)
        };
        let mut headers = vec![
            meaning("operator", Unit::None, Kind::Name, "the innermost call above the kernel"),
            meaning(
                "kernel",
                Unit::None,
                Kind::Name,
                "short name of the kernel, of both sides where they differ; of several the one with most time",
            ),
        ];
        // What matters most first: pages cut tables off on the right.
        headers.extend(self.sides_and_change());
        headers.extend(certainty_headers());
        headers.extend([
            meaning("regions", Unit::Count, Kind::Number, "regions of this operator, kernel and grade, added up"),
            meaning(
                "grade",
                Unit::None,
                Kind::Category,
                "how well both sides agree: exact, name, family, region, moved, added, deleted",
            ),
            meaning(
                "by count",
                Unit::Micros,
                Kind::Difference,
                "how much comes from another number of events; the rest comes from another cost of each event",
            ),
        ]);
        let certainty = self.certainty();
        let groups: Vec<(&Group, &Judged)> =
            self.groups().iter().zip(&certainty.groups).filter(|(group, _)| group.is_chosen).collect();
        let rows = groups.iter().take(top).map(|(group, judged)| {
            let mut values = vec![TableValue::Text(group.operator.clone()), TableValue::Text(group.kernel.clone())];
            let [control, test, change, by_count] = group.times.map(TableValue::Float);
            values.extend([control, test, change]);
            values.extend(certainty_values(Some(**judged)));
            values.extend([
                TableValue::Int(group.regions.len() as i64),
                TableValue::Text(group.grade.to_owned()),
                by_count,
            ]);
            values
        });
        let rows = rows.collect::<Vec<_>>();
        with_common_verdict(Table {
            caption: format!("operators and kernels with the largest change · {}", self.caption()),
            headers,
            rows,
            total_rows: groups.len(),
            notes: vec!["sorted by |change|".to_owned()],
            ..Table::default()
        })
    }

    fn idle_table(&self) -> Table {
        let rows: Vec<Vec<TableValue>> = self
            .idle
            .iter()
            .take(IDLE_ROWS)
            .map(|idle| {
                let frame = if idle.frame.is_empty() { TableValue::Null } else { TableValue::Text(idle.frame.clone()) };
                vec![
                    TableValue::Text(idle.cause.to_owned()),
                    if idle.kind.is_empty() { TableValue::Null } else { TableValue::Text(idle.kind.to_owned()) },
                    frame,
                    TableValue::Float(idle.control_us),
                    TableValue::Float(idle.test_us),
                    TableValue::Float(idle.delta_us),
                ]
            })
            .collect();
        let mut headers = vec![
            Header::new("cause", Unit::None, Kind::Text),
            Header::new("kind", Unit::None, Kind::Text),
            Header::new("host frame", Unit::None, Kind::Name),
        ];
        headers.extend(self.sides_and_change());
        Table {
            caption: format!("idle time by cause · {}", self.caption()),
            headers,
            rows,
            total_rows: self.idle.len(),
            notes: vec!["sorted by |change|".to_owned()],
            ..Table::default()
        }
    }

    /// Returns the grades of the regions and the GPU time outside of the selection.
    fn notes(&self) -> String {
        let grades =
            [Grade::Exact, Grade::Name, Grade::Family, Grade::Region, Grade::Moved, Grade::Added, Grade::Deleted];
        let counted_grades: Vec<String> = grades
            .into_iter()
            .map(|grade| (grade.word(), self.graded(grade)))
            .filter(|(_, number)| *number > 0)
            .map(|(word, number)| format!("{number} {word}"))
            .collect();
        let regions = counted(self.chosen_regions().count(), "region");
        let grades = if counted_grades.is_empty() { String::new() } else { format!(": {}", counted_grades.join(", ")) };
        let mut text = format!("{regions}{grades}.");
        for (side, coverage) in self.sides.iter().zip(self.coverage()) {
            for (reason, ns, events) in coverage.reasons() {
                text.push_str(&format!(
                    "\n{}: {} of GPU work ({}) is left out: {}.",
                    side.name(),
                    time(ns as f64 / 1e3),
                    counted(events as usize, "event"),
                    reason.word()
                ));
            }
            if coverage.recorded == 0 {
                let (recordings, its) =
                    if side.runs > 1 { ("recordings have", "their") } else { ("recording has", "its") };
                let name = side.name();
                text.push_str(&format!(
                    "\n{name}: the {recordings} no GPU work; {its} step is divided by host events."
                ));
            }
        }
        text
    }
}

/// Says a verdict that all rows have once, below the table: samples that are too few are so in every row. Without a verdict there is no
/// interval and no q either.
fn with_common_verdict(mut table: Table) -> Table {
    let of = |name: &str| table.headers.iter().position(|header| header.name == name);
    let Some(verdict) = of("verdict") else { return table };
    let mut words = table.rows.iter().filter_map(|row| match row.get(verdict) {
        Some(TableValue::Text(word)) => Some(word.as_str()),
        _ => None,
    });
    let common = words.next().filter(|first| words.all(|word| word == *first)).map(str::to_owned);
    let (Some(word), true) = (common, table.rows.len() > 1) else { return table };
    let mut left_out = vec![verdict];
    let is_empty = |at: &usize| table.rows.iter().all(|row| matches!(row.get(*at), Some(TableValue::Null) | None));
    left_out.extend(["95 %", "q"].into_iter().filter_map(of).filter(is_empty));
    left_out.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
    for at in left_out {
        table.headers.remove(at);
        table.rows.iter_mut().for_each(|row| drop(row.remove(at)));
    }
    table.notes.push(format!("verdict of every row: {word}"));
    table
}

/// Columns of certainty, behind those of a change.
pub(super) fn certainty_headers() -> [Header; 3] {
    let header = |name: &str, kind: Kind, meaning: &str| Header {
        meaning: meaning.to_owned(),
        ..Header::new(name, Unit::None, kind)
    };
    [
        header("verdict", Kind::Category, VERDICTS),
        header("95 %", Kind::Text, "95 % interval of the change"),
        header("q", Kind::Number, "p of the change, corrected for all rows of its level"),
    ]
}

/// Values of these columns.
pub(super) fn certainty_values(judged: Option<Judged>) -> [TableValue; 3] {
    let text = |text: Option<String>| text.map_or(TableValue::Null, TableValue::Text);
    let interval = judged.and_then(|judged| judged.interval_us);
    [
        text(Certainty::word_in_row(judged)),
        text(interval.map(|[low, high]| format!("{} … {}", signed(low), signed(high)))),
        judged.and_then(|judged| judged.q).map_or(TableValue::Null, TableValue::Float),
    ]
}

/// A part of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LargestShare {
    /// Its name: `compute kernels`.
    pub(super) what: &'static str,
    /// Its share of the step.
    pub(super) percent: f64,
}

fn class_words(class: Class) -> &'static str {
    match class {
        Class::Compute => "compute kernels",
        Class::Communication => "communication that nothing hides",
        Class::Copy => "copies and fills",
        Class::Host => "host work",
    }
}

fn cause_words(cause: Cause) -> &'static str {
    match cause {
        Cause::Host | Cause::LaunchCall | Cause::Drain => "idle time of the GPU while the host works",
        Cause::LaunchLatency => "idle time of the GPU for the latency of launches",
        Cause::Dependency(_) => "idle time of the GPU for dependencies between kernels",
    }
}

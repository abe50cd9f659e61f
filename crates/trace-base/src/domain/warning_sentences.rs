//! Warnings about several files or traces in one sentence.

use super::Warning;
use trace_view::{Folded, Part};

/// Files or traces that a sentence names.
const NAMED: usize = 3;

impl Warning {
    /// Returns the sentences of several warnings, in their order and each once: files that do not say their rank are one sentence, and so
    /// are traces without steps. A group of 16 runs is not 16 times the same.
    pub fn sentences<'w>(warnings: impl IntoIterator<Item = &'w Self>) -> Vec<String> {
        let warnings: Vec<&Self> = warnings.into_iter().collect();
        let mut sentences: Vec<String> = Vec::new();
        for warning in &warnings {
            let similar =
                warnings.iter().filter(|other| std::mem::discriminant(**other) == std::mem::discriminant(*warning));
            let sentence = match warning {
                Self::NoRank { .. } => without_rank(&similar.filter_map(|warning| warning.file()).collect::<Vec<_>>()),
                Self::NoProfilerStep { .. } => {
                    without_steps(&similar.filter_map(|warning| warning.trace()).collect::<Vec<_>>())
                }
                _ => None,
            };
            let sentence = sentence.unwrap_or_else(|| warning.to_string());
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        sentences
    }

    /// Returns several warnings as parts of a report: each a warning of its own, but conditions in which two recordings differ are one
    /// line that unfolds, and repairs that lost nothing are plain text.
    pub fn parts<'w>(warnings: impl IntoIterator<Item = &'w Self>) -> Vec<Part> {
        let (conditions, other): (Vec<&Self>, Vec<&Self>) =
            warnings.into_iter().partition(|warning| warning.condition().is_some());
        let (repairs, other): (Vec<&Self>, Vec<&Self>) =
            other.into_iter().partition(|warning| warning.is_information());
        let mut parts: Vec<Part> = Self::sentences(other).into_iter().map(Part::Warning).collect();
        parts.extend(folded_conditions(&conditions).map(Part::Folded));
        let repairs = Self::sentences(repairs);
        parts.extend((!repairs.is_empty()).then(|| Part::Text(repairs.join("\n"))));
        parts
    }

    /// Returns the condition in which two recordings differ, in a word or two, and the recordings.
    fn condition(&self) -> Option<(&'static str, [&str; 2])> {
        let Self::UnlikeRecording { what, control, test, .. } = self else { return None };
        Some((what.word()?, [control, test]))
    }

    /// Returns the trace without steps.
    fn trace(&self) -> Option<&str> {
        if let Self::NoProfilerStep { label } = self { Some(label) } else { None }
    }
}

/// Returns the conditions in which recordings differ under one line that names them.
fn folded_conditions(warnings: &[&Warning]) -> Option<Folded> {
    let (_, [control, test]) = warnings.first()?.condition()?;
    let conditions: Vec<_> = warnings.iter().filter_map(|warning| warning.condition()).collect();
    let of_one_pair = conditions.iter().all(|(_, sides)| *sides == [control, test]);
    let sides = if of_one_pair { format!("\"{control}\" and \"{test}\"") } else { "the two sides".to_owned() };
    let mut words: Vec<&str> = Vec::new();
    for (word, _) in &conditions {
        if !words.contains(word) {
            words.push(word);
        }
    }
    Some(Folded {
        title: format!("{sides} were recorded under different conditions: {}", words.join(", ")),
        text: Warning::sentences(warnings.iter().copied()).join("\n"),
        is_warning: true,
    })
}

/// Says of several files that they do not say their rank.
fn without_rank(files: &[&str]) -> Option<String> {
    (files.len() > 1).then(|| {
        format!(
            "{} files do not say their rank, each taken as rank 0 ({}; a trace names it as \"distributedInfo\": {{\"rank\": 0}})",
            files.len(),
            named(files)
        )
    })
}

/// Says of several traces that they have no steps.
fn without_steps(labels: &[&str]) -> Option<String> {
    let mut labels = labels.to_vec();
    labels.dedup();
    (labels.len() > 1).then(|| {
        format!(
            "{} traces have no ProfilerStep ({}): the whole window of each counts as its one iteration",
            labels.len(),
            named(&labels)
        )
    })
}

/// The first names, each once, and how many more there are: `a, b, c and 13 more`.
fn named(names: &[&str]) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name);
        }
    }
    let more = distinct.len().saturating_sub(NAMED);
    let listed = distinct[..distinct.len() - more].join(", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{NUMBER_AS_TEXT, Unlike};

    #[test]
    fn files_without_a_rank_are_one_sentence() {
        let file = |file: &str| Warning::NoRank { file: file.to_owned() };
        let step = Warning::NoProfilerStep { label: "control".to_owned() };
        let runs: Vec<Warning> = (1..=16).map(|run| file(&format!("run-{run}.json"))).chain([step.clone()]).collect();
        let sentences = Warning::sentences(&runs);
        assert!(sentences.len() == 2 && sentences[1] == step.to_string(), "{sentences:?}");
        assert!(
            sentences[0].starts_with(
                "16 files do not say their rank, each taken as rank 0 (run-1.json, run-2.json, run-3.json and 13 more;"
            ),
            "{sentences:?}"
        );
        let same = [file("0.json"), file("0.json")];
        assert!(Warning::sentences(&same)[0].contains("2 files") && Warning::sentences(&same)[0].contains("(0.json;"));
        assert_eq!(Warning::sentences(&same[..1]), [same[0].to_string()]);
    }

    #[test]
    fn conditions_of_a_pair_are_one_line_that_unfolds() {
        let unlike = |what: Unlike, test: &str| Warning::UnlikeRecording {
            what,
            control: "a".to_owned(),
            of_control: "one".to_owned(),
            test: test.to_owned(),
            of_test: "other".to_owned(),
        };
        let repair = |what: &str| Warning::Anomalies { file: "f".to_owned(), what: what.to_owned(), count: 70 };
        let found = Warning::parts(&[
            unlike(Unlike::Devices, "b"),
            repair(NUMBER_AS_TEXT),
            unlike(Unlike::Software, "b"),
            repair("NaN or Infinity, read as null"),
            unlike(Unlike::Nothing, "b"),
        ]);
        let [Part::Warning(lost), Part::Warning(same), Part::Folded(folded), Part::Text(text)] = &found[..] else {
            panic!("{found:?}");
        };
        assert!(lost.contains("70 × NaN") && same.contains("same recording") && text.contains("70 × a number"));
        assert_eq!(folded.title, "\"a\" and \"b\" were recorded under different conditions: devices, software");
        assert!(folded.is_warning && folded.text.lines().count() == 2 && folded.text.starts_with("the devices differ"));
        let runs = Warning::parts(&[unlike(Unlike::Devices, "b"), unlike(Unlike::Devices, "c")]);
        let [Part::Folded(folded)] = &runs[..] else { panic!("{runs:?}") };
        assert_eq!(folded.title, "the two sides were recorded under different conditions: devices");
        assert!(Warning::parts([]).is_empty());
    }

    #[test]
    fn traces_without_steps_are_one_sentence() {
        let trace = |label: &str| Warning::NoProfilerStep { label: label.to_owned() };
        let sentences = Warning::sentences(&[trace("a"), trace("b")]);
        assert_eq!(
            sentences,
            ["2 traces have no ProfilerStep (a, b): the whole window of each counts as its one iteration"]
        );
        assert_eq!(Warning::sentences(&[trace("a")]), [trace("a").to_string()]);
    }
}

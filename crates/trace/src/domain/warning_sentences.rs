//! Warnings about several files or traces in one sentence.

use super::Warning;

/// Files or traces that a sentence names.
const NAMED: usize = 3;

impl Warning {
    /// Returns the sentences of several warnings, in their order and each once: files that do not say their rank are one sentence, and so
    /// are traces without steps. A group of 16 runs is not 16 times the same.
    pub fn sentences<'w>(warnings: impl IntoIterator<Item = &'w Self>) -> Vec<String> {
        let warnings: Vec<&Self> = warnings.into_iter().collect();
        let mut sentences: Vec<String> = Vec::new();
        for warning in &warnings {
            let alike =
                warnings.iter().filter(|other| std::mem::discriminant(**other) == std::mem::discriminant(*warning));
            let sentence = match warning {
                Self::NoRank { .. } => without_rank(&alike.filter_map(|warning| warning.file()).collect::<Vec<_>>()),
                Self::NoProfilerStep { .. } => {
                    without_steps(&alike.filter_map(|warning| warning.trace()).collect::<Vec<_>>())
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

    /// Returns the trace without steps.
    fn trace(&self) -> Option<&str> {
        if let Self::NoProfilerStep { label } = self { Some(label) } else { None }
    }
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

    #[test]
    fn files_without_a_rank_are_one_sentence() {
        let file = |file: &str| Warning::NoRank { file: file.to_owned() };
        let step = Warning::NoProfilerStep { label: "control".to_owned() };
        let runs: Vec<Warning> = (1..=16).map(|run| file(&format!("run-{run}.json"))).chain([step.clone()]).collect();
        let said = Warning::sentences(&runs);
        assert!(said.len() == 2 && said[1] == step.to_string(), "{said:?}");
        assert!(
            said[0].starts_with(
                "16 files do not say their rank, each taken as rank 0 (run-1.json, run-2.json, run-3.json and 13 more;"
            ),
            "{said:?}"
        );
        let same = [file("0.json"), file("0.json")];
        assert!(Warning::sentences(&same)[0].contains("2 files") && Warning::sentences(&same)[0].contains("(0.json;"));
        assert_eq!(Warning::sentences(&same[..1]), [same[0].to_string()]);
    }

    #[test]
    fn traces_without_steps_are_one_sentence() {
        let trace = |label: &str| Warning::NoProfilerStep { label: label.to_owned() };
        let said = Warning::sentences(&[trace("a"), trace("b")]);
        assert_eq!(
            said,
            ["2 traces have no ProfilerStep (a, b): the whole window of each counts as its one iteration"]
        );
        assert_eq!(Warning::sentences(&[trace("a")]), [trace("a").to_string()]);
    }
}

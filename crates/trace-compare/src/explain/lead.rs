//! The answer of an explanation in at most three sentences: how much, where, how sure.

use super::explanation::{Explanation, IdleChange};
use super::region_group::Group;
use crate::certainty::{Sentence, lines};
use statistics::Verdict;
use trace_view::format::{counted, microseconds_changed as signed};

/// Sentences of the answer.
const LEAD: usize = 3;
/// Places of the change that the sentence names.
const NAMED: usize = 3;
/// Share of the change of the step from which a place is named beside the largest one.
const LEAST_SHARE: f64 = 0.1;

/// A place of the step's change: idle time by its cause, or an operator and its kernel.
struct Contribution {
    what: String,
    delta_us: f64,
}

impl Explanation {
    /// The answer in at most three sentences: how much slower a step is and where most of that is, how sure that is, and what to record
    /// next or, with a filter, what the chosen regions hold. If the recordings cannot be compared, or iterations are of several phases, that
    /// comes first.
    pub fn lead(&self) -> String {
        lines(&self.lead_sentences())
    }

    /// The sentences of [`Self::lead`].
    pub(super) fn lead_sentences(&self) -> Vec<Sentence> {
        let findings = self.findings();
        let mut sentences: Vec<Sentence> = findings.warning().into_iter().collect();
        sentences.extend(self.phase_sentence());
        sentences.push(findings.step(self.origins().as_deref()));
        sentences.push(findings.verdict());
        sentences.extend(self.choice().or_else(|| findings.advice()));
        sentences.truncate(LEAD);
        sentences
    }

    /// Names the origins of most of the step's change: the frame of the host during idle time, or operator and kernel. Nothing for a
    /// step that has no relevant change.
    fn origins(&self) -> Option<String> {
        let step = self.step.delta_us;
        if step == 0.0 || self.certainty().step.verdict == Verdict::NoRelevantChange {
            return None;
        }
        let idle = self.idle.iter().map(|idle| Contribution { what: idle_text(idle), delta_us: idle.delta_us });
        let groups =
            self.groups().iter().map(|group| Contribution { what: group_text(group), delta_us: group.times[2] });
        let mut contributions: Vec<Contribution> =
            idle.chain(groups).filter(|contribution| contribution.delta_us * step > 0.0).collect();
        contributions.sort_by(|one, other| other.delta_us.abs().total_cmp(&one.delta_us.abs()));
        let first = contributions.first()?;
        // More than all of it would be no share: other places got better.
        let share = Some(first.delta_us / step).filter(|share| *share <= 1.0);
        let named = contributions
            .iter()
            .enumerate()
            .take(NAMED)
            .filter(|(at, contribution)| *at == 0 || contribution.delta_us / step >= LEAST_SHARE);
        let named: Vec<String> = named
            .map(|(at, Contribution { what, delta_us })| {
                let of = share.filter(|_| at == 0);
                let of = of.map_or(String::new(), |share| format!(" ({:.0} % of the change)", 100.0 * share));
                format!("{} {what}{of}", signed(*delta_us))
            })
            .collect();
        Some(named.join("; "))
    }

    /// Says how much of the change the chosen regions hold; nothing without a filter.
    fn choice(&self) -> Option<Sentence> {
        let (chosen, us) = (self.chosen.as_ref()?, self.chosen_us()?);
        let number = self.chosen_regions().count();
        if number == 0 {
            let reason = "no region, since no event of the selected iterations meets that";
            return Some(Sentence::new("chosen", format!("Chosen, {}: {reason}.", chosen.text)).with("regions", 0.0));
        }
        let of = if self.step.delta_us == 0.0 {
            "; the step did not change".to_owned()
        } else {
            format!(" of the change of {}", signed(self.step.delta_us))
        };
        let regions = counted(self.region_count(), "region");
        let text = format!("Chosen, {}: {number} of {regions} with {}{of}.", chosen.text, signed(us));
        Some(Sentence::new("chosen", text).with("regions", number as f64).with("delta_us", us))
    }
}

/// `of idle GPU while the host is in enumerate(DataLoader)`
fn idle_text(idle: &IdleChange) -> String {
    match (idle.frame.as_str(), idle.kind) {
        ("", "") => format!("of idle GPU, {}", idle.cause),
        ("", kind) => format!("of idle GPU, {}: {kind}", idle.cause),
        (frame, _) => format!("of idle GPU while the host is in {}", trace_view::tidy(frame)),
    }
}

/// `in aten::copy_ › Memcpy HtoD (Pinned -> Device)`
fn group_text(group: &Group) -> String {
    let kernel = &group.kernel;
    match group.operator.as_str() {
        "" => format!("in {kernel}"),
        operator if operator == kernel => format!("in {kernel}"),
        operator => format!("in {operator} › {kernel}"),
    }
}

//! Reasons for which an explanation, or a comparison of runs, cannot answer.

use super::details::without_modules;

/// Message about a phase that there is not.
fn unknown_phase(phase: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!("cannot choose phase `{phase}`: the iterations are of one phase; leave it out");
    }
    format!("unknown phase `{phase}`: expected all, {}", known.join(", "))
}

/// Why an explanation, or a comparison of runs, cannot answer what was asked of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainReason {
    /// The places of events were asked for, but not kept.
    #[error(
        "cannot list the events of the explanation: their places were not kept; call Explain::keep_events before run"
    )]
    EventsNotRetained,
    /// All runs of test are recordings of control, too.
    #[error(
        "\"{control}\" and \"{test}\" are one recording, and test has no other run: record the program of each side in its own process (tracebook record-loop)"
    )]
    OneRecording {
        /// The run of control.
        control: String,
        /// The run of test.
        test: String,
    },
    /// No call of an aligned tree is a module.
    #[error(
        "cannot cut the tree at modules: {}; record both sides with torch.profiler.profile(with_stack=True, with_modules=True, …)",
        without_modules(.control, .test, *.ignored)
    )]
    NoModules {
        /// Label of control.
        control: String,
        /// Label of test.
        test: String,
        /// Only one side has frames of Python, so that they were ignored on both.
        ignored: bool,
    },
    /// A marker names iterations of different phases, and the sides have none in common.
    #[error(
        "cannot compare iterations of different phases: control has {control}, test has {test}, no phase in common; record runs \
         that serve the same kind of requests"
    )]
    NoCommonPhase {
        /// Some iterations of control.
        control: String,
        /// Some iterations of test.
        test: String,
    },
    /// The iterations are of no such phase.
    #[error("{}", unknown_phase(.phase, .known))]
    UnknownPhase {
        /// The phase.
        phase: String,
        /// The phases that both sides have.
        known: Vec<String>,
    },
    /// A gate is asked about regions of which there are none.
    #[error(
        "cannot judge nothing: no GPU event of the selected iterations meets the condition ({condition}); see what there is: \
         tracebook explain, with the same condition"
    )]
    NothingChosen {
        /// The condition: `where dur > 100us`.
        condition: String,
    },
    /// Nothing in an explanation has this name.
    #[error(
        "unknown part `{part}`: expected step, a class, or an operator or kernel as the tables name it, such as {}",
        known.join(", ")
    )]
    UnknownPart {
        /// The name.
        part: String,
        /// Some that there are.
        known: Vec<String>,
    },
}

//! Gates on hand-made runs and on recorded ones.

use super::*;
use crate::{Error, Explain, Explanation, LabeledTrace, SelectEvents, TraceSet};
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{Part, Present};

/// Ten operators with a kernel each, in six iterations; kernel 3 of test takes `factor` times as long. Each run has noise of its own.
fn run(seed: u64, factor: f64, extra: bool) -> LabeledTrace {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f64 / (1_u64 << 24) as f64
    };
    let own = 1.0 + 0.004 * noise();
    let mut trace = TraceBuilder::new();
    let mut at = 0_i64;
    for iteration in 0..6 {
        let begin = at;
        let mut busy = begin + 60;
        for operator in 0..10 {
            let id = 100 * iteration + operator + 1;
            let host = begin + 10 * operator;
            let factor = if operator == 3 { factor } else { 1.0 };
            let us = (1000.0 * own * factor * (1.0 + 0.01 * noise())) as i64;
            trace = trace
                .operator(&format!("aten::op{operator}"), host + 1..host + 9)
                .runtime("cudaLaunchKernel", id, host + 2..host + 6)
                .kernel(&format!("kernel{operator}"), Stream(7), busy..busy + us)
                .correlation(id);
            busy += us;
        }
        if extra {
            let id = 100 * iteration + 50;
            trace = trace
                .operator("aten::new|<b>", begin + 101..begin + 108)
                .runtime("cudaLaunchKernel", id, begin + 102..begin + 106)
                .kernel("added_kernel", Stream(7), busy..busy + 400)
                .correlation(id);
            busy += 400;
        }
        at = busy + 20;
        trace = trace.step(iteration, begin..at);
    }
    LabeledTrace::new("run", TraceSet::from_bytes(trace.json()).unwrap())
}

fn explained(runs: u64, factor: f64, extra: bool) -> Explanation {
    let control = (1..=runs).map(|seed| run(seed, 1.0, false)).collect();
    let test = (1..=runs).map(|seed| run(seed + 100, factor, extra)).collect();
    Explain::of_runs(control, test).run().unwrap()
}

fn gate(limits: &[&str]) -> Gate {
    Gate::new(limits.iter().map(|limit| Limit::parse(limit).unwrap()).collect())
}

#[test]
fn equal_programs_pass() {
    let answer = gate(&["3%", "class:compute=3%", "aten::op3=5%"]).judge(&explained(6, 1.0, false)).unwrap();
    assert_eq!(answer.outcome(), Outcome::Passed, "{}", answer.sentence());
    assert_eq!(answer.verdict(), "no regression");
    assert!(answer.changed.is_empty() && answer.facts.is_empty(), "{:?}", answer.changed);
    assert!(answer.sentence().starts_with("No regression: all 3 limits hold; step "), "{}", answer.sentence());
}

#[test]
fn slower_operator_exceeds_its_limit_and_is_named() {
    let answer = gate(&["aten::op3=5%", "aten::op4=5%", "kernel*=20%"]).judge(&explained(6, 1.3, false)).unwrap();
    let outcomes: Vec<Outcome> = answer.cases.iter().map(|case| case.outcome).collect();
    assert_eq!(outcomes, [Outcome::Exceeded, Outcome::Passed, Outcome::Passed], "{:?}", answer.cases);
    assert!(answer.sentence().starts_with("Regression: aten::op3 grew by "), "{}", answer.sentence());
    let regressions: Vec<String> = answer.regressions().map(ChangedRegion::called).collect();
    assert_eq!(regressions, ["aten::op3 · kernel3"]);
}

#[test]
fn one_recording_a_side_cannot_judge_programs() {
    let few = gate(&["3%"]).judge(&explained(2, 1.3, false)).unwrap();
    assert_eq!(few.outcome(), Outcome::Inconclusive);
    assert_eq!(few.cases[0].needed, Some(4));
    assert!(
        few.sentence().contains("too few") && few.sentence().contains("Record 4 + 4 fresh processes"),
        "{}",
        few.sentence()
    );
}

#[test]
fn added_work_is_a_fact_and_comes_first() {
    let answer = gate(&["1%", "aten::new*=5%"]).judge(&explained(6, 1.0, true)).unwrap();
    assert_eq!(answer.structure(), "added: aten::new|<b>");
    assert_eq!(answer.cases[1].outcome, Outcome::Exceeded);
    assert_eq!(answer.cases[1].why, "new in test");
    assert_eq!(answer.cases[0].outcome, Outcome::Exceeded, "{:?}", answer.cases[0]);
    let page = answer.to_markdown();
    let (structure, limits) = (page.find("Structure: added").unwrap(), page.find("Limits (2)").unwrap());
    assert!(structure < limits, "{page}");
    assert!(!page.contains("<b>") && !page.contains("new|"), "{page}");
}

#[test]
fn unknown_names_are_errors_with_names_there_are() {
    let error = gate(&["aten::opp=3%"]).judge(&explained(2, 1.3, false)).unwrap_err();
    assert!(matches!(error, Error::UnknownRegion { .. }));
    assert!(error.to_string().contains("aten::op3"), "{error}");
}

#[test]
fn condition_that_chooses_nothing_is_refused() {
    let (control, test) = (vec![run(1, 1.0, false)], vec![run(101, 1.3, false)]);
    let chosen = |condition: &str| {
        let filter: crate::filter::Where = condition.parse().unwrap();
        Explain::of_runs(control.clone(), test.clone()).filter(filter).run().unwrap()
    };
    let error = gate(&["3%"]).judge(&chosen("name = \"no such kernel\"")).unwrap_err();
    assert!(error.to_string().contains("no GPU event") && error.to_string().contains("no such kernel"), "{error}");
    assert!(gate(&["3%"]).judge(&chosen("name = \"kernel3\"")).is_ok());
}

#[test]
fn accepted_changes_are_left_out_until_they_grow() {
    let explanation = explained(6, 1.5, false);
    let limits = ["2%", "class:compute=2%", "aten::op3=5%"];
    assert_eq!(gate(&limits).judge(&explanation).unwrap().outcome(), Outcome::Exceeded);
    let accepted = Accepted::of(&explanation, "aten::op3", "more accurate", "Ada").unwrap();
    assert!((accepted.up_to_us / 1650.0 - 1.0).abs() < 0.02, "{accepted:?}");
    let answer = gate(&limits[..2]).accepting(vec![accepted.clone()]).judge(&explanation).unwrap();
    assert_eq!(answer.outcome(), Outcome::Passed, "{}", answer.sentence());
    assert!(answer.accepted[0].honoured && answer.changed.is_empty());
    assert!(answer.to_markdown().contains("more accurate (Ada, "));
    let slower = explained(6, 1.9, false);
    let answer = gate(&limits[..2]).accepting(vec![accepted]).judge(&slower).unwrap();
    assert_eq!(answer.outcome(), Outcome::Exceeded);
    assert!(!answer.accepted[0].honoured && answer.to_markdown().contains("**outgrown: 1.9"));
    assert!(matches!(Accepted::of(&explanation, "aten::none", "x", "Ada"), Err(Error::UnknownRegion { .. })));
}

#[test]
fn accepted_classes_are_left_out_of_all_limits() {
    let explanation = explained(6, 1.5, false);
    let accepted = |name: &str| Accepted::of(&explanation, name, "slower but right", "Ada").unwrap();
    let judged = |limits: &[&str], accepted| gate(limits).accepting(accepted).judge(&explanation).unwrap();
    let limits = ["2%", "class:compute=2%", "class:idle=30%"];
    assert_eq!(judged(&limits, Vec::new()).outcome(), Outcome::Exceeded);
    // Without compute, the step is idle time, which did not change.
    let compute = accepted("class:compute");
    let answer = judged(&limits, vec![compute.clone()]);
    assert!(answer.accepted[0].honoured && answer.changed.is_empty());
    assert_ne!(answer.cases[0].outcome, Outcome::Exceeded, "{}", answer.cases[0].sentence());
    assert!(answer.cases[0].control_us < 100.0, "{:?}", answer.cases[0]);
    assert_eq!((answer.cases[1].outcome, answer.cases[1].control_us), (Outcome::Passed, 0.0));
    // A region of an accepted class is not left out twice.
    let twice = judged(&limits, vec![compute, accepted("aten::op3")]);
    assert_eq!(twice.cases[0].control_us, answer.cases[0].control_us);
    let idle = judged(&["2%", "class:idle=1%"], vec![accepted("class:idle")]);
    assert_eq!(idle.cases[1].why, "accepted, so it is left out");
    assert!(
        (idle.cases[0].control_us - (explanation.step.control_us - idle.accepted[0].attributed_us.unwrap()[0])).abs()
            < 1e-6
    );
}

#[test]
fn reports_say_the_same_in_every_form() {
    let answer = gate(&["aten::op3=5%", "aten::op4=5%"]).judge(&explained(6, 1.3, false)).unwrap();
    let document = answer.to_json();
    assert_eq!(document["verdict"], "regression");
    assert_eq!(document["scope"], "program");
    assert_eq!(document["limits"][0]["outcome"], "exceeded");
    assert!(document["limits"][0]["growth"]["low"].as_f64().unwrap() > 0.05);
    assert_eq!(document["regressions"][0]["path"][0], "aten::op3");
    let interval = &document["regressions"][0]["interval_ns"];
    assert!(interval[0].as_f64().unwrap() > 250_000.0 && interval[1].as_f64().unwrap() < 350_000.0, "{interval}");
    let page = answer.to_markdown();
    assert!(page.starts_with("❌ **Regression**: aten::op3 grew by "), "{page}");
    assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
    let report = answer.present();
    assert!(matches!(&report.parts[0], Part::Text(text) if text.starts_with("Regression: aten::op3")));
    let junit = answer.to_junit(false);
    assert!(junit.contains("tests=\"2\" failures=\"1\"") && junit.contains("type=\"regression\""), "{junit}");
}

#[test]
fn junit_reports_are_well_formed() {
    let mut answer = gate(&["3%"]).judge(&explained(2, 1.0, true)).unwrap();
    answer.cases[0].why = "<&\"'>\u{1b}\u{0}]]>\n\u{fffe}".to_owned();
    for (passes, numbers) in
        [(false, "failures=\"1\" errors=\"0\" skipped=\"0\""), (true, "failures=\"0\" errors=\"0\" skipped=\"1\"")]
    {
        let junit = answer.to_junit(passes);
        assert!(junit.contains(numbers), "{junit}");
        assert_well_formed(&junit);
    }
}

/// Checks what a parser of XML checks: characters, references, attributes, and that every element ends.
fn assert_well_formed(text: &str) {
    let text = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").unwrap();
    assert!(text.chars().all(|c| c == '\n' || (c >= ' ' && c != '\u{fffe}' && c != '\u{ffff}')), "{text}");
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        assert!(!before.contains('>'), "{before}");
        for reference in before.split('&').skip(1) {
            let name = reference.split_once(';').unwrap().0;
            assert!(["amp", "lt", "gt", "quot", "apos", "#10"].contains(&name), "{name}");
        }
        let (tag, behind) = after.split_once('>').unwrap();
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.split([' ', '/']).next().unwrap();
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && !rest.contains('>'), "{open:?}");
}

/// Recorded traces, where they are.
fn recorded(names: &[&str]) -> Option<Vec<LabeledTrace>> {
    let folder = std::env::var_os("TRACEBOOK_SHARED")?;
    let load = |name: &&str| {
        let path = std::path::Path::new(&folder).join("traces").join(name);
        LabeledTrace::load("run", path).unwrap()
    };
    Some(names.iter().map(load).collect())
}

#[test]
fn recordings_that_differ_as_a_whole_never_regress() {
    let Some(runs) = recorded(&["recorded_iterations/control", "recorded_iterations/control_again"]) else { return };
    let [control, again] = &runs[..] else { unreachable!() };
    for (control, test) in [(control, again), (again, control)] {
        let explanation = Explain::new(control.clone(), test.clone()).run().unwrap();
        let answer = gate(&["3%", "class:host=3%"]).judge(&explanation).unwrap();
        assert_eq!(answer.outcome(), Outcome::Inconclusive, "{}", answer.sentence());
        assert!(answer.sentence().contains("not comparable"), "{}", answer.sentence());
        assert!(answer.changed.is_empty() && answer.facts.is_empty(), "{:?}", answer.facts);
    }
}

#[test]
fn runs_of_one_program_pass_and_those_of_another_differ() {
    let names =
        |side: &str, runs: &[u32]| runs.iter().map(|run| format!("recorded_runs/{side}-{run}")).collect::<Vec<_>>();
    let side = |names: Vec<String>| recorded(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let (Some(one), Some(other)) = (side(names("control", &[1, 3])), side(names("control", &[2, 4]))) else { return };
    let equal = gate(&["3%"]).judge(&Explain::of_runs(one, other).run().unwrap()).unwrap();
    assert_ne!(equal.outcome(), Outcome::Exceeded, "{}", equal.sentence());
    assert!(equal.facts.is_empty(), "{:?}", equal.facts);
    let (Some(control), Some(test)) = (side(names("control", &[1, 2, 3, 4])), side(names("test", &[1, 2, 3, 4])))
    else {
        return;
    };
    let changed = gate(&["3%"]).judge(&Explain::of_runs(control, test).run().unwrap()).unwrap();
    assert!(changed.structure().contains("aten::_to_copy"), "{}", changed.structure());
}

//! Explanations from partial results: each rank by itself, as bytes, merged in any order.

use super::state::ExplainState;
use crate::filter::Where;
use crate::{
    COMPARISONS, CompareRuns, DiffSide, Error, Explain, ExplainPlan, Explanation, LabeledTrace, SelectEvents, TraceSet,
};
use trace_testkit::{Random, Stream, TraceBuilder, rank_with_collective};

/// The same explanation, whatever way it was made.
fn assert_equal(one: &Explanation, other: &Explanation, what: &str) {
    assert_eq!(one.to_json(), other.to_json(), "{what}");
    assert_eq!(one.sentences(), other.sentences(), "{what}");
    assert!(one.samples().unwrap().equals_missing(&other.samples().unwrap()), "{what}");
}

/// The partial results of all ranks, in any order.
fn mapped(plan: &ExplainPlan, sides: [&[LabeledTrace]; 2], random: &mut Random) -> Vec<Vec<u8>> {
    let mut states = Vec::new();
    for (side, runs) in [DiffSide::Control, DiffSide::Test].into_iter().zip(sides) {
        for (run, rank) in plan.ranks(side) {
            states.push(plan.map(side, run, &runs[run].trace().rank(rank).unwrap()).unwrap());
        }
    }
    for index in (1..states.len()).rev() {
        states.swap(index, random.below(index + 1));
    }
    states
}

/// Merges neighbours until one is left.
fn merged(plan: &ExplainPlan, mut states: Vec<Vec<u8>>, random: &mut Random) -> Vec<u8> {
    while states.len() > 1 {
        let at = random.below(states.len() - 1);
        let other = states.remove(at + 1);
        states[at] = plan.merge(&[&states[at], &other]).unwrap();
    }
    plan.merge(&states).unwrap()
}

fn check(control: &[LabeledTrace], test: &[LabeledTrace], what: &str) {
    let random = &mut Random::new(what.len() as u64);
    let query = || Explain::of_runs(control.to_vec(), test.to_vec());
    let first = control[0].ranks()[0];
    let gemm: Where = "name ~ \"gemm|addmm|mm\" and dur > 5us".parse().unwrap();
    for (number, explain) in
        [query(), query().slowest_rank().filter(gemm), query().warmup(1).control_rank(first)].into_iter().enumerate()
    {
        // Not every trace has two iterations.
        let Ok(whole) = explain.run() else { continue };
        let sent = serde_json::to_string(&explain.plan().unwrap()).unwrap();
        let plan: ExplainPlan = serde_json::from_str(&sent).unwrap();
        let states = mapped(&plan, [control, test], random);
        let finished = plan.finish(&merged(&plan, states, random)).unwrap();
        assert_equal(&finished, &whole, &format!("{what} {number}"));
    }
}

fn demo(name: &str) -> LabeledTrace {
    TraceSet::load(format!("../../notebooks/data/{name}")).unwrap().with_label(name).into()
}

fn job(label: &str, longer: i64) -> LabeledTrace {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..4 {
        let gemm = 1_000 + if number == 2 { longer } else { 0 };
        let rank = rank_with_collective(number, gemm, 100 + gemm..2_000 + longer);
        std::fs::write(folder.path().join(format!("rank-{number}.json")), rank.json()).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label(label).into()
}

#[test]
fn ranks_mapped_one_by_one_give_the_same_explanation() {
    check(&[demo("control")], &[demo("test")], "demo");
    check(&[demo("job")], &[demo("job")], "job");
    check(&[demo("control"), demo("test")], &[demo("test")], "runs");
    check(&[job("a", 0)], &[job("b", 600)], "collectives");
}

#[test]
fn shared_pairs_give_the_same_explanation() {
    let Some(shared) = std::env::var_os("TRACEBOOK_SHARED") else {
        eprintln!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    let traces = std::path::Path::new(&shared).join("traces");
    let load = |file: &str| -> LabeledTrace { TraceSet::load(traces.join(file)).unwrap().into() };
    for (control, test) in [
        (vec!["tracelens_h100_mi300/bert_small/control.json.gz"], vec!["tracelens_h100_mi300/bert_small/test.json.gz"]),
        (
            vec!["tracelens_h100_mi300/qwen1.5_0.5b/control.json.gz"],
            vec!["tracelens_h100_mi300/qwen1.5_0.5b/test.json.gz"],
        ),
        (vec!["trace_diff/control"], vec!["trace_diff/test"]),
        (vec!["trace_compare/base"], vec!["trace_compare/test"]),
        (vec!["trace_filter"], vec!["trace_filter"]),
        (vec!["recorded_cpu/control"], vec!["recorded_cpu/test"]),
        (vec!["recorded_iterations/control"], vec!["recorded_iterations/test"]),
        (
            vec!["recorded_runs/control-1", "recorded_runs/control-2"],
            vec!["recorded_runs/test-1", "recorded_runs/test-2"],
        ),
    ] {
        let sides = [&control, &test].map(|side| side.iter().map(|file| load(file)).collect::<Vec<_>>());
        check(&sides[0], &sides[1], &format!("{control:?}"));
    }
}

#[test]
fn stacks_of_one_side_are_left_out_on_both() {
    let side = |with_stacks: bool, us: i64| -> LabeledTrace {
        let mut trace = TraceBuilder::new().step(1, 0..100);
        if with_stacks {
            trace = trace.complete("python_function", "model.py(1): forward", 1, 1, 2..60);
        }
        let trace = trace.operator("aten::mm", 5..30).runtime("cudaLaunchKernel", 1, 10..20);
        let trace = trace.kernel("gemm", Stream(7), 30..30 + us).correlation(1);
        TraceSet::from_bytes(trace.json()).unwrap().with_label(if with_stacks { "with" } else { "without" }).into()
    };
    let (control, test) = ([side(true, 20)], [side(false, 30)]);
    check(&control, &test, "stacks");
    let explained = Explain::new(&control[0], &test[0]).run().unwrap();
    assert!(explained.is_without_stacks());
    assert!(!Explain::new(&control[0], &control[0]).run().unwrap().is_without_stacks());
}

#[test]
fn what_does_not_fit_the_plan_is_refused() {
    let (control, test) = ([job("a", 0)], [job("b", 600)]);
    let explain = Explain::of_runs(control.to_vec(), test.to_vec());
    let (plan, random) = (explain.plan().unwrap(), &mut Random::new(1));
    let states = mapped(&plan, [&control, &test], random);
    let error = |error: Error| error.to_string();
    let some = plan.merge(&states[1..]).unwrap();
    let text = error(plan.finish(&some).unwrap_err());
    assert!(text.contains("cannot read the partial result of explain: rank") && text.contains("is missing"), "{text}");
    let other = explain.clone().warmup(1).plan().unwrap();
    assert!(error(other.merge(&states).unwrap_err()).contains("it was computed with the parameters"));
    let unknown = plan.map(DiffSide::Test, 3, &test[0].trace().rank(1).unwrap());
    assert!(error(unknown.unwrap_err()).contains("run 3 of the plan has no rank 1"));
    let entry = COMPARISONS.iter().find(|entry| entry.name == "explain").unwrap();
    let text = serde_json::to_string(&plan).unwrap();
    let whole = entry.merge(&text, &states).unwrap();
    let frame = entry.finish(&text, &whole).unwrap();
    assert!(frame.equals_missing(&explain.run().unwrap().regions().unwrap()));
    assert!(matches!(entry.finish(&text, &whole[..40]), Err(Error::WrongState { .. })));
    let marked = explain.marker(regex::Regex::new("decode").unwrap()).plan().unwrap();
    let error = error(marked.map(DiffSide::Control, 0, &control[0].trace().rank(0).unwrap()).unwrap_err());
    assert!(error.contains("decode") && error.contains('a'), "{error}");
}

#[test]
fn forged_bytes_are_refused_or_do_no_harm() {
    let (control, test) = ([job("a", 0)], [job("b", 600)]);
    let (plan, mut random) = (Explain::new(&control[0], &test[0]).plan().unwrap(), Random::new(3));
    let (mut refused, mut read) = (0, 0);
    for _ in 0..300 {
        let mut state = ExplainState::default();
        for (side, runs) in [(DiffSide::Control, &control), (DiffSide::Test, &test)] {
            for (run, rank) in plan.ranks(side) {
                let rank = runs[run].trace().rank(rank).unwrap();
                CompareRuns::merge(&plan, &mut state, CompareRuns::map(&plan, side, run, &rank).unwrap());
            }
        }
        // No checksum protects what was forged before it was made.
        let mut bytes = postcard::to_allocvec(&state).unwrap();
        match random.below(3) {
            0 => bytes.truncate(random.below(bytes.len())),
            _ => {
                for _ in 0..=random.below(3) {
                    let at = random.below(bytes.len());
                    bytes[at] = random.below(256) as u8;
                }
            }
        }
        let Ok(state) = postcard::from_bytes::<ExplainState>(&bytes) else {
            refused += 1;
            continue;
        };
        read += 1;
        match CompareRuns::finish(&plan, state) {
            Ok(explained) => drop((explained.to_json(), explained.sentences(), explained.samples().unwrap())),
            Err(Error::WrongState { .. }) => refused += 1,
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(refused > 20 && read > 20, "{refused} {read}");
}

//! Analyses without their types: bytes of partial results that any process merges and finishes.

use super::catalog::required;
use super::merging::{exact_text, four_ranks};
use super::{ranks, views};
use crate::analysis::{Answer, CATALOG, Entry, Plan};
use crate::filter::Where;
use crate::{Error, TraceAnalysis, TraceSet};
use serde_json::{Map, Value};
use trace_testkit::{Stream, TraceBuilder};

/// Every row of the catalog, with parameters for which the trace of four ranks has an answer.
pub(super) fn every_entry() -> Vec<(&'static Entry, Map<String, Value>)> {
    let with_arguments = |entry: &'static Entry| {
        let mut arguments = required(entry);
        if entry.name == "frequent_cuda_kernel_sequences" {
            arguments.insert("min_pattern_len".to_owned(), 1.into());
        }
        if entry.name == "time_blocked_on_full_queue" {
            arguments.insert("max_queue_length".to_owned(), 1.into());
        }
        (entry, arguments)
    };
    CATALOG.iter().map(with_arguments).collect()
}

/// All of an answer, with all digits.
pub(super) fn whole(answer: &Answer) -> String {
    let table = |table: &crate::analysis::AnswerTable| {
        format!("{} {:?} {:?} {:?}", table.name, table.rank, table.frame.schema(), exact_text(&table.frame))
    };
    let tables: Vec<String> = answer.tables.iter().map(table).collect();
    let Answer { title, figures, notes, copies, .. } = answer;
    format!("{title} {tables:#?} {figures:#?} {notes:?} {copies:?}")
}

/// Maps each rank as a process of its own would, from the plan as text.
fn states(
    entry: &Entry,
    arguments: &Map<String, Value>,
    (traces, analysis): (&TraceSet, &TraceAnalysis),
    ranks: Option<&[i64]>,
) -> Vec<Vec<u8>> {
    let sent = serde_json::to_string(analysis.plan()).unwrap();
    let plan: Plan = serde_json::from_str(&sent).unwrap();
    let map = |rank: i64| entry.map(&plan.view(&traces.rank(rank).unwrap()).unwrap(), arguments.clone()).unwrap();
    entry.ranks(&plan, arguments.clone(), ranks).unwrap().into_iter().map(map).collect()
}

#[test]
fn merged_bytes_finish_to_the_same_answer() {
    let traces = four_ranks();
    let all = TraceAnalysis::new(&traces).unwrap();
    let long = all.filter("dur > 150ns".parse::<Where>().unwrap()).unwrap();
    for analysis in [&all, &long, &long.in_iterations([1]).unwrap()] {
        let plan: Plan = serde_json::from_str(&serde_json::to_string(analysis.plan()).unwrap()).unwrap();
        for (entry, arguments) in every_entry() {
            for ranks in [None, Some(&[0, 1, 2, 3][..])] {
                let expected = whole(&entry.ask(analysis, arguments.clone(), ranks).unwrap());
                let states = states(entry, &arguments, (&traces, analysis), ranks);
                let merge = |states: &[Vec<u8>]| entry.merge(arguments.clone(), states).unwrap();
                let finish = |state: &[u8]| whole(&entry.finish(&plan, arguments.clone(), ranks, state).unwrap());
                assert_eq!(finish(&merge(&states)), expected, "{}", entry.name);
                let Ok([a, b, c, d]) = <[Vec<u8>; 4]>::try_from(states) else { continue };
                let other_order = merge(&[merge(&[d, b]), merge(&[a]), merge(&[]), c]);
                assert_eq!(finish(&other_order), expected, "{} in another order", entry.name);
            }
        }
    }
}

#[test]
fn states_of_other_analyses_and_parameters_are_refused() {
    let analysis = TraceAnalysis::new(&four_ranks()).unwrap();
    let view = &views(&analysis)[0];
    let of = |name: &str| CATALOG.iter().find(|entry| entry.name == name).unwrap();
    let (idle, overlap) = (of("idle_time_breakdown"), of("comm_comp_overlap"));
    let state = idle.map(view, Map::new()).unwrap();
    let refused = |result: crate::Result<Vec<u8>>| match result {
        Err(Error::WrongState { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(overlap.merge(Map::new(), &[&state])), "it is one of idle_time_breakdown");
    let other = Map::from_iter([("consecutive_kernel_delay".to_owned(), 7.into())]);
    assert!(refused(idle.merge(other, &[&state])).contains("\"consecutive_kernel_delay\":30.0"));
    assert_eq!(refused(idle.merge(Map::new(), &[&state[..state.len() - 1]])), "the bytes are damaged");
    assert!(idle.finish(analysis.plan(), Map::new(), None, b"").is_err());
}

#[test]
fn plan_with_an_expression_says_how_to_send_it() {
    let analysis = TraceAnalysis::new(&four_ranks()).unwrap();
    let expression = analysis.filter(crate::filter::name("gemm").unwrap()).unwrap();
    let error = serde_json::to_string(expression.plan()).unwrap_err().to_string();
    assert!(error.contains("write it as a text"), "{error}");
}

/// One step with so many operators, each with a kernel and a copy.
fn busy_rank(operators: i64) -> TraceBuilder {
    let mut builder = TraceBuilder::new().step(1, 0..operators * 100);
    for number in 0..operators {
        let at = number * 100;
        builder = builder
            .operator("aten::mm", at..at + 50)
            .runtime("cudaLaunchKernel", 2 * number, at + 1..at + 3)
            .runtime("cudaMemcpyAsync", 2 * number + 1, at + 5..at + 7)
            .kernel("gemm", Stream(7), at + 10..at + 40)
            .correlation(2 * number)
            .memcpy("Memcpy DtoH (Device -> Pageable)", Stream(7), 4096, at + 60..at + 70)
            .correlation(2 * number + 1)
            .arg("memory bandwidth (GB/s)", "4.096")
            .kernel("ncclDevKernel_AllReduce", Stream(20), at + 10..at + 90)
            .complete("gpu_user_annotation", "forward", 0, 7, at + 10..at + 95)
            .complete("cuda_profiler_range", "gemm", 0, 0, at + 1..at + 2)
            .arg("dram__bytes.sum", "8");
    }
    builder
}

#[test]
fn states_grow_with_events_only_where_the_catalog_says_so() {
    let view = |operators: i64| {
        let traces = ranks(&[busy_rank(operators)]);
        views(&TraceAnalysis::new(&traces).unwrap()).remove(0)
    };
    let (few, many) = (view(20), view(2_000));
    for (entry, arguments) in every_entry() {
        let [few, many] = [&few, &many].map(|view| entry.map(view, arguments.clone()).unwrap().len());
        // They keep the intervals of collectives, here one for each operator, and of no other events.
        let of_collective = match entry.name {
            "compare_ranks" | "potential_stragglers" => Some(16),
            "collectives" | "validate" => Some(24),
            _ => None,
        };
        if let Some(most) = of_collective {
            assert!(many < few + 1_980 * most, "{}: {few} and {many} bytes", entry.name);
            continue;
        }
        // Larger numbers take a few bytes more.
        assert_eq!(many > few + 100, entry.keeps_events, "{}: {few} and {many} bytes", entry.name);
    }
}

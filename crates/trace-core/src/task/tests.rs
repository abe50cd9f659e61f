//! Answers by tasks equal those of this process, digit by digit.
#![allow(clippy::unwrap_used)]

use super::threads::{BUILD, Threads};
use super::{EXIT_PLAN, Engine, JobSpec, Query, TraceSpec, Worker, exit_code};
use crate::Questions;
use crate::analysis::{Answer, AnswerTable, CATALOG};
use crate::filter::Where;
use crate::{
    By, Cache, Compat, Error, Explain, LoadOptions, SelectEvents, TraceAnalysis, TraceDiff, TraceSet, Warning,
};
use std::path::Path;
use std::sync::Arc;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::Present;

/// A rank whose durations and iterations depend on its number.
fn rank(rank: i64, operator: &str) -> TraceBuilder {
    let after = 40_000 + 100 * rank;
    TraceBuilder::new()
        .rank(rank)
        .nanos()
        .step(1, 0..after)
        .operator(operator, 100..2_000 + rank)
        .runtime("cudaLaunchKernel", 8, 200..300 + rank)
        .runtime("cudaMemcpyAsync", 1, 310..313)
        .kernel("gemm", Stream(7), 1_000..10_001 + rank)
        .correlation(8)
        .kernel("ncclDevKernel_AllReduce", Stream(20), 5_003..17_000 + 7 * rank)
        .complete("gpu_user_annotation", "forward", 0, 7, 0..9_000 + rank)
        .memcpy("Memcpy DtoH (Device -> Pageable)", Stream(7), 4096, 20_000..21_000)
        .correlation(1)
        .arg("memory bandwidth (GB/s)", "4.096")
        .step(2, after..90_000)
        .operator("aten::relu", after + 10..after + 500)
        .runtime("cudaLaunchKernel", 9, after + 20..after + 30)
        .kernel("relu", Stream(7), after + 100..after + 900 * (rank + 1))
        .correlation(9)
        .step(3, 90_000..95_000)
}

/// A folder with so many ranks.
fn folder(ranks: i64, operator: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..ranks {
        std::fs::write(folder.path().join(format!("rank-{number}.json")), rank(number, operator).json()).unwrap();
    }
    folder
}

fn options() -> LoadOptions {
    LoadOptions { label: Some("job".to_owned()), ..LoadOptions::default() }
}

fn here(path: &Path) -> TraceSet {
    TraceSet::load_with(path, &options(), &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn elsewhere(path: &Path, grouping: usize) -> (TraceSet, Arc<Threads>) {
    let engine = Arc::new(Threads::new(grouping, None));
    let shared: Arc<dyn Engine> = engine.clone();
    (TraceSet::load_elsewhere(&uri(path), &options(), &shared).unwrap(), engine)
}

/// All of an answer, with all digits.
fn whole(answer: &Answer) -> String {
    let table = |table: &AnswerTable| {
        let frame = &table.frame;
        let row = |row: usize| frame.columns().iter().map(|column| format!("{:?}", column.get(row))).collect();
        let rows: Vec<Vec<String>> = (0..frame.height()).map(row).collect();
        format!("{} {:?} {:?} {rows:?}", table.name, table.rank, frame.schema())
    };
    let tables: Vec<String> = answer.tables.iter().map(table).collect();
    let Answer { title, figures, notes, copies, .. } = answer;
    format!("{title} {tables:#?} {figures:#?} {notes:?} {copies:?}")
}

fn parameters(name: &str) -> serde_json::Map<String, serde_json::Value> {
    let entry = CATALOG.iter().find(|entry| entry.name == name).unwrap();
    let positional = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
    positional.map(|parameter| (parameter.name.to_owned(), "aten::mm".into())).collect()
}

#[test]
fn every_question_has_the_same_digits_by_tasks() {
    let folder = folder(9, "aten::mm");
    let local = TraceAnalysis::new(&here(folder.path())).unwrap();
    let narrowed =
        |all: &TraceAnalysis| all.filter("dur > 150ns".parse::<Where>().unwrap()).unwrap().in_iterations([1]).unwrap();
    for grouping in [1, 4, 64] {
        let (traces, engine) = elsewhere(folder.path(), grouping);
        let all = TraceAnalysis::new(&traces).unwrap();
        for entry in CATALOG {
            let arguments = parameters(entry.name);
            let ask = |of: &TraceAnalysis| whole(&entry.ask(of, arguments.clone(), None).unwrap());
            assert_eq!(ask(&all), ask(&local), "{} in groups of {grouping}", entry.name);
            if grouping == 4 {
                assert_eq!(ask(&narrowed(&all)), ask(&narrowed(&local)), "{} of some rows", entry.name);
            }
        }
        assert!(engine.nodes.lock().unwrap().iter().flatten().all(|node| node == "node7"));
    }
}

#[test]
fn comparisons_have_the_same_digits_by_tasks() {
    let (control, test) = (folder(5, "aten::mm"), folder(5, "aten::bmm"));
    let local = [here(control.path()).with_label("control"), here(test.path()).with_label("test")];
    let (far_control, engine) = elsewhere(control.path(), 4);
    let (far_test, _) = elsewhere(test.path(), 1);
    let shared: Arc<dyn Engine> = engine;
    let beside = TraceSet::load_elsewhere(&uri(test.path()), &options(), &shared).unwrap().with_label("test");
    let far = [far_control.with_label("control"), far_test.with_label("test")];
    let frames = |control: &TraceSet, test: &TraceSet| {
        let diff = TraceDiff::new(control, test).filter("dur > 50ns".parse::<Where>().unwrap());
        let all = diff.clone().control_rank([0, 1, 2, 3, 4]).test_rank([0, 2, 4]).run().unwrap();
        let by = diff.by(By::Rank).run().unwrap();
        let explained = Explain::new(control, test).run().unwrap();
        let regions = explained.regions().unwrap();
        format!("{:?} {all:?} {by:?} {regions:?} {:?}", explained.warnings, explained.step)
    };
    let expected = frames(&local[0], &local[1]);
    assert_eq!(frames(&far[0], &far[1]), expected);
    assert_eq!(frames(&far[0], &beside), expected, "both sides by one engine");
    assert_eq!(frames(&local[0], &far[1]), expected, "one side here");
    assert_eq!(frames(&far[0], &local[1]), expected, "one side here");
}

#[test]
fn overview_and_facts_are_those_of_a_load() {
    let folder = folder(12, "aten::mm");
    std::fs::write(folder.path().join("rank-3b.json"), rank(3, "aten::other").json()).unwrap();
    std::fs::write(folder.path().join("settings.json"), "{\"a\": 1}").unwrap();
    let text = rank(11, "aten::mm").json();
    std::fs::write(folder.path().join("rank-11.json"), &text[..text.len() - 40]).unwrap();
    let local = here(folder.path());
    let (far, _) = elsewhere(folder.path(), 4);
    assert_eq!(local.warnings().len(), 3, "{:?}", local.warnings());
    assert_eq!((far.info(), far.warnings()), (local.info(), local.warnings()));
    assert_eq!(far.events_schema(), local.events_schema());
    assert_eq!(far.describe().unwrap(), local.describe().unwrap());
    assert!(format!("{:?}", far.present()).contains("by threads of a test"));
    let file = folder.path().join("rank-2.json");
    let (alone, _) = elsewhere(&file, 1);
    assert_eq!((alone.ranks(), alone.iterations()), (vec![2], vec![1, 2, 3]));
    let engine: Arc<dyn Engine> = Arc::new(Threads::new(2, None));
    let some = LoadOptions { ranks: Some(vec![2, 5, 99]), ..options() };
    let some = TraceSet::load_elsewhere(&uri(folder.path()), &some, &engine).unwrap();
    assert_eq!(some.ranks(), [2, 5]);
    assert!(some.warnings().iter().any(|warning| matches!(warning, Warning::MissingRanks { .. })));
    let hta = LoadOptions { compat: Compat::Hta, ..options() };
    let local = TraceSet::load_with(folder.path(), &hta, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    let far = TraceSet::load_elsewhere(&uri(folder.path()), &hta, &engine).unwrap();
    assert_eq!(far.describe().unwrap(), local.describe().unwrap());
}

#[test]
fn lost_ranks_are_named_and_never_left_out_silently() {
    let folder = folder(6, "aten::mm");
    let engine = Arc::new(Threads::new(2, None));
    *engine.broken.lock().unwrap() = Some("rank-4".to_owned());
    let shared: Arc<dyn Engine> = engine.clone();
    let traces = TraceSet::load_elsewhere(&uri(folder.path()), &options(), &shared).unwrap();
    assert_eq!(traces.ranks(), [0, 1, 2, 3, 5]);
    assert_eq!(traces.elsewhere().unwrap().2, 6);
    let warnings: Vec<String> = traces.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings[0], "trace \"job\": 5 of 6 ranks; the others could not be read");
    assert!(warnings[1].ends_with("rank-4.json could not be read: killed by signal 9"), "{warnings:?}");
    let ask = |traces: &TraceSet| traces.ask(&crate::analysis::TemporalBreakdown::default());
    let answer = ask(&traces).unwrap();
    assert_eq!(answer.tables[0].frame.height(), 5);
    assert!(answer.notes.iter().any(|note| note.contains("5 of 6 ranks")), "{:?}", answer.notes);
    assert!(TraceDiff::new(&traces, &traces).warnings().iter().any(|of| of.to_string().contains("5 of 6 ranks")));
    // A rank that was read and cannot be read now.
    *engine.broken.lock().unwrap() = Some("rank-2".to_owned());
    let unread = traces.unread_files();
    assert_eq!((unread.len(), unread[0].reason.as_str(), unread[0].log.as_str()), (1, "killed by signal 9", "a\nb"));
    let error = ask(&traces).unwrap_err().to_string();
    assert!(error.ends_with("The end of the log of its task:\na\nb"), "{error}");
    assert!(
        error.contains("rank-2.json was read when the trace was loaded, and cannot be read now: killed"),
        "{error}"
    );
    *engine.broken.lock().unwrap() = Some("rank".to_owned());
    let none = TraceSet::load_elsewhere(&uri(folder.path()), &options(), &shared).unwrap_err().to_string();
    assert!(none.contains("none of its files could be read"), "{none}");
}

#[test]
fn changed_files_and_other_builds_are_refused() {
    let folder = folder(3, "aten::mm");
    let (traces, engine) = elsewhere(folder.path(), 1);
    std::fs::write(folder.path().join("rank-1.json"), rank(1, "aten::changed").json()).unwrap();
    let error = traces.describe().unwrap_err().to_string();
    assert!(error.contains("rank-1.json: it changed after the trace was loaded"), "{error}");
    let question = Query::Load { uri: uri(folder.path()), ranks: None };
    let task = JobSpec::new(
        "another",
        question,
        vec![TraceSpec::new(Compat::Exact, crate::ParserConfig::get_default_cfg(), false)],
    );
    let refused = |error: Error| (exit_code(&error), error.to_string());
    for (code, message) in [
        refused(engine.worker.list(&task, 2).unwrap_err()),
        refused(engine.worker.map(&task, &[], &mut |_, _| {}).unwrap_err()),
        refused(engine.worker.reduce(&task, &[[0_u8; 0]; 0]).unwrap_err()),
    ] {
        assert!(code == EXIT_PLAN && message.contains("the plan is of another"), "{code} {message}");
    }
    let task = JobSpec { build: BUILD.to_owned(), question: Query::Describe, ..task };
    assert_eq!(exit_code(&engine.worker.list(&task, 2).unwrap_err()), EXIT_PLAN);
    let unknown = Query::Comparison { name: "no such".to_owned(), plan: String::new() };
    let task = JobSpec { question: unknown, ..task };
    let message = engine.worker.reduce(&task, &[[0_u8; 0]; 0]).unwrap_err().to_string();
    assert_eq!(message, "cannot run the task: unknown question `no such`");
}

#[test]
fn what_needs_events_here_names_the_rank_to_load() {
    let folder = folder(2, "aten::mm");
    let (traces, _) = elsewhere(folder.path(), 1);
    let error = traces.rank(1).unwrap().decoded().unwrap_err().to_string();
    let hint = format!("%trace_load {} --rank 1 --as rank_1", uri(folder.path()));
    assert!(error.contains(&hint) && error.contains("threads of a test"), "{error}");
    let expression = crate::filter::name("gemm").unwrap();
    let error = TraceAnalysis::new(&traces).unwrap().filter(expression.clone()).unwrap();
    let error = error.ask(&crate::analysis::TemporalBreakdown::default()).unwrap_err().to_string();
    assert!(error.contains("write it as a text"), "{error}");
    let error = TraceDiff::new(&traces, &traces).filter(expression).run().unwrap_err().to_string();
    assert!(error.contains("write it as a text"), "{error}");
    assert!(traces.stored_ranks().is_empty() && traces.memory_bytes() == 0);
}

#[test]
fn columns_of_the_cache_give_the_same_answer() {
    let job = Path::new("../../notebooks/data/job");
    let cache = tempfile::tempdir_in("../../target").unwrap();
    let cache = Cache::open(cache.path(), 1 << 30).unwrap();
    let engine: Arc<dyn Engine> =
        Arc::new(Threads { worker: Worker::new(BUILD).cache(Some(cache)), ..Threads::new(2, None) });
    let absolute = std::fs::canonicalize(job).unwrap();
    let far = TraceSet::load_elsewhere(&uri(&absolute), &options(), &engine).unwrap();
    assert_eq!(far.describe().unwrap(), here(&absolute).describe().unwrap());
}

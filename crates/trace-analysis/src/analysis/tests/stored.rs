//! Ranks in files: the answers, and the bytes of partial results, are those of ranks in memory.

use super::erased::{every_entry, whole};
use super::merging::{exact_text, four_ranks};
use super::views;
use crate::Questions;
use crate::analysis::api::Mapped;
use crate::analysis::{
    Analysis, Answer, AnswerFiles, CudaKernelLaunchStats, GpuKernelsWithUserAnnotations, MemoryBwTimeSeries, Merge,
    QueueLengthTimeSeries, TraceWithCounters,
};
use crate::exec::memory::Budget;
use crate::filter::Where;
use crate::{DeviceType, Error, TraceAnalysis, TraceSet};
use trace_compare::{EventQuery, Explain, Select, SelectEvents};

/// A trace in memory, and the same in files of the folder.
fn both(folder: &tempfile::TempDir, memory: TraceSet) -> [TraceSet; 2] {
    let stored = memory.stored_in(folder.path()).unwrap();
    assert_eq!(stored.stored_ranks(), memory.ranks());
    [memory, stored]
}

fn traces(folder: &tempfile::TempDir) -> Vec<[TraceSet; 2]> {
    let job = TraceSet::load("../../notebooks/data/job").unwrap();
    let [one, two] = ["four", "job"].map(|name| {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        folder.path().join(name)
    });
    let mut all = Vec::new();
    for (path, memory) in [(one, four_ranks()), (two, job)] {
        let stored = memory.stored_in(path).unwrap();
        all.push([memory, stored]);
    }
    all
}

#[test]
fn every_analysis_gives_the_same_answer_and_state() {
    let folder = tempfile::tempdir().unwrap();
    for traces in traces(&folder) {
        let [memory, stored] = traces.each_ref().map(|traces| TraceAnalysis::new(traces).unwrap());
        let iterations = memory.iterations().unwrap();
        assert_eq!(stored.iterations().unwrap(), iterations);
        let narrowed = |analysis: &TraceAnalysis| {
            let work = analysis.filter("dur > 150ns and rank != 1".parse::<Where>().unwrap()).unwrap();
            work.in_iterations(iterations[0]).unwrap()
        };
        let ranks = memory.ranks();
        for [memory, stored] in [[narrowed(&memory), narrowed(&stored)], [memory, stored]] {
            let of_views = [&memory, &stored].map(views);
            for (entry, arguments) in every_entry() {
                for ranks in [None, Some(&ranks[..])] {
                    let ask = |analysis: &TraceAnalysis| whole(&entry.ask(analysis, arguments.clone(), ranks).unwrap());
                    assert_eq!(ask(&stored), ask(&memory), "{} {ranks:?}", entry.name);
                }
                let [in_memory, in_files] = of_views.each_ref().map(|views| {
                    let map = |view| entry.map(view, arguments.clone()).unwrap();
                    views.iter().map(map).collect::<Vec<_>>()
                });
                assert_eq!(in_files, in_memory, "bytes of {}", entry.name);
            }
        }
    }
}

/// Answers from partial results whose rows are in files.
fn in_files<A: Analysis>(analysis: &A, traces: &TraceAnalysis) -> Answer {
    let files = AnswerFiles::create().unwrap();
    let mut merged = Mapped::default();
    for view in views(traces) {
        let mapped = Mapped::of(analysis, &view).unwrap();
        let state = analysis.move_to_files(mapped.state, &files).unwrap();
        merged.merge(Mapped { state, ..mapped });
    }
    // The rows stay, although the folder goes.
    drop(files);
    let plan = traces.plan();
    plan.finish(analysis, &plan.selected(analysis, Some(&plan.ranks())).unwrap(), merged).unwrap()
}

/// Compares answers in memory and in files, and the events that copies of traces get. Returns the number of rows.
fn same_in_files<A: Analysis>(analysis: &A, traces: &TraceAnalysis) -> usize {
    assert!(A::KEEPS_EVENTS);
    let answers = [traces.ask_ranks(analysis, Some(&traces.ranks())).unwrap(), in_files(analysis, traces)];
    let added = answers.each_ref().map(|answer| {
        let mut text = Vec::new();
        for copy in &answer.copies {
            let added = copy.edit.added(&mut |event| {
                text.extend_from_slice(event);
                Ok(())
            });
            added.unwrap();
        }
        text
    });
    assert_eq!(added[0], added[1], "{}", A::NAME);
    let [memory, files] = answers.map(|answer| Answer { copies: Vec::new(), ..answer });
    assert_eq!(whole(&memory), whole(&files), "{}", A::NAME);
    memory.tables.iter().map(|table| table.frame.height()).sum()
}

#[test]
fn answers_whose_rows_are_in_files_are_the_same() {
    let job = TraceSet::load("../../notebooks/data/job").unwrap();
    let mut rows = [0; 5];
    for traces in [four_ranks(), job] {
        let traces = TraceAnalysis::new(&traces).unwrap();
        rows[0] += same_in_files(&MemoryBwTimeSeries::default(), &traces);
        rows[1] += same_in_files(&QueueLengthTimeSeries::default(), &traces);
        rows[2] += same_in_files(&CudaKernelLaunchStats::default(), &traces);
        rows[3] += same_in_files(&GpuKernelsWithUserAnnotations::default(), &traces);
        rows[4] += same_in_files(&TraceWithCounters::default(), &traces);
    }
    assert!(rows.iter().all(|&rows| rows > 0), "{rows:?}");
}

#[test]
fn descriptions_events_and_explanations_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for [memory, stored] in traces(&folder) {
        assert_eq!(stored.describe().unwrap(), memory.describe().unwrap());
        let first = memory.iterations()[0];
        let queries = [
            Select::default(),
            Select::default().device_type(DeviceType::GPU).iterations(first),
            Select::default().ranks([2, 0]),
            Select::default().filter("ts > 1us and dur > 200ns and name ~ 'a'".parse::<Where>().unwrap()),
        ];
        for query in queries {
            let [one, other] =
                [&memory, &stored].map(|traces| EventQuery::new(traces).select(query.clone()).run().unwrap());
            assert_eq!(one.schema(), other.schema());
            assert_eq!(exact_text(&one), exact_text(&other), "{query:?}");
        }
        let explain = |control: &TraceSet, test: &TraceSet| {
            let found = Explain::new(control, test).control_rank(0).test_rank(1).run().unwrap();
            format!("{:?} {:?} {:?}", found.step, found.classes, exact_text(&found.regions().unwrap()))
        };
        assert_eq!(explain(&stored, &stored), explain(&memory, &memory));
        assert_eq!(explain(&stored, &memory), explain(&memory, &memory));
    }
}

#[test]
fn rank_that_does_not_fit_alone_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [_, stored] = both(&folder, four_ranks());
    let analysis = TraceAnalysis::new(&stored).unwrap();
    let error = analysis.run_within(&crate::analysis::TemporalBreakdown {}, None, Budget::of(1)).unwrap_err();
    let rows = stored.info()[0].events as u64;
    match error {
        Error::MemoryBudget { task, need, .. } => {
            assert_eq!(task, "answer temporal_breakdown");
            // The view, the analysis and the columns that are read.
            assert!(need >= (32 + 48 + 60) * rows && need < (32 + 48 + 160) * rows, "{need} of {rows} rows");
        }
        error => panic!("{error}"),
    }
}

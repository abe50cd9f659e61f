//! Answers about a generated job with more ranks than bars can show.

use super::main_table;
use crate::analysis::{Answer, CATALOG, CompareRanks, Entry, TemporalBreakdown};
use crate::{TraceAnalysis, TraceSet};
use serde_json::{Map, Value};
use std::sync::LazyLock;
use trace_testkit::Job;
use trace_view::{Part, Points, Present};

const RANKS: u64 = 48;

fn load(ranks: u64) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::of(ranks, ranks * 20_000, 1);
    for rank in 0..ranks {
        let file = std::fs::File::create(folder.path().join(Job::file_name(rank))).unwrap();
        job.write(rank, file).unwrap();
    }
    TraceSet::load(folder.path()).unwrap()
}

static MANY: LazyLock<TraceAnalysis> = LazyLock::new(|| TraceAnalysis::new(&load(RANKS)).unwrap());

/// Asks about all ranks; a required parameter gets the text `aten::addmm`.
fn ask(entry: &Entry, analysis: &TraceAnalysis) -> Answer {
    let required = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
    let arguments: Map<String, Value> =
        required.map(|parameter| (parameter.name.to_owned(), Value::from("aten::addmm"))).collect();
    let ranks: Vec<i64> = analysis.views().map(|view| view.unwrap().rank()).collect();
    entry.ask(analysis, arguments, Some(&ranks)).unwrap()
}

#[test]
fn no_answer_about_many_ranks_draws_each_of_them() {
    for entry in CATALOG {
        let answer = ask(entry, &MANY);
        for figure in &answer.figures {
            let names = figure.series.iter().map(|series| match &series.x {
                Points::Names(names) => names.len(),
                Points::Numbers(_) => 0,
            });
            assert!(figure.series.len() <= 32, "{}: {} series", entry.name, figure.series.len());
            assert!(names.max().unwrap_or(0) <= 32, "{}: {}", entry.name, figure.title);
        }
        assert!(answer.figures.len() <= 3, "{}: {} figures", entry.name, answer.figures.len());
        let bytes: usize = trace_render::bundles(&answer.present())
            .iter()
            .map(|bundle| serde_json::to_vec(&bundle.data).unwrap().len())
            .max()
            .unwrap();
        assert!(bytes < 300_000, "{}: {bytes} bytes", entry.name);
    }
}

#[test]
fn measures_of_many_ranks_become_heat_maps() {
    for name in [
        "temporal_breakdown",
        "idle_time_breakdown",
        "gpu_kernel_breakdown",
        "comm_comp_overlap",
        "memory_bw_time_series",
        "memory_bw_summary",
        "queue_length_time_series",
        "queue_length_summary",
        "cuda_kernel_launch_stats",
        "gpu_user_annotation_breakdown",
        "aten_op_kernels_and_delay",
        "potential_stragglers",
    ] {
        let entry = CATALOG.iter().find(|entry| entry.name == name).unwrap();
        let mut answer = ask(entry, &MANY);
        if name == "gpu_user_annotation_breakdown" {
            let arguments = Map::from_iter([("use_gpu_annotation".to_owned(), Value::from(false))]);
            answer = entry.ask(&MANY, arguments, None).unwrap();
        }
        let map = answer.heat_maps.first().unwrap_or_else(|| panic!("{name} has no heat map"));
        assert!(map.columns.len() == RANKS as usize || map.rows.len() == RANKS as usize, "{name}");
        assert!(map.subtitle.contains("ranks 0–47"), "{name}: {}", map.subtitle);
        assert!(answer.notes.iter().any(|note| note.contains("of 48")), "{name}: {:?}", answer.notes);
    }
}

#[test]
fn stragglers_are_named_and_their_rows_come_first() {
    let job = Job::of(RANKS, RANKS * 20_000, 1);
    let answer = MANY.ask(&TemporalBreakdown::default()).unwrap();
    let slow = [job.slow_gpu() as i64, job.slow_host() as i64];
    let sentence = answer.notes.last().unwrap();
    for rank in slow {
        assert!(sentence.contains(&format!("rank {rank} (")), "{sentence}");
    }
    let Points::Numbers(ranks) = &answer.heat_maps[0].columns else { panic!() };
    let labelled: Vec<i64> = answer.heat_maps[0].labelled.columns.iter().map(|&column| ranks[column] as i64).collect();
    assert!(slow.iter().all(|rank| labelled.contains(rank)), "{labelled:?}");
    let (first, ranks) = answer.tables[0].most_different_first().unwrap();
    let first: Vec<i64> = first.column("rank").unwrap().i64().unwrap().iter().flatten().take(2).collect();
    assert_eq!(ranks, RANKS as usize);
    assert!(slow.iter().all(|rank| first.contains(rank)), "{first:?}");
    // The frame keeps HTA's order and all rows.
    let frame = main_table(&answer).column("rank").unwrap().i64().unwrap().iter().flatten().collect::<Vec<_>>();
    assert_eq!(frame, (0..RANKS as i64).collect::<Vec<_>>());
}

#[test]
fn both_stragglers_are_called_slower() {
    let job = Job::of(RANKS, RANKS * 20_000, 1);
    let notes = MANY.ask(&CompareRanks::default()).unwrap().notes;
    for rank in [job.slow_gpu(), job.slow_host()] {
        assert!(notes.iter().any(|note| note.starts_with(&format!("Rank {rank} is slower: "))), "{notes:?}");
    }
    // It synchronises in less time than the other ranks, too: that follows from its late start, and is not named first.
    let host = notes.iter().find(|note| note.starts_with(&format!("Rank {} ", job.slow_host()))).unwrap();
    assert!(host.contains("arrives ") && !host.contains("Synchronize"), "{host}");
}

#[test]
fn up_to_thirty_two_ranks_nothing_changes() {
    let few = TraceAnalysis::new(&load(32)).unwrap();
    // The answer of compare_ranks is a heat map for any number of ranks.
    for entry in CATALOG.iter().filter(|entry| entry.name != "compare_ranks") {
        let answer = ask(entry, &few);
        assert!(answer.heat_maps.is_empty(), "{}", entry.name);
        assert!(answer.whole_tables().iter().all(|table| table.most_different_first().is_none()), "{}", entry.name);
        assert!(answer.present().parts.iter().all(|part| !matches!(part, Part::HeatMap(_))));
    }
}

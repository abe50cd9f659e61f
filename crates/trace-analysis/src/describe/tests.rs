//! Descriptions of timelines written by hand.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Questions;
use crate::{Compat, LoadOptions, TraceSet};
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{Part, Present};

/// A rank of a job of `of` ranks.
fn rank(number: i64, of: i64) -> TraceBuilder {
    let info = format!("{{\"rank\": {number}, \"world_size\": {of}}}");
    TraceBuilder::new().without_rank().metadata("distributedInfo", &info)
}

fn load(ranks: &[TraceBuilder]) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    for (index, builder) in ranks.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{index}.json")), builder.json()).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label("job")
}

fn findings(ranks: &[TraceBuilder]) -> Vec<Finding> {
    load(ranks).describe().unwrap().findings
}

/// ```text
/// CPU        |------- step 1 -------|------- step 2 -------|      0..100..200
/// stream 7            |--gemm--|          |copy|                  50..90, 130..140
/// stream 20                 |---nccl---|                          80..120
/// ```
fn whole(builder: TraceBuilder, late: i64) -> TraceBuilder {
    let at = |from: i64, to: i64| from + late..to + late;
    builder
        .step(1, at(0, 100))
        .step(2, at(100, 200))
        .operator("aten::linear", at(5, 45))
        .operator("aten::mm", at(10, 40))
        .runtime("cudaLaunchKernel", 1, at(20, 25))
        .kernel("gemm", Stream(7), at(50, 90))
        .correlation(1)
        .runtime("cudaLaunchKernel", 2, at(30, 32))
        .kernel("ncclDevKernel_AllReduce", Stream(20), at(80, 120))
        .correlation(2)
        .operator("aten::mm", at(105, 125))
        .runtime("cudaMemcpyAsync", 3, at(110, 112))
        .memcpy("Memcpy DtoH", Stream(7), 8, at(130, 140))
        .correlation(3)
}

#[test]
fn times_of_ranks_and_devices_match_the_timeline() {
    let page = load(&[whole(rank(0, 2), 0), whole(rank(1, 2), 10)]).describe().unwrap();
    assert_eq!((page.label.as_str(), page.events, page.span_ns), ("job", 22, 210_000));
    assert_eq!(page.world_size, Some(2));
    assert_eq!(page.findings, []);
    let [zero, one] = page.ranks.as_slice() else { panic!("{:?}", page.ranks) };
    assert_eq!((zero.rank, zero.start_ns, zero.span_ns), (0, 0, 200_000));
    assert_eq!((one.rank, one.start_ns, one.span_ns), (1, 10_000, 200_000));
    assert_eq!((zero.events, zero.streams.as_slice(), zero.iterations.as_slice()), (11, &[7, 20][..], &[1, 2][..]));
    let device = DeviceTime {
        span_ns: 90_000,
        busy_ns: 80_000,
        idle_ns: 10_000,
        computation_ns: 40_000,
        communication_ns: 30_000,
        memory_ns: 10_000,
        other_ns: 0,
    };
    assert_eq!((zero.device, one.device), (Some(device), Some(device)));
    assert_eq!(device.busy_percent(), Some(100.0 * 8.0 / 9.0));
}

#[test]
fn waits_and_gpu_annotations_are_not_device_work() {
    let builder = rank(0, 1)
        .step(1, 0..100)
        .runtime("cudaLaunchKernel", 1, 0..5)
        .complete("gpu_user_annotation", "ProfilerStep#1", 0, 7, 20..900)
        .kernel("gemm", Stream(7), 20..30)
        .correlation(1)
        .operator("aten::mm", 0..1)
        .complete("cuda_sync", "Stream Wait Event", 0, 7, 30..90)
        .arg("stream", "7");
    let page = load(&[builder]).describe().unwrap();
    assert_eq!(page.ranks[0].device.map(|device| (device.span_ns, device.busy_ns)), Some((10_000, 10_000)));
    assert_eq!(page.iterations[0].longest_ns, 100_000);
    assert_eq!(page.kernels.len(), 1);
}

#[test]
fn iterations_name_the_rank_of_the_longest() {
    let steps = |builder: TraceBuilder, first: i64, second: i64| builder.step(4, 0..first).step(5, 200..200 + second);
    let page = load(&[steps(rank(0, 2), 100, 101), steps(rank(1, 2), 90, 120)]).describe().unwrap();
    let summary = |iteration, mean_ns, shortest_ns, longest_ns, longest_on| IterationSummary {
        iteration,
        ranks: 2,
        mean_ns,
        shortest_ns,
        longest_ns,
        longest_on,
    };
    assert_eq!(
        page.iterations,
        [summary(4, 95_000, 90_000, 100_000, Some(0)), summary(5, 110_500, 101_000, 120_000, Some(1))]
    );
}

#[test]
fn totals_sum_over_ranks_largest_first() {
    let page = load(&[whole(rank(0, 2), 0), whole(rank(1, 2), 0)]).describe().unwrap();
    let operator =
        |name: &str, count, total_ns, longest_ns| OperatorTotal { name: name.into(), count, total_ns, longest_ns };
    assert_eq!(page.operators, [operator("aten::mm", 4, 100_000, 30_000), operator("aten::linear", 2, 80_000, 40_000)]);
    let kernels: Vec<(&str, &str, u64, i64, f64)> = page
        .kernels
        .iter()
        .map(|kernel| (kernel.name.as_str(), kernel.kernel_type, kernel.count, kernel.total_ns, kernel.percent))
        .collect();
    assert_eq!(
        kernels,
        [
            ("gemm", "COMPUTATION", 2, 80_000, 100.0 * 8.0 / 18.0),
            ("ncclDevKernel_AllReduce", "COMMUNICATION", 2, 80_000, 100.0 * 8.0 / 18.0),
            ("Memcpy DtoH", "MEMORY", 2, 20_000, 100.0 * 2.0 / 18.0),
        ]
    );
}

#[test]
fn missing_ranks_are_a_finding() {
    let missing = |ranks: &[TraceBuilder]| {
        findings(ranks).into_iter().find_map(|finding| match finding {
            Finding::MissingRanks { missing, world_size } => Some((missing, world_size)),
            _ => None,
        })
    };
    assert_eq!(missing(&[whole(rank(0, 4), 0), whole(rank(3, 4), 0)]), Some((vec![1, 2], Some(4))));
    assert_eq!(missing(&[whole(rank(0, 2), 0), whole(rank(1, 2), 0)]), None);
    let unsized_rank = |number: i64| {
        let info = format!("{{\"rank\": {number}}}");
        whole(TraceBuilder::new().without_rank().metadata("distributedInfo", &info), 0)
    };
    assert_eq!(missing(&[unsized_rank(2), unsized_rank(4), unsized_rank(5)]), Some((vec![3], None)));
    let absurd = TraceBuilder::new().without_rank();
    let absurd = absurd.metadata("distributedInfo", "{\"rank\": 0, \"world_size\": 9000000000000000000}");
    assert_eq!(missing(&[whole(absurd, 0)]), None);
}

#[test]
fn clock_skew_beyond_half_a_step_is_a_finding() {
    let skew = |late: i64| {
        let found = findings(&[whole(rank(0, 3), 0), whole(rank(1, 3), 0), whole(rank(2, 3), late)]);
        found.into_iter().filter(|finding| finding.kind() == "clock_skew").collect::<Vec<_>>()
    };
    assert_eq!(skew(50), []);
    assert_eq!(skew(51), [Finding::ClockSkew { rank: 2, later_ns: 51_000, step_ns: 100_000 }]);
    assert_eq!(skew(-5_000_000), [Finding::ClockSkew { rank: 2, later_ns: -5_000_000_000, step_ns: 100_000 }]);
    assert!(skew(-5_000_000)[0].what().contains("5.00 s earlier"), "{}", skew(-5_000_000)[0].what());
}

#[test]
fn missing_launches_from_one_percent_are_a_finding() {
    let kernels = |builder: TraceBuilder, orphans: i64, tied: i64| {
        let builder = (0..tied).fold(builder.step(1, 0..9_000).operator("aten::mm", 0..1), |builder, id| {
            builder
                .runtime("cudaLaunchKernel", id, 10 * id..10 * id + 1)
                .kernel("gemm", Stream(7), 10 * id..10 * id + 2)
                .correlation(id)
        });
        (0..orphans).fold(builder, |builder, id| {
            builder.kernel("gemm", Stream(7), 5_000 + 10 * id..5_001 + 10 * id).correlation(7_000 + id)
        })
    };
    assert_eq!(findings(&[kernels(rank(0, 1), 1, 120)]), []);
    assert_eq!(
        findings(&[kernels(rank(0, 1), 2, 120)]),
        [Finding::MissingCorrelation { rank: 0, unlaunched: 2, work: 122 }]
    );
}

#[test]
fn cut_and_missing_iterations_are_findings() {
    let steps = |builder: TraceBuilder, counts: &[i64]| {
        counts.iter().zip(0..).fold(builder, |builder, (&count, number)| {
            let from = 1_000 * number;
            (0..count).fold(
                builder.step(number, from..from + 900).operator("aten::mm", from..from + 1),
                |builder, n| {
                    let at = from + 10 * n;
                    let id = from + n;
                    builder
                        .runtime("cudaLaunchKernel", id, at..at + 1)
                        .kernel("gemm", Stream(7), at + 2..at + 4)
                        .correlation(id)
                },
            )
        })
    };
    assert_eq!(findings(&[steps(rank(0, 1), &[8, 8, 4])]), []);
    assert_eq!(
        findings(&[steps(rank(0, 1), &[8, 8, 3])]),
        [Finding::LastStepCut { rank: 0, iteration: 2, events: 3, usual: 8 }]
    );
    assert_eq!(
        findings(&[steps(rank(0, 2), &[8, 8, 8]), steps(rank(1, 2), &[8, 8])]),
        [Finding::MissingIterations { rank: 1, missing: vec![2] }]
    );
}

#[test]
fn unlike_ranks_are_findings() {
    let plain = |number| whole(rank(number, 3), 0);
    let busy = (0..5).fold(plain(2), |builder, n| builder.kernel("gemm", Stream(30 + n), 60..61).correlation(3));
    let busy = (0..20).fold(busy, |builder, n| builder.operator("aten::add", 150 + n..151 + n));
    let found = findings(&[plain(0), plain(1), busy]);
    assert_eq!(found[1].what(), "rank 2 has 7 streams (median 2)");
    assert_eq!(
        found,
        [
            Finding::UnlikeRank { rank: 2, measure: Measure::Events, value: 36, median: 11 },
            Finding::UnlikeRank { rank: 2, measure: Measure::Streams, value: 7, median: 2 },
        ]
    );
}

#[test]
fn negative_durations_are_a_finding() {
    let builder = whole(rank(0, 1), 0)
        .raw(r#"{"ph": "X", "cat": "cpu_op", "name": "aten::back", "pid": 100, "tid": 1, "ts": 50, "dur": -5}"#);
    assert_eq!(findings(&[builder]), [Finding::NegativeDurations { rank: 0, count: 1 }]);
}

#[test]
fn hta_negative_durations_are_reported_by_loading() {
    // HTA's rounding: start up, end down.
    let thin = whole(rank(0, 1), 0).nanos().operator("aten::thin", 50_200..50_700);
    let options = LoadOptions { compat: Compat::Hta, ..LoadOptions::default() };
    let page = TraceSet::from_bytes_with(thin.json(), &options).unwrap().describe().unwrap();
    let kinds: Vec<&str> = page.findings.iter().map(Finding::kind).collect();
    assert_eq!(kinds, ["loading"]);
    assert!(page.findings[0].meaning().contains("HTA"));
}

#[test]
fn trace_of_cpu_or_gpu_alone_names_the_missing_side() {
    let kinds = |builder: TraceBuilder| findings(&[builder]).iter().map(Finding::kind).collect::<Vec<_>>();
    assert_eq!(kinds(rank(0, 1).operator("aten::mm", 0..1)), ["no_steps", "no_device_work"]);
    assert_eq!(
        kinds(rank(0, 1).kernel("gemm", Stream(7), 0..1).correlation(1)),
        ["no_steps", "no_operators", "missing_correlation"]
    );
}

#[test]
fn truncated_file_is_the_first_finding_with_its_remedy() {
    let json = whole(rank(0, 1), 0).json();
    let cut = &json[..json.len() - 40];
    let page = TraceSet::from_bytes(cut).unwrap().describe().unwrap();
    assert_eq!(page.findings[0].kind(), "loading");
    let Part::Warning(text) = &page.present().parts[1] else { panic!() };
    assert!(text.contains("incomplete") && text.contains("Copy the file again"), "{text}");
}

#[test]
fn page_has_summary_tables_and_one_figure() {
    let ranks: Vec<TraceBuilder> =
        (0..9).map(|number| whole(rank(number, 9), if number < 4 { 0 } else { 90_000 })).collect();
    let page = load(&ranks).describe().unwrap();
    assert_eq!(page.findings.len(), 4);
    let report = page.present();
    let Part::Text(summary) = &report.parts[0] else { panic!() };
    assert!(summary.starts_with("job: 9 ranks (0–8) · 2 iterations (1, 2) · 99 events · 90.2 ms"), "{summary}");
    assert!(summary.ends_with("4 warnings"), "{summary}");
    let warnings: Vec<&String> =
        report.parts.iter().filter_map(|part| if let Part::Warning(text) = part { Some(text) } else { None }).collect();
    assert_eq!(warnings.len(), 4);
    assert!(warnings[3].starts_with("1 more of these kinds"), "{}", warnings[3]);
    let captions: Vec<&str> = report
        .parts
        .iter()
        .filter_map(|part| if let Part::Table(table) = part { Some(table.caption.as_str()) } else { None })
        .collect();
    assert_eq!(captions, ["ranks of job", "iterations of job", "top operators of job", "top kernels of job"]);
    let figures: Vec<&Part> = report.parts.iter().filter(|part| matches!(part, Part::Figure(_))).collect();
    let [Part::Figure(figure)] = figures.as_slice() else { panic!("{figures:?}") };
    let whole: f64 = figure.series.iter().map(|series| series.y[0]).sum();
    assert!((whole - 100.0).abs() < 1e-9, "{whole}");
    assert!(trace_render::bundles(&report).iter().all(|bundle| !bundle.plain().is_empty()));
    let one = page.report(1);
    let Some(Part::Table(kernels)) = one.parts.iter().rfind(|part| matches!(part, Part::Table(_))) else { panic!() };
    assert_eq!((kernels.rows.len(), kernels.total_rows), (1, 3));
}

#[test]
fn no_steps_names_calls_that_would_divide_the_recording() {
    let trace = (0..4).fold(rank(0, 1), |trace, step| {
        let at = 100 * step;
        trace
            .annotation(&format!("iteration {step}"), at..at + 90)
            .operator("aten::mm", at + 5..at + 20)
            .runtime("cudaLaunchKernel", step + 1, at + 10..at + 12)
            .kernel("gemm", Stream(7), at + 30..at + 60)
            .correlation(step + 1)
    });
    let found = findings(&[trace]);
    let [finding @ Finding::NoSteps { calls }] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((calls.len(), calls[0].count), (1, 4));
    assert_eq!(
        finding.remedy(),
        "Call step() of the profiler after every iteration; %explain and %compare_traces divide it by --marker '^iteration \\d+$' (4 \
         calls of iteration …)."
    );
}

#[test]
fn headlines_say_what_analyses_count() {
    // Two launches whose kernels were dropped, then a short kernel, and a collective that is exposed for 30 of its 40 µs.
    let trace = whole(rank(0, 1), 0).runtime("cudaLaunchKernel", 90, 1..2).runtime("cudaLaunchKernel", 91, 2..3);
    let page = load(&[trace]).describe().unwrap();
    assert_eq!(
        page.headlines.lines("job"),
        [
            "Collectives take 40.0 µs, of which 30.0 µs (75.0 %) are exposed: no computation of the rank runs meanwhile (%collectives job)",
            "No kernel takes less than 10 µs (%kernels job)",
            "The first 2 of 4 launches of kernels have no kernel: the profiler dropped these while it started (%validate job)",
        ]
    );
    assert!(page.summary().contains("\nNo kernel takes less than 10 µs (%kernels job)\n"), "{}", page.summary());
    let Part::Text(text) = &page.present().parts[0] else { panic!() };
    assert_eq!(*text, page.summary());
    // Without GPU work nothing is known.
    assert!(load(&[rank(0, 1).operator("aten::mm", 0..5)]).describe().unwrap().headlines.lines("job").is_empty());
}

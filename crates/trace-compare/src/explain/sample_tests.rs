//! Samples, files of events, selections and bad input of explanations.

use crate::error::ExplainReason;
use crate::filter::Where;
use crate::{Error, EventFile, Explain, Explanation, SelectEvents, TraceSet};
use polars::prelude::{Column, DataFrame, DataType};
use polars_io::prelude::{ParquetReader, SerReader};
use std::collections::BTreeMap;
use std::io::Cursor;
use trace_testkit::{Stream, TraceBuilder};

/// Two ranks of three iterations of 100 µs, each with a gemm of `us` and, on rank 1, of twice that in iteration 2; a copy that was
/// launched before the first iteration, and one that an iteration launches and that runs into the next.
fn job(label: &str, us: i64) -> (tempfile::TempDir, TraceSet) {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..2 {
        let mut trace = TraceBuilder::new().rank(rank).memcpy("Memcpy HtoD", Stream(9), 8, 90..95);
        for iteration in 1..4 {
            let at = 100 * iteration;
            // The second iteration of rank 1 is the slowest of both.
            let end = at + if (rank, iteration) == (1, 2) { 100 } else { 90 + 5 * (1 - rank) };
            let long = if (rank, iteration) == (1, 2) { 2 * us } else { us };
            trace = trace
                .step(iteration, at..end)
                .operator("aten::mm", at + 5..at + 30)
                .runtime("cudaLaunchKernel", 10 * iteration, at + 10..at + 20)
                .kernel("gemm", Stream(7), at + 30..at + 30 + long)
                .correlation(10 * iteration)
                .operator("aten::copy_", at + 40..at + 60)
                .runtime("cudaMemcpyAsync", 10 * iteration + 1, at + 45..at + 50)
                .memcpy("Memcpy DtoH", Stream(9), 8, at + 80..at + 108)
                .correlation(10 * iteration + 1);
        }
        std::fs::write(folder.path().join(format!("rank{rank}.json")), trace.json()).unwrap();
    }
    let trace = TraceSet::load(folder.path()).unwrap().with_label(label);
    (folder, trace)
}

/// Categories of GPU work.
const GPU: [&str; 7] = ["kernel", "Kernel", "gpu_memset", "Memset", "gpu_memcpy", "Memcpy", "mtia_ccp_events"];

/// The rows of a file of events, read back.
fn read_back(explained: &Explanation, form: EventFile) -> Vec<Vec<String>> {
    let mut bytes = Vec::new();
    explained.write_events(form, &mut bytes).unwrap();
    if form == EventFile::Csv {
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        return reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    }
    let frame = ParquetReader::new(Cursor::new(bytes)).finish().unwrap();
    let texts: Vec<_> = frame.columns().iter().map(|column| column.cast(&DataType::String).unwrap()).collect();
    let value = |column: usize, row: usize| texts[column].str().unwrap().get(row).unwrap_or_default().to_owned();
    (0..frame.height()).map(|row| (0..texts.len()).map(|column| value(column, row)).collect()).collect()
}

/// Checks I1 to I3 with nothing but the file of events, the document and the trace.
fn check_from_outside(explained: &Explanation, sides: [&[&TraceSet]; 2]) {
    let rows = read_back(explained, EventFile::Csv);
    assert_eq!(rows, read_back(explained, EventFile::Parquet));
    let json = explained.to_json();
    let number = |text: &str| text.parse::<i64>().unwrap();
    for (side, runs) in ["control", "test"].into_iter().zip(sides) {
        let of_side: Vec<&Vec<String>> = rows.iter().filter(|row| row[0] == side).collect();
        // I1: every GPU event that was recorded is there, once.
        let mut recorded: Vec<(usize, i64, i64, i64, String)> = Vec::new();
        for (run, trace) in runs.iter().enumerate() {
            for rank in trace.traces() {
                let events = rank.frame().unwrap();
                let text = |name: &str| events.column(name).unwrap().cast(&DataType::String).unwrap();
                let int = |name: &str| events.column(name).unwrap().cast(&DataType::Int64).unwrap();
                let (cat, name, ts, dur) = (text("cat"), text("name"), int("ts"), int("dur"));
                for row in 0..events.height() {
                    let cat = cat.str().unwrap().get(row).unwrap();
                    if GPU.contains(&cat) && ts.i64().unwrap().get(row).is_some() {
                        let at = |column: &Column| column.i64().unwrap().get(row).unwrap();
                        let name = name.str().unwrap().get(row).unwrap().to_owned();
                        recorded.push((run, rank.rank(), at(&ts), at(&dur), name));
                    }
                }
            }
        }
        let mut listed: Vec<_> = of_side
            .iter()
            .map(|row| (number(&row[1]) as usize, number(&row[2]), number(&row[4]), number(&row[5]), row[7].clone()))
            .collect();
        recorded.sort();
        listed.sort();
        assert_eq!(listed, recorded);
        // I2: recorded = selected + left out, and selected is the regions.
        let coverage = &json["coverage"][side];
        let dur = |rows: &[&&Vec<String>]| rows.iter().map(|row| number(&row[5]).max(0)).sum::<i64>();
        let (selected, left_out): (Vec<_>, Vec<_>) = of_side.iter().partition(|row| !row[8].is_empty());
        assert_eq!(coverage["recorded_gpu_ns"], dur(&selected) + dur(&left_out));
        assert_eq!(coverage["recorded_gpu_events"], of_side.len());
        assert_eq!(coverage["selected_gpu_ns"], dur(&selected));
        assert_eq!(coverage["selected_gpu_events"], selected.len());
        let mut reasons: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        for row in &left_out {
            let sum = reasons.entry(row[9].clone()).or_default();
            *sum = (sum.0 + number(&row[5]).max(0), sum.1 + 1);
        }
        let of_json = coverage["left_out"].as_array().unwrap().iter().map(|out| {
            let why = out["why"].as_str().unwrap().to_owned();
            (why, (out["gpu_ns"].as_i64().unwrap(), out["gpu_events"].as_i64().unwrap()))
        });
        assert_eq!(of_json.collect::<BTreeMap<_, _>>(), reasons);
        let mut sums: BTreeMap<i64, i64> = BTreeMap::new();
        let regions = json["regions"].as_array().unwrap();
        for row in &selected {
            let region = number(&row[8]);
            *sums.entry(region).or_default() += number(&row[5]).max(0);
            assert_eq!(regions[region as usize]["grade"], row[9].as_str());
        }
        for (id, region) in (0..).zip(regions) {
            assert_eq!(region[side]["gpu_total_ns"], sums.get(&id).copied().unwrap_or(0), "region {id}");
        }
        // I3: the events add up to the classes, with the idle time to the step.
        let samples = json[side]["samples"].as_i64().unwrap() as f64;
        let attributed: i64 = of_side.iter().map(|row| number(&row[10])).sum();
        let field = format!("{side}_ns");
        let classes = json["classes"].as_array().unwrap();
        let total: f64 = classes.iter().map(|class| class[&field].as_f64().unwrap() * samples).sum();
        // Of a recording without GPU work the host's time has no events here.
        let others = classes.iter().filter(|class| ["idle", "host"].iter().any(|other| class["class"] == *other));
        let others: f64 = others.map(|class| class[&field].as_f64().unwrap() * samples).sum();
        assert!((attributed as f64 - (total - others)).abs() < 1e-3, "{attributed} {total} {others}");
        assert!((json["step"][&field].as_f64().unwrap() * samples - total).abs() < 1e-3);
    }
}

#[test]
fn files_of_events_account_for_everything() {
    let ((_a, a), (_b, b)) = (job("a", 20), job("b", 35));
    let query = || Explain::new(&a, &b).keep_events();
    let where_long: Where = "dur > 30us".parse().unwrap();
    for explain in [
        query(),
        query().warmup(1),
        query().control_rank(1).test_rank(0),
        query().control_iteration([1, 3]).test_iteration(2).control_rank(0),
        query().slowest_rank(),
        query().marker(regex::Regex::new("^aten::mm$").unwrap()),
        query().filter(&where_long).warmup(1),
    ] {
        check_from_outside(&explain.run().unwrap(), [&[&a], &[&b]]);
    }
    let runs = Explain::of_runs(vec![(&a).into(), (&b).into()], vec![(&b).into()]).keep_events().test_rank(1);
    check_from_outside(&runs.run().unwrap(), [&[&a, &b], &[&b]]);
}

#[test]
fn left_out_events_say_why() {
    let ((_a, a), (_b, b)) = (job("a", 20), job("b", 35));
    let explained = Explain::new(&a, &b).warmup(1).control_iteration(3).control_rank(0).keep_events().run().unwrap();
    let rows = read_back(&explained, EventFile::Csv);
    let reasons = |rank: &str| -> Vec<String> {
        let rows = rows.iter().filter(|row| row[0] == "control" && row[2] == rank && row[8].is_empty());
        rows.map(|row| format!("{} {} {}", row[7], row[3], row[9])).collect()
    };
    assert_eq!(
        reasons("0"),
        [
            "Memcpy HtoD  launched before the recording",
            "gemm 1 warm-up",
            "Memcpy DtoH 1 warm-up",
            "gemm 2 another iteration",
            "Memcpy DtoH 2 another iteration",
        ]
    );
    assert!(reasons("1").iter().all(|row| row.ends_with("another rank")) && reasons("1").len() == 7);
    let explanation = Explain::new(&a, &b).run().unwrap();
    assert!(matches!(explanation.events().err(), Some(Error::Explain(ExplainReason::EventsNotRetained))));
}

#[test]
fn samples_have_the_means_of_the_explanation() {
    let ((_a, a), (_c, c), (_b, b)) = (job("a", 20), job("c", 24), job("b", 35));
    let explained = Explain::of_runs(vec![(&a).into(), (&c).into()], vec![(&b).into()]).warmup(1).run().unwrap();
    let (steps, samples) = (explained.steps().unwrap(), explained.samples().unwrap());
    let ints = |frame: &DataFrame, name: &str| -> Vec<i64> {
        frame.column(name).unwrap().i64().unwrap().iter().map(Option::unwrap).collect()
    };
    let sides = |frame: &DataFrame| -> Vec<String> {
        frame.column("side").unwrap().str().unwrap().iter().map(|side| side.unwrap().to_owned()).collect()
    };
    assert_eq!(steps.height(), 2 * 4 + 4);
    assert_eq!(ints(&steps, "run")[..8], [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(ints(&steps, "rank")[..4], [0, 0, 1, 1]);
    assert_eq!(ints(&steps, "iteration")[..4], [2, 3, 2, 3]);
    let json = explained.to_json();
    for (side, number) in [("control", 8.0), ("test", 4.0)] {
        let mean = |name: &str| -> f64 {
            let rows = sides(&steps).into_iter().zip(ints(&steps, name)).filter(|(of, _)| of == side);
            rows.map(|(_, ns)| ns as f64).sum::<f64>() / number
        };
        let field = format!("{side}_ns");
        assert_eq!(json["step"][&field].as_f64().unwrap(), mean("step_ns"));
        for class in json["classes"].as_array().unwrap() {
            let column = format!("{}_ns", class["class"].as_str().unwrap());
            assert_eq!(class[&field].as_f64().unwrap(), mean(&column), "{column}");
        }
        for region in json["regions"].as_array().unwrap() {
            let id = region["id"].as_i64().unwrap();
            for (field, column) in [("count", "count"), ("gpu_ns", "gpu_ns"), ("attributed_ns", "attributed_ns")] {
                let rows = sides(&samples).into_iter().zip(ints(&samples, "region")).zip(ints(&samples, column));
                let sum: i64 = rows.filter(|((of, at), _)| of == side && *at == id).map(|(_, value)| value).sum();
                assert_eq!(region[side][field].as_f64().unwrap(), sum as f64 / number, "{field}");
            }
        }
    }
}

#[test]
fn the_slowest_rank_of_each_iteration_counts() {
    let (_a, a) = job("a", 20);
    let explained = Explain::new(&a, &a).slowest_rank().run().unwrap();
    let steps = explained.steps().unwrap();
    let ints =
        |name: &str| -> Vec<i64> { steps.column(name).unwrap().i64().unwrap().iter().map(Option::unwrap).collect() };
    assert_eq!((ints("rank")[..3].to_vec(), ints("iteration")[..3].to_vec()), (vec![0, 0, 1], vec![1, 3, 2]));
    assert_eq!(explained.sides[0].samples, 3);
    assert_eq!(explained.step.control_us, (95.0 + 95.0 + 100.0) / 3.0);
    let one = Explain::new(&a, &a).slowest_rank().control_rank(0).test_rank(0).run().unwrap();
    assert_eq!((one.sides[0].samples, one.sides[0].ranks.clone()), (3, vec![0]));
}

#[test]
fn a_condition_chooses_regions_and_no_events() {
    let ((_a, a), (_b, b)) = (job("a", 20), job("b", 35));
    let all = Explain::new(&a, &b).run().unwrap();
    let of = |text: &str| Explain::new(&a, &b).filter(text.parse::<Where>().unwrap()).run();
    let chosen = of("name ~ \"gemm\"").unwrap();
    assert_eq!((chosen.step, &chosen.classes), (all.step, &all.classes));
    assert_eq!((chosen.region_count(), chosen.rows().len()), (all.region_count(), 1));
    assert_eq!(chosen.chosen_us(), Some(chosen.rows()[0].delta_us));
    assert_eq!(chosen.regions().unwrap().height(), 1);
    let text = chosen.sentences();
    assert!(text.contains("Chosen, where name ~ \"gemm\": 1 of 2 regions with +"), "{text}");
    let figure = chosen.waterfall(crate::WaterfallLevel::Operator);
    let values = &figure.series[0].y;
    let sum: f64 = values[..values.len() - 1].iter().sum();
    assert!((sum - values[values.len() - 1]).abs() < 1e-9);
    let json = chosen.to_json();
    assert_eq!(json["where"], "name ~ \"gemm\"");
    assert_eq!(json["regions"].as_array().unwrap().iter().filter(|region| region["chosen"] == true).count(), 1);
    let none = of("dur > 1s").unwrap();
    assert!(none.rows().is_empty() && none.sentences().contains("Chosen, where dur > 1s: no region, since"));
    assert!(of("nothing > 1").unwrap_err().to_string().contains("nothing"));
}

#[test]
fn bad_input_is_answered_or_named() {
    let ((_a, a), (_b, b)) = (job("a", 20), job("b", 35));
    let host = TraceBuilder::new().step(1, 0..100).operator("aten::mm", 10..60).json();
    let host = TraceSet::from_bytes(host).unwrap().with_label("host");
    // A side without GPU work is divided by its operators, and has no GPU time.
    let explained = Explain::new(&a, &host).keep_events().run().unwrap();
    check_from_outside_gpu(&explained);
    assert!(explained.sentences().contains("host is "));
    let json = explained.to_json();
    assert_eq!(json["coverage"]["test"]["recorded_gpu_events"], 0);
    let regions = json["regions"].as_array().unwrap();
    assert!(regions.iter().all(|region| region["test"]["gpu_total_ns"] == 0));
    // One iteration against many, and other numbers of ranks: means over what there is.
    let one = Explain::new(&a, &b).control_iteration(1).control_rank(0).run().unwrap();
    assert_eq!((one.sides[0].samples, one.sides[1].samples), (1, 6));
    assert_eq!(one.step.control_us, 95.0);
    let marker = |text: &str| Explain::new(&a, &b).marker(regex::Regex::new(text).unwrap());
    assert!(matches!(marker("decode").run(), Err(Error::NoMarker { .. })));
    let error = marker("^aten::mm$").control_iteration(7).run().unwrap_err().to_string();
    assert_eq!(error, "trace \"a\" has no iteration 7 (has 0, 1, 2)");
    let error = Explain::new(&a, &b).control_rank([]).run().unwrap_err();
    assert!(matches!(error, Error::NoRankSelected { .. }), "{error}");
}

/// A recording without GPU work has no rows, and the others have theirs.
fn check_from_outside_gpu(explained: &Explanation) {
    let rows = read_back(explained, EventFile::Csv);
    assert!(rows.len() == 14 && rows.iter().all(|row| row[0] == "control"));
}

/// The files below a folder that may be traces.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.to_str().unwrap_or_default() {
            _ if path.is_dir() => found.extend(files(&path)),
            name if name.ends_with(".json") || name.ends_with(".json.gz") => found.push(path),
            _ => {}
        }
    }
    found.sort();
    found
}

#[test]
fn every_shared_trace_adds_up_from_outside() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else { return };
    let mut checked = 0;
    for path in files(&std::path::Path::new(&shared).join("traces")) {
        let Ok(trace) = TraceSet::load(&path) else { continue };
        let query = || Explain::new(&trace, &trace).keep_events();
        let marked = |text: &str| query().marker(regex::Regex::new(text).unwrap());
        for explain in [query(), query().warmup(1), query().slowest_rank(), marked("^aten::(mm|addmm|linear)$")] {
            // Not every trace has two iterations, or such an operator.
            if let Ok(explained) = explain.run() {
                check_from_outside(&explained, [&[&trace], &[&trace]]);
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked}");
}

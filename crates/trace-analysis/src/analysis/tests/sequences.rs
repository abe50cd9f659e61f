//! The kernel sequences that operators launch.

use super::{column, loaded, main_table, texts};
use crate::Questions;
use crate::analysis::FrequentCudaKernelSequences;
use crate::{Compat, Error, LoadOptions, TraceAnalysis, TraceSet};
use serde_json::Value;
use std::path::Path;
use trace_testkit::{Stream, TraceBuilder};

/// `linear` launches a and b twice and a alone once; another one, deeper in `outer`, does not count.
fn linears() -> TraceBuilder {
    let mut builder = TraceBuilder::new();
    for (call, kernels) in [&["a", "b"][..], &["a", "b"], &["a"]].into_iter().enumerate() {
        let at = 100 * call as i64;
        builder = builder.operator("aten::linear", at..at + 50).operator("aten::addmm", at + 5..at + 40);
        for (index, name) in kernels.iter().enumerate() {
            let (index, id) = (index as i64, at + index as i64);
            builder = builder
                .runtime("cudaLaunchKernel", id, at + 10 + index..at + 11 + index)
                .kernel(name, Stream(7), at + 60 + 10 * index..at + 63 + 11 * index)
                .correlation(id);
        }
    }
    builder
        .operator("outer", 1000..1100)
        .operator("aten::linear", 1010..1050)
        .runtime("cudaLaunchKernel", 999, 1020..1021)
        .kernel("a", Stream(7), 1030..1031)
        .correlation(999)
}

fn linear(output_dir: Option<&Path>) -> FrequentCudaKernelSequences {
    FrequentCudaKernelSequences {
        operator_name: "linear".to_owned(),
        min_pattern_len: 1,
        output_dir: output_dir.map(Path::to_owned),
        ..FrequentCudaKernelSequences::default()
    }
}

#[test]
fn sequences_have_counts_and_durations() {
    for compat in [Compat::Exact, Compat::Hta] {
        let answer = loaded(&[linears()], compat).ask(&linear(None)).unwrap();
        let df = main_table(&answer);
        assert_eq!(texts(df, "pattern"), ["aten::linear|a|b", "aten::linear|a"]);
        assert_eq!(column(df, "count"), [2.0, 1.0]);
        // a 3 µs, b 4 µs.
        assert_eq!(column(df, "GPU kernel duration (us)"), [14.0, 3.0]);
        assert_eq!(column(df, "CPU op duration (us)"), [100.0, 50.0]);
        assert!(
            answer.notes[0].starts_with("1 of 4 operators whose name contains \"linear\" are deeper"),
            "{:?}",
            answer.notes
        );
        assert!(answer.copies.is_empty());
        assert_eq!(answer.figures[0].series[0].y, [2.0, 1.0]);
    }
}

#[test]
fn short_sequences_are_left_out_with_an_explanation() {
    let traces = loaded(&[linears()], Compat::Exact);
    let three = FrequentCudaKernelSequences { min_pattern_len: 3, ..linear(None) };
    let answer = traces.ask(&three).unwrap();
    assert_eq!(main_table(&answer).height(), 0);
    assert_eq!(
        answer.notes[1],
        "None of the analysed operators launches 3 kernels or more on rank 0; --min-pattern-len 2 includes shorter sequences."
    );
    let two = FrequentCudaKernelSequences { min_pattern_len: 2, operator_name: "aten".to_owned(), ..linear(None) };
    assert_eq!(main_table(&traces.ask(&two).unwrap()).height(), 1);
}

#[test]
fn unknown_operator_has_suggestions_that_work() {
    let traces = loaded(&[linears()], Compat::Exact);
    let unknown = FrequentCudaKernelSequences { operator_name: "nonsense".to_owned(), ..linear(None) };
    assert_eq!(
        traces.ask(&unknown).unwrap().notes,
        [
            "No operator on rank 0 has a name that contains \"nonsense\".",
            "Operators that launch 1 kernel or more: aten::linear (4 ×), aten::addmm (3 ×), outer (1 ×).",
        ]
    );
    let two = FrequentCudaKernelSequences { min_pattern_len: 2, ..unknown };
    for name in ["aten::linear", "aten::addmm"] {
        assert!(traces.ask(&two).unwrap().notes[1].contains(name));
        let named = FrequentCudaKernelSequences { operator_name: name.to_owned(), ..two.clone() };
        assert_eq!(main_table(&traces.ask(&named).unwrap()).height(), 1, "a suggested name has sequences");
    }
}

#[test]
fn missing_operator_and_folder_are_refused() {
    let traces = loaded(&[linears()], Compat::Exact);
    for invalid in [
        FrequentCudaKernelSequences { operator_name: String::new(), ..linear(None) },
        linear(Some(Path::new("/no such folder"))),
    ] {
        assert!(matches!(traces.ask(&invalid), Err(Error::WrongParameter { .. })));
    }
}

/// The counts of sequences if an annotation on the GPU has the operator's name, too.
fn counts_with_gpu_annotation(compat: Compat) -> Vec<f64> {
    let builder = linears().complete("gpu_user_annotation", "linear pass", 0, 7, 0..900);
    column(main_table(&loaded(&[builder], compat).ask(&linear(None)).unwrap()), "count")
}

#[test]
fn gpu_annotations_are_not_operators() {
    assert_eq!(counts_with_gpu_annotation(Compat::Exact), [2.0, 1.0]);
}

#[test]
fn hta_gpu_annotations_hide_operators() {
    assert_eq!(counts_with_gpu_annotation(Compat::Hta), [0.0; 0]);
}

/// HTA's rounding makes the duration negative, on which HTA itself fails.
#[test]
fn hta_durations_below_1_us_keep_the_call_stack_whole() {
    let builder = TraceBuilder::new()
        .nanos()
        .operator("aten::linear", 1_000..50_000)
        .operator("short", 10_200..10_700)
        .runtime("cudaLaunchKernel", 1, 20_100..20_900)
        .kernel("a", Stream(7), 60_000..63_000)
        .correlation(1);
    let answer = loaded(&[builder], Compat::Hta).ask(&linear(None)).unwrap();
    assert_eq!(texts(main_table(&answer), "pattern"), ["aten::linear|a"]);
}

fn events(path: &Path) -> Vec<Value> {
    let text = std::fs::read(path).unwrap();
    let mut plain = String::new();
    match text.starts_with(&[0x1f, 0x8b]) {
        true => std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&text[..]), &mut plain).unwrap(),
        false => std::io::Read::read_to_string(&mut &text[..], &mut plain).unwrap(),
    };
    serde_json::from_str::<Value>(&plain).unwrap()["traceEvents"].as_array().unwrap().clone()
}

#[test]
fn copy_marks_frequent_sequences_and_shrinks_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("t.json", linears().json().into_bytes()), ("t.json.gz", linears().gzip())] {
        let source = folder.path().join("source");
        std::fs::create_dir_all(&source).unwrap();
        let source = source.join(name);
        std::fs::write(&source, &bytes).unwrap();
        let analysis = TraceAnalysis::new(&TraceSet::load(&source).unwrap()).unwrap();
        let top_one = FrequentCudaKernelSequences { top_k: 1, ..linear(Some(folder.path())) };
        let df = analysis.get_frequent_cuda_kernel_sequences(&top_one).unwrap();
        assert_eq!(df.height(), 2);
        let target = folder.path().join(format!("overlaid_{name}"));
        assert_eq!(std::fs::read(&target).unwrap().starts_with(&[0x1f, 0x8b]), name.ends_with(".gz"));
        assert_eq!(std::fs::read(&source).unwrap(), bytes, "the source is unchanged");
        let (before, after) = (events(&source), events(&target));
        assert_eq!(after.len(), before.len() + 1, "the names are at the end");
        let marked: Vec<&Value> = after.iter().filter(|event| !event["args"]["Patterns"].is_null()).collect();
        // Of each of the two: linear, addmm, two launches, two kernels.
        assert_eq!(marked.len(), 12);
        assert_eq!(marked[0]["args"]["Patterns"], serde_json::json!({"aten::linear|a|b": 2}));
        assert_eq!(marked[2]["args"]["correlation"], 0);
        let small = &after[before.len() - 1];
        assert!(small.get("args").is_none() && small["ts"] == 1030, "{small}");
        assert_eq!(after.last().unwrap()["args"][small["name"].as_str().unwrap()], "a");
        let again = TraceSet::load(&target).unwrap();
        assert_eq!(again.event_count(), before.len());

        let whole = FrequentCudaKernelSequences { compress_other_kernels: false, ..top_one };
        analysis.get_frequent_cuda_kernel_sequences(&whole).unwrap();
        assert_eq!(events(&target).last(), before.last());
    }
}

#[test]
fn each_analysed_rank_has_its_own_copy() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for rank in [0, 34] {
        std::fs::write(folder.path().join(format!("{rank}.json")), linears().rank(rank).json()).unwrap();
    }
    let options = LoadOptions::default();
    let traces = TraceSet::load_with(folder.path(), &options, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    let analysis = TraceAnalysis::new(&traces).unwrap();
    let answer = analysis.ask_ranks(&linear(Some(out.path())), Some(&[34, 0])).unwrap();
    assert_eq!(column(main_table(&answer), "count"), [4.0, 2.0]);
    let names: Vec<_> = answer.copies.iter().map(|copy| copy.target.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["overlaid_0.json", "overlaid_34.json"]);
}

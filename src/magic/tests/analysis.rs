//! The magics of analyses, made from the catalog.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::notebook::plain;
use crate::magic::find;
use tempfile::TempDir;
use trace::analysis::CATALOG;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::PLOTLY;

/// ```text
/// stream 7    |-- gemm 0..10 --|         |- relu 30..40 -|
/// stream 20        |----- nccl 5..20 -----|
/// ```
fn gpu(rank: i64) -> TraceBuilder {
    TraceBuilder::new()
        .rank(rank)
        .kernel("gemm", Stream(7), 0..10)
        .kernel("ncclDevKernel_AllReduce", Stream(20), 5..20)
        .kernel("relu", Stream(7), 30..40)
}

fn staged(builders: &[TraceBuilder]) -> (TempDir, Notebook) {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("job");
    std::fs::create_dir(&job).unwrap();
    for (index, builder) in builders.iter().enumerate() {
        std::fs::write(job.join(format!("{index}.json")), builder.json()).unwrap();
    }
    let mut notebook = Notebook::default();
    notebook.text(&format!("%trace_load '{}' --as job", job.display()));
    (folder, notebook)
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn analysis_shows_a_table_and_a_figure() {
    let (_folder, mut notebook) = staged(&[gpu(0), gpu(1)]);
    let outputs = notebook.outputs("%temporal_breakdown job").unwrap();
    let [table, figure] = &outputs[..] else { panic!("{outputs:?}") };
    let text = plain(table);
    assert!(text.contains("temporal_breakdown · job · ranks 0, 1") && text.contains("50         25"), "{text}");
    let crate::display::Output::Display { bundle, .. } = figure else { panic!("{figure:?}") };
    assert!(bundle.data.contains_key(PLOTLY));
    assert_eq!(notebook.outputs("%temporal_breakdown job --no-figure").unwrap().len(), 1);
    let one = notebook.text("%temporal_breakdown job --rank 1 --no-figure");
    assert!(one.contains("· rank 1") && !one.contains("ranks"), "{one}");
}

#[test]
fn csv_writes_every_table_with_htas_header() {
    let (folder, mut notebook) = staged(&[gpu(0)]);
    let out = folder.path().join("out.csv");
    let output = notebook.text(&format!("%gpu_kernel_breakdown job --csv '{}' --top 1 --filter relu", out.display()));
    assert!(output.contains("out.kernel_types.csv: 3 × 3") && output.contains("out.kernels.csv: 3 × 8"), "{output}");
    assert!(!out.exists());
    assert_eq!(
        read(&folder, "out.kernel_types.csv"),
        "kernel_type,sum,percentage\nCOMPUTATION,15.0,50.0\nCOMMUNICATION,10.0,33.3\n\
         COMPUTATION overlapping COMMUNICATION,5.0,16.7\n"
    );
    let kernels = read(&folder, "out.kernels.csv");
    assert!(kernels.starts_with("name,sum (us),max (us),min (us),stddev,mean (us),kernel_type,rank\n"), "{kernels}");
    notebook.text(&format!("%idle_time_breakdown job --csv '{}' --quiet", out.display()));
    assert!(
        read(&folder, "out.csv").starts_with("rank,stream,idle_category,idle_time,idle_time_ratio\n0,7,kernel_wait,")
    );
    let gaps = read(&folder, "out.intervals.csv");
    assert!(
        gaps.starts_with("idle_category,rank,stream,count,mean,std,min,25%,50%,75%,max\nkernel_wait,0,7,1.0,20.0,,")
    );
}

#[test]
fn parameters_are_flags_with_htas_names() {
    let (_folder, mut notebook) = staged(&[gpu(0)]);
    let wait =
        |notebook: &mut Notebook, flags: &str| notebook.text(&format!("%idle_time_breakdown job --no-figure {flags}"));
    assert!(wait(&mut notebook, "").contains("kernel_wait"));
    assert!(!wait(&mut notebook, "--consecutive_kernel_delay 5").contains("kernel_wait"));
    assert!(!wait(&mut notebook, "--streams 20").contains("kernel_wait"));
    assert!(wait(&mut notebook, "--show-idle-interval-stats").contains("75%"));
    let folded = notebook.text("%gpu_kernel_breakdown job --num-kernels 1 --no-figure");
    assert!(folded.contains("others"), "{folded}");
    let error = notebook.error("%gpu_kernel_breakdown job --duration-ratio 80");
    assert_eq!(error, "TraceError: gpu_kernel_breakdown: invalid duration_ratio `80`: expected a share from 0 to 1");
    let page = notebook.text("%idle_time_breakdown --help");
    assert!(page.contains("--consecutive-kernel-delay X") && page.contains("(default: 30)"), "{page}");
    assert!(page.contains("out.csv and out.intervals.csv"), "{page}");
}

/// A launch in step 1 and one in step 2; step 3 is cut off.
fn steps(rank: i64) -> TraceBuilder {
    let launched = |builder: TraceBuilder, id: i64, at: i64| {
        let copy = builder.runtime("cudaMemcpyAsync", id, at..at + 1);
        copy.memcpy("Memcpy DtoH (Device -> Pinned)", Stream(7), 8, at + 5..at + 9)
            .correlation(id)
            .arg("memory bandwidth (GB/s)", "2.5")
    };
    let one = launched(TraceBuilder::new().rank(rank).step(1, 0..50), 1, 10);
    launched(one.step(2, 50..100), 2, 60).step(3, 100..150)
}

#[test]
fn tables_per_rank_give_files_per_rank_and_one_variable() {
    let (folder, mut notebook) = staged(&[steps(0), gpu(1), steps(2)]);
    let out = folder.path().join("out.csv");
    let output = notebook.text(&format!("x = %queue_length_time_series job --rank 0-2 --csv '{}'", out.display()));
    assert!(output.contains("x: DataFrame 8 × 7") && output.contains("out.rank2.csv: 4 × 6"), "{output}");
    assert!(output.contains("No launch of a kernel, copy or fill on rank 1."), "{output}");
    assert_eq!(
        read(&folder, "out.rank0.csv"),
        "index,ts,pid,tid,stream,queue_length\n1,10.0,0,7,7,1\n2,15.0,0,7,7,0\n4,60.0,0,7,7,1\n5,65.0,0,7,7,0\n"
    );
    assert_eq!(read(&folder, "out.rank1.csv"), "index,ts,pid,tid,stream,queue_length\n");
    assert!(!out.exists());
    assert_eq!(notebook.frame("x").get_column_names()[0], "rank");
    let shown = notebook.text("%queue_length_time_series job --rank 0,2 --columns rank,queue_length --no-figure");
    assert!(shown.contains("8 rows × 2 columns"), "{shown}");
}

#[test]
fn iteration_and_where_apply_to_every_analysis() {
    let (folder, mut notebook) = staged(&[steps(0)]);
    let out = folder.path().join("out.csv");
    let output = notebook.text(&format!("%memory_bw_time_series job --iteration 2 --csv '{}'", out.display()));
    assert!(output.contains("memory_bw_time_series · job · rank 0 · iteration 2"), "{output}");
    assert_eq!(
        read(&folder, "out.rank0.csv"),
        "ts,pid,name,memory_bw_gbps\n65.0,0,Memcpy DtoH,2.5\n69.0,0,Memcpy DtoH,0.0\n"
    );
    for entry in CATALOG.iter().filter(|entry| entry.parameters.iter().all(|parameter| parameter.placeholder.is_none()))
    {
        let output = notebook.text(&format!("%{} job --iteration 1 --no-figure", entry.name));
        assert!(output.contains("· iteration 1"), "%{}: {output}", entry.name);
    }
    for entry in CATALOG.iter().filter(|entry| entry.parameters.iter().all(|parameter| parameter.placeholder.is_none()))
    {
        for condition in ["dur > 1s", "stream in 7,20 or cat == cuda_runtime"] {
            let output = notebook.text(&format!("%{} job --where '{condition}' --no-figure", entry.name));
            assert!(output.contains(&format!("· where {condition}")), "%{}: {output}", entry.name);
        }
    }
    assert!(notebook.error("%memory_bw_summary job --iteration 3").contains("--include-last-profiler-step"));
    assert!(notebook.error("%memory_bw_summary job --iteration 9").contains("has no iteration 9 (has 1, 2)"));
}

#[test]
fn trace_with_counters_is_written_next_to_its_source() {
    let (folder, mut notebook) = staged(&[steps(0)]);
    let output = notebook.text("%trace_with_counters job --time-series queue_length");
    let file = folder.path().join("job/0_with_counters.json.gz");
    assert!(output.contains("0_with_counters.json.gz: 11 events, 4 added") && file.exists(), "{output}");
    let page = notebook.text("%trace_with_counters --help");
    assert!(page.contains("--output PATH") && page.contains("(default: _with_counters)"), "{page}");
    assert!(page.contains("(default: queue_length,memcpy_bandwidth)"), "{page}");
}

#[test]
fn frequent_sequences_are_marked_in_a_copy_of_the_trace() {
    let launched = |builder: TraceBuilder, id: i64| {
        let at = 100 * id;
        let builder = builder.operator("aten::linear", at..at + 50).runtime("cudaLaunchKernel", id, at + 5..at + 9);
        builder.kernel("gemm", Stream(7), at + 20..at + 30).correlation(id)
    };
    let (folder, mut notebook) = staged(&[launched(launched(TraceBuilder::new(), 1), 2)]);
    let ask = "%frequent_cuda_kernel_sequences job aten::linear --min-pattern-len 1";
    let output = notebook.text(ask);
    assert!(output.contains("aten::linear|gemm") && !output.contains("wrote"), "{output}");
    let (csv, out) = (folder.path().join("out.csv"), folder.path().display().to_string());
    let output = notebook.text(&format!("{ask} --output-dir '{out}' --csv '{}' --no-figure", csv.display()));
    assert!(output.contains("overlaid_0.json: 7 events, 1 added"), "{output}");
    assert_eq!(
        read(&folder, "out.csv"),
        "pattern,count,GPU kernel duration (us),CPU op duration (us)\naten::linear|gemm,2,20.0,100.0\n"
    );
    assert!(read(&folder, "overlaid_0.json").contains(r#""Patterns": {"aten::linear|gemm":2}"#));
    assert!(notebook.error("%frequent_cuda_kernel_sequences job").contains("missing OPERATOR"));
    let error = notebook.error(&format!("{ask} --output-dir '{out}/nowhere'"));
    assert!(error.contains("invalid output_dir"), "{error}");
    let unknown = notebook.text("%frequent_cuda_kernel_sequences job nonsense");
    assert!(unknown.contains("No operator on rank 0 has a name that contains \"nonsense\"."), "{unknown}");
}

#[test]
fn analyses_sort_by_columns_and_select_profiler_steps() {
    let (_folder, mut notebook) = staged(&[steps(0), steps(1)]);
    assert!(notebook.text("%profiler_steps job").contains("profiler_steps · job · ranks 0, 1"));
    let page = notebook.text("%aten_op_kernels_and_delay --help");
    assert!(page.contains("--sort-by") && page.contains("(default: occurrence_count)"), "{page}");
    notebook.text("%aten_op_kernels_and_delay job --sort-by avg_runtime_delay,aten_op_name");
    assert!(
        notebook
            .error("%potential_stragglers job --profiler-steps 9")
            .contains("invalid profiler_steps `9`: expected steps of the trace: 1, 2")
    );
    let output =
        notebook.text("%gpu_user_annotation_breakdown job --use-gpu-annotation=false --allowlist-patterns Step#1");
    assert!(output.contains("ProfilerStep#1"), "{output}");
}

#[test]
fn top_limits_figures_and_tables() {
    let (_folder, mut notebook) = staged(&[gpu(0)]);
    let names = |outputs: &[crate::display::Output]| -> Vec<usize> {
        let figures = outputs.iter().filter_map(|output| match output {
            crate::display::Output::Display { bundle, .. } => bundle.data.get(PLOTLY),
            _ => None,
        });
        figures.map(|figure| figure["layout"]["xaxis"]["tickvals"].as_array().map_or(0, Vec::len)).collect()
    };
    assert_eq!(names(&notebook.outputs("%gpu_kernel_breakdown job").unwrap()), [3, 2, 2]);
    assert_eq!(names(&notebook.outputs("%gpu_kernel_breakdown job --top 1").unwrap()), [1, 1, 1]);
    assert_eq!(names(&notebook.outputs("%gpu_kernel_breakdown job --top 0").unwrap()), [3, 2, 2]);
}

#[test]
fn min_us_exists_only_for_tables_with_durations() {
    let (_folder, mut notebook) = staged(&[gpu(0)]);
    let shown = notebook.text("%gpu_kernel_breakdown job --min-us 11 --no-figure");
    assert!(shown.contains("ncclDevKernel") && !shown.contains("relu"), "{shown}");
    assert!(notebook.error("%memory_bw_summary job --min-us 3").contains("unknown flag `--min-us`"));
}

#[test]
fn where_selects_the_events_of_an_analysis() {
    let (_folder, mut notebook) = staged(&[gpu(0)]);
    let all = notebook.text("%gpu_kernel_breakdown job --no-figure");
    let some = notebook.text("%gpu_kernel_breakdown job --no-figure --where 'name !~ nccl and stream is not null'");
    assert!(all.contains("ncclDevKernel") && !some.contains("ncclDevKernel") && some.contains("relu"), "{some}");
    assert!(some.contains("· where name !~ nccl and stream is not null"), "{some}");
    assert_eq!(
        notebook
            .error("%gpu_kernel_breakdown job --where 'dur > 100us and strem == 7'")
            .lines()
            .skip(1)
            .collect::<Vec<_>>(),
        ["  dur > 100us and strem == 7", "                  ^^^^^"]
    );
    assert_eq!(
        notebook.error("%gpu_kernel_breakdown job --where 'dur > 100'"),
        "UsageError: %gpu_kernel_breakdown: invalid --where: `dur` is a time: add a unit, as in 100us (ns, us, ms, s)\n  dur > \
         100\n        ^^^"
    );
    let unquoted = notebook.error("%gpu_kernel_breakdown job --where dur > 100us");
    assert!(unquoted.contains("quote the whole condition: --where 'dur > 100us'"), "{unquoted}");
    let page = notebook.text("%gpu_kernel_breakdown?");
    assert!(page.contains("Times need a unit: ns, us, ms, s") && !page.contains("their launches"), "{page}");
    let page = notebook.text("%cuda_kernel_launch_stats?");
    assert!(page.contains("--where selects kernels; their launches are included"), "{page}");
}

#[test]
fn analysis_binds_main_and_further_tables() {
    let (_folder, mut notebook) = staged(&[gpu(0)]);
    let output = notebook.text("kinds = %gpu_kernel_breakdown job");
    assert_eq!(output, "kinds: DataFrame 3 × 3\nkinds_kernels: DataFrame 3 × 8\n");
    assert_eq!(notebook.frame("kinds_kernels").height(), 3);
}

#[test]
fn analyses_without_gpu_events_explain_and_write_files() {
    let (folder, mut notebook) = staged(&[TraceBuilder::new().rank(34).operator("aten::mm", 0..5)]);
    for entry in CATALOG {
        assert!(find(entry.name).is_some());
        let out = folder.path().join(format!("{}.csv", entry.name));
        // Required positional parameters are texts.
        let positional =
            " aten::mm".repeat(entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some()).count());
        let output = notebook.text(&format!("%{} job{positional} --csv '{}'", entry.name, out.display()));
        assert!(output.contains("rank 34"), "%{}: {output}", entry.name);
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
        let written = files.filter(|file| file.to_string_lossy().starts_with(entry.name)).count();
        assert_eq!(written, entry.tables.len(), "%{}", entry.name);
    }
}

#[test]
fn flags_that_match_no_table_are_errors() {
    let (_folder, mut notebook) = staged(&[gpu(0)]);
    assert!(notebook.error("%temporal_breakdown job --sort nonsense").contains("unknown column `nonsense`"));
    assert!(notebook.error("%temporal_breakdown job --rank 7").contains("has no rank 7 (has 0)"));
    let sorted = notebook.text("%gpu_kernel_breakdown job --sort 'mean (us)' --no-figure");
    assert!(sorted.contains("sorted by mean (us)"), "{sorted}");
}

#[test]
fn switch_that_is_on_is_turned_off_with_no() {
    let copied = gpu(0).kernel("Memcpy HtoD (Pinned -> Device)", Stream(7), 40..50);
    let (_folder, mut notebook) = staged(&[copied]);
    let all = notebook.text("%gpu_kernel_breakdown job --no-figure");
    let less = notebook.text("%gpu_kernel_breakdown job --no-figure --no-include-memory-kernels");
    assert!(all.contains("MEMORY") && !less.contains("MEMORY"), "{all}\n{less}");
    assert_eq!(notebook.text("%gpu_kernel_breakdown job --no-figure --include_memory_kernels=false"), less);
    assert!(
        notebook
            .error("%gpu_kernel_breakdown job --no-include-memory-kernels=true")
            .contains("`true`: expected no value")
    );
    assert!(notebook.error("%gpu_kernel_breakdown job --no-top").contains("unknown flag"));
    assert!(notebook.text("%gpu_kernel_breakdown?").contains("--no-include-memory-kernels for no"));
}

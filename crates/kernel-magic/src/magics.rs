//! The rows of the table of magics, its headings, and the quantities that several magics show.

use crate::api::Magic;
use crate::quantity::Quantity;
use crate::{
    analysis, baseline, call_graph, call_stack, cd, compare_traces, critical_path, describe, events, explain, flame,
    history, memory_timeline, noise, open_perfetto, ops_diff, opt, parser_args, pwd, report, serving, show, time,
    timeit, timeline, trace_cache, trace_copy, trace_drop, trace_export, trace_info, trace_list, trace_load, tree_diff,
    visualize, waterfall, what_if, who,
};

/// Returns all magics, in the order of the help pages: loading and comparing, with that of SQL among them, analyses, then those for the
/// notebook, with those that list the whole table.
pub fn magics(sql: &'static dyn Magic, listing: [&'static dyn Magic; 3]) -> Vec<&'static dyn Magic> {
    let mut magics: Vec<&'static dyn Magic> = vec![
        &trace_load::TraceLoad,
        &trace_list::TraceList,
        &trace_info::TraceInfo,
        &describe::Describe,
        &serving::Serving,
        &trace_drop::TraceDrop,
        &trace_cache::TraceCache,
        &trace_export::TraceExport,
        &trace_copy::TraceCopyMagic,
        &parser_args::ParserArgs,
        &explain::Explain,
        &tree_diff::TreeDiff,
        &waterfall::Waterfall,
        &critical_path::CriticalPath,
        &what_if::WhatIf,
        &baseline::BaselineMagic,
        &history::History,
        &compare_traces::CompareTraces,
        &ops_diff::OpsDiff,
        &noise::Noise,
        &visualize::Visualize,
        &timeline::Timeline,
        &flame::Flame,
        &report::ReportMagic,
        &open_perfetto::OpenPerfetto,
        &events::Events,
        sql,
        &call_graph::CallGraph,
        &call_stack::CallStack,
        &memory_timeline::MemoryTimelineMagic,
    ];
    magics.extend(analysis::ANALYSES.iter().map(|analysis| analysis as &dyn Magic));
    magics.extend([&show::Show as &dyn Magic, &who::Who, &time::Time, &timeit::TimeIt, &opt::Opt, &cd::Cd, &pwd::Pwd]);
    magics.extend(listing);
    magics
}

/// The headings of `%lsmagic` and `%help`, which are those of the README, each with its magics.
pub const TOPICS: &[(&str, &[&str])] = &[
    ("Why is it slower?", &["explain", "tree_diff", "waterfall", "report"]),
    ("Is it real?", &["noise", "baseline", "history"]),
    ("What bounds it?", &["critical_path", "what_if"]),
    ("What changed, operator by operator?", &["compare_traces", "ops_diff", "visualize"]),
    (
        "What is in one trace?",
        &[
            "describe",
            "serving",
            "gpu_kernel_breakdown",
            "operators",
            "roofline",
            "temporal_breakdown",
            "idle_time_breakdown",
            "call_graph",
            "call_stack",
            "cuda_kernel_launch_stats",
            "frequent_cuda_kernel_sequences",
            "aten_op_kernels_and_delay",
            "gpu_user_annotation_breakdown",
            "gpu_kernels_with_user_annotations",
            "memory_bw_summary",
            "memory_bw_time_series",
            "memory_timeline",
            "queue_length_summary",
            "queue_length_time_series",
            "time_blocked_on_full_queue",
            "profiler_steps",
            "cupti_counters",
            "validate",
        ],
    ),
    ("Which rank is late?", &["compare_ranks", "collectives", "comm_comp_overlap", "potential_stragglers"]),
    (
        "What does it look like, event by event?",
        &["timeline", "flame", "events", "trace_sql", "open_perfetto", "trace_with_counters"],
    ),
    (
        "Traces",
        &[
            "trace_load",
            "trace_list",
            "trace_info",
            "trace_drop",
            "trace_cache",
            "trace_export",
            "trace_copy",
            "parser_args",
        ],
    ),
    ("The notebook", &["show", "who", "time", "timeit", "opt", "cd", "pwd", "lsmagic", "magic", "help"]),
];

/// The quantities that each magic shows and another one shows, too: a row for every magic, in any order.
pub const SHOWN: &[(&str, &[Quantity])] = {
    use Quantity::{Bound, Busy, Events, IdleByCause, Kernels, Operators, Saving, Span, Step, Straggler};
    &[
        ("trace_list", &[Events]),
        ("trace_info", &[Events, Span]),
        ("describe", &[Events, Span, Step, Busy, Operators, Kernels, Straggler]),
        ("trace_sql", &[Events, Span, Step, Operators, Kernels]),
        ("events", &[Events]),
        ("explain", &[Step, IdleByCause, Bound]),
        ("tree_diff", &[Step, IdleByCause]),
        ("waterfall", &[Step]),
        ("flame", &[Step]),
        ("critical_path", &[Step, Bound, Saving]),
        ("what_if", &[Step, Saving]),
        ("compare_traces", &[Operators, Kernels]),
        ("operators", &[Operators]),
        ("gpu_kernel_breakdown", &[Kernels]),
        ("temporal_breakdown", &[Busy]),
        ("compare_ranks", &[Straggler]),
        ("potential_stragglers", &[Straggler]),
        ("collectives", &[Straggler]),
        // Magics without a shared quantity, and magics that present the answer of another one.
        ("serving", &[]),
        ("roofline", &[]),
        ("cupti_counters", &[]),
        ("validate", &[]),
        ("trace_load", &[]),
        ("trace_drop", &[]),
        ("trace_cache", &[]),
        ("trace_export", &[]),
        ("trace_copy", &[]),
        ("parser_args", &[]),
        ("baseline", &[]),
        ("history", &[]),
        ("ops_diff", &[]),
        ("noise", &[]),
        ("visualize", &[]),
        ("timeline", &[]),
        ("report", &[]),
        ("open_perfetto", &[]),
        ("call_graph", &[]),
        ("call_stack", &[]),
        ("idle_time_breakdown", &[]),
        ("comm_comp_overlap", &[]),
        ("memory_bw_time_series", &[]),
        ("memory_bw_summary", &[]),
        ("memory_timeline", &[]),
        ("queue_length_time_series", &[]),
        ("queue_length_summary", &[]),
        ("time_blocked_on_full_queue", &[]),
        ("cuda_kernel_launch_stats", &[]),
        ("frequent_cuda_kernel_sequences", &[]),
        ("gpu_user_annotation_breakdown", &[]),
        ("gpu_kernels_with_user_annotations", &[]),
        ("aten_op_kernels_and_delay", &[]),
        ("profiler_steps", &[]),
        ("trace_with_counters", &[]),
        // These show nothing of a trace.
        ("show", &[]),
        ("who", &[]),
        ("time", &[]),
        ("timeit", &[]),
        ("opt", &[]),
        ("cd", &[]),
        ("pwd", &[]),
        ("lsmagic", &[]),
        ("magic", &[]),
        ("help", &[]),
    ]
};

//! Hints for names from IPython and HTA that no magic has here, a row each.

use crate::magic::magics::{MAGICS, find};
use kernel_magic::api::Magic;
use trace::analysis::CATALOG;
use trace_view::format::nearest;

/// Magics of IPython: why there is none here, and what to use instead.
const IPYTHON: &[(&[&str], &str)] = &[
    (
        &["matplotlib", "pylab"],
        "figures need no backend here: %visualize draws a comparison, %show df --as bar a frame",
    ),
    (
        &["run"],
        "cells are Rust and run no scripts: add a crate with `:dep`, or put the code in a cell; Kernel › Restart and Run All runs the notebook",
    ),
    (&["pip", "conda", "mamba", "uv"], "cells are Rust: `:dep rand = \"0.9\"` in a cell of its own adds a crate"),
    (&["load_ext", "reload_ext", "unload_ext"], "there are no extensions to load: %lsmagic lists all magics"),
    (
        &["autoreload", "aimport"],
        "nothing is imported that could change: a cell that defines a function again replaces it",
    ),
    (
        &["ls", "ll", "dir", "lf", "lk", "lx", "ldir"],
        "there is no shell: Tab after %trace_load or %cd lists files and folders; %pwd prints the current folder",
    ),
    (
        &["sh", "bash", "sx", "system", "script", "cmd"],
        "there is no shell: open a terminal in JupyterLab (File › New › Terminal), or use `std::process::Command` in Rust",
    ),
    (&["cat", "less", "more", "man", "pycat"], "there is no shell: use JupyterLab's file browser or its terminal"),
    (&["mkdir", "rmdir", "rm", "cp", "mv"], "there is no shell: use JupyterLab's file browser, or `std::fs` in Rust"),
    (
        &["dhist", "pushd", "popd", "dirs"],
        "there is no stack of folders: %cd PATH goes to one, %cd - goes back, %pwd prints the current one",
    ),
    (&["bookmark"], "there are no bookmarks: %cd ${NAME} goes to the folder in an environment variable"),
    (
        &["hist", "rerun", "recall", "rep", "save", "macro", "edit", "ed"],
        "the notebook itself is the history: %trace_list and %who list what it holds now",
    ),
    (
        &["debug", "pdb", "tb", "xmode"],
        "Rust cells have no debugger: an error names its line, and `dbg!(x)` prints a value with its line",
    ),
    (
        &["prun", "lprun", "mprun", "memit", "profile"],
        "cells are not profiled line by line: %time and %timeit measure, %%opt compiles a cell with optimisation",
    ),
    (
        &["env", "set_env"],
        "a cell reads the environment with `std::env::var(\"NAME\")`; in a path ${NAME} and ${NAME:-default} work",
    ),
    (
        &["whos", "who_ls", "psearch", "pinfo", "pinfo2", "pdoc", "pdef", "psource", "pfile"],
        "%who lists variables with their types; `?name`, `%NAME?` and Shift-Tab explain",
    ),
    (
        &["reset", "reset_selective", "xdel"],
        "Kernel › Restart forgets everything; %trace_drop NAME forgets one trace, `drop(x);` a variable that a Rust cell made",
    ),
    (
        &["store", "pickle"],
        "values are not stored between sessions: --csv FILE writes a table, and %trace_load loads a trace again in seconds",
    ),
    (
        &[
            "precision",
            "pprint",
            "doctest_mode",
            "config",
            "colors",
            "automagic",
            "autocall",
            "alias",
            "alias_magic",
            "unalias",
            "logstart",
            "logon",
            "logoff",
            "gui",
            "notebook",
            "connect_info",
            "qtconsole",
            "page",
            "pastebin",
            "quickref",
            "loadpy",
            "load",
        ],
        "it is a setting or a tool of IPython, which does not run here: %magic explains the magics",
    ),
    (&["sql"], "here it is %trace_sql, and %%trace_sql for several lines (%trace_sql? for help)"),
    (&["capture"], "outputs are not captured: x = %MAGIC … binds a result without showing it, --quiet shows nothing"),
    (
        &["writefile", "file"],
        "cells write no files: use --csv, --json, --html and --png of magics, or `std::fs::write` in Rust",
    ),
    (
        &["html", "javascript", "js", "latex", "markdown", "svg"],
        "there is no such cell: use a Markdown cell for text, and `display(…)` in Rust for values with a rich form",
    ),
    (
        &["python", "python3", "pypy", "python2", "perl", "ruby", "R", "julia", "cython", "writetemplate"],
        "cells are Rust: for another language open a notebook with its kernel; --csv FILE exports tables",
    ),
    (&["rust", "evcxr"], "every cell is Rust already: write it without a magic"),
    (
        &["tensorboard"],
        "traces are read from the files that tensorboard_trace_handler wrote: %trace_load FOLDER --as NAME",
    ),
];

/// Features of HTA that have other names here, and the magics for them.
const HTA: &[(&[&str], &str)] = &[
    (&["timelines", "plot_timeline", "gantt"], "%timeline draws threads, streams and counters over time"),
    (
        &["callgraph", "call_stacks", "callstack", "call_tree"],
        "%call_graph, %call_stack and %operators relate calls to their kernels",
    ),
    (
        &["nccl_collectives", "communication_analysis"],
        "%potential_stragglers and %comm_comp_overlap analyse communication",
    ),
];

/// Calls of HTA and their magics here.
const RENAMED: &[(&str, &str)] = &[
    ("generate_trace_with_counters", "trace_with_counters"),
    ("get_time_spent_blocked_on_full_queue", "time_blocked_on_full_queue"),
    ("time_spent_blocked_on_full_queue", "time_blocked_on_full_queue"),
    ("stragglers", "potential_stragglers"),
    ("straggler", "potential_stragglers"),
    ("memory_analysis", "memory_timeline"),
    ("plot_memory_timeline", "memory_timeline"),
    ("memory_profile", "memory_timeline"),
    ("cupti", "cupti_counters"),
    ("cupti_counter_data_with_operators", "cupti_counters"),
    ("cupti_counter_data", "cupti_counters"),
    ("cupti_profiler", "cupti_counters"),
    ("validate_trace_format", "validate"),
    ("validate_trace", "validate"),
    ("update_trace_rank", "trace_copy"),
    ("write_trace", "trace_copy"),
    ("convert_to_perfetto", "trace_copy"),
    ("load_execution_trace", "trace_load"),
    ("correlate_execution_trace", "trace_load"),
    ("add_et_column", "trace_load"),
    ("trace_start_unixtime_ns", "trace_info"),
    ("find_op_occurrence", "events"),
    ("trace_df", "events"),
    ("trace", "events"),
    ("all_traces", "trace_list"),
    ("critical_path_analysis", "critical_path"),
    ("lightweight_critical_path_analysis", "critical_path"),
    ("overlay_critical_path_analysis", "critical_path"),
    ("idle_time", "idle_time_breakdown"),
    ("kernel_breakdown", "gpu_kernel_breakdown"),
    ("breakdown", "temporal_breakdown"),
    ("memory_bw", "memory_bw_summary"),
    ("queue_length", "queue_length_summary"),
    ("visualize_counts_diff", "visualize"),
    ("visualize_duration_diff", "visualize"),
    ("load_traces", "trace_load"),
    ("load_trace", "trace_load"),
    ("load", "trace_load"),
    ("load_data", "trace_load"),
    ("read_csv", "trace_load"),
    ("compare", "compare_traces"),
    ("diff", "compare_traces"),
    ("trace_diff", "compare_traces"),
    ("traces", "trace_list"),
    ("list", "trace_list"),
    ("drop", "trace_drop"),
    ("unload", "trace_drop"),
    ("info", "trace_info"),
    ("summary", "describe"),
    ("plot", "visualize"),
    ("head", "show"),
    ("print", "show"),
    ("iterations", "trace_info"),
    ("ranks", "trace_info"),
    ("trace_duration", "describe"),
    ("ops_summary", "operators"),
    ("extract_ops", "ops_diff"),
    ("raw_trace_for_one_rank", "events"),
    ("trace_for_one_rank", "events"),
    ("decode_symbol_ids", "events"),
    ("align_and_filter_trace", "trace_load"),
];

/// Parameters of HTA whose flag or argument here has another name: the first of these that a magic has is meant.
const PARAMETERS: &[(&[&str], &[&str])] = &[
    (&["instance-id", "instance-ids"], &["instance"]),
    (&["operator-name", "op-name", "cuda-kernel-name"], &["operator", "name", "OPERATOR", "filter"]),
    (&["output-dir", "output-path", "output-file", "output-csv"], &["output", "csv", "DIR", "html"]),
    (&["visualize", "show", "plot"], &["no-figure", "html"]),
    (&["ranks", "rank-id", "rank-ids"], &["rank", "control-rank"]),
    (&["control-ranks"], &["control-rank"]),
    (&["test-ranks"], &["test-rank"]),
    (&["iterations", "profiler-steps", "iters"], &["iteration", "control-iteration"]),
    (&["streams", "stream-id"], &["stream"]),
    (&["trace-dir", "trace-file", "trace-files"], &["PATH", "NAME", "CONTROL"]),
    (&["top-k", "num", "n", "limit", "head"], &["top"]),
    (&["annotation-name"], &["annotation"]),
    (&["kernels", "num-kernels", "allowlist-patterns", "name-filter", "filter-pattern", "pattern"], &["filter"]),
];

/// Returns what HTA's parameter `typed` is called among the arguments of a magic: `--instance`, or the word of an argument.
pub(super) fn parameter_of_hta(typed: &str, magic: &dyn Magic) -> Option<String> {
    let typed = typed.trim_start_matches('-').replace('_', "-").to_lowercase();
    let (_, ours) = PARAMETERS.iter().find(|(theirs, _)| theirs.contains(&typed.as_str()))?;
    let arguments = || magic.arguments().iter().flat_map(|group| group.arguments);
    let here = ours.iter().find_map(|name| arguments().find(|argument| argument.name == *name))?;
    Some(match here.name {
        "no-figure" => "figures are drawn unless --no-figure is given".to_owned(),
        "html" if !typed.starts_with("output") => "figures are drawn in a page only: --html FILE".to_owned(),
        _ if here.is_flag() => format!("here it is --{}", here.name),
        name => format!("here it is the argument {name}"),
    })
}

/// Returns the magic that does what HTA's call of this name does: `get_trace_df` is `events`.
pub(crate) fn magic_of_hta(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let bare = name.strip_prefix("get_").unwrap_or(&name);
    let renamed = RENAMED.iter().find(|(theirs, _)| *theirs == name || *theirs == bare).map(|(_, here)| *here);
    renamed.or_else(|| CATALOG.iter().map(|entry| entry.name).find(|here| name != *here && *here == bare))
}

/// Returns the hint for a name that IPython or HTA has; ends without a full stop.
pub(super) fn foreign_hint(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let bare = name.strip_prefix("get_").unwrap_or(&name);
    if let Some(here) = magic_of_hta(&name) {
        return Some(format!("here it is %{here} (%{here}? for help)"));
    }
    let missing = HTA.iter().find(|(names, _)| names.iter().any(|theirs| *theirs == bare || *theirs == name));
    let missing = missing.or_else(|| HTA.iter().find(|(names, _)| bare.len() > 4 && bare.starts_with(names[0])));
    if let Some((_, nearest)) = missing {
        return Some(format!("HTA's name; here {nearest}"));
    }
    let ipython = IPYTHON.iter().find(|(names, _)| names.iter().any(|theirs| theirs.to_lowercase() == name));
    ipython.map(|(_, hint)| (*hint).to_owned())
}

/// Returns the magic whose name is nearest to `name`, with its sigil.
pub(super) fn nearest_magic(name: &str) -> Option<String> {
    nearest(name, MAGICS.iter().map(|magic| magic.name())).and_then(find).map(Magic::spelled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn foreign_names_are_unique_and_not_magics() {
        let mut seen = BTreeSet::new();
        for name in IPYTHON.iter().chain(HTA).flat_map(|(names, _)| names.iter()) {
            assert!(seen.insert(name), "{name}: twice");
            assert!(find(name).is_none(), "{name} is a magic");
        }
        for (theirs, here) in RENAMED {
            assert!(find(theirs).is_none() && find(here).is_some(), "{theirs} → {here}");
        }
    }

    #[test]
    fn hints_name_magics_that_exist() {
        for hint in IPYTHON.iter().chain(HTA).map(|(_, hint)| hint) {
            assert!(!hint.ends_with('.'), "{hint}");
            for word in hint.split(|c: char| !(c.is_alphanumeric() || "%_".contains(c))) {
                let Some(name) = word.strip_prefix('%').map(|name| name.trim_start_matches('%')) else { continue };
                assert!(find(name).is_some() || matches!(name, "NAME" | "MAGIC"), "{hint}: %{name}");
            }
        }
    }

    #[test]
    fn parameters_of_hta_lead_to_ours() {
        let of = |typed: &str, magic: &str| parameter_of_hta(typed, find(magic).unwrap());
        for (typed, magic, hint) in [
            ("--instance-id", "critical_path", "here it is --instance"),
            ("--instance_id", "what_if", "here it is --instance"),
            ("--operator-name", "frequent_cuda_kernel_sequences", "here it is the argument OPERATOR"),
            ("--operator-name", "call_graph", "here it is --operator"),
            ("--operator-name", "events", "here it is --name"),
            ("--output-dir", "gpu_kernel_breakdown", "here it is --csv"),
            ("--output-dir", "trace_export", "here it is the argument DIR"),
            ("--visualize", "gpu_kernel_breakdown", "figures are drawn unless --no-figure is given"),
            ("--ranks", "temporal_breakdown", "here it is --rank"),
            ("--iterations", "compare_traces", "here it is --control-iteration"),
            ("--trace-dir", "trace_load", "here it is the argument PATH"),
        ] {
            assert_eq!(of(typed, magic).as_deref(), Some(hint), "{typed} of %{magic}");
        }
        assert_eq!(of("--nonsense", "events"), None);
    }

    #[test]
    fn every_call_of_hta_has_a_hint() {
        for entry in CATALOG {
            let hint = foreign_hint(&format!("get_{}", entry.name)).unwrap_or_default();
            assert!(hint.starts_with(&format!("here it is %{}", entry.name)), "{hint}");
        }
        let counters = foreign_hint("get_cupti_counter_data_with_operators");
        assert_eq!(counters.as_deref(), Some("here it is %cupti_counters (%cupti_counters? for help)"));
        assert!(foreign_hint("get_callgraph").is_some_and(|hint| hint.contains("here %call_graph, %call_stack")));
        assert_eq!(foreign_hint("nonsense"), None);
    }
}

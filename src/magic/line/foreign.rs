//! Names that people bring from elsewhere: what to do here instead, a row each.
//!
//! IPython's magics that have no magic of that name here, and HTA's calls. What works here under its own name stands in the
//! table of magics.

use crate::magic::argument::did_you_mean;
use crate::magic::magics::{MAGICS, find};
use trace::analysis::CATALOG;

/// Words of IPython, with why there is no such magic and what does the same.
const IPYTHON: &[(&[&str], &str)] = &[
    (
        &["matplotlib", "pylab"],
        "figures show themselves here, and need no backend: %visualize draws a comparison, %show df --as bar a frame",
    ),
    (
        &["run"],
        "cells are Rust, and no script is run from them: load a crate with `:dep`, or put code in a cell; Kernel › Restart and Run All runs the notebook",
    ),
    (&["pip", "conda", "mamba", "uv"], "cells are Rust: `:dep rand = \"0.9\"` in a cell of its own adds a crate"),
    (&["load_ext", "reload_ext", "unload_ext"], "there are no extensions to load: %lsmagic lists what there is"),
    (
        &["autoreload", "aimport"],
        "nothing is imported that could change: a cell that defines a function again replaces it",
    ),
    (
        &["ls", "ll", "dir", "lf", "lk", "lx", "ldir"],
        "there is no shell: Tab behind %trace_load or %cd lists files and folders; %pwd says where you are",
    ),
    (
        &["sh", "bash", "sx", "system", "script", "cmd"],
        "there is no shell here: use a terminal of JupyterLab (File › New › Terminal), or `std::process::Command` in Rust",
    ),
    (
        &["cat", "less", "more", "man", "pycat"],
        "there is no shell here: use JupyterLab's file browser or a terminal of it",
    ),
    (
        &["mkdir", "rmdir", "rm", "cp", "mv"],
        "there is no shell here: use JupyterLab's file browser, or `std::fs` in Rust",
    ),
    (
        &["dhist", "pushd", "popd", "dirs"],
        "folders are not stacked here: %cd PATH goes to one, %cd - goes back, %pwd says where you are",
    ),
    (&["bookmark"], "folders have no bookmarks here: %cd ${NAME} goes where a variable of the environment points"),
    (
        &["history", "hist", "rerun", "recall", "rep", "save", "macro", "edit", "ed"],
        "the notebook itself is the history: %trace_list and %who say what it holds now",
    ),
    (
        &["debug", "pdb", "tb", "xmode"],
        "Rust cells have no debugger: an error names its line, and `dbg!(x)` prints a value with its place",
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
        "Kernel › Restart forgets everything; %trace_drop NAME forgets one trace, `drop(x);` one variable",
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
        "it is a setting or a tool of IPython, which does not run here: %magic explains what there is",
    ),
    (
        &["sql"],
        "tables are polars frames: `df.lazy().filter(…).group_by(…)` in Rust, --where, --filter and --sort in magics",
    ),
    (&["capture"], "outputs are not captured: x = %MAGIC … binds a result without showing it, --quiet shows nothing"),
    (
        &["writefile", "file"],
        "cells write no files: --csv, --json, --html and --png of magics do, and `std::fs::write` in Rust",
    ),
    (
        &["html", "javascript", "js", "latex", "markdown", "svg"],
        "there is no such cell: a Markdown cell shows text, `display(…)` in Rust whatever has a rich form",
    ),
    (
        &["python", "python3", "pypy", "python2", "perl", "ruby", "R", "julia", "cython", "writetemplate"],
        "cells are Rust: for another language open a notebook with its kernel; --csv FILE hands tables over",
    ),
    (&["rust", "evcxr"], "every cell is Rust already: write it without a magic"),
    (
        &["tensorboard"],
        "traces are read from the files that tensorboard_trace_handler wrote: %trace_load FOLDER --as NAME",
    ),
];

/// What HTA has and this does not, with what comes nearest.
const HTA: &[(&[&str], &str)] = &[
    (
        &[
            "critical_path",
            "critical_path_analysis",
            "overlay_critical_path_analysis",
            "get_critical_path",
            "restore_cpgraph",
        ],
        "%idle_time_breakdown and %cuda_kernel_launch_stats say where the device waits for the host",
    ),
    (
        &["cupti", "cupti_counter_data_with_operators", "cupti_counter_data", "cupti_profiler", "cupti_counters"],
        "%trace_info NAME --memory lists the counters that the events carry, and `events()` has them as columns",
    ),
    (
        &["timeline", "timelines", "plot_timeline", "gantt"],
        "%trace_with_counters writes a copy to open in Perfetto (ui.perfetto.dev)",
    ),
    (
        &["memory_timeline", "memory_analysis", "get_memory_timeline", "memory_snapshot", "memory_profile"],
        "%memory_bw_summary and %memory_bw_time_series are about copies of memory",
    ),
    (
        &["call_graph", "callgraph", "call_stack", "call_stacks", "callstack", "call_tree"],
        "%frequent_cuda_kernel_sequences and %aten_op_kernels_and_delay relate operators to their kernels",
    ),
    (
        &["nccl_collectives", "straggler", "communication_analysis"],
        "%potential_stragglers and %comm_comp_overlap are about communication",
    ),
];

/// HTA's calls that are another magic here.
const RENAMED: &[(&str, &str)] = &[
    ("generate_trace_with_counters", "trace_with_counters"),
    ("get_time_spent_blocked_on_full_queue", "time_blocked_on_full_queue"),
    ("time_spent_blocked_on_full_queue", "time_blocked_on_full_queue"),
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
];

/// What to say of a name that no magic has, if it is known from elsewhere. Ends without a full stop.
pub(super) fn foreign_hint(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let bare = name.strip_prefix("get_").unwrap_or(&name);
    let renamed = RENAMED.iter().find(|(theirs, _)| *theirs == name || *theirs == bare).map(|(_, here)| *here);
    let in_catalog = CATALOG.iter().map(|entry| entry.name).find(|here| name != *here && *here == bare);
    if let Some(here) = renamed.or(in_catalog) {
        return Some(format!("here it is called %{here} (%{here}? for help)"));
    }
    let missing = HTA.iter().find(|(names, _)| names.iter().any(|theirs| *theirs == bare || *theirs == name));
    let missing = missing.or_else(|| HTA.iter().find(|(names, _)| bare.len() > 4 && bare.starts_with(names[0])));
    if let Some((_, nearest)) = missing {
        return Some(format!("not here (HTA has it); {nearest}"));
    }
    let ipython = IPYTHON.iter().find(|(names, _)| names.iter().any(|theirs| theirs.to_lowercase() == name));
    ipython.map(|(_, hint)| (*hint).to_owned())
}

/// ` Did you mean %x?`, or nothing.
pub(super) fn nearest_magic(name: &str) -> String {
    let meant = did_you_mean(name, MAGICS.iter().map(|magic| magic.name()));
    match meant.strip_prefix(" Did you mean ").and_then(|rest| rest.strip_suffix('?')).and_then(find) {
        Some(magic) => format!(" Did you mean {}?", magic.spelled()),
        None => meant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_is_listed_twice_or_is_a_magic() {
        let mut seen = BTreeSet::new();
        for name in IPYTHON.iter().chain(HTA).flat_map(|(names, _)| names.iter()) {
            assert!(seen.insert(name), "{name}: twice");
            assert!(find(name).is_none(), "{name} is a magic");
        }
        for (theirs, here) in RENAMED {
            assert!(find(theirs).is_none() && find(here).is_some(), "{theirs} → {here}");
        }
    }

    /// A magic that a hint names exists.
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
    fn every_call_of_hta_is_answered() {
        for entry in CATALOG {
            let said = foreign_hint(&format!("get_{}", entry.name)).unwrap_or_default();
            assert!(said.starts_with(&format!("here it is called %{}", entry.name)), "{said}");
        }
        assert!(foreign_hint("critical_path").is_some_and(|said| said.starts_with("not here (HTA has it)")));
        assert!(
            foreign_hint("get_cupti_counter_data_with_operators").is_some_and(|said| said.contains("(HTA has it)"))
        );
        assert!(foreign_hint("cupti_metrics").is_some_and(|said| said.contains("(HTA has it)")));
        assert_eq!(foreign_hint("nonsense"), None);
    }
}

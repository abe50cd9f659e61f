"""The page for users of HTA names only what exists."""

import os
import re
import subprocess
from pathlib import Path

from pages import GUIDE
from places import ROOT

PAGE = (GUIDE / "from-hta.md").read_text()
# Rows of its tables: HTA, magic, Rust.
ROWS = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
LIBRARY = "\n".join(path.read_text() for path in ROOT.glob("crates/trace*/src/**/*.rs"))


# Every public call of HTA 0.6.1 that answers a question, reads or writes: its classes and modules, without helpers of their own. Of filters, timelines and
# configuration the classes and setters that its documentation and notebooks use.
CALLS = {
    "TraceAnalysis": "get_comm_comp_overlap get_profiler_steps get_potential_stragglers get_gpu_kernel_breakdown get_gpu_kernels_with_user_annotations "
    "get_gpu_user_annotation_breakdown get_temporal_breakdown get_frequent_cuda_kernel_sequences get_aten_op_kernels_and_delay get_cuda_kernel_launch_stats "
    "generate_trace_with_counters get_queue_length_summary get_queue_length_summary_from_time_series get_queue_length_time_series "
    "get_time_spent_blocked_on_full_queue get_memory_bw_summary get_memory_bw_time_series get_idle_time_breakdown get_cupti_counter_data_with_operators "
    "critical_path_analysis overlay_critical_path_analysis",
    "TraceDiff": "compare_traces ops_diff visualize_counts_diff visualize_duration_diff",
    "LabeledTrace": "ranks iterations extract_ops get_ops_summary",
    "CPGraph": "get_nodes_for_event get_events_for_edge get_event_attribution_for_edge get_edges_attributed_to_event critical_path bound_by "
    "get_critical_path_breakdown summary show_critical_path save restore_cpgraph",
    "Trace": "load_traces parse_single_rank parse_multiple_ranks parse_traces align_and_filter_trace get_ranks get_iterations get_trace_duration get_trace "
    "get_all_traces get_raw_trace_for_one_rank write_raw_trace decode_symbol_ids get_device_type convert_time_series_to_events flow_event "
    "get_trace_start_unixtime_ns",
    "hta.common.trace": "trace_event_timestamp_to_unixtime_ns transform_correlation_to_index get_cpu_gpu_correlation add_iteration parse_trace_file "
    "add_fwd_bwd_links",
    "CallGraph": "from_dataframe get_call_stacks get_node_attributes get_csg_of_node get_stack_of_node get_gpu_kernels",
    "CallStackGraph": "save_call_stack_to_dataframe get_nodes get_parent get_children get_root get_path_to_root get_paths_to_leaves get_leaf_nodes "
    "get_descendants get_dataframe get_depth dfs_traverse",
    "hta.common.trace_df": "get_iterations find_op_occurrence find_events_by_name_patterns_using_symbol_table "
    "find_events_by_name_patterns_using_decoded_names",
    "hta.common.trace_file": "create_rank_to_trace_dict_from_dir create_rank_to_trace_dict get_trace_files read_trace write_trace update_trace_rank",
    "hta.common.execution_trace": "load_execution_trace correlate_execution_trace add_et_column",
    "hta.utils.validate_trace": "get_argument_spec get_expected_arguments validate_trace_format",
    "filters": "IterationFilter IterationIndexFilter FirstIterationFilter RankFilter TimeRangeFilter NameFilter QueryFilter GPUKernelFilter CPUOperatorFilter "
    "CompositeFilter MemCopyEventFilter ZeroDurationFilter AfterOperatorFilter BeforeOperatorFilter UnderOperatorFilter CombinedOperatorFilter",
    "timelines": "Timeline TimelinePlotSetting align_module_with_kernels prepare_timeline_events plot_events_timeline plot_timeline plot_timeline_gpu_kernels "
    "plot_timeline_gpu_kernels_from_trace",
    "ParserConfig": "clone get_default_cfg get_versioned_cfg set_default_cfg get_minimum_args get_default_args get_info_args set_args get_args add_args "
    "set_trace_memory set_parser_backend set_parse_all_args set_args_selector set_skip_event_types enable_communication_args "
    "set_global_parser_config_version get_all_available_args show_available_args",
    "others": "TraceSymbolTable MemoryAnalysis plot_memory_timeline HtaConfig HTAEnvOptions parse_event_args_yaml convert_to_perfetto",
}


def codes(column):
    return [code for row in ROWS for code in re.findall(r"`([^`]+)`", row[column])]


def magics():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = os.environ.get("TRACEBOOK_BIN") or target / "release" / "tracebook"
    page = subprocess.run([program, "reference"], capture_output=True, text=True, check=True).stdout
    shared = page.split("\n## Shared flags\n")[1]
    sections = re.split(r"\n## `%+(\w+)`\n", page.split("\n## Shared flags\n")[0])[1:]
    return {name: text + shared for name, text in zip(sections[::2], sections[1::2], strict=True)}


def test_every_magic_and_each_of_its_flags_exists():
    known = magics()
    named = [code for code in codes(1) if code.startswith("%")]
    assert len(named) > 20
    for code in named:
        name, *rest = code.removeprefix("%").split()
        assert name in known, code
        for flag in (word for word in rest if word.startswith("--")):
            assert f"`{flag} " in known[name] or f"`{flag}`" in known[name], code


def test_every_name_in_rust_exists():
    named = {name for code in codes(2) for name in re.findall(r"[A-Za-z_]\w+", re.sub(r'"[^"]*"', "", code))}
    assert len(named) > 60
    known = set(re.findall(r"\b(?:fn|struct|enum|trait|mod|const) (\w+)", LIBRARY)) | {"CPU", "GPU", "ALL"}
    assert named - known - {"control", "test", "df", "with", "not"} == set()


def test_every_public_analysis_of_hta_exists():
    questions = [path.stem for path in (ROOT / "crates" / "trace-analysis" / "src" / "analysis").glob("*.rs")]
    questions = [name for name in questions if f'NAME: &\'static str = "{name}"' in LIBRARY]
    assert len(questions) > 15
    # HTA neither compares ranks or collectives nor sums up operators or launches or compares them with a device.
    ours = {"collectives", "compare_ranks", "kernels", "operators", "roofline"}
    assert [name for name in set(questions) - ours if f"`%{name} " not in PAGE] == []


def test_every_public_call_of_hta_is_listed():
    listed = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
    for of, names in CALLS.items():
        assert [name for name in names.split() if name not in listed] == [], of

"""The rows of docs/conformance.md: what a solid kernel does, with the tests of it, and what is measured.

`make conformance` runs these tests, on an idle machine and with two cores busy, and writes the page.
"""

import ast
import os
import platform
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "conformance.md"


@dataclass(frozen=True)
class Check:
    """A behaviour and its tests, as `file::function`; the file without `test_` and `.py`."""

    what: str
    tests: tuple


@dataclass(frozen=True)
class Figure:
    """A measurement with its unit and the bound that a test asserts; without a bound it is only shown."""

    what: str
    unit: str = "ms"
    bound: float | None = None


def check(what, *tests):
    return Check(what, tests)


CHECKS = {
    "Messages that arrive": [
        check(
            "a wrong or missing signature is ignored, the kernel goes on",
            "wire::test_wrong_signature_is_ignored",
            "wire::test_signature_of_another_message_is_ignored",
        ),
        check("malformed messages on shell, control and stdin do no harm", "wire::test_malformed_message_does_no_harm"),
        check("bytes that are not ZeroMQ do no harm", "wire::test_garbage_that_is_no_zeromq_does_no_harm"),
        check("unusual subscriptions on iopub do no harm", "wire::test_unusual_subscriptions_do_no_harm"),
        check("buffers behind a message are legal", "wire::test_extra_buffers_are_legal"),
        check(
            "identities and the parent header are returned unchanged",
            "wire::test_identities_go_back",
            "wire::test_rightly_signed_raw_message_is_answered",
        ),
        check("without a key no message needs a signature", "wire::test_without_a_key_messages_are_not_signed"),
        check("keys of CurveZMQ in the connection file are ignored", "wire::test_unknown_keys_of_the_connection_file"),
        check(
            "a damaged connection file, a taken port or a foreign address is a message",
            "faults::test_damaged_connection_file_is_a_message",
            "faults::test_address_that_is_not_ours_is_a_message",
            "faults::test_taken_port_ends_the_kernel_with_a_message_and_no_folder",
        ),
        check(
            "ipc works, its sockets are the user's alone",
            "wire::test_ipc_transport",
            "wire::test_ipc_sockets_are_private_from_the_start",
        ),
        check("10,000 requests are all answered", "wire::test_ten_thousand_requests_are_all_answered"),
        check(
            "the kernel opens no connection but to storage or a cluster that a magic names",
            "network::test_no_connection_but_those_of_jupyter",
        ),
    ],
    "Requests and answers": [
        check(
            "every request is answered, on shell and on control",
            "wire::test_every_request_is_answered",
            "wire::test_requests_with_unknown_types_are_answered_or_ignored",
        ),
        check("half a character in a request is read as U+FFFD", "wire::test_half_a_character_is_answered"),
        check("kernel_info is complete, debugger and subshells are not advertised", "requests::test_kernel_info_is_complete"),
        check("comms of unknown targets are closed", "requests::test_comms"),
        check("comms: messages and buffers both ways, each with busy and idle", "comm::test_messages_and_buffers_go_both_ways"),
        check(
            "invalid, too large and late messages of comms do no harm",
            "comm::test_invalid_messages_close_at_most_their_comm",
            "comm::test_random_messages_do_no_harm",
            "comm::test_panic_is_the_end_of_one_comm",
        ),
        check(
            "comms are answered while a cell runs, from the traces of the moment",
            "comm::test_answers_arrive_while_a_cell_runs",
            "comm::test_session_is_that_of_the_moment",
            "comm::test_interrupt_is_for_cells",
        ),
        check(
            "comms cost bounded threads and memory",
            "comm::test_closed_comms_leave_threads_to_others",
            "comm::test_thousand_comms",
            "comm::test_client_that_does_not_read_costs_bounded_memory",
            "comm::test_shutdown_with_open_comms",
        ),
        check(
            "history: tail, range, search, across restarts",
            "requests::test_history",
            "requests::test_history_of_earlier_sessions",
        ),
        check("is_complete says complete, incomplete with an indent, invalid", "requests::test_is_complete"),
        check("completion counts code points", "requests::test_completion_counts_code_points"),
        check(
            "completion offers Rust, magics, paths and columns, also while a cell runs",
            "help::test_offered",
            "help::test_nothing_is_offered_where_nothing_fits",
            "help::test_help_is_there_while_a_cell_runs",
            "help::test_all_that_fits_is_offered",
        ),
        check(
            "inspection shows signatures and documentation", "help::test_shown", "help::test_nothing_is_shown_for_unknown_names"
        ),
        check("help goes to the pager", "execute::test_help_is_a_page_in_the_payload"),
        check(
            "`x?` alone in a cell is answered like inspection, in the pager",
            "question_mark::test_trace_tells_what_it_holds",
            "question_mark::test_question_needs_no_compiler",
        ),
        check("other requests are answered while a cell runs", "execute::test_other_requests_are_answered_while_a_cell_runs"),
        check("each client gets its own replies", "wire::test_two_clients_get_their_own_replies"),
        check(
            "the suite of the Jupyter project, nothing skipped",
            "conformance::TestConformance",
            "conformance::TestWelcome",
            "conformance::test_nothing_of_the_suite_is_left_out",
        ),
    ],
    "Cells": [
        check(
            "busy, outputs, reply, idle, with the right parent",
            "execute::test_outputs_are_between_busy_and_idle_with_the_parent",
            "execute::test_reply_comes_before_idle_and_has_all_fields",
        ),
        check("counts start at 1", "execute::test_counts_start_at_one_and_count_history_only"),
        check("silent shows nothing", "execute::test_silent_shows_nothing"),
        check(
            "each of user_expressions is a value or an error",
            "execute::test_user_expressions_are_values_or_errors_of_their_own",
            "tracebook::test_expressions_are_evaluated",
        ),
        check(
            "an error is one message, with name, value and traceback",
            "execute::test_error_is_one_message_and_the_same_fields_in_the_reply",
            "tracebook::test_value_text_and_error_of_a_cell",
        ),
        check(
            "a panic is an error, variables stay, the queue is aborted",
            "tracebook::test_panic_is_an_error_and_aborts_the_queue",
            "rust_cells::test_a_panic_names_the_line_and_keeps_the_variables",
        ),
        check(
            "a compiler error shows the cell's own lines and gives the fix",
            "rust_mistakes::test_mistake_in_a_rust_cell_is_answered_with_its_fix",
        ),
        check(
            "a worker process that ended between two cells costs no cell",
            "rust_variables::test_cell_runs_after_its_process_was_killed_while_idle",
        ),
        check(
            "cells queued behind an error are aborted, unless stop_on_error is false",
            "execute::test_cells_behind_an_error_are_aborted",
            "execute::test_cells_behind_an_error_run_if_asked_to",
        ),
        check(
            "a crash of user code says what was lost; traces stay",
            "rust_cells::test_a_crash_loses_no_trace",
            "faults::test_child_killed_while_a_cell_runs",
            "faults::test_endless_recursion_in_a_cell",
            "faults::test_out_of_memory_in_a_cell",
        ),
        check(
            "10,000 cells in a row run in order",
            "faults::test_ten_thousand_cells_queued_run_in_order",
            "execute::test_thousand_rapid_executions",
        ),
        check("input is requested and arrives complete", "stdin::test_input_round_trip", "rust_cells::test_input_is_asked_for"),
        check("input is an error if the front end has none", "stdin::test_input_that_is_not_allowed_is_an_error"),
    ],
    "Output": [
        check(
            "text without a line end arrives promptly",
            "streams::test_text_without_a_line_end_arrives_while_the_cell_runs",
            "tracebook::test_text_without_a_line_end_is_not_lost",
        ),
        check(
            "10 MB are complete, in at most 20 messages a second",
            "streams::test_ten_megabytes_in_lines_are_few_messages_and_complete",
            "streams::test_ten_megabytes_in_one_line_are_complete",
            "tracebook::test_ten_megabytes_are_complete",
        ),
        check("100 MB are complete", "streams::test_hundred_megabyte_result", "faults::test_hundred_megabyte_result"),
        check(
            "bytes that are not UTF-8 are replaced, split characters joined",
            "tracebook::test_invalid_utf8_does_no_harm",
            "pipes::test_a_character_cut_between_two_writes_is_whole",
        ),
        check(
            "text of a thread that outlives its cell has that cell as parent",
            "execute::test_text_of_a_thread_after_its_cell_has_the_cell_as_parent",
            "pipes::test_text_of_a_thread_that_outlives_its_cell",
        ),
        check(
            "standard output, errors and displays keep their order",
            "streams::test_streams_keep_their_order",
            "rust_cells::test_standard_output_and_error_and_displays_keep_their_order",
        ),
        check(
            "output, result and panic reach no other cell, whatever their volume",
            "output_volume::test_a_panic_behind_4000_displays_belongs_to_its_cell",
            "output_volume::test_a_result_behind_2000_displays_belongs_to_its_cell",
            "output_volume::test_a_block_without_its_end_swallows_nothing",
            "output_volume::test_an_envelope_cut_off_with_its_process_swallows_nothing",
        ),
        check(
            "a client that stops reading costs bounded memory, and the others no output",
            "streams::test_client_that_stops_reading_costs_other_clients_no_output",
        ),
        check(
            "a slow client slows the cell down and loses nothing",
            "streams::test_slow_client_slows_the_cell_down_and_loses_nothing",
        ),
        check(
            "a new subscriber of iopub is welcomed, and no other",
            "wire::test_subscriber_is_welcomed",
            "wire::test_a_welcome_is_for_the_new_subscriber_alone",
        ),
    ],
    "Interrupt and end": [
        check(
            "an interrupt while idle does nothing",
            "interrupt::test_interrupt_while_idle_does_nothing",
            "tracebook::test_interrupt_while_idle_loses_nothing",
        ),
        check(
            "an interrupt stops a magic; what was loaded stays",
            "figures::test_interrupt_of_a_magic",
            "load_interrupt::test_an_interrupt_ends_a_load_and_keeps_what_was_loaded",
        ),
        check("an interrupt ends the computation of an analysis, too", "interrupt::test_interrupt_ends_the_computation_too"),
        check("an interrupt drops the displays that wait", "output_volume::test_interrupt_drops_the_displays_that_wait"),
        check(
            "an interrupt stops a Rust cell; variables stay",
            "figures::test_interrupt_of_a_rust_cell",
            "rust_cells::test_an_interrupted_loop_costs_no_variable",
        ),
        check(
            "if variables cannot be kept, the error names them",
            "rust_cells::test_interrupt_of_foreign_code_ends_it_and_names_the_losses",
        ),
        check(
            "an interrupt aborts the queued cells",
            "interrupt::test_interrupt_aborts_the_cells_behind",
            "faults::test_interrupt_aborts_the_queue_of_rust_cells_and_magics",
        ),
        check(
            "an interrupt ends a wait for input",
            "stdin::test_interrupt_while_waiting_for_input",
            "pipes::test_interrupt_of_a_rust_cell_that_waits_for_input",
        ),
        check("a second interrupt ends the cell's process", "faults::test_second_interrupt_ends_the_process"),
        check(
            "heartbeat and control answer while a cell runs, and the heartbeat echoes",
            "wire::test_heartbeat_echoes_what_it_gets",
            "figures::test_heartbeat_and_control_while_a_rust_cell_runs",
        ),
        check(
            "shutdown ends every process and folder, whatever runs",
            "shutdown::test_shutdown_while_a_cell_runs",
            "ends::test_end",
            "figures::test_shutdown_while_a_rust_cell_runs",
        ),
        check("a restart gives a fresh kernel", "shutdown::test_restart_gives_a_fresh_kernel", "ends::test_restart"),
        check(
            "the kernel ends with Jupyter",
            "shutdown::test_kernel_ends_when_jupyter_is_killed",
            "ends::test_jupyter_killed_while_a_cell_runs",
        ),
        check(
            "two kernels do not disturb each other",
            "shutdown::test_two_kernels_do_not_disturb_each_other",
            "ends::test_two_kernels_side_by_side",
        ),
    ],
    "Faults": [
        check(
            "names, arguments and paths of a hostile trace are shown as text",
            "hostile::test_loading_a_hostile_trace_says_nothing_dangerous",
            "hostile::test_every_magic_shows_a_hostile_trace_as_text",
            "hostile::test_errors_and_long_tables_too",
            "hostile::test_history_completion_and_inspection_have_no_escapes",
        ),
        check("only files that the user names are written", "hostile::test_files_are_written_only_where_they_are_named"),
        check(
            "files are written through devices, pipes and links, and keep their mode",
            "named_files::test_a_device_stays_one",
            "named_files::test_a_pipe_is_written_to_its_reader",
            "named_files::test_links_are_followed",
            "named_files::test_modes_and_the_umask_are_kept",
        ),
        check("other users cannot read traces and cells", "private::test_other_users_cannot_read_traces_and_cells"),
        check(
            "a decompression bomb ends with a message; what was loaded stays",
            "memory::test_bomb_ends_with_a_message_and_loaded_traces_stay",
        ),
        check(
            "the log is off by default, and contains no cell",
            "log::test_nothing_is_logged_unless_asked_for",
            "log::test_at_debug_a_request_is_one_line_and_no_cell_is_in_it",
        ),
        check(
            "full disks, read-only and missing homes cost at most the cell",
            "faults::test_full_temporary_folder_costs_the_cell_and_nothing_else",
            "faults::test_full_disk_of_the_history_costs_nothing",
            "faults::test_read_only_home",
            "faults::test_no_home",
        ),
        check("without a compiler magics work", "tracebook::test_magics_run_before_and_without_a_compiler"),
        check(
            "damaged settings are reported with the fix",
            "faults::test_damaged_toolchain_is_reported_with_the_fix_and_magics_work",
            "faults::test_damaged_history_costs_nothing",
        ),
    ],
}

FIGURES = [
    Figure("start until kernel_info is answered", bound=2000),
    Figure("start until the first Rust cell has answered"),
    Figure("interrupt of a magic until idle, median", bound=200),
    Figure("interrupt of a Rust loop until idle, median"),
    Figure("first Rust cell after a crash, with a loaded trace, median", bound=1000),
    Figure("heartbeat while a Rust cell runs, longest of 50", bound=500),
    Figure("kernel_info on control while a Rust cell runs, longest of 50", bound=500),
    Figure("completion while a Rust cell runs, median", bound=100),
    Figure("shutdown while a Rust cell runs, until its last process is gone", bound=2000),
    Figure("10 MB printed in lines by a Rust cell, until idle"),
    Figure("10 MB printed in one line by a Rust cell, until idle"),
    Figure("messages of the 10 MB in lines", unit="messages"),
]

# The two columns of figures: pytest's names of the parameter, and what they mean.
MACHINES = {"alone": "nothing else runs", "beside-two": "two other processes compute"}


def names():
    """The tests of all rows, as `file::function`."""
    return {test for checks in CHECKS.values() for row in checks for test in row.tests}


def existing():
    """The existing tests and classes of tests, as `file::function`."""
    found = set()
    for path in HERE.glob("test_*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name.lower().startswith("test"):
                found.add(f"{path.stem.removeprefix('test_')}::{node.name}")
    return found


def name_of(nodeid):
    """`file::function` of a node id of pytest: `tests/kernel/test_wire.py::test_a[b]`."""
    path, _, function = nodeid.partition("::")
    return f"{Path(path).stem.removeprefix('test_')}::{function.partition('[')[0].partition('::')[0]}"


@dataclass
class Results:
    """The results of a run: the outcome of every case by `file::function`, and the value by figure and machine."""

    outcomes: dict = field(default_factory=dict)
    figures: dict = field(default_factory=dict)

    def add(self, report):
        """Adds a report of pytest. A test that fails in its set-up counts as failed."""
        if report.when == "call" or report.outcome != "passed":
            self.outcomes.setdefault(name_of(report.nodeid), {})[report.nodeid] = report.outcome
        for name, value in report.user_properties:
            if isinstance(name, tuple):
                self.figures[name] = value

    def answer(self, row):
        """The column `ours` of a row."""
        cases = [outcome for test in row.tests for outcome in self.outcomes.get(test, {None: "did not run"}).values()]
        good = cases.count("passed")
        if good == len(cases):
            return "yes" if good == 1 else f"yes, {good} of {good} tests"
        bad = ", ".join(f"{cases.count(state)} {state}" for state in sorted(set(cases) - {"passed"}))
        return f"**{bad}** of {len(cases)} tests"


def page(results, measured=True):
    """The page as Markdown; without `measured`, it has no figures."""
    lines = [
        "# Conformance",
        "",
        "What a kernel must do to be as solid as ipykernel, and the results of ours. Every row has tests that drive the built kernel",
        "through jupyter_client and pyzmq; `tests/kernel/conformance.py` names them. `make conformance` runs them and writes this",
        "page; do not edit it.",
    ]
    for group, checks in CHECKS.items():
        lines += ["", f"## {group}", "", "| check | ours |", "| --- | --- |"]
        lines += [f"| {row.what} | {results.answer(row)} |" for row in checks]
    lines += ["", "## Measured", ""]
    if measured:
        lines += [f"On {os.cpu_count()} cores ({platform.machine()}, Linux {platform.release().split('-')[0]}).", ""]
    lines += [f"| figure | must | {' | '.join(MACHINES.values())} |", "| --- | ---: |" + " ---: |" * len(MACHINES)]
    for figure in FIGURES:
        values = [results.figures.get((figure.what, machine)) if measured else None for machine in MACHINES]
        shown = [f"{value:,.0f} {figure.unit}" if value is not None else "not measured" for value in values]
        bound = f"≤ {figure.bound:,.0f} {figure.unit}" if figure.bound else "–"
        lines.append(f"| {figure.what} | {bound} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"

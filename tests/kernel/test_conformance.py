"""The Jupyter project's own test suite."""

import json
import os
import tempfile
from pathlib import Path

import jupyter_kernel_test
import pytest

# A cell may have to wait for the compiler on a busy machine.
jupyter_kernel_test.TIMEOUT = 60

NAME = "tracebook_conformance"


@pytest.fixture(scope="module", autouse=True)
def kernelspec(tracebook_argv):
    """Puts a kernelspec where jupyter_client looks."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        spec = Path(folder) / "kernels" / NAME
        spec.mkdir(parents=True)
        spec.joinpath("kernel.json").write_text(
            json.dumps(
                {
                    "argv": [*tracebook_argv, "{connection_file}"],
                    "display_name": NAME,
                    "language": "rust",
                    "interrupt_mode": "message",
                }
            )
        )
        patch.setenv("JUPYTER_PATH", os.pathsep.join([folder, os.environ.get("JUPYTER_PATH", "")]).rstrip(os.pathsep))
        yield


class TestWelcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = NAME
    support_iopub_welcome = True


@pytest.mark.rust_cells
class TestConformance(jupyter_kernel_test.KernelTests):
    kernel_name = NAME
    language_name = "rust"
    file_extension = ".rs"
    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("oh");'
    code_generate_error = 'panic!("on purpose")'
    code_execute_result = [
        {"code": "1 + 1", "result": "2"},
        {"code": 'format!("{}{}", "a", "b")', "result": '"ab"'},
        {"code": "vec![1, 2]", "result": "[1, 2]"},
    ]
    code_clear_output = 'println!("gone"); clear_output(false);'
    code_display_data = [
        {"code": "%lsmagic", "mime": "text/html"},
        {"code": 'display(&df!("n" => [1])?);', "mime": "application/vnd.tracebook.table.v1+json"},
    ]
    code_page_something = "%trace_load?"
    code_inspect_sample = "%trace_load"
    completion_samples = [
        {"text": "%trace_li", "matches": {"%trace_list"}},
        {"text": "%compare_traces a b --use", "matches": {"--use-short-name"}},
    ]
    complete_code_samples = ["1 + 1", "let x = 1;", "fn f() {}", "%lsmagic", "// a comment", ""]
    incomplete_code_samples = ["fn f() {", "let x = (1,", 'let s = "a', "/* a"]
    invalid_code_samples = ["f(1]", "}"]
    code_history_pattern = "1 + 1"
    supported_history_operations = ("tail", "range", "search")


def test_nothing_of_the_suite_is_left_out():
    """The suite silently skips tests whose attribute is not set."""
    for suite, ours in ((jupyter_kernel_test.KernelTests, TestConformance), (jupyter_kernel_test.IopubWelcomeTests, TestWelcome)):
        attributes = [name for name, value in vars(suite).items() if not name.startswith("_") and not callable(value)]
        methods = ("setUpClass", "tearDownClass")
        assert [name for name in attributes if name not in methods and not getattr(ours, name, None)] == []
    assert set(TestConformance.supported_history_operations) == {"tail", "range", "search"}

"""Output of Rust cells through the pipe between worker process and kernel, and a cell that waits for input."""

import pytest

from driver import LONG, until_exists

pytestmark = pytest.mark.rust_cells


def test_a_character_cut_between_two_writes_is_whole(kernel):
    ran = kernel.ok(
        "use std::io::Write;\n"
        'for part in [&b"a\\xc3"[..], b"\\xa9b\\xf0\\x9f", b"\\xa6", b"\\x80\\n"] {\n'
        "    std::io::stdout().write_all(part).unwrap();\n"
        "    std::io::stdout().flush().unwrap();\n"
        "    std::thread::sleep(std::time::Duration::from_millis(120));\n"
        "}",
        timeout=LONG,
    )
    assert ran.text() == "a\u00e9b\U0001f980\n"


def test_text_of_a_thread_that_outlives_its_cell(kernel, tmp_path):
    first = kernel.client.execute(f'std::thread::spawn(|| {{ {until_exists(tmp_path / "ended")}\nprintln!("of the thread"); }});')
    assert kernel.finish(first, timeout=LONG).status == "ok"
    (tmp_path / "ended").touch()
    kernel.wait_for(first, lambda messages: any("of the thread" in m["content"].get("text", "") for m in messages))


def test_interrupt_of_a_rust_cell_that_waits_for_input(kernel):
    kernel.ok("let kept_over_input = 3;", timeout=LONG)
    msg_id = kernel.client.execute('let said = input("name? ");', allow_stdin=True)
    assert kernel.client.get_stdin_msg(timeout=LONG)["parent_header"]["msg_id"] == msg_id
    kernel.interrupt()
    ran = kernel.finish(msg_id)
    assert (ran.status, ran.content["ename"]) == ("error", "KeyboardInterrupt")
    assert kernel.ok("kept_over_input", timeout=LONG).one("execute_result")["data"]["text/plain"] == "3"

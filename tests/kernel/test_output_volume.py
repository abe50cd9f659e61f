"""Output, result and panic belong to their cell, however much it shows."""

import pytest

from driver import plain

pytestmark = pytest.mark.rust_cells

LONG = 180
# A pipe holds a thousand of them.
MANY = 4_000
# A display as evcxr's libraries print it: small, so that thousands wait in the pipe.
BLOCK = r'println!("EVCXR_BEGIN_CONTENT text/html\n<b>{}</b>\nEVCXR_END_CONTENT", i);'


def displays(ran):
    return [message["content"]["data"]["text/html"] for message in ran.outputs if message["msg_type"] == "display_data"]


def assert_own_outputs(kernel):
    """Asserts that the next cells show their own outputs only."""
    assert [(ran.kinds, plain(ran)) for ran in [kernel.ok("1+1", timeout=LONG)]] == [(["execute_result"], "2")]
    ran = kernel.ok('println!("hi");', timeout=LONG)
    assert (ran.kinds, ran.text()) == (["stream"], "hi\n")
    assert plain(kernel.ok("let z = 9; z", timeout=LONG)) == "9"


def test_a_panic_behind_4000_displays_belongs_to_its_cell(kernel):
    ran = kernel.run(f'for i in 0..{MANY} {{ {BLOCK} }} panic!("boom");', timeout=LONG)
    assert (ran.status, ran.content["ename"]) == ("error", "Panic") and "boom" in ran.content["evalue"]
    assert displays(ran) == [f"<b>{i}</b>" for i in range(MANY)]
    assert_own_outputs(kernel)


def test_a_result_behind_2000_displays_belongs_to_its_cell(kernel):
    ran = kernel.ok("for i in 0..2000 { display(&i); } 7", timeout=LONG)
    assert ran.kinds == ["display_data"] * 2000 + ["execute_result"] and plain(ran) == "7"
    assert_own_outputs(kernel)


def test_interrupt_drops_the_displays_that_wait(kernel):
    msg_id = kernel.client.execute(f"let mut i = 0; loop {{ i += 1; {BLOCK} }}")
    # The cell prints them much faster than they are sent.
    kernel.wait_for(msg_id, lambda messages: len(messages) > 1000, timeout=LONG)
    kernel.interrupt()
    ran = kernel.finish(msg_id, timeout=LONG)
    assert (ran.status, ran.content["ename"]) == ("error", "KeyboardInterrupt")
    assert "displays were dropped" in ran.text("stderr")
    assert "no variable was lost" in ran.content["evalue"], "the cell reached its checkpoint"
    assert_own_outputs(kernel)


def test_a_block_without_its_end_swallows_nothing(kernel):
    ran = kernel.ok('println!("EVCXR_BEGIN_CONTENT text/html"); println!("<b>"); 5', timeout=LONG)
    assert ran.text() == "EVCXR_BEGIN_CONTENT text/html\n<b>\n" and plain(ran) == "5"
    assert_own_outputs(kernel)


def test_an_envelope_cut_off_with_its_process_swallows_nothing(kernel):
    code = (
        'std::thread::spawn(|| display!("x".repeat(40_000_000)));\n'
        "std::thread::sleep(std::time::Duration::from_millis(50));\n"
        "std::process::abort();"
    )
    ran = kernel.run(code, timeout=LONG)
    assert ran.content["ename"] == "ProcessLost"
    assert_own_outputs(kernel)


def test_endless_text_of_a_child_does_not_affect_later_cells(kernel):
    """The end mark of a cell must get through a pipe that another process keeps full."""
    kernel.ok('let mut child = std::process::Command::new("yes").spawn()?;', timeout=LONG)
    try:
        ran = kernel.ok("1+1", timeout=LONG)
        assert plain(ran) == "2" and set(ran.text()) <= {"y", "\n"}
    finally:
        kernel.ok("child.kill()?; child.wait()?;", timeout=LONG)
    kernel.run("()", timeout=LONG)
    assert_own_outputs(kernel)


def test_output_that_is_stolen_is_an_error_of_its_cell(kernel):
    """A program that reads the pipe of its own output also reads the end mark of the cell."""
    code = (
        'let mut thief = std::process::Command::new("sh")\n'
        '    .args(["-c", "exec cat \\"$TRACEBOOK_PIPES/out\\" >/dev/null 2>&1"]).spawn()?;\n'
        "std::thread::sleep(std::time::Duration::from_millis(500));\n"
        'for i in 0..2000 { println!("{i}"); }'
    )
    ran = kernel.run(code, timeout=LONG)
    kernel.run("thief.kill().ok(); thief.wait().ok();", timeout=LONG)
    if ran.status == "error":
        assert ran.content["ename"] == "OutputError"
    kernel.run("()", timeout=LONG)
    assert_own_outputs(kernel)

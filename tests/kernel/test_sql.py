"""`%trace_sql` in the running kernel: results, completion, help, interrupts, and frames shared with Rust cells."""

import pytest

from driver import LONG
from places import DATA
from processes import processor_seconds
from waiting import AT_MOST, wait_until


@pytest.fixture
def job(kernel):
    kernel.ok(f"%trace_load '{DATA / 'job'}' --as job", timeout=LONG)
    return kernel


def completed(kernel, code):
    reply = kernel.ask("complete_request", {"code": code, "cursor_pos": len(code)}).content
    return reply["matches"]


def test_statement_is_shown_and_bound(job):
    ran = job.ok("%%trace_sql\nslow << SELECT rank, name, SUM(dur) AS dur\nFROM kernels GROUP BY rank, name ORDER BY dur DESC")
    assert "slow: DataFrame" in ran.text()
    shown = job.ok("%trace_sql SELECT rank, COUNT(*) AS names FROM slow GROUP BY rank ORDER BY rank").one("display_data")
    html = shown["data"]["text/html"]
    assert "<table" in html and "4 rows" in html


def test_mistake_has_a_caret(job):
    ran = job.run("%%trace_sql\nSELECT nme\nFROM kernels")
    assert ran.content["ename"] == "SqlError"
    assert "did you mean name?" in ran.content["evalue"] and "^^^" in ran.content["evalue"]


def test_tables_columns_and_keywords_are_completed(job):
    assert completed(job, "%%trace_sql\nSELECT * FROM ker") == ["kernels"]
    assert completed(job, "%%trace_sql\nSELECT * FROM kernels k WHERE k.launch") == ["launch_id", "launch_configuration"]
    assert "GROUP" in completed(job, "%%trace_sql\nSELECT name FROM kernels GR")
    assert "--save" in completed(job, "%%trace_sql --sa")


def test_help_on_a_table_shows_its_columns(job):
    code = "%%trace_sql\nSELECT * FROM kernels"
    reply = job.ask("inspect_request", {"code": code, "cursor_pos": len(code) - 2, "detail_level": 0}).content
    assert reply["found"] and "launch_id" in reply["data"]["text/plain"]


def test_long_statement_is_interrupted(job):
    before = processor_seconds(job.pid)
    msg_id = job.begin("%trace_sql SELECT SUM(a.dur + b.dur) AS n FROM events a CROSS JOIN kernels b")
    wait_until(lambda: processor_seconds(job.pid) - before > 0.3, AT_MOST, "nothing is computed")
    job.interrupt()
    assert job.finish(msg_id, timeout=LONG).content["ename"] == "KeyboardInterrupt"
    job.ok("%trace_sql SELECT 1 AS a", timeout=LONG)


@pytest.mark.rust_cells
def test_frames_of_rust_cells_are_tables(job):
    job.ok('let wanted = df!("rank" => [0i64, 2])?;', timeout=LONG)
    ran = job.ok("%trace_sql n << SELECT COUNT(*) AS n FROM ranks JOIN wanted ON ranks.rank = wanted.rank", timeout=LONG)
    assert "n: DataFrame 1 × 1" in ran.text()
    value = job.ok('n.column("n")?.get(0)?.to_string()', timeout=LONG).one("execute_result")["data"]["text/plain"]
    assert value.strip('"') == "2"

"""Memory of a trace and of a long session: columns in memory once, mapped by kernel and cells, and little more cell after cell."""

import re
import subprocess
from pathlib import Path

import pytest

import disks
from driver import LONG, plain
from places import DATA
from processes import children, worker
from waiting import wait_until

pytestmark = pytest.mark.rust_cells

MEGABYTE = 1_000_000
LABELS = 3
CELLS_IN_A_ROW = 100


def memory(pid, kind):
    """The memory of a process, in bytes; shared pages count in part. `Pss`: all of it; `Pss_Anon`: what is no file."""
    (size,) = re.findall(rf"^{kind}: +(\d+) kB$", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    return int(size) * 1024


def of_tree(kernel, kind):
    return sum(memory(pid, kind) for pid in [kernel.pid, *children(kernel.pid)])


def without_programs(pid, folder):
    """The memory of a process without that of files outside of a folder: other kernels share the programs and libraries."""
    used, counts = 0, False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if mapping := re.match(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)", line):
            counts = not mapping[1].startswith("/") or mapping[1].startswith(str(folder))
        elif counts and line.startswith("Pss:"):
            used += int(line.split()[1]) * 1024
    return used


def on_disk(folder):
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if not path.is_symlink())


@pytest.fixture(scope="module")
def large(tmp_path_factory, large_trace):
    """A trace of about 100 MB of columns."""
    folder = tmp_path_factory.mktemp("large")
    subprocess.run([large_trace, folder / "rank0.json", "--bytes", "200M"], check=True)
    return folder


@pytest.fixture
def of_its_own(start, tracebook_argv, tmp_path):
    """A kernel with a temporary folder of its own."""
    (tmp_path / "temporary").mkdir()
    kernel = start(tracebook_argv, env={"TMPDIR": str(tmp_path / "temporary")})
    kernel.ok("1", timeout=LONG)
    return kernel


def load(kernel, path, label):
    """Loads a trace, and waits until the kernel has its columns in the file that cells map."""
    kernel.ok(f"%trace_load '{path}' --as {label} --quiet", timeout=LONG)

    def mapped():
        kernel.ok("%trace_list")
        return f"/{label}-" in Path(f"/proc/{kernel.pid}/maps").read_text()

    wait_until(mapped, 60, "the trace was not written ahead of the cell that mentions it")


def test_a_large_trace_is_in_memory_once(of_its_own, large, tmp_path):
    kernel = of_its_own
    kernel.ok('df!("n" => [1, 2])?.lazy().select([col("n").sum()]).collect()?', timeout=LONG)
    before = of_tree(kernel, "Pss_Anon")
    load(kernel, large, "large_0")
    for n in range(LABELS):
        load(kernel, DATA / "test", f"small_{n}")
        if n:
            load(kernel, large, f"large_{n}")
    # Whichever a cell mentions first, its categories have the numbers that they have in the kernel.
    for name in ("small", "large"):
        for n in range(LABELS):
            kernel.ok(f"{name}_{n}.events().height()", timeout=LONG)
    columns = int(plain(kernel.ok("large_0.memory_bytes()")))
    assert 70 * MEGABYTE < columns < 150 * MEGABYTE
    pid = worker(kernel.pid)
    assert "/large_0-" in Path(f"/proc/{pid}/maps").read_text()
    # Each process translates the codes of categories: four bytes per event and column of texts.
    assert memory(pid, "Pss_Anon") < 0.4 * LABELS * columns, "mapping took memory"
    # A cell reads every column; the pages are those of the file.
    read = "large_{}.events().lazy().select([all().as_expr().max()]).collect()?.height()"
    for n in range(LABELS):
        assert plain(kernel.ok(read.format(n), timeout=LONG)) == "1"
    grown = of_tree(kernel, "Pss_Anon") - before
    # Codes of categories in both processes (0.5) and what allocators keep: 0.61 to 0.73 in all. A copy of the columns in one of the
    # processes would add 0.75.
    assert grown < LABELS * columns, f"{grown} bytes beside the files for {LABELS} times {columns} bytes of columns"
    # Both sides compute with what they mapped.
    kernel.ok("summary = %compare_traces large_0 large_1")
    assert (
        plain(kernel.ok('summary.column("diff_duration")?.f64()?.iter().flatten().all(|x| x == 0.0) && summary.height() > 1000'))
        == "true"
    )
    # A trace that is dropped takes its file with it.
    kernel.ok("%trace_drop large_1\n%trace_drop large_2")
    names = [path.parent.name for path in (tmp_path / "temporary").rglob("rank-*.arrow")]
    assert [name for name in names if name.startswith("large")] == ["large_0-1"]


def test_large_trace_on_a_small_disk_is_written_for_the_first_cell(start, tracebook_argv, large, tmp_path):
    temporary = tmp_path / "small"
    temporary.mkdir()
    kernel = start(disks.mounted(tracebook_argv, [disks.small(temporary, 250)]), env={"TMPDIR": str(temporary)})
    kernel.ok("1", timeout=LONG)

    def written():
        return [path.parent.name for path in Path(disks.seen_by(kernel.pid, temporary)).rglob("rank-*.arrow")]

    kernel.ok(f"%trace_load '{large}' --as large --quiet\n%compare_traces large large", timeout=LONG)
    assert written() == []
    assert int(plain(kernel.ok("large.events().height()", timeout=LONG))) > 400_000
    assert written() == ["large-1"]


def test_a_hundred_cells_leave_little_behind(of_its_own, tmp_path):
    """Neither in the processes nor in the temporary folder, where the compiler works."""
    kernel, temporary = of_its_own, tmp_path / "temporary"
    kernel.ok(f"%trace_load '{DATA}/test' --as test --quiet")
    kernel.ok("let frame = test.events(); frame.height()", timeout=LONG)

    def used():
        return sum(without_programs(pid, temporary) for pid in [kernel.pid, *children(kernel.pid)]) + on_disk(temporary)

    before = used()
    cells = [
        "let number = {n} + 1; number",
        'let top_{m} = frame.clone().lazy().filter(col("dur").gt(lit({n}))).collect()?; top_{m}.height()',
        'frame.clone().lazy().group_by([col("name")]).agg([col("dur").sum()]).sort(["dur"], Default::default()).collect()?',
        'fn f_{m}(x: usize) -> usize {{ x + {n} }}\nprintln!("{{}}", f_{m}(1));',
        "%compare_traces test test",
    ]
    for n in range(CELLS_IN_A_ROW):
        kernel.ok(cells[n % len(cells)].format(n=n, m=n % 7), timeout=LONG)
    grown = used() - before
    assert grown < 100 * MEGABYTE, f"{grown} bytes, {on_disk(temporary)} of them files"
    print(f"{grown} bytes more, files {on_disk(temporary)}")

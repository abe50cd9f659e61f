"""Waiting times of a user: medians of several runs of the real kernel, driven through jupyter_client.

    python benches/cells.py [--runs 5] [--control FOLDER --test FOLDER] [--evcxr PATH/TO/evcxr_jupyter]
                            [--other PATH/TO/tracebook --other-cells FOLDER]

`--evcxr` also times the cells that stock evcxr can run, alternating with ours. `--other` alternates with another build of
Tracebook and its cells toolchain, and prints the ratios of consecutive runs, which other work on the machine affects less
than the times.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


class Kernel:
    def __init__(self, argv, env=None):
        folder = Path(tempfile.mkdtemp()) / "kernels" / "timed"
        folder.mkdir(parents=True)
        spec = {"argv": [*argv, "{connection_file}"], "display_name": "timed", "language": "rust", "interrupt_mode": "message"}
        folder.joinpath("kernel.json").write_text(json.dumps(spec))
        self.started = time.perf_counter()
        specs = KernelSpecManager(kernel_dirs=[str(folder.parent)])
        self.manager = KernelManager(kernel_name="timed", kernel_spec_manager=specs)
        self.manager.start_kernel(env={**os.environ, **(env or {})})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)
        self.ready = time.perf_counter() - self.started

    def run(self, code):
        started = time.perf_counter()
        reply = self.client.execute_interactive(code, timeout=300, output_hook=lambda message: None)
        seconds = time.perf_counter() - started
        if reply["content"]["status"] != "ok":
            sys.exit(f"{code}\n{reply['content']}")
        return seconds

    def result(self, code):
        """The text of the result of a cell."""
        shown = []
        self.client.execute_interactive(code, timeout=300, output_hook=shown.append)
        return next(m["content"]["data"]["text/plain"] for m in shown if m["msg_type"] == "execute_result")

    def ask(self, ask):
        """The seconds until a request is answered."""
        started = time.perf_counter()
        ask()
        return time.perf_counter() - started

    def completed(self, code):
        return self.ask(lambda: self.client.complete(code, len(code), reply=True, timeout=120))

    def inspected(self, code):
        return self.ask(lambda: self.client.inspect(code, len(code), reply=True, timeout=120))

    def conversation(self):
        """Opens a conversation with the kernel, and returns a function that says something and waits for the answer."""
        session, shell = self.client.session, self.client.shell_channel
        ids = {"comm_id": "timed", "target_name": "tracebook.echo"}

        def say(kind="comm_msg"):
            message = session.msg(kind, {**ids, "data": {"id": 1}})
            shell.send(message)
            while True:
                answer = self.client.get_iopub_msg(timeout=120)
                ours = answer["parent_header"].get("msg_id") == message["header"]["msg_id"]
                if ours and answer["msg_type"] == "comm_msg":
                    return

        say("comm_open")
        return say

    def memory(self, kind="Rss"):
        """The memory of the kernel and all its child processes, in MB; `Pss_Anon`: without mapped files."""
        pids, total = [self.manager.provisioner.process.pid], 0
        while pids:
            pid = pids.pop()
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                # `/proc` lists children per thread.
                pids += [
                    int(child)
                    for task in Path(f"/proc/{pid}/task").iterdir()
                    for child in (task / "children").read_text().split()
                ]
            except OSError:
                continue
            total += sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith(f"{kind}:"))
        return total / 1000

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


CELLS_IN_A_ROW = 100
# What is typed when help is asked for: with few and with many candidates, of values, paths and columns.
TYPED = ["fr", "frame.", "nobody.", 'control.events().lazy().filter(col("dur").gt(lit(1))).', "std::", 'col("']
LOOP = """
let numbers: Vec<u64> = (0..4_000_000).collect();
let started = std::time::Instant::now();
let mut total = 0u64;
for number in &numbers { total = total.wrapping_add(number ^ (number >> 3)); }
(started.elapsed().as_secs_f64(), total).0"""


def one_run(argv, options, times, env=None):

    def note(name, value):
        times.setdefault(name, []).append(value)

    kernel = Kernel(argv, env)
    note("start to kernel_info", kernel.ready)
    note(f"%trace_load of control, {options.size:.1f} MB gz", kernel.run(f"%trace_load '{options.control}' --as control --quiet"))
    kernel.run("control.events().height()")
    note("fresh notebook: start to the result of control.events().height()", time.perf_counter() - kernel.started)
    kernel.run(f"%trace_load '{options.test}' --as test --quiet")
    note("%compare_traces control test", kernel.run("%compare_traces control test"))
    note("first mention of a loaded trace", kernel.run("test.ranks()"))
    for _ in range(3):
        note("1 + 1", kernel.run("1 + 1"))
        note("un-annotated let of a number", kernel.run("let number = 1 + 1;"))
        note(
            "un-annotated let of a polars chain",
            kernel.run('let top = control.events().lazy().filter(col("dur").gt(lit(1000))).collect()?;'),
        )
    group = 'control.events().lazy().group_by([col("name")]).agg([col("dur").sum()]).sort(["dur"], Default::default()).collect()?'
    note("group_by, agg, sort of the trace", kernel.run(group))
    note("a loop over 4 million numbers, without its compilation", float(kernel.result(LOOP)))
    note("the same with %%opt", float(kernel.result("%%opt" + LOOP)))
    note("`control?`", kernel.run("control?"))
    for typed in TYPED:
        note("completion", kernel.completed(typed))
        note("inspection", kernel.inspected(typed))
    say = kernel.conversation()
    kernel.client.execute('println!("begun"); std::thread::sleep(std::time::Duration::from_secs(3));')
    while kernel.client.get_iopub_msg(timeout=120)["msg_type"] != "stream":
        pass
    for typed in TYPED:
        note("completion while a cell runs", kernel.completed(typed))
        note("answer of a conversation while a cell runs", kernel.ask(say))
    kernel.close()

    kernel = Kernel(argv, env)
    note("start to the result of 1 + 1, nothing loaded", kernel.run("1 + 1") + kernel.ready)
    note("memory without traces, MB", kernel.memory())
    kernel.close()


def in_a_row(argv):
    """The memory that many cells take, in MB, and the ratio of the time of the last cells to that of the first."""
    kernel = Kernel(argv)
    kernel.run('let frame = df!("n" => [1, 2, 3])?;')
    before, seconds = kernel.memory(), []
    for n in range(CELLS_IN_A_ROW):
        seconds.append(kernel.run(f"let value_{n % 10} = frame.height() + {n}; value_{n % 10}"))
    grown = kernel.memory() - before
    kernel.close()
    return grown, statistics.median(seconds[-20:]) / statistics.median(seconds[:20])


def large_trace(argv, options):
    """The additional seconds of the first mention of a trace with 100 MB of columns, compared with a small one, and the memory
    that kernel and cells take for it besides its file, in MB."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([TARGET / "large_trace", Path(folder) / "rank0.json", "--bytes", "200M"], check=True, capture_output=True)
        kernel = Kernel(argv)
        kernel.run('df!("n" => [1])?.lazy().collect()?')
        before = kernel.memory("Pss_Anon")
        for n in range(options.runs):
            kernel.run(f"%trace_load '{options.test}' --as small_{n} --quiet")
            kernel.run(f"%trace_load '{folder}' --as large_{n} --quiet")
        time.sleep(5)
        added = [mention(kernel, "large", n) - mention(kernel, "small", n) for n in range(options.runs)]
        grown = kernel.memory("Pss_Anon") - before
        kernel.close()
    return added, grown / options.runs


def mention(kernel, name, n):
    """The seconds that the first mention of a trace takes."""
    return kernel.run(f"{name}_{n}.events().height()")


def stock_run(program, times):

    def note(name, value):
        times.setdefault(name, []).append(value)

    kernel = Kernel([program, "--control_file"])
    note("start to kernel_info", kernel.ready)
    note("start to the result of 1 + 1, nothing loaded", kernel.run("1 + 1") + kernel.ready)
    note("1 + 1", kernel.run("1 + 1"))
    note("memory without traces, MB", kernel.memory())
    kernel.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--control", default=ROOT / "notebooks/data/control")
    parser.add_argument("--test", default=ROOT / "notebooks/data/test")
    parser.add_argument("--evcxr")
    parser.add_argument("--other")
    parser.add_argument("--other-cells")
    options = parser.parse_args()
    options.size = sum(file.stat().st_size for file in Path(options.control).glob("*.gz")) / 1e6
    ours, stock, compared = {}, {}, {}
    argv = [os.environ.get("TRACEBOOK_BIN", str(TARGET / "tracebook")), "run", "--connection-file"]
    for _ in range(options.runs):
        one_run(argv, options, ours)
        if options.other:
            one_run([options.other, *argv[1:]], options, compared, {"TRACEBOOK_CELLS": options.other_cells})
        if options.evcxr:
            stock_run(options.evcxr, stock)
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.system()} {platform.machine()}, {rustc}; medians of {options.runs}"
    )
    more = (" stock evcxr |" if stock else "") + (" other | ours / other |" if compared else "")
    print("| measure | median | min | max |" + more)
    print("| --- | --- | --- | --- |" + " --- |" * (more.count("|")))
    for name, values in ours.items():
        shown = (lambda value: f"{value:.0f}") if name.endswith("MB") else (lambda value: f"{value:.3f} s")
        row = [name, shown(statistics.median(values)), shown(min(values)), shown(max(values))]
        if stock:
            row.append(shown(statistics.median(stock[name])) if name in stock else "–")
        if compared:
            ratios = [one / other for one, other in zip(values, compared[name], strict=True)]
            row += [shown(statistics.median(compared[name])), f"{statistics.median(ratios):.2f}"]
        print("| " + " | ".join(row) + " |")
    grown, ratio = in_a_row(argv)
    added, beside = large_trace(argv, options)
    milliseconds = ", ".join(f"{seconds * 1000:.0f}" for seconds in sorted(added))
    print(
        f"first mention of 100 MB of columns: {statistics.median(added) * 1000:.0f} ms more than that of a small trace ({milliseconds}); {beside:.0f} MB beside the file"
    )
    print(
        f"{CELLS_IN_A_ROW} cells in a row: {grown:.0f} MB more memory; the last 20 take {ratio:.2f} times as long as the first 20"
    )


if __name__ == "__main__":
    main()

"""A short soak test; `make soak` runs the same load for ten minutes."""

import pytest

import soak


@pytest.mark.rust_cells
def test_memory_handles_and_threads_stay_flat(start, tracebook_argv, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kernel = start(tracebook_argv, env={"TMPDIR": str(temporary)})
    assert soak.faults(soak.run(kernel, temporary, rounds=4)) == []


def test_growth_is_seen():
    def sample(second, kernel, worker=(100.0, 10, 4), files=1.0):
        return soak.Sample(second, second, kernel, 7, worker, files)

    flat = [sample(second, (200.0, 20, 8)) for second in range(9)]
    assert soak.faults(flat) == []
    assert "handles of the kernel" in soak.faults([sample(s, (200.0, 20 + s, 8)) for s in range(9)])[0]
    assert "memory of the kernel" in soak.faults([sample(s, (200.0 + 20 * s, 20, 8)) for s in range(9)])[0]
    assert "threads of the worker process" in soak.faults([sample(s, (200.0, 20, 8), (100.0, 10, 4 + s)) for s in range(9)])[0]
    assert "files" in soak.faults([sample(s, (200.0, 20, 8), files=30.0 * s) for s in range(9)])[0]

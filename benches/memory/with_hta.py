"""`with_hta.py FOLDER`: HTA's load of all ranks, and its analyses of all ranks; prints seconds and the peak memory."""

import json
import logging
import resource
import sys
import time

logging.disable(logging.WARNING)

from hta.trace_analysis import TraceAnalysis  # noqa: E402

started = time.perf_counter()
analysis = TraceAnalysis(trace_dir=sys.argv[1])
loaded = time.perf_counter() - started
ranks = sorted(analysis.t.get_all_traces() if hasattr(analysis.t, "get_all_traces") else analysis.t.traces)
skipped = []
for name, arguments in [
    ("get_temporal_breakdown", {"visualize": False}),
    ("get_gpu_kernel_breakdown", {"visualize": False}),
    ("get_comm_comp_overlap", {"visualize": False}),
    ("get_idle_time_breakdown", {"visualize": False}),
    ("get_memory_bw_summary", {}),
    ("get_queue_length_summary", {}),
    ("get_cuda_kernel_launch_stats", {"visualize": False}),
]:
    try:
        getattr(analysis, name)(**arguments)
    except MemoryError:
        raise
    except Exception as error:  # HTA fails on some traces; that is not what is measured
        skipped.append(f"{name}: {type(error).__name__}")
peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) * 1024
print(
    json.dumps({"load": loaded, "seconds": time.perf_counter() - started, "peak": peak, "ranks": len(ranks), "skipped": skipped})
)

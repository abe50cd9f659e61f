"""A trace of any size, as JSON: one thread with operators and launches, two streams, steps, kernels that overlap, hostile names."""

# Operators of each 10 µs: an operator, one in it, its launch, and the kernel; of every 50 µs the kernel runs into the next one.
EVENTS = (
    '{"ph":"X","cat":"cpu_op","name":"aten::linear","pid":100,"tid":1,"ts":%d.100,"dur":9.000,"args":{"External id":%d}},\n'
    '{"ph":"X","cat":"cpu_op","name":"%s","pid":100,"tid":1,"ts":%d.350,"dur":7.500,"args":{"External id":%d}},\n'
    '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":1,"ts":%d.500,"dur":2.125,"args":{"correlation":%d}},\n'
    '{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%d.625,"dur":%s,"args":{"device":0,"stream":7,"correlation":%d,"grid":[%d,1,1]}}'
)
HOSTILE = "<img src=x onerror=alert(1)>"
OPERATORS = ["aten::addmm", "aten::gelu", "aten::layer_norm", f"hostile {HOSTILE}"]
KERNELS = [
    "ampere_fp16_s16816gemm",
    "void at::native::vectorized_elementwise_kernel<4, float>",
    "layer_norm_fwd",
    f"kernel {HOSTILE}",
]
START_US = 1_682_725_898_237_042


def kernel_of(number):
    """The kernel of a launch: name, start and duration in nanoseconds, relative to the first event of the trace."""
    start = 10_000 * number + 3_625
    return KERNELS[number % 4], start, 12_500 if number % 5 == 0 else 4_250


def write_trace(path, events):
    """Writes a trace of about so many events; returns the number of its kernels."""
    count = events // 4
    with path.open("w") as out:
        out.write(
            '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100"}],"distributedInfo":{"rank":0},"traceEvents":[\n'
        )
        for first in range(0, count, 10_000):
            lines = []
            for number in range(first, min(first + 10_000, count)):
                at, name = START_US + 10 * number, number % 4
                dur = "12.500" if number % 5 == 0 else "4.250"
                values = (
                    at,
                    number,
                    OPERATORS[name].replace('"', ""),
                    at,
                    number,
                    at,
                    number,
                    KERNELS[name],
                    at + 3,
                    dur,
                    number,
                    number,
                )
                lines.append(EVENTS % values)
                if number % 1000 == 0:
                    step = f'"name":"ProfilerStep#{number // 1000}","pid":100,"tid":1,"ts":{at},"dur":{min(1000, count - number) * 10}'
                    lines.append(f'{{"ph":"X","cat":"user_annotation",{step}}}')
            out.write((",\n" if first else "") + ",\n".join(lines))
        out.write("\n]}\n")
    return count

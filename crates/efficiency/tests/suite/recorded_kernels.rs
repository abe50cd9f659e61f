//! Occupancy of recorded kernels, against what the profiler estimated for them.

use crate::shared::{shared, trace};
use efficiency::{BlockLimits, Launch, Multiprocessor, occupancy, peaks_of};
use serde_json::Value;

fn multiprocessor(device: &Value) -> Multiprocessor {
    let number = |key: &str| device[key].as_u64();
    Multiprocessor {
        count: number("numSms").unwrap(),
        capability: (number("computeMajor").unwrap() as u32, number("computeMinor").unwrap() as u32),
        warp: number("warpSize").unwrap(),
        threads: number("maxThreadsPerMultiprocessor").unwrap(),
        registers: number("regsPerMultiprocessor"),
        shared_memory: number("sharedMemPerMultiprocessor"),
    }
}

fn launch(args: &Value) -> Option<Launch> {
    let sizes = |key: &str| {
        let list = args[key].as_array()?;
        Some([list.first()?.as_u64()?, list.get(1)?.as_u64()?, list.get(2)?.as_u64()?])
    };
    Some(Launch {
        grid: sizes("grid")?,
        block: sizes("block")?,
        registers: args["registers per thread"].as_u64(),
        shared_memory: args["shared memory"].as_u64(),
    })
}

#[test]
fn occupancy_is_what_the_profiler_estimated() {
    let Some(traces) = shared("occupancy_is_what_the_profiler_estimated") else { return };
    for (file, fewest) in [
        ("tracelens_h100_mi300/qwen1.5_0.5b/control.json.gz", 1000),
        ("tracelens_h100_mi300/bert_small/control.json.gz", 50),
        ("triton_example/triton_example.json.gz", 1),
        ("dlrm_nccl/worker0_step_12.1694128201545.pt.trace.json.gz", 100),
    ] {
        let trace = trace(&traces.join(file));
        let device = multiprocessor(&trace["deviceProperties"][0]);
        let (mut seen, mut differ) = (0, Vec::new());
        for event in trace["traceEvents"].as_array().unwrap().iter().filter(|event| event["cat"] == "kernel") {
            let args = &event["args"];
            let (Some(launch), Some(estimated)) = (launch(args), args["est. achieved occupancy %"].as_f64()) else {
                continue;
            };
            let limits = BlockLimits::of(&launch, &device).unwrap_or_else(|reason| panic!("{reason}: {launch:?}"));
            let found = occupancy(&launch, &device, &limits);
            // The profiler has 0 for kernels with more shared memory than a block has by default. They ran, so a block had room.
            let by_default = trace["deviceProperties"][0]["sharedMemPerBlock"].as_u64().unwrap();
            if estimated == 0.0 && launch.shared_memory.is_some_and(|bytes| bytes > by_default) {
                assert!(found.active_blocks >= 1);
                continue;
            }
            seen += 1;
            // Whole percents, rounded.
            if (found.achieved * 100.0 - estimated).abs() > 0.51 {
                differ.push((found.achieved, estimated, launch));
            }
        }
        assert!(seen >= fewest, "{file}: {seen} kernels");
        assert!(differ.is_empty(), "{file}: {} of {seen}: {:?}", differ.len(), differ.first());
    }
}

#[test]
fn devices_of_recorded_traces_have_peaks() {
    let Some(traces) = shared("devices_of_recorded_traces_have_peaks") else { return };
    for (file, expected) in [
        ("tracelens_h100_mi300/bert_small/control.json.gz", Ok("h100-sxm")),
        ("tracelens_h100_mi300/bert_small/test.json.gz", Ok("mi300x")),
        ("triton_example/triton_example.json.gz", Ok("a100-sxm-40")),
        ("dlrm_nccl/worker0_step_12.1694128201545.pt.trace.json.gz", Ok("v100-sxm2-32")),
        ("amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz", Err("no peaks of `AMD Radeon Graphics`")),
    ] {
        let trace = trace(&traces.join(file));
        let device = &trace["deviceProperties"][0];
        let found = peaks_of(device["name"].as_str().unwrap(), device["totalGlobalMem"].as_u64());
        match (found, expected) {
            (Ok(peaks), Ok(id)) => assert_eq!(peaks.id, id),
            (Err(reason), Err(message)) => assert!(reason.to_string().starts_with(message), "{reason}"),
            (found, _) => panic!("{file}: {found:?}"),
        }
    }
}

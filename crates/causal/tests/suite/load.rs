//! A small loader of traces: JSON of the profiler → events of a rank.

use causal::{
    Call, Collective, DeviceEvent, DeviceKind, HostEvent, HostKind, NONE, RankInput, Stream, SyncKind, SyncRow,
};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A loaded job: its ranks, and the names of their rows.
#[derive(Clone, Default)]
pub(crate) struct Job {
    pub(crate) ranks: Vec<RankInput>,
    pub(crate) names: Vec<Vec<String>>,
}

impl Job {
    /// The name of a row.
    pub(crate) fn name(&self, rank: u32, row: u32) -> &str {
        &self.names[rank as usize][row as usize]
    }

    pub(crate) fn graph(&self) -> causal::Graph {
        causal::Graph::build(self.ranks.clone(), &mut || Ok(())).unwrap()
    }
}

/// The folder of shared traces, if it is there.
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("TRACEBOOK_SHARED").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: TRACEBOOK_SHARED is not set");
    }
    folder
}

/// All trace files below a folder, by folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path));
        } else if name.ends_with(".json") || name.ends_with(".json.gz") {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub(crate) fn read(path: &Path) -> Value {
    let mut text = Vec::new();
    let file = std::fs::File::open(path).unwrap();
    if path.extension().is_some_and(|ending| ending == "gz") {
        flate2::read::MultiGzDecoder::new(file).read_to_end(&mut text).unwrap();
    } else {
        std::io::BufReader::new(file).read_to_end(&mut text).unwrap();
    }
    serde_json::from_slice(&text).unwrap_or(Value::Null)
}

/// Loads the ranks of a folder or a file.
pub(crate) fn job(path: &Path) -> Job {
    let paths = if path.is_dir() { files(path) } else { vec![path.to_owned()] };
    let mut job = Job::default();
    let mut calls = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        let trace = read(path);
        let rank = trace["distributedInfo"]["rank"].as_i64().unwrap_or(at as i64);
        if let Some(events) = trace["traceEvents"].as_array() {
            let (rank, rows) = of(rank, events, &mut calls);
            job.ranks.push(rank);
            job.names.push(rows);
        }
    }
    job
}

fn ns(us: &Value) -> Option<i64> {
    us.as_f64().map(|us| (us * 1000.0).round() as i64)
}

fn of(rank: i64, events: &[Value], calls: &mut HashMap<String, u16>) -> (RankInput, Vec<String>) {
    let mut found = RankInput { rank, ..RankInput::default() };
    let mut threads: HashMap<(String, String), u32> = HashMap::new();
    let mut streams: HashMap<(i64, i64), u32> = HashMap::new();
    let mut rows = Vec::new();
    for (row, event) in (0..).zip(events) {
        let name = event["name"].as_str().unwrap_or_default();
        rows.push(name.to_owned());
        let (Some(start), "X") = (ns(&event["ts"]), event["ph"].as_str().unwrap_or_default()) else { continue };
        let end = start + ns(&event["dur"]).unwrap_or(0);
        let args = &event["args"];
        let number = |of: &Value| of.as_u64().map_or(NONE, |number| number as u32);
        let correlation = number(&args["correlation"]);
        let device = args["device"].as_i64().unwrap_or(0);
        let mut stream = |stream: Option<i64>, device: i64| -> u32 {
            let Some(stream) = stream.filter(|&stream| stream >= 0) else { return NONE };
            let next = streams.len() as u32;
            *streams.entry((device, stream)).or_insert(next)
        };
        let mut host = |kind| {
            let next = threads.len() as u32;
            let key = (event["pid"].to_string(), event["tid"].to_string());
            let thread = *threads.entry(key).or_insert(next);
            let next = calls.len() as u16;
            let is_call = matches!(kind, HostKind::Call(_));
            let call_name = if is_call { *calls.entry(name.to_owned()).or_insert(next) } else { 0 };
            found.host.push(HostEvent { start, end, thread, row, correlation, call_name, kind });
        };
        match event["cat"].as_str().unwrap_or_default() {
            "cpu_op" => host(HostKind::Operator),
            "user_annotation" if name.starts_with("enumerate(DataLoader)") => host(HostKind::Operator),
            "user_annotation" => host(HostKind::Annotation),
            "python_function" => host(HostKind::Python),
            "cuda_runtime" | "cuda_driver" => host(HostKind::Call(Call::named(name))),
            "cuda_sync" => {
                let kind = match name {
                    "Stream Sync" => SyncKind::Stream,
                    "Context Sync" => SyncKind::Device,
                    "Event Sync" => SyncKind::Event,
                    "Stream Wait Event" => SyncKind::StreamWait,
                    _ => continue,
                };
                let on_stream = stream(args["wait_on_stream"].as_i64(), device);
                let record = number(&args["wait_on_cuda_event_record_corr_id"]);
                let stream = stream(args["stream"].as_i64(), device);
                found.syncs.push(SyncRow { kind, correlation, stream, device, on_stream, record });
            }
            cat @ ("kernel" | "gpu_memcpy" | "gpu_memset") => {
                let stream = stream(args["stream"].as_i64().or(Some(0)), device);
                let is_communication = name.starts_with("nccl");
                let kind = match cat {
                    "kernel" if is_communication => DeviceKind::Communication,
                    "kernel" => DeviceKind::Compute,
                    _ => DeviceKind::Memory,
                };
                let mut collective = NONE;
                if let Some(seq) = args["Seq"].as_u64() {
                    collective = found.collectives.len() as u32;
                    let group = args["Process Group Name"].as_str().unwrap_or_default().bytes().map(u64::from).sum();
                    let size = args["Group size"].as_u64().unwrap_or(0) as u32;
                    let amount = args["In msg nelems"].as_u64().unwrap_or(0);
                    found.collectives.push(Collective { group, number: seq, size, amount });
                }
                found.device.push(DeviceEvent { start, end, stream, row, correlation, kind, collective });
            }
            _ => {}
        }
    }
    let mut all: Vec<((i64, i64), u32)> = streams.into_iter().collect();
    all.sort_by_key(|stream| stream.1);
    found.streams = all.into_iter().map(|((device, stream), _)| Stream { device, stream }).collect();
    (found, rows)
}

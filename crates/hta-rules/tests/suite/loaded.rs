//! A small loader of traces in HTA's way: rounded, aligned, without the last profiler step.

use super::compressed::read_text;
use hta_rules::critical_path::{Frame, Row};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// One rank.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) rank: i64,
    pub(crate) rows: Vec<Row>,
    positions: HashMap<i64, usize>,
    pub(crate) texts: Vec<String>,
    codes: HashMap<String, u32>,
    /// What HTA is told to take for loading of data.
    pub(crate) data_load_events: Vec<String>,
}

/// Loads the ranks of a folder, ascending, without the last profiler step.
pub(crate) fn load(folder: &Path, rounds: bool) -> Vec<Loaded> {
    let mut ranks = load_all(folder, rounds);
    let mut steps: BTreeSet<&str> = BTreeSet::new();
    for rank in &ranks {
        let used = rank.rows.iter().map(|row| rank.text(row.name));
        steps.extend(used.filter(|name| name.starts_with("ProfilerStep#")));
    }
    if steps.len() > 1 {
        ranks.iter_mut().for_each(Loaded::drop_last_step);
    }
    ranks
}

/// Loads the ranks of a folder, ascending, with all steps.
pub(crate) fn load_all(folder: &Path, rounds: bool) -> Vec<Loaded> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().contains(".json"));
    files.sort();
    let mut ranks: Vec<Loaded> = files.iter().map(|path| Loaded::read(path, rounds)).collect();
    ranks.sort_by_key(|rank| rank.rank);
    let origin = ranks.iter().flat_map(|rank| rank.rows.iter().map(|row| row.ts)).min().unwrap_or(0);
    for rank in &mut ranks {
        rank.rows.iter_mut().for_each(|row| row.ts -= origin);
        rank.find_positions();
    }
    ranks
}

impl Loaded {
    fn read(path: &Path, rounds: bool) -> Self {
        let file: Value = serde_json::from_str(&read_text(path).unwrap()).unwrap();
        let events = file["traceEvents"].as_array().unwrap();
        let mut loaded = Self { rank: file["distributedInfo"]["rank"].as_i64().unwrap_or(0), ..Self::default() };
        let is_fractional = |event: &Value| event["ts"].is_f64() || event["ts"].is_null();
        let rounds = rounds && events.iter().any(is_fractional);
        for (index, event) in events.iter().enumerate() {
            let (Some(dur), Some(cat)) = (event["dur"].as_f64(), event["cat"].as_str()) else { continue };
            if cat == "Trace" {
                continue;
            }
            let args = &event["args"];
            let int = |key: &str| args[key].as_i64().unwrap_or(-1);
            let id = |key: &str| event[key].as_i64().unwrap_or(-1);
            let (ts, dur) = times(event["ts"].as_f64().unwrap(), dur, rounds);
            let stream = args["stream"].as_i64().or_else(|| args["stream"].as_str()?.parse().ok()).unwrap_or(-1);
            let row = Row {
                index: index as i64,
                name: loaded.code(event["name"].as_str().unwrap_or_default()),
                cat: loaded.code(cat),
                ts,
                dur,
                pid: id("pid"),
                tid: id("tid"),
                stream,
                correlation: int("correlation"),
                partner: int("correlation").min(0),
                wait_on_stream: int("wait_on_stream"),
                wait_on_record: int("wait_on_cuda_event_record_corr_id"),
            };
            loaded.rows.push(row);
        }
        loaded.correlate();
        loaded
    }

    fn is_on_gpu(&self, row: &Row) -> bool {
        (row.stream >= 0 && row.correlation >= 0) || ["Event Sync", "Context Sync"].contains(&self.text(row.name))
    }

    /// Ties each event to the last one at the other end of its id.
    fn correlate(&mut self) {
        let mut ends: HashMap<(i64, bool), i64> = HashMap::new();
        for row in &self.rows {
            ends.insert((row.correlation, self.is_on_gpu(row)), row.index);
        }
        for at in 0..self.rows.len() {
            let row = self.rows[at];
            if row.correlation != -1
                && let Some(&partner) = ends.get(&(row.correlation, !self.is_on_gpu(&row)))
            {
                self.rows[at].partner = partner;
            }
        }
    }

    fn drop_last_step(&mut self) {
        let (gpu, cpu): (Vec<Row>, Vec<Row>) = self.rows.iter().partition(|row| self.is_on_gpu(row));
        let is_step = |row: &&Row| self.text(row.name).starts_with("ProfilerStep#");
        let Some(cut) = self.rows.iter().filter(is_step).map(|row| row.ts).max() else { return };
        let cpu: Vec<Row> = cpu.into_iter().filter(|row| row.ts < cut).collect();
        let correlations: BTreeSet<i64> = cpu.iter().map(|row| row.correlation).collect();
        self.rows = gpu.into_iter().filter(|row| correlations.contains(&row.correlation)).chain(cpu).collect();
        self.find_positions();
    }

    fn find_positions(&mut self) {
        self.positions = self.rows.iter().enumerate().map(|(position, row)| (row.index, position)).collect();
    }

    fn code(&mut self, text: &str) -> u32 {
        *self.codes.entry(text.to_owned()).or_insert_with(|| {
            self.texts.push(text.to_owned());
            self.texts.len() as u32 - 1
        })
    }
}

/// Returns the start and the duration in ns, rounded as HTA does if `rounds`.
fn times(ts: f64, dur: f64, rounds: bool) -> (i64, i64) {
    // Nanoseconds since 1970 have more digits than a float.
    let nanos = |micros: f64| micros.trunc() as i64 * 1000 + (micros.fract() * 1000.0).round() as i64;
    if !rounds {
        return (nanos(ts), nanos(dur));
    }
    let (start, end) = (ts.ceil(), (ts + dur).floor());
    (nanos(start), nanos(end - start))
}

impl Frame for Loaded {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, position: usize) -> Row {
        self.rows[position]
    }

    fn position(&self, index: i64) -> Option<usize> {
        self.positions.get(&index).copied()
    }

    fn text(&self, code: u32) -> &str {
        &self.texts[code as usize]
    }

    fn short_name(&self, code: u32) -> String {
        short(self.text(code))
    }

    fn has_nodes_as_loading(&self, code: u32) -> bool {
        self.data_load_events.iter().any(|text| self.text(code).contains(text.as_str()))
    }

    fn counts_as_loading(&self, code: u32) -> bool {
        // Of patterns, `.*` alone is understood: enough for the goldens.
        let short = self.short_name(code);
        let found = |pattern: &String| {
            let mut rest = Some(short.as_str());
            for part in pattern.replace(['(', ')'], "").split(".*") {
                rest = rest.and_then(|text| text.split_once(part)).map(|(_, rest)| rest);
            }
            rest.is_some()
        };
        self.data_load_events.iter().any(found)
    }
}

/// Shortens a name as HTA does.
pub(crate) fn short(name: &str) -> String {
    let is_memory = ["Memcpy", "Memset", "hipMemcpy", "hipMemset", "dma"].iter().any(|start| name.starts_with(start));
    if is_memory || !name.contains(['<', '(']) {
        return name.to_owned();
    }
    let mut stack = Vec::new();
    for char in name.replace("->", "").chars() {
        let open = match char {
            '>' => '<',
            ')' => '(',
            other => {
                stack.push(other);
                continue;
            }
        };
        while stack.pop().is_some_and(|popped| popped != open) {}
    }
    let text: String = stack.into_iter().collect();
    text.rsplit(' ').next().unwrap_or_default().to_owned()
}

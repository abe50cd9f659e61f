//! Comparison of graphs, paths and tables with the goldens.

use super::compressed::read_text;
use super::csv::Csv;
use super::loaded::{Loaded, load, short};
use hta_rules::critical_path::{
    Bound, EdgeKind, EdgeRow, Frame, Graph, Options, Path as LongestPath, Share, Window, is_blocking_call,
};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A case of an `index.json`.
struct Case {
    /// Folder of the answers.
    folder: PathBuf,
    /// Folder of the trace.
    trace: PathBuf,
    params: Value,
    fails: bool,
}

/// Returns the shared folder, if it is there.
fn shared() -> Option<PathBuf> {
    std::env::var_os("TRACEBOOK_SHARED").map(PathBuf::from).filter(|path| path.join("golden").is_dir())
}

fn cases(shared: &Path) -> Vec<Case> {
    let (mut cases, mut folders) = (Vec::new(), vec![shared.join("golden")]);
    while let Some(folder) = folders.pop() {
        if folder.ends_with("rest") {
            let index: Value = serde_json::from_str(&read_text(&folder.join("index.json")).unwrap()).unwrap();
            let trace =
                shared.join("traces").join(folder.parent().unwrap().strip_prefix(shared.join("golden")).unwrap());
            for (name, case) in index.as_object().unwrap() {
                if name.starts_with("critical_path/") {
                    let (params, fails) = (case["params"].clone(), case["error"] == true);
                    cases.push(Case { folder: folder.join(name), trace: trace.clone(), params, fails });
                }
            }
        } else {
            let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            folders.extend(entries.filter(|path| path.is_dir()));
        }
    }
    cases.sort_by(|one, other| one.folder.cmp(&other.folder));
    cases
}

impl Case {
    fn is(&self, word: &str) -> bool {
        self.params[word] == true
    }

    fn options(&self) -> Option<Options> {
        let annotation = self.params["annotation"].as_str().unwrap().to_owned();
        let number = |value: &Value| value.as_i64().map(usize::try_from);
        let (first, last) = match &self.params["instance_id"] {
            Value::Array(ends) => (number(&ends[0])?.ok()?, number(&ends[1])?.ok()?),
            Value::Null => (0, 0),
            one => (number(one)?.ok()?, number(one)?.ok()?),
        };
        let is_whole = annotation.is_empty();
        let window = if is_whole { Window::Whole } else { Window::Instances { annotation, first, last } };
        Some(Options {
            zero_weight_launch_edges: self.is("add_zero_weight"),
            strict_negative_weights: self.is("strict"),
            ..Options::of(window)
        })
    }

    fn rank(&self) -> Loaded {
        let mut ranks = load(&self.trace, !self.is("no_rounding"));
        let wanted = self.params["rank"].as_i64();
        let at = wanted.map_or(0, |wanted| ranks.iter().position(|rank| rank.rank == wanted).unwrap());
        let mut rank = ranks.swap_remove(at);
        let events = self.params["data_load_events"].as_array().into_iter().flatten();
        rank.data_load_events = events.map(|event| event.as_str().unwrap().to_owned()).collect();
        rank
    }
}

/// Writes nanoseconds as HTA writes µs.
fn micros(nanos: i64) -> String {
    (nanos as f64 / 1000.0).to_string()
}

fn optional(number: Option<i64>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}

/// What is compared, and what differs.
struct Check<'c> {
    case: &'c Case,
    rank: &'c Loaded,
    graph: &'c Graph,
    path: LongestPath,
    rows: Vec<EdgeRow>,
    differences: Vec<String>,
}

impl Check<'_> {
    fn name(&self) -> String {
        self.case.folder.to_string_lossy().rsplit("golden/").next().unwrap().to_owned()
    }

    fn is(&mut self, what: &str, ours: &[Vec<String>], golden: &[Vec<String>]) {
        if let Some(at) = (0..ours.len().max(golden.len())).find(|&at| ours.get(at) != golden.get(at)) {
            let text = format!(
                "{} {what}: {} rows, HTA {}; row {at}: {:?}, HTA {:?}",
                self.name(),
                ours.len(),
                golden.len(),
                ours.get(at),
                golden.get(at)
            );
            self.differences.push(text);
        }
    }

    fn table(&mut self, file: &str, ours: impl Fn(&Self) -> Vec<Vec<String>>) {
        if let Some(golden) = Csv::read(&self.case.folder, file) {
            let ours = ours(self);
            self.is(file, &ours, &golden.rows);
        }
    }

    fn facts(&self) -> HashMap<String, f64> {
        let (graph, mut facts) = (self.graph, HashMap::new());
        let mut put = |key: &str, value: i64| _ = facts.insert(key.to_owned(), value as f64);
        for kind in EdgeKind::ALL {
            let count = graph.edges().iter().filter(|edge| edge.kind == kind).count();
            put(&format!("edges_{}", kind.word()), count as i64);
        }
        put("ok", 1);
        put("rank", self.rank.rank);
        put("clipped_events", graph.events.len() as i64);
        put("nodes", graph.nodes().len() as i64);
        put("nodes_with_edges", graph.nodes_with_edges() as i64);
        put("edges", graph.edges().len() as i64);
        put("edges_negative", graph.edges().iter().filter(|edge| edge.weight < 0).count() as i64);
        put("critical_nodes", self.path.nodes.len() as i64);
        put("critical_edges", self.path.edges.len() as i64);
        let mut events: Vec<usize> = self.path.nodes.iter().map(|&node| graph.position(node)).collect();
        events.sort_unstable();
        events.dedup();
        put("critical_events", events.len() as i64);
        put("path_first_node", i64::from(self.path.nodes[0]));
        put("path_last_node", i64::from(*self.path.nodes.last().unwrap()));
        let mut time = |key: &str, nanos: i64| _ = facts.insert(key.to_owned(), nanos as f64 / 1000.0);
        time("window_start", graph.span.start);
        if let Some(end) = graph.span.end {
            time("window_end", end);
        }
        time("path_length", self.rows.iter().map(|row| row.duration).sum());
        time("path_length_clamped", self.path.length as i64);
        for kind in EdgeKind::ALL {
            let of_kind = graph.edges().iter().filter(|edge| edge.kind == kind);
            time(&format!("weight_{}", kind.word()), of_kind.map(|edge| edge.weight).sum());
        }
        facts
    }

    fn graph(&mut self) {
        let golden = Csv::read(&self.case.folder, "graph.csv").unwrap();
        let ours = self.facts();
        for row in &golden.rows {
            let (key, text) = (&row[0], &row[1]);
            let (found, expected) = (ours.get(key), text.parse::<f64>().ok());
            // Without rounding HTA's sums are of floats, some of 32 bits.
            let tolerance = if self.case.is("no_rounding") { 2e-5 } else { 0.0 };
            let near = found.zip(expected).is_some_and(|(one, other)| (one - other).abs() <= tolerance * (1.0 + other));
            let is_absent = found.is_none() && text.is_empty();
            if !near && !is_absent {
                self.differences.push(format!("{} graph {key}: {found:?}, HTA {text}", self.name()));
            }
        }
    }

    fn what_if(&mut self) {
        let Some(golden) = Csv::read(&self.case.folder, "what_if.csv") else { return };
        let rank = self.rank;
        for row in &golden.rows {
            let (change, factor) = (row[0].as_str(), row[1].parse::<f64>().unwrap());
            let changes = |edge: &hta_rules::critical_path::Edge| {
                let event = edge.event.and_then(|event| rank.position(event)).map(|position| rank.row(position));
                let event = event.filter(|_| edge.kind == EdgeKind::Operator);
                match change {
                    "nothing" => false,
                    "operators on the GPU" => event.is_some_and(|row| row.stream != -1),
                    "operators on the CPU" => event.is_some_and(|row| row.stream == -1),
                    _ if change.starts_with("kernel ") => {
                        event.is_some_and(|row| row.stream != -1 && rank.text(row.name) == &change[7..])
                    }
                    kind => edge.kind.word() == kind,
                }
            };
            let path =
                self.graph.path_with(|edge| edge.search_weight as f64 * if changes(edge) { factor } else { 1.0 });
            let changed = self.graph.edges().iter().filter(|edge| changes(edge)).count();
            let length = path.length / 1000.0;
            let ours = [
                change.to_owned(),
                row[1].clone(),
                changed.to_string(),
                path.nodes.len().to_string(),
                length.to_string(),
            ];
            self.is("what_if.csv", &[ours.to_vec()], std::slice::from_ref(row));
        }
    }
}

fn nodes(check: &Check<'_>) -> Vec<Vec<String>> {
    let node = |(number, node): (usize, &hta_rules::critical_path::Node)| {
        let row = check.rank.row(check.graph.position(number as u32));
        let is_blocking = is_blocking_call(check.rank.text(row.name));
        let [is_start, is_blocking] = [node.is_start, is_blocking].map(|is| u8::from(is).to_string());
        vec![number.to_string(), row.index.to_string(), micros(node.ts), is_start, is_blocking]
    };
    check.graph.nodes().iter().enumerate().map(node).collect()
}

fn edges(check: &Check<'_>) -> Vec<Vec<String>> {
    let edge = |edge: &hta_rules::critical_path::Edge| {
        let [begin, end] = [edge.begin, edge.end].map(|node| node.to_string());
        let (kind, event) = (edge.kind.word().to_owned(), optional(edge.event));
        vec![begin, end, kind, micros(edge.weight), micros(edge.search_weight), event]
    };
    check.graph.edges().iter().map(edge).collect()
}

fn path_rows(check: &Check<'_>, has_names: bool) -> Vec<Vec<String>> {
    let node = |(position, &number): (usize, &u32)| {
        let (node, row) = (check.graph.nodes()[number as usize], check.rank.row(check.graph.position(number)));
        let is_start = u8::from(node.is_start).to_string();
        let mut texts =
            vec![position.to_string(), number.to_string(), row.index.to_string(), is_start, micros(node.ts)];
        if has_names {
            texts.push(check.rank.text(row.name).to_owned());
        }
        match check.rows.get(position) {
            Some(edge) => texts.extend([
                edge.kind.word().to_owned(),
                micros(edge.duration),
                optional(edge.event),
                edge.bound_by.to_string(),
            ]),
            None => texts.extend(std::iter::repeat_n(String::new(), 4)),
        }
        texts
    };
    check.path.nodes.iter().enumerate().map(node).collect()
}

fn breakdown(check: &Check<'_>) -> Vec<Vec<String>> {
    let mut rows: Vec<&EdgeRow> = check.rows.iter().collect();
    rows.sort_by_key(|row| (row.event.is_none(), row.event, row.kind.word(), row.duration));
    let texts = |row: &&EdgeRow| {
        let event = row.position.map(|position| check.rank.row(position));
        let number = |of: fn(&hta_rules::critical_path::Row) -> i64| optional(event.as_ref().map(of));
        let text = |code: Option<u32>| code.map_or(String::new(), |code| check.rank.text(code).to_owned());
        vec![
            optional(row.event),
            micros(row.duration),
            format!("critical_path_{}", row.kind.word()),
            short(&text(event.map(|event| event.name))),
            text(event.map(|event| event.cat)),
            number(|row| row.pid),
            number(|row| row.tid),
            number(|row| row.stream),
            row.bound_by.to_string(),
        ]
    };
    rows.iter().map(texts).collect()
}

fn by_name(check: &Check<'_>) -> Vec<Vec<String>> {
    let mut sums: HashMap<(Bound, &str, String), (usize, i64)> = HashMap::new();
    for row in &check.rows {
        let name = row.position.map_or(String::new(), |position| short(check.rank.text(check.rank.row(position).name)));
        let sum = sums.entry((row.bound_by, row.kind.word(), name)).or_default();
        *sum = (sum.0 + 1, sum.1 + row.duration);
    }
    let texts = |((bound, kind, name), (count, sum)): ((Bound, &str, String), (usize, i64))| {
        vec![bound.to_string(), format!("critical_path_{kind}"), name, count.to_string(), micros(sum)]
    };
    let mut rows: Vec<_> = sums.into_iter().map(texts).collect();
    rows.sort();
    rows
}

fn summary(check: &Check<'_>) -> Vec<Vec<String>> {
    Share::of(&check.rows).iter().map(|share| vec![share.bound_by.to_string(), share.percent.to_string()]).collect()
}

#[test]
fn graphs_and_paths_equal_the_goldens() {
    let Some(shared) = shared() else { return };
    let (mut differences, mut compared) = (Vec::new(), 0);
    for case in cases(&shared) {
        let rank = case.rank();
        let graph = case.options().ok_or(()).and_then(|options| Graph::of(&rank, &options).map_err(drop));
        let golden = Csv::read(&case.folder, "graph.csv");
        let is_none = golden.as_ref().is_some_and(|golden| golden.value("result").is_some());
        // Where HTA asserts that there are launches, the part of the CPU is answered.
        let expected = !case.fails && !is_none;
        let Ok(graph) = graph else {
            if expected {
                differences.push(format!("{}: no graph", case.folder.display()));
            }
            continue;
        };
        if !expected {
            assert!(case.trace.ends_with("cpu_only"), "{}: HTA fails", case.folder.display());
            continue;
        }
        let path = graph.path();
        let rows = graph.breakdown(&rank, &path);
        let mut check = Check { case: &case, rank: &rank, graph: &graph, path, rows, differences: Vec::new() };
        check.graph();
        check.table("nodes.csv", nodes);
        check.table("edges.csv", edges);
        let has_names = |golden: Csv| golden.columns.iter().any(|column| column == "name");
        let has_names = Csv::read(&case.folder, "path.csv").is_some_and(has_names);
        check.table("path.csv", |check| path_rows(check, has_names));
        check.table("breakdown.csv", breakdown);
        check.table("breakdown_by_name.csv", by_name);
        check.table("summary.csv", summary);
        check.what_if();
        differences.extend(check.differences);
        compared += 1;
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(compared >= 55, "only {compared} cases");
}

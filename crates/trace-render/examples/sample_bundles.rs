//! Prints bundles of every kind as one JSON list, to look at and to try front ends with; `--tree` prints one of a tree,
//! `--waterfall` some of waterfalls, `--plotly` prints plotly.js.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use trace_render::bundles;
use trace_view::{
    Axis, BarMode, Colours, Figure, Header, HeatMap, Kind, Labelled, Mark, Page, Part, Points, Report, Series, Table,
    TableValue, Unit,
};

const NAMES: [&str; 12] = [
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>, at::detail::Array<char*, 3> >(int, at::native::MulFunctor<float>, at::detail::Array<char*, 3>)",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
    "ampere_sgemm_128x64_tn",
    "Memcpy DtoH (Device -> Pageable)",
    "autograd::engine::evaluate_function: AddmmBackward0",
    "<script>alert('x')</script> & \"quotes\"",
    "aten::convolution_backward",
    "Optimizer.step#SGD.step",
    "cudaLaunchKernel",
    "$E=mc^2$ <b>bold</b>",
    "ProfilerStep#1010",
];

fn main() {
    if std::env::args().any(|argument| argument == "--plotly") {
        print!("{}", trace_render::offline_plotly_js());
        return;
    }
    if std::env::args().any(|argument| argument == "--tree") {
        println!("{}", serde_json::to_string(&bundles(&Report::of(Part::Table(tree(12))))).unwrap());
        return;
    }
    if std::env::args().any(|argument| argument == "--waterfall") {
        let small = [12_811.2, 4.0, -2.5, 0.4, -0.02, 1.3, 12_814.38];
        let figures = [waterfall(12_811.2, 14, 90.0), waterfall(411.2, 6, 500.0), waterfall_of(&small)];
        let report = Report { parts: figures.into_iter().map(Part::Figure).collect() };
        println!("{}", serde_json::to_string(&bundles(&report)).unwrap());
        return;
    }
    let report = Report::of(Part::Text("loaded control: 1,284,000 events, ranks 0 to 7".to_owned()))
        .with(Part::Warning(
            "trace \"test\" ends after 12,345,678 bytes; <b>40,112</b> whole events were kept".to_owned(),
        ))
        .with(Part::Table(table(12)))
        .with(Part::Table(table(600)))
        .with(Part::Table(Table {
            caption: "nothing selected".to_owned(),
            headers: table(0).headers,
            ..Table::default()
        }))
        .with(Part::Figure(bars(10, false)))
        .with(Part::Figure(bars(3, true)))
        .with(Part::Figure(bars(300, false)))
        .with(Part::Figure(Figure { bars: BarMode::Stack, title: "Stacked".to_owned(), ..bars(8, false) }))
        .with(Part::Figure(lines()))
        .with(Part::Figure(Figure { title: "Ops Count Comparison".to_owned(), ..Figure::default() }))
        .with(Part::HeatMap(heat_map()))
        .with(Part::HeatMap(deviations(512)))
        .with(Part::HeatMap(over_time(512)));
    println!("{}", serde_json::to_string(&bundles(&report)).unwrap());
}

/// How long each of some kernels took on each rank.
fn heat_map() -> HeatMap {
    let row = |kernel: usize| {
        (0..8).map(move |rank| if kernel == rank { f64::NAN } else { measured(kernel * 8 + rank, 1.0) })
    };
    HeatMap {
        title: "Kernels by rank".to_owned(),
        subtitle: "control · iteration 1010".to_owned(),
        x: Axis { title: "rank".to_owned(), whole: true, ..Axis::default() },
        y: Axis { title: "kernel".to_owned(), ..Axis::default() },
        columns: Points::Numbers((0..8).map(f64::from).collect()),
        rows: Points::Names(NAMES.map(str::to_owned).to_vec()),
        values: (0..NAMES.len()).map(|kernel| row(kernel).collect()).collect(),
        meaning: "duration".to_owned(),
        unit: Unit::Millis,
        ..HeatMap::default()
    }
}

/// How far each rank is from the others, in some kernels.
fn deviations(ranks: usize) -> HeatMap {
    let value = |row: usize, rank: usize| match (row, rank) {
        (2, 200) => f64::NAN,
        (0 | 3, 37) => 31.5,
        (5, 300..=303) => -5.0,
        _ => (measured(row * 977 + rank * 31, 1.0) / 69.0 - 1.0).powi(3) * 1.6,
    };
    let values: Vec<Vec<f64>> = (0..NAMES.len()).map(|row| (0..ranks).map(|rank| value(row, rank)).collect()).collect();
    HeatMap {
        title: "Kernels by rank".to_owned(),
        subtitle: "control · deviation from the median of 512 ranks".to_owned(),
        x: Axis { title: "rank".to_owned(), whole: true, ..Axis::default() },
        columns: Points::Numbers((0..ranks).map(|rank| rank as f64).collect()),
        rows: Points::Names(NAMES.map(str::to_owned).to_vec()),
        details: values.iter().map(|row| row.iter().map(|value| format!("{:.2} ms", value + 9.0)).collect()).collect(),
        values,
        meaning: "robust z".to_owned(),
        colours: Colours::Differences,
        range: Some((-6.0, 6.0)),
        labelled: Labelled { columns: vec![37, 200, 300, 301, 302, 303], rows: Vec::new() },
        from_top: true,
        ..HeatMap::default()
    }
}

/// Something of each rank over time.
fn over_time(ranks: usize) -> HeatMap {
    let value = |rank: usize, time: usize| {
        let wave = 500.0 + 400.0 * ((time as f64) / 9.0 + rank as f64 / 40.0).sin();
        if rank == 37 && time > 60 { 1900.0 } else { wave }
    };
    HeatMap {
        title: "Queue length by rank".to_owned(),
        x: Axis { title: "time".to_owned(), unit: Unit::Millis, ..Axis::default() },
        y: Axis { title: "rank".to_owned(), whole: true, ..Axis::default() },
        columns: Points::Numbers((0..120).map(|time| f64::from(time) * 2.5).collect()),
        rows: Points::Numbers((0..ranks).map(|rank| rank as f64).collect()),
        values: (0..ranks).map(|rank| (0..120).map(|time| value(rank, time)).collect()).collect(),
        meaning: "queue length".to_owned(),
        colours: Colours::Amounts,
        labelled: Labelled { columns: Vec::new(), rows: vec![37] },
        from_top: true,
        ..HeatMap::default()
    }
}

/// A number that looks as if it were measured.
fn measured(index: usize, scale: f64) -> f64 {
    scale * ((index * 7919 + 13) % 1000) as f64 / 7.3
}

fn name(index: usize) -> String {
    let name = NAMES[index % NAMES.len()];
    if index < NAMES.len() { name.to_owned() } else { format!("{name} {index}") }
}

fn table(rows: usize) -> Table {
    let headers = vec![
        Header { meaning: "the operator".to_owned(), ..Header::new("name", Unit::None, Kind::Name) },
        Header::new("control_counts", Unit::Count, Kind::Number),
        Header::new("test_counts", Unit::Count, Kind::Number),
        Header::new("control_total_duration", Unit::Millis, Kind::Bar),
        Header::new("test_total_duration", Unit::Millis, Kind::Number),
        Header {
            meaning: "test − control".to_owned(), ..Header::new("diff_duration", Unit::Millis, Kind::Difference)
        },
        Header::new("rank", Unit::None, Kind::Id),
        Header::new("counts_change_categories", Unit::None, Kind::Category),
    ];
    let row = |index: usize| {
        let (control, test) = (measured(index, 10.0), measured(index + 5, 10.0));
        vec![
            TableValue::Text(name(index)),
            TableValue::Int((index as i64 * 7919) % 40),
            TableValue::Int((index as i64 * 7907) % 40),
            TableValue::Float(control),
            if index == 3 { TableValue::Null } else { TableValue::Float(test) },
            if index == 4 { TableValue::Float(0.0) } else { TableValue::Float(test - control) },
            TableValue::Int((index % 8) as i64),
            TableValue::Text(["+", "-", "=", "added", "removed"][index % 5].to_owned()),
        ]
    };
    Table {
        caption: "compare_traces · control → test · GPU · rank 3 → 1 · iteration 1010 → 1010".to_owned(),
        headers,
        rows: (0..rows).map(row).collect(),
        total_rows: rows.max(1284),
        page: (rows > 20).then(|| Page { rows: 20, more: "--top 50 shows more".to_owned() }),
        notes: vec!["sorted by |diff_duration| ↓".to_owned()],
        ..Table::default()
    }
}

/// The call tree of a step with some layers, of which the last was changed.
fn tree(layers: usize) -> Table {
    let headers = vec![
        Header { meaning: "the operators of a region".to_owned(), ..Header::new("name", Unit::None, Kind::Name) },
        Header::new("grade", Unit::None, Kind::Category),
        Header { scale: "time".to_owned(), ..Header::new("control", Unit::Micros, Kind::Number) },
        Header { scale: "time".to_owned(), ..Header::new("test", Unit::Micros, Kind::Number) },
        Header { meaning: "test − control".to_owned(), ..Header::new("delta", Unit::Micros, Kind::Difference) },
        Header::new("share", Unit::Percent, Kind::Bar),
    ];
    let mut rows = Vec::new();
    let (mut levels, mut open) = (Vec::new(), Vec::new());
    let mut add = |level: u32, is_open: bool, name: &str, grade: &str, control: f64, test: f64| {
        levels.push(level);
        open.push(is_open);
        rows.push(vec![
            TableValue::Text(name.to_owned()),
            TableValue::Text(grade.to_owned()),
            if grade == "added" { TableValue::Null } else { TableValue::Float(control) },
            if grade == "deleted" { TableValue::Null } else { TableValue::Float(test) },
            TableValue::Float(test - control),
            TableValue::Float((test - control) / 4.112),
        ]);
    };
    let each = 1042.5;
    add(0, true, "ProfilerStep#1010", "name", each * layers as f64 + 301.2, each * layers as f64 + 712.4);
    add(1, true, "nn.Module: Transformer_0", "name", each * layers as f64, each * layers as f64 + 411.2);
    for layer in 0..layers {
        let changed = layer + 1 == layers;
        let (grade, more) = if changed { ("name", 411.2) } else { ("exact", 0.0) };
        add(2, changed, &format!("nn.Module: Layer_{layer}"), grade, each, each + more);
        add(3, false, "nn.Module: Attention", "exact", 640.0, 640.0);
        for (name, kernel) in [("aten::linear / aten::addmm", 3), ("aten::softmax", 2), ("aten::copy_", 4)] {
            add(4, false, name, "exact", 213.3, 213.3);
            add(5, false, NAMES[kernel], "exact", 213.3, 213.3);
        }
        add(3, changed, "nn.Module: MLP", grade, 402.5, 402.5 + more);
        add(4, false, "aten::linear / aten::addmm", "exact", 200.0, 200.0);
        add(5, false, NAMES[0], "exact", 200.0, 200.0);
        if changed {
            add(4, false, "aten::gelu", "deleted", 202.5, 0.0);
            add(5, false, NAMES[0], "deleted", 202.5, 0.0);
            add(4, true, "my::slow_gelu <script>alert('x')</script>", "added", 0.0, 613.7);
            add(5, false, NAMES[1], "added", 0.0, 613.7);
        } else {
            add(4, false, "aten::gelu", "exact", 202.5, 202.5);
            add(5, false, NAMES[0], "exact", 202.5, 202.5);
        }
    }
    add(1, false, "Optimizer.step#SGD.step", "exact", 301.2, 301.2);
    add(2, false, "aten::_foreach_add_", "exact", 301.2, 301.2);
    let total_rows = rows.len();
    Table {
        caption: "tree_diff · control → test · rank 0 · 3 iterations each".to_owned(),
        headers,
        rows,
        total_rows,
        notes: vec!["means per step".to_owned()],
        ..Table::default()
    }
    .tree(levels, open)
}

/// From a step of `from` µs over some changes to another.
fn waterfall(from: f64, changes: usize, scale: f64) -> Figure {
    let change = |index: usize| {
        let sign = if index % 3 == 1 { -1.0 } else { 1.0 };
        sign * scale / (index * index + 1) as f64
    };
    let mut values = vec![from];
    values.extend((0..changes).map(change));
    values.push(values.iter().sum());
    waterfall_of(&values)
}

fn waterfall_of(values: &[f64]) -> Figure {
    let last = values.len() - 1;
    let label = |index: usize| match index {
        0 => "step of control".to_owned(),
        _ if index == last => "step of test".to_owned(),
        _ => format!("{} · {}", name(index), name(index + 3)),
    };
    Figure {
        title: "Where the step's time changed".to_owned(),
        subtitle: "control → test · rank 0 · 3 iterations each".to_owned(),
        y: Axis { title: "time a step".to_owned(), unit: Unit::Micros, ..Axis::default() },
        series: vec![Series {
            name: "change".to_owned(),
            mark: Mark::Waterfall,
            x: Points::Names((0..values.len()).map(label).collect()),
            y: values.to_vec(),
        }],
        ..Figure::default()
    }
}

fn bars(count: usize, log: bool) -> Figure {
    let names = Points::Names((0..count).map(name).collect());
    let control: Vec<f64> = (0..count).map(|index| measured(index, 100.0)).collect();
    let test: Vec<f64> =
        (0..count).map(|index| if index == 2 { f64::NAN } else { measured(index + 5, 100.0) }).collect();
    let difference = control.iter().zip(&test).map(|(control, test)| test - control).collect();
    let series = |name: &str, y: Vec<f64>| Series { name: name.to_owned(), mark: Mark::Bar, x: names.clone(), y };
    Figure {
        title: "Ops Duration Comparison".to_owned(),
        subtitle: "control → test · GPU · rank 3 → 1 · iteration 1010 → 1010".to_owned(),
        y: Axis { title: "Total Duration".to_owned(), unit: Unit::Micros, log, ..Axis::default() },
        series: vec![series("control", control), series("test", test), series("Difference", difference)],
        ..Figure::default()
    }
}

fn lines() -> Figure {
    let x: Vec<f64> = (0..400).map(|n| f64::from(n) * 2.5).collect();
    let wave = |phase: f64| x.iter().map(|x| 500.0 + 400.0 * (x / 60.0 + phase).sin()).collect::<Vec<_>>();
    let mut broken = wave(1.0);
    broken[150..200].fill(f64::NAN);
    let queue = x.iter().map(|x| (x / 100.0).floor() * 50.0).collect();
    let series = |name: &str, mark, y| Series { name: name.to_owned(), mark, x: Points::Numbers(x.clone()), y };
    Figure {
        title: "Queue length and memory bandwidth".to_owned(),
        x: Axis { title: "time".to_owned(), unit: Unit::Millis, ..Axis::default() },
        y: Axis { title: "bandwidth".to_owned(), unit: Unit::GigabytesPerSecond, ..Axis::default() },
        series: vec![
            series("stream 7", Mark::Line, wave(0.0)),
            series("stream 20", Mark::Line, broken),
            series("queue", Mark::Step, queue),
        ],
        height: Some(360),
        ..Figure::default()
    }
}

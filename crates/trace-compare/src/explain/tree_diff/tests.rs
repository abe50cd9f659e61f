//! The aligned tree of programs written by hand, of the demo data and of shared traces: sums, order, cuts, what is open.

use super::cut::children;
use super::entry::Measures;
use super::open::shown;
use super::program_tests::{Call, call, layer, model, op, trace};
use crate::{Explain, Explanation, SelectEvents, TraceSet, TreeDiff, TreeKind, TreeRow};
use call_tree::Grade;
use std::path::{Path, PathBuf};
use trace_testkit::{Random, TraceBuilder};
use trace_view::{Part, Present};

fn tree(control: Vec<Call>, test: Vec<Call>) -> TreeDiff {
    let explained = Explain::new(trace("old", control), trace("new", test)).run().unwrap();
    let tree = explained.tree();
    check(&tree);
    check_regions(&tree, &explained);
    tree
}

fn sum(tree: &TreeDiff, ids: &[usize]) -> Measures {
    let mut sum = Measures::default();
    for &id in ids {
        sum.add(&tree.entries[id].all);
    }
    sum
}

/// Asserts that rows add up, to the ns, in the order of a tree.
fn check(tree: &TreeDiff) {
    let (top, below) = children(&tree.entries);
    let step = sum(tree, &top).attributed_ns;
    assert_eq!((step.control.total, step.test.total), (tree.step_ns.control.total, tree.step_ns.test.total));
    for (id, entry) in tree.entries.iter().enumerate().filter(|(id, _)| !below[*id].is_empty()) {
        assert_eq!(sum(tree, &below[id]), entry.all, "{id} {}", entry.name);
    }
    let rows = tree.rows();
    for pair in rows.windows(2) {
        assert!(pair[1].depth <= pair[0].depth + 1, "{:?}", pair[1].path);
        assert_eq!(pair[1].parent == Some(pair[0].id), pair[1].depth == pair[0].depth + 1);
    }
    assert_eq!(tree.frame().unwrap().height(), rows.len());
    for row in shown(&tree.entries) {
        assert!(!row.name.is_empty());
    }
}

/// Asserts that each region is one row, and that rows have the kernels' time of all regions.
fn check_regions(tree: &TreeDiff, explained: &Explanation) {
    let mut regions: Vec<usize> = tree.rows().iter().filter_map(|row| row.region).collect();
    regions.sort_unstable();
    assert_eq!(regions, (0..explained.region_count()).collect::<Vec<_>>());
    let (top, _) = children(&tree.entries);
    let total = sum(tree, &top).total_ns;
    let [control, test] = explained.coverage();
    if control.recorded > 0 && test.recorded > 0 {
        assert_eq!((total.control.total, total.test.total), (control.selected_ns, test.selected_ns));
    }
}

/// Name, depth and grade of the rows but idle and unattributed time.
fn lines(tree: &TreeDiff) -> Vec<String> {
    let is_call = |row: &&TreeRow| !matches!(row.kind, TreeKind::Idle | TreeKind::Unattributed);
    let line = |row: &TreeRow| format!("{}{} [{}]", "  ".repeat(row.depth), row.name, row.grade.unwrap_or("-"));
    tree.rows().iter().filter(is_call).map(line).collect()
}

fn row(tree: &TreeDiff, name: &str) -> TreeRow {
    let is_it = |row: &TreeRow| row.name.starts_with(name) && (row.kind != TreeKind::Idle || name == "idle");
    let rows: Vec<TreeRow> = tree.rows().into_iter().filter(is_it).collect();
    let [row] = &rows[..] else { panic!("{name}: {rows:#?}") };
    row.clone()
}

#[test]
fn a_removed_layer_is_one_deleted_row_at_its_place() {
    let tree = tree(model((0..3).map(|n| layer(n, 20)).collect()), model((0..2).map(|n| layer(n, 20)).collect()));
    assert_eq!(
        lines(&tree),
        [
            "aten::embedding › gather_kernel [exact]",
            "nn.Module: Model_0 [-]",
            "  nn.Module: Layer_0 [exact]",
            "    aten::layer_norm › layer_norm_kernel [exact]",
            "    aten::addmm › sm80_gemm [exact]",
            "    aten::gelu › gelu_kernel [exact]",
            "  nn.Module: Layer_1 [exact]",
            "    aten::layer_norm › layer_norm_kernel [exact]",
            "    aten::addmm › sm80_gemm [exact]",
            "    aten::gelu › gelu_kernel [exact]",
            "  nn.Module: Layer_2 [deleted]",
            "    aten::layer_norm › layer_norm_kernel [deleted]",
            "    aten::addmm › sm80_gemm [deleted]",
            "    aten::gelu › gelu_kernel [deleted]",
            "aten::sum › reduce_kernel [exact]",
        ]
    );
    let gone = row(&tree, "nn.Module: Layer_2");
    assert_eq!((gone.count, gone.us, gone.delta_us), ([3.0, 0.0], [27.0, 0.0], -27.0));
    assert_eq!(gone.path, ["nn.Module: Model_0"]);
    assert_eq!(row(&tree, "nn.Module: Model_0").delta_us, -27.0);
    let open: Vec<String> = shown(&tree.entries).into_iter().filter(|row| row.is_open).map(|row| row.name).collect();
    assert!(
        open.contains(&"nn.Module: Model_0".to_owned()) && !open.iter().any(|name| name.contains("Layer_")),
        "{open:?}"
    );
}

#[test]
fn added_calls_stand_behind_their_neighbour_in_test() {
    let one = || op("aten::mul", &[("mul_kernel", 3)]);
    let two = || op("aten::exp", &[("exp_kernel", 3)]);
    let new = |name: &str| op(name, &[("cumsum_kernel", 4)]);
    let tree = tree(
        vec![one(), op("aten::sort", &[("radix_sort", 9)]), two()],
        vec![new("aten::cumsum"), one(), new("aten::flip"), two(), new("aten::roll")],
    );
    let names: Vec<String> = lines(&tree).into_iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    let position =
        |name: &str| names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}: {names:?}"));
    assert!(
        position("aten::cumsum") < position("aten::mul") && position("aten::exp") < position("aten::roll"),
        "{names:?}"
    );
    assert_eq!(row(&tree, "aten::roll").grade, Some("added"));
}

#[test]
fn a_fused_operator_is_one_row_of_several_kernels() {
    let fused = |kernels: &[(&'static str, i64)]| {
        vec![
            op("aten::exp", &[("exp_kernel", 3)]),
            op("aten::linear", kernels),
            op("aten::sum", &[("reduce_kernel", 2)]),
        ]
    };
    let tree = tree(fused(&[("gemm", 10), ("bias_kernel", 4)]), fused(&[("gemm_bias_fused", 12)]));
    let row = row(&tree, "aten::linear");
    assert_eq!((row.grade, row.kind, row.count), (Some("region"), TreeKind::Region, [2.0, 1.0]));
    assert_eq!(row.name, "aten::linear › gemm and 1 more → gemm_bias_fused");
    assert_eq!(row.delta_us, -2.0);
}

#[test]
fn a_renamed_module_is_one_row_with_both_names() {
    let block = |name: &str| {
        let calls = (0..4).map(|_| op("aten::addmm", &[("gemm", 10)])).chain([op("aten::gelu", &[("gelu", 4)])]);
        vec![op("aten::exp", &[("exp_kernel", 3)]), call(name, calls.collect()), op("aten::sum", &[("reduce", 2)])]
    };
    let tree = tree(block("nn.Module: Attention_0"), block("nn.Module: FlashAttention_0"));
    let row = row(&tree, "nn.Module: Attention_0");
    assert_eq!(row.name, "nn.Module: Attention_0 → nn.Module: FlashAttention_0");
    assert_eq!((row.delta_us, row.count), (0.0, [5.0, 5.0]));
}

#[test]
fn a_moved_block_says_where_it_is_in_test() {
    let moved = || {
        call(
            "nn.Module: Head_0",
            vec![op("aten::sort", &[("radix_sort", 9)]), op("aten::cumsum", &[("scan_kernel", 7)])],
        )
    };
    let tree = tree(
        vec![moved(), layer(0, 20), op("aten::sum", &[("reduce_kernel", 2)])],
        vec![layer(0, 20), op("aten::sum", &[("reduce_kernel", 2)]), moved()],
    );
    let head = row(&tree, "nn.Module: Head_0");
    assert_eq!((head.grade, head.delta_us, head.count), (Some("moved"), 0.0, [2.0, 2.0]));
    let sort = row(&tree, "aten::sort");
    assert_eq!(sort.why, "equal work at another place; in test: nn.Module: Head_0 > aten::sort");
}

#[test]
fn a_trace_with_itself_is_exact_and_closed() {
    let tree = tree(model((0..3).map(|n| layer(n, 20)).collect()), model((0..3).map(|n| layer(n, 20)).collect()));
    assert!(tree.rows().iter().all(|row| row.delta_us == 0.0 && row.share.is_none()));
    assert!(tree.rows().iter().filter(|row| row.kind == TreeKind::Region).all(|row| row.grade == Some("exact")));
    assert!(shown(&tree.entries).iter().all(|row| !row.is_open));
}

#[test]
fn a_side_without_gpu_work_still_adds_up() {
    let host = TraceBuilder::new().step(1, 0..100).operator("aten::linear", 10..60).operator("aten::mm", 20..30).json();
    let host = TraceSet::from_bytes(host).unwrap().with_label("host");
    let gpu = trace("gpu", vec![op("aten::mm", &[("gemm", 10)])]);
    for (control, test) in [(&host, &gpu), (&gpu, &host), (&host, &host)] {
        let tree = Explain::new(control, test).run().unwrap().tree();
        check(&tree);
        assert!(tree.rows().iter().any(|row| row.name.contains("aten::mm")), "{:#?}", lines(&tree));
    }
    let same = Explain::new(&host, &host).run().unwrap().tree();
    assert_eq!(lines(&same), ["aten::linear [exact]", "  own time [exact]", "  aten::mm [exact]"]);
    assert_eq!(row(&same, "aten::linear").self_us, [40.0, 40.0]);
}

#[test]
fn idle_time_has_causes_and_unattributed_time_is_there() {
    let tree = tree(model(vec![layer(0, 20)]), model(vec![layer(0, 50)]));
    let idle = row(&tree, "idle");
    assert_eq!((idle.depth, idle.kind), (0, TreeKind::Idle));
    assert!(tree.rows().iter().any(|row| row.path == ["idle"] && row.name == "drain"));
    assert!(tree.rows().iter().any(|row| row.path == ["idle", "host"]));
    let last = tree.rows().pop().unwrap();
    assert_eq!((last.name.as_str(), last.grade, last.us), ("unattributed", Some("unattributed"), [0.0, 0.0]));
}

#[test]
fn cuts_keep_the_sums() {
    let tree = tree(model((0..3).map(|n| layer(n, 20)).collect()), model(vec![layer(0, 26), layer(1, 20)]));
    let large = tree.min_us(5.0);
    check(&large);
    assert_eq!(
        lines(&large),
        [
            "nn.Module: Model_0 [-]",
            "  nn.Module: Layer_0 [exact]",
            "    aten::addmm › sm80_gemm [exact]",
            "    2 more [-]",
            "  nn.Module: Layer_2 [deleted]",
            "    aten::addmm › sm80_gemm [deleted]",
            "    2 more [-]",
            "  1 more [-]",
            "4 more [-]",
        ]
    );
    assert!(large.notes[0].starts_with("9 rows that changed by less than 5 µs are added up: "), "{:?}", large.notes);
    let deleted = tree.grades(&[Grade::Added, Grade::Deleted]);
    check(&deleted);
    assert_eq!(row(&deleted, "nn.Module: Layer_2").grade, Some("deleted"));
    assert!(lines(&deleted).iter().filter(|line| line.contains("sm80_gemm")).all(|line| line.ends_with("[deleted]")));
    let flat = tree.depth(1);
    check(&flat);
    assert!(flat.rows().iter().all(|row| row.depth == 0) && flat.len() == 5);
    assert_eq!(tree.depth(0).len(), 0);
    check(&tree.min_us(5.0).min_us(10.0));
    check(&tree.min_us(f64::NAN));
}

#[test]
fn modules_add_their_calls_up() {
    let tree = tree(model((0..3).map(|n| layer(n, 20)).collect()), model(vec![layer(0, 26), layer(1, 20)]));
    let modules = tree.modules().unwrap();
    check(&modules);
    assert_eq!(
        lines(&modules),
        [
            "outside of modules [exact]",
            "nn.Module: Model_0 [-]",
            "  nn.Module: Layer_0 [exact]",
            "  nn.Module: Layer_1 [exact]",
            "  nn.Module: Layer_2 [deleted]",
        ]
    );
    assert_eq!(row(&modules, "nn.Module: Layer_0").delta_us, 6.0);
    let none = self::tree(vec![op("aten::mm", &[("gemm", 10)])], vec![op("aten::mm", &[("gemm", 12)])]);
    let error = none.modules().unwrap_err().to_string();
    assert!(
        error.contains("neither \"old\" nor \"new\" has an event `nn.Module: …`") && error.contains("with_stack=True"),
        "{error}"
    );
    let one = self::tree(model(vec![layer(0, 20)]), vec![op("aten::mm", &[("gemm", 12)])]);
    check(&one.modules().unwrap());
}

#[test]
fn siblings_without_change_are_folded_and_tables_are_bounded() {
    let program = |us: i64| {
        let calls = (0..3_000).map(|n| op(if n % 2 == 0 { "aten::mul" } else { "aten::exp" }, &[("k", 1 + n % 3)]));
        calls.chain([op("aten::mm", &[("gemm", us)])]).collect::<Vec<_>>()
    };
    let tree = tree(program(50), program(90));
    let table = tree.table();
    assert!(tree.len() > 3_000 && table.rows.len() <= 2_010, "{} {}", tree.len(), table.rows.len());
    assert!(table.notes.iter().any(|note| note.starts_with("the 2,000 rows of 3,0")), "{:?}", table.notes);
    let top: Vec<String> = shown(&tree.entries).into_iter().filter(|row| row.level == 0).map(|row| row.name).collect();
    assert!(
        top[0].starts_with("3,000 calls: aten::mul › k … aten::exp › k") && top[1].starts_with("aten::mm"),
        "{top:?}"
    );
}

#[test]
fn the_page_has_sentences_and_one_table() {
    let report = tree(model(vec![layer(0, 20)]), model(vec![layer(0, 50)])).present();
    let [Part::Text(text), .., Part::Table(table)] = &report.parts[..] else { panic!("{report:?}") };
    assert!(text.starts_with("new is "), "{text}");
    let heads: Vec<&str> = table.headers.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(heads, ["call", "old", "new", "Δ", "share of Δ", "grade", "verdict"]);
}

#[test]
fn random_programs_add_up() {
    let mut random = Random::new(7);
    let names = ["aten::mul", "aten::exp", "aten::mm", "aten::sum"];
    fn calls(random: &mut Random, names: &[&str], depth: usize) -> Vec<Call> {
        let count = 1 + random.below(4);
        let mut made = Vec::new();
        for _ in 0..count {
            let name = names[random.below(names.len())];
            let kernels: Vec<(&'static str, i64)> =
                (0..random.below(3)).map(|n| (["gemm", "copy", "reduce"][n], 1 + random.below(9) as i64)).collect();
            let below = if depth > 0 && random.below(2) == 0 { calls(random, names, depth - 1) } else { Vec::new() };
            let name = if below.is_empty() { name.to_owned() } else { format!("nn.Module: M_{}", random.below(3)) };
            made.push(Call { name, kernels, calls: below });
        }
        made
    }
    for _ in 0..60 {
        let (control, test) = (calls(&mut random, &names, 3), calls(&mut random, &names, 3));
        let tree = tree(control, test);
        check(&tree.min_us(3.0));
        check(&tree.grades(&[Grade::Added, Grade::Region]));
        check(&tree.depth(2).min_us(2.0));
        if let Ok(modules) = tree.modules() {
            check(&modules);
            check(&modules.min_us(3.0).depth(2));
        }
    }
}

fn check_pair(control: &TraceSet, test: &TraceSet) {
    let mut selections = vec![Explain::new(control, test)];
    for rank in control.ranks() {
        if test.ranks().contains(&rank) {
            selections.push(Explain::new(control, test).control_rank(rank).test_rank(rank));
        }
    }
    for iteration in control.iterations().into_iter().take(2) {
        selections.push(Explain::new(control, test).control_iteration(iteration));
    }
    if control.iterations().len() > 2 {
        selections.push(Explain::new(test, control).control_iteration(test.iterations()));
    }
    for selection in selections {
        let Ok(explained) = selection.run() else { continue };
        let tree = explained.tree();
        check(&tree);
        check_regions(&tree, &explained);
        check(&tree.min_us(5.0));
        check(&tree.depth(3));
        check(&tree.grades(&[Grade::Region, Grade::Added, Grade::Deleted]));
        if let Ok(modules) = tree.modules() {
            check(&modules);
        }
        assert!(tree.table().rows.len() <= 4_000);
    }
}

#[test]
fn the_demo_pair_adds_up_in_every_selection() {
    let load = |name: &str| TraceSet::load(format!("../../notebooks/data/{name}")).unwrap().with_label(name);
    let (control, test) = (load("control"), load("test"));
    check_pair(&control, &test);
    check_pair(&control, &control);
    let synchronized = (load("synchronized/control"), load("synchronized/test"));
    check_pair(&synchronized.0, &synchronized.1);
}

/// The files below a folder, and the folders with more than one.
fn traces(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            traces(&path, found);
        } else if name.ends_with(".json") || name.ends_with(".json.gz") {
            found.push(path);
        }
    }
}

#[test]
fn shared_traces_add_up_with_themselves_and_each_other() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    let mut paths = Vec::new();
    traces(&Path::new(&shared).join("traces"), &mut paths);
    paths.sort();
    let mut last: Option<TraceSet> = None;
    let mut pairs = 0;
    for path in paths.iter().filter(|path| path.metadata().is_ok_and(|data| data.len() < 1 << 20)) {
        let Ok(set) = TraceSet::load(path) else { continue };
        let set = set.with_label("shared");
        let itself = Explain::new(&set, &set).run().unwrap().tree();
        check(&itself);
        let regions = itself.rows().into_iter().filter(|row| row.kind == TreeKind::Region);
        assert!(regions.into_iter().all(|row| row.delta_us == 0.0 && row.grade == Some("exact")), "{}", path.display());
        if let Some(other) = &last {
            check_pair(other, &set);
            pairs += 1;
        }
        last = Some(set);
    }
    assert!(pairs > 5, "{pairs} pairs");
}

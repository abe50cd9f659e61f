//! Tests of completion and inspection on a notebook with traces, frames and items of cells.
#![allow(clippy::unwrap_used)]

mod frames;
mod items;

use super::{complete, inspect};
use crate::session::{Items, Variable, View};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_testkit::Random;
use trace_view::FrameSchema;

fn frame(name: &str, columns: &[(&str, &str)]) -> (String, Arc<FrameSchema>) {
    (name.to_owned(), Arc::new(FrameSchema::new(Some(1234), columns.iter().copied())))
}

/// Items of cells that ran.
const CELLS: &[&str] = &[
    "/// An interval of time.\n#[derive(Clone, Default)]\nstruct Span { start: i64, end: i64 }\n\
     impl Span {\n/// Its length in ns.\nfn length(&self) -> i64 { self.end - self.start }\nfn of(start: i64) -> Span { todo!() } }",
    "enum Phase { Forward, Backward { micro: u32 } }\nconst LIMIT: usize = 3;\nstatic NAME: &str = \"x\";\n\
     /// Doubles.\nfn doubled(x: i64) -> i64 { 2 * x }\nfn longest(spans: &[Span]) -> Option<Span> { None }",
    "trait Busy { fn busy_share(&self) -> f64; }\nimpl Busy for DataFrame { fn busy_share(&self) -> f64 { 0.0 } }",
    "macro_rules! square { ($x:expr) => { $x * $x } }\nmod shapes { pub fn area() -> f64 { 0.0 } fn hidden() {} }",
    "use plotly::{Bar, Layout, common::Mode};\nuse std::collections::VecDeque as Queue;\nuse serde_json::json;",
    "struct Old { before: i32 }",
    "struct Old { after: i32 }",
];

fn view() -> View {
    let mut items = Items::default();
    CELLS.iter().for_each(|cell| items.add(cell, None));
    items.add_crates(":dep rand = \"0.9\"");
    let variable =
        |(name, type_name): &(&str, &str)| Variable { name: (*name).to_owned(), type_name: (*type_name).to_owned() };
    let variables = [
        ("control", "TraceSet"),
        ("df", "DataFrame"),
        ("other", "LazyFrame"),
        ("ev", "DataFrame"),
        ("names", "Vec<String>"),
        ("counts", "std::collections::HashMap<String, i64>"),
        ("unknown", "my_crate::Unknown"),
    ];
    View {
        labels: vec!["control".to_owned()],
        variables: variables.iter().map(variable).collect(),
        frames: [
            frame("df", &[("diff_counts", "i64"), ("name", "str")]),
            frame("other", &[("difference", "f64"), ("name", "cat"), ("key", "i32")]),
            frame("ev", &[("name", "cat"), ("dur", "i64"), ("ts", "i64"), ("stream", "i32")]),
        ]
        .into(),
        events: [frame("control", &[("rank", "i64"), ("name", "cat"), ("dur", "i64"), ("correlation", "i64")])].into(),
        items: Arc::new(items),
        ..View::default()
    }
}

/// Returns the candidates at the `|`.
fn offered(code: &str) -> Vec<String> {
    let at = code.rfind('|').unwrap();
    let code = format!("{}{}", &code[..at], &code[at + 1..]);
    complete(&code, at, &view()).items.into_iter().map(|item| item.text).collect()
}

/// Returns the help page at the `|` as plain text.
fn shown(code: &str) -> String {
    let at = code.rfind('|').unwrap();
    let code = format!("{}{}", &code[..at], &code[at + 1..]);
    let bundle = inspect(&code, at, &view());
    bundle.map_or_else(String::new, |bundle| bundle.data["text/plain"].as_str().unwrap().to_owned())
}

#[test]
fn members_are_those_of_the_receiver_type() {
    for (code, first) in [
        ("df.heig|", "height"),
        ("df.lazy().gro|", "group_by"),
        ("df.clone().lazy().filter(col(\"a\").eq(lit(1)))\n    .coll|", "collect"),
        ("df.lazy().collect()?.heig|", "height"),
        ("df.column(\"a\")?.n_uni|", "n_unique"),
        ("control.even|", "event_count"),
        ("control.ranks().fir|", "first"),
        ("TraceSet::load(\"x\")?.lab|", "label"),
        ("TraceDiff::new(&control, &control).control_r|", "control_rank"),
        ("TraceDiff::new(&control, &control).compare_traces()?.heig|", "height"),
        ("col(\"a\").ali|", "alias"),
        ("lit(1).gt_|", "gt_eq"),
        ("names.with_|", ""),
        ("names.pus|", "push"),
        ("names.iter().enumer|", "enumerate"),
        ("names.iter().map(|name| name.len()).su|", "sum"),
        ("names[0].to_upp|", "to_uppercase"),
        ("names.first().unw|", "unwrap"),
        ("names.first().unwrap().to_low|", "to_lowercase"),
        ("counts.contains_|", "contains_key"),
        ("\"text\".char_|", "char_indices"),
        ("String::new().push_|", "push_str"),
        ("3.0_f64.sq|", "sqrt"),
        ("1_u32.checked_ad|", "checked_add"),
        ("SortMultipleOptions::default().with_n|", "with_nulls_last"),
        ("TraceAnalysis::new(&control)?.get_gpu_k|", "get_gpu_kernel_breakdown"),
        ("for rank in control.ranks() { rank.chec|", "checked_abs"),
        ("for (at, name) in names.iter().enumerate() { name.push_|", "push_str"),
        ("if let Some(first) = names.first() { first.to_upp|", "to_uppercase"),
        ("let (a, b) = (df, 1);\na.heig|", "height"),
        ("names.iter().filter(|name| name.starts_|", "starts_with"),
        ("counts.iter().map(|(name, count)| name.to_upp|", "to_uppercase"),
        ("names.iter().as_|", "as_slice"),
        ("1.coun|", "count_ones"),
        ("(df, 1).0.heig|", "height"),
        ("let df = df.lazy();\nlet df = df.limit(3);\ndf.gro|", "group_by"),
        ("df.LAZ|", "lazy"),
        ("std::time::Instant::now().elapsed().as_mill|", "as_millis"),
        ("let lf = df.lazy();\nlf.gro|", "group_by"),
        ("let n: Vec<DataFrame> = f();\nn[0].heig|", "height"),
        ("println!(\"{}\", df.heig|)", "height"),
        ("if df.shape_has|", "shape_has_zero"),
    ] {
        let found = offered(code);
        assert_eq!(found.first().map_or("", String::as_str), first, "{code}: {:?}", &found[..found.len().min(5)]);
    }
}

#[test]
fn unknown_receiver_offers_members_of_any_type() {
    let found = offered("unknown.group_b|");
    assert!(found.contains(&"group_by".to_owned()), "{found:?}");
    assert!(offered("undefined.|").contains(&"height".to_owned()));
    assert_eq!(offered("undefined.xyzzy|"), [""; 0]);
}

#[test]
fn record_fields_are_offered() {
    assert_eq!(offered("LoadOptions { str|")[0], "strict");
    assert!(offered("LoadOptions { strict: true, |")[..4].contains(&"label".to_owned()));
    assert!(shown("LoadOptions { str|ict: true }").contains("strict: bool"));
}

#[test]
fn paths_offer_items_and_members() {
    for (code, wanted) in [
        ("std::collections::HashMa|", "HashMap"),
        ("use std::collections::{BTreeMap, HashS|", "HashSet"),
        ("Vec::with_cap|", "with_capacity"),
        ("Vec::<u8>::with_cap|", "with_capacity"),
        ("std::time::Inst|", "Instant"),
        ("std::time::Duration::from_mill|", "from_millis"),
        ("std::fs::read_to|", "read_to_string"),
        ("std::|", "collections"),
        ("TraceSet::lo|", "load"),
        ("trace::prel|", "prelude"),
        ("trace::filter::|", "Where"),
        ("polars::prelude::Lazy|", "LazyFrame"),
        ("JoinType::In|", "Inner"),
        ("f64::consts::P|", "PI"),
        ("i64::MA|", "MAX"),
        ("String::from_u|", "from_utf8"),
        ("DataFrame::emp|", "empty"),
        ("Option::is_so|", "is_some"),
    ] {
        let found = offered(code);
        assert!(found.iter().any(|name| name == wanted), "{code}: {:?}", &found[..found.len().min(20)]);
    }
    assert_eq!(offered("no::such::|"), [""; 0]);
}

#[test]
fn names_are_variables_then_items_in_scope() {
    assert_eq!(offered("co|")[..2], ["control", "counts"]);
    assert_eq!(offered("|"), ["control", "counts", "df", "ev", "names", "other", "unknown"]);
    for (code, wanted) in [
        ("TraceD|", "TraceDiff"),
        ("DataF|", "DataFrame"),
        ("li|", "lit"),
        ("printl|", "println!"),
        ("Stri|", "String"),
        ("let total = 1;\nf(tot|", "total"),
        ("displ|", "display"),
        ("tracedi|", "TraceDiff"),
        ("le|", "let"),
        ("f6|", "f64"),
        ("pol|", "polars"),
    ] {
        let found = offered(code);
        assert!(
            found.iter().any(|name| name.trim_end_matches('!') == wanted.trim_end_matches('!')),
            "{code}: {found:?}"
        );
    }
    for nothing in ["// co|", "\"co|", "1.|", "let x = 0.|", "12|"] {
        assert_eq!(offered(nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn inspection_shows_signature_and_documentation() {
    for (code, parts) in [
        ("TraceD|iff::new(a, b)", &["struct TraceDiff", "\n\n"][..]),
        ("TraceDiff::ne|w(a, b)", &["fn new("]),
        ("TraceDiff::new(&control, &control).compare_trac|es()", &["fn compare_traces(", "Columns"]),
        ("df.lazy().group_b|y([col(\"a\")])", &["LazyFrame: fn group_by", "group-by"]),
        ("df.lazy().group_by(|", &["fn group_by"]),
        ("col|(\"a\")", &["fn col", "Expr"]),
        ("d|f.height()", &["df: DataFrame"]),
        ("control|", &["control: TraceSet", "All ranks"]),
        ("std::collections::HashM|ap", &["struct HashMap"]),
        ("Vec::with_capaci|ty(3)", &["fn with_capacity(capacity: usize) -> Self", "at least"]),
        ("let lf = df.lazy();\nl|f", &["lf: LazyFrame"]),
    ] {
        let text = shown(code);
        assert!(parts.iter().all(|part| text.contains(part)), "{code}: {text}");
        assert!(!text.contains("[`"), "{code}: {text}");
    }
    for nothing in ["1 + |2", "// TraceD|iff", "xyzzy|", "\"TraceD|iff\"", "|"] {
        assert_eq!(shown(nothing), "", "{nothing}");
    }
}

#[test]
fn any_text_and_cursor_is_accepted() {
    let code = "let é = \"ü\".𝒳;\nuse a::{b, c}; %x\n df.select([col(\"a\")]).filter(|x| x.y[0]?.z::<>()) }}]) r#\"";
    for at in (0..=code.len()).filter(|&at| code.is_char_boundary(at)) {
        complete(code, at, &view());
        inspect(code, at, &view());
    }
}

/// Pieces of random cells, valid and invalid.
const PIECES: &[&str] = &[
    "df",
    "control",
    "names",
    "let ",
    "x",
    "a",
    " = ",
    ".",
    "..",
    "::",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "::<",
    ",",
    ";",
    "&",
    "&mut ",
    "'a ",
    "'",
    "\"",
    "\\",
    "r#\"",
    "\"#",
    "//",
    "/*",
    "*/",
    "\n",
    " ",
    "!",
    "?",
    "|x| ",
    "->",
    "=>",
    "0",
    "1.",
    "0x",
    "lazy()",
    "select([col(\"",
    "collect::<Vec<_>>()",
    "Vec<",
    "impl ",
    "dyn ",
    "fn ",
    "use ",
    "as ",
    "if ",
    "for ",
    "in ",
    "match ",
    "unsafe ",
    "async ",
    "é",
    "𝒳",
    "\u{0}",
    "\u{202e}",
    "\r",
    "\t",
    "b'",
    "c\"",
    "#[",
    "#!",
    "---",
    "$x",
    "@",
    "~",
    "std",
    "iter()",
    "zip(names)",
    "0.",
    "split_at(1)",
];

#[test]
fn random_cells_are_completed_in_time() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut next = |below: usize| random.below(below);
    let view = view();
    let started = Instant::now();
    for round in 0..2500 {
        let length = next(if round % 50 == 0 { 400 } else { 24 });
        let code: String = (0..length).map(|_| PIECES[next(PIECES.len())]).collect();
        let mut cursor = next(code.len() + 1);
        while !code.is_char_boundary(cursor) {
            cursor -= 1;
        }
        let one = Instant::now();
        let found = complete(&code, cursor, &view);
        assert!(found.start <= cursor && code.is_char_boundary(found.start), "{code:?} at {cursor}");
        inspect(&code, cursor, &view);
        assert!(one.elapsed() < Duration::from_secs(10), "{:?}: {code:?} at {cursor}", one.elapsed());
    }
    assert!(started.elapsed() < Duration::from_secs(300), "{:?}", started.elapsed());
}

#[test]
fn deep_and_long_cells_are_completed_in_time() {
    for piece in [
        "(",
        "[",
        "{",
        "<",
        "Vec<",
        "&",
        "!",
        "-",
        "if ",
        "|x| ",
        "a.",
        "a::",
        "a = ",
        "f(",
        "x.f(",
        "x[0]",
        "a.b()?",
        "->",
        ")",
        "]",
        "}",
        ">",
        "'a ",
        "é",
        "\"",
        "a::<",
        "let x: &",
        "match x {",
        "use a::{",
        "let x = x;",
        "x.split_at(1).0",
        "names.iter().zip(names).",
        "fn f() {",
        "impl ",
        "dyn Fn() -> ",
        "return ",
        "async ",
        "#[a] ",
        "/*",
        "b'",
        "a as ",
    ] {
        for times in [300, 900, 200_000 / piece.len()] {
            for end in ["", ".", "::", "df.", "col(\"", ": Vec<u8>"] {
                let code = piece.repeat(times) + end;
                let started = Instant::now();
                complete(&code, code.len(), &view());
                inspect(&code, code.len(), &view());
                let took = started.elapsed();
                assert!(took < Duration::from_secs(20), "{piece:?} {times} times, {end:?}: {took:?}");
            }
        }
    }
    // The start counts from the cell, not from the window.
    let code = "let a = 1;\n".repeat(20_000) + "df.heig";
    let found = complete(&code, code.len(), &view());
    assert_eq!((found.start, found.items[0].text.as_str()), (code.len() - 4, "height"));
}

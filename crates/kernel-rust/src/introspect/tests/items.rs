//! Tests of items of cells, engine commands, and crates other than polars.

use super::{offered, shown};

#[test]
fn items_of_cells_are_offered() {
    for (code, first) in [
        ("doub|", "doubled"),
        ("Spa|", "Span"),
        ("squa|", "square!"),
        ("LIM|", "LIMIT"),
        ("Span { sta|", "start"),
        ("Span::o|", "of"),
        ("Span::of(1).len|", "length"),
        ("let s = Span::default();\ns.en|", "end"),
        ("longest(&[]).unwrap().sta|", "start"),
        ("Phase::Back|", "Backward"),
        ("df.busy|", "busy_share"),
        ("shapes::|", "area"),
        ("crate::shapes::ar|", "area"),
        ("Old { |", "after"),
        // Items of the cell itself, also below the cursor.
        ("Lo|\nstruct Local { inner: Vec<i32> }", "Local"),
        ("struct Local { inner: Vec<i32> }\nlet l: Local = f();\nl.inner.pus|", "push"),
        ("fn made() -> DataFrame { todo!() }\nmade().heig|", "height"),
        ("struct Span { only: i32 }\nSpan { o|", "only"),
        ("impl Span { fn half(&self) -> i64 { self.sta|", "start"),
        // Imports.
        ("Queu|", "Queue"),
        ("jso|", "json!"),
        ("Mod|", "Mode"),
        ("Queue::with_ca|", "with_capacity"),
        ("ran|", "rand"),
    ] {
        let found = offered(code);
        assert_eq!(found.first().map_or("", String::as_str), first, "{code}: {:?}", &found[..found.len().min(5)]);
    }
    assert_eq!(offered("shapes::hid|"), [""; 0]);
    assert!(!offered("Old { |").contains(&"before".to_owned()));
    assert!(!offered("struct Span { only: i32 }\nlet s: Span = f();\ns.|").contains(&"start".to_owned()));
}

#[test]
fn items_of_cells_are_inspected() {
    for (code, parts) in [
        ("doubl|ed(1)", &["fn doubled(x: i64) -> i64", "Doubles.", "(defined in a cell)"][..]),
        ("doubled(|", &["fn doubled(x: i64) -> i64"]),
        ("Spa|n::of(1)", &["struct Span", "An interval of time."]),
        ("Span::of(1).leng|th()", &["Span: fn length(&self) -> i64", "Its length in ns."]),
        ("LIMI|T", &["const LIMIT: usize = 3"]),
        ("Phase::Backwar|d", &["Backward { micro: u32 }"]),
        ("squar|e!(2)", &["macro_rules! square"]),
        ("let s = Span::of(1);\ns|", &["s: Span", "An interval of time."]),
        ("df.busy_sha|re()", &["Busy: fn busy_share(&self) -> f64"]),
    ] {
        let text = shown(code);
        assert!(parts.iter().all(|part| text.contains(part)), "{code}: {text}");
    }
}

#[test]
fn engine_commands_are_offered_without_rust() {
    assert_eq!(offered(":de|"), [":dep"]);
    assert_eq!(offered("let x = 1;\n:v|"), [":vars"]);
    assert_eq!(offered(":dep ra|"), [""; 0]);
    assert_eq!(offered(":dep |"), [""; 0]);
    assert!(shown(":de|p rand = \"0.9\"").contains("add a crate"));
}

#[test]
fn plotly_and_serde_json_are_indexed() {
    for (code, first) in [
        ("plotly::Sca|", "Scatter"),
        ("use plotly::{Plot, HeatM|", "HeatMap"),
        ("plotly::common::Mod|", "Mode"),
        ("plotly::common::Mode::LinesM|", "LinesMarkers"),
        ("plotly::layout::Ax|", "Axis"),
        ("let mut plot = plotly::Plot::new();\nplot.add_tr|", "add_trace"),
        ("let mut plot = plotly::Plot::new();\nplot.set_lay|", "set_layout"),
        ("Bar::new(a, b).nam|", "name"),
        ("Bar::new(a, b).name(\"x\").text_pos|", "text_position"),
        ("plotly::Scatter::new(a, b).mode(m).line(l).hover_te|", "hover_template"),
        ("Layout::new().title(\"x\").x_ax|", "x_axis"),
        ("Layout::new().bar_mo|", "bar_mode"),
        ("Layout::new().|", "active_shape"),
        ("serde_json::from_s|", "from_str"),
        ("serde_json::jso|", "json!"),
        ("let v: serde_json::Value = f();\nv.as_arr|", "as_array"),
        ("serde_json::Value::Arr|", "Array"),
        ("serde_json::Map::new().contains_k|", "contains_key"),
    ] {
        let found = offered(code);
        assert!(found.iter().take(3).any(|name| name == first), "{code}: {:?}", &found[..found.len().min(5)]);
    }
    assert!(shown("Layout::new().titl|e(\"x\")").contains("fn title(mut self, value: impl Into<Title>) -> Self"));
    assert!(shown("serde_json::to_strin|g(&x)").contains("(serde_json)"));
}

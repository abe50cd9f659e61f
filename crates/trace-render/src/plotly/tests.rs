use super::figure::figure;
use super::offline_plotly_js;
use super::style::wrap;
use super::ticks::{MOST_TICKS, TICK_CHARS};
use serde_json::{Value, json};
use trace_view::palette::SERIES;
use trace_view::{Axis, Choice, Figure, Mark, Points, Series, Unit};

fn bars(names: &[&str]) -> Figure {
    let x = Points::Names(names.iter().map(|&name| name.to_owned()).collect());
    let series =
        |name: &str| Series { name: name.to_owned(), mark: Mark::Bar, x: x.clone(), y: vec![1234.5; names.len()] };
    Figure {
        title: "Ops Duration Comparison".to_owned(),
        y: Axis { title: "Total Duration".to_owned(), unit: Unit::Micros, ..Axis::default() },
        series: ["control", "test", "Difference"].map(series).to_vec(),
        ..Figure::default()
    }
}

#[test]
fn script_contains_plotly_js_only() {
    let js = offline_plotly_js();
    assert!(js.starts_with("/**\n* plotly.js v3"), "{:?}", js.get(..40));
    assert!(js.len() > 4_000_000 && !js.contains("</script") && !js.contains("MathJax-script"));
}

#[test]
fn empty_namespaces_are_hidden_in_texts_only() {
    let json = figure(&bars(&["at::native::::multi_tensor_apply_kernel", "::softmax_warp_backward"]));
    assert_eq!(json["data"][0]["x"], json!(["at::native::::multi_tensor_apply_kernel", "::softmax_warp_backward"]));
    let shown = json!(["at::native::multi_tensor_apply_kernel", "softmax_warp_backward"]);
    assert_eq!(json["data"][0]["hovertext"], shown);
    let ticks: Vec<&str> =
        json["layout"]["xaxis"]["ticktext"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert_eq!(ticks.len(), 2);
    assert!(ticks.iter().all(|text| !text.contains("::::") && !text.starts_with("::")), "{ticks:?}");
}

#[test]
fn three_series_share_names_as_bars() {
    let json = figure(&bars(&["aten::mm", "aten::add"]));
    assert_eq!(json["data"].as_array().map(Vec::len), Some(3));
    for trace in json["data"].as_array().into_iter().flatten() {
        assert_eq!(trace["type"], "bar");
        assert_eq!(trace["x"], json!(["aten::mm", "aten::add"]));
        assert_eq!(trace["y"], json!([1234.5, 1234.5]));
        assert!(trace.get("orientation").is_none());
    }
    assert_eq!(json["layout"]["barmode"], "group");
    assert_eq!(json["layout"]["yaxis"]["title"]["text"], "Total Duration [µs]");
    assert_eq!(json["layout"]["xaxis"]["automargin"], true);
    assert!(json["layout"].get("template").is_none() && json["layout"].get("font").is_none());
    assert_eq!(
        json["data"][0]["hovertemplate"],
        "<b>%{hovertext}</b><br>%{fullData.name}: %{y:,.1f} µs<extra></extra>"
    );
}

#[test]
fn equal_elided_names_keep_separate_bars() {
    let one = format!("{}1{}", "a".repeat(100), "b".repeat(100));
    let two = format!("{}2{}", "a".repeat(100), "b".repeat(100));
    let json = figure(&bars(&[&one, &two, "twice", "twice", "0"]));
    assert_eq!(json["data"][0]["x"], json!([one, two, "twice", "twice (2)", "0"]));
    assert_eq!(json["layout"]["xaxis"]["tickvals"], json!([one, two, "twice", "twice (2)", "0"]));
    let texts = &json["layout"]["xaxis"]["ticktext"];
    assert_ne!(texts[0], texts[1]);
    assert!(texts[0].as_str().is_some_and(|text| text.chars().count() <= TICK_CHARS));
    assert!(json["data"][0]["hovertext"][0].as_str().is_some_and(|text| text.replace("<br>", "") == one));
}

#[test]
fn long_names_wrap_between_words() {
    let name = format!("{} {}", "a".repeat(60), "b".repeat(60));
    assert_eq!(wrap(&name, 80), [format!("{} ", "a".repeat(60)), "b".repeat(60)]);
    assert_eq!(wrap(&"<".repeat(81), 80), ["&lt;".repeat(80), "&lt;".to_owned()]);
    assert_eq!(wrap("", 80), [""]);
}

#[test]
fn texts_of_traces_are_escaped() {
    let evil = "<a href=\"javascript:alert(1)\">x</a>&lt;b&gt;";
    let mut figure = bars(&[evil]);
    (figure.title, figure.subtitle) = (evil.to_owned(), evil.to_owned());
    figure.y.title = evil.to_owned();
    figure.series[0].name = evil.to_owned();
    let json = super::figure::figure(&figure).to_string();
    assert!(!json.contains("<a ") && !json.contains("&lt;b&gt;"), "{json}");
    assert!(json.contains("&amp;lt;b&amp;gt;"));
}

#[test]
fn nan_is_gap_and_many_names_share_ticks() {
    let names: Vec<String> = (0..500).map(|n| format!("op{n}")).collect();
    let mut figure = bars(&names.iter().map(String::as_str).collect::<Vec<_>>());
    figure.series[0].y[0] = f64::NAN;
    let json = super::figure::figure(&figure);
    assert_eq!(json["data"][0]["y"][0], Value::Null);
    assert_eq!(json["data"][0]["x"].as_array().map(Vec::len), Some(500));
    assert!(json["layout"]["xaxis"]["tickvals"].as_array().is_some_and(|ticks| ticks.len() <= MOST_TICKS));
}

#[test]
fn lines_and_steps_use_number_axis() {
    let line = |mark| Series { name: "queue".to_owned(), mark, x: Points::Numbers(vec![0.0, 1.5]), y: vec![1.0, 2.0] };
    let json = figure(&Figure {
        x: Axis { title: "time".to_owned(), unit: Unit::Millis, ..Axis::default() },
        y: Axis { log: true, ..Axis::default() },
        series: vec![line(Mark::Line), line(Mark::Step)],
        ..Figure::default()
    });
    assert_eq!(json["data"][1]["line"]["shape"], "hv");
    assert_eq!(json["layout"]["yaxis"]["type"], "log");
    assert_eq!(json["layout"]["xaxis"]["title"]["text"], "time [ms]");
    assert!(json["layout"]["xaxis"].get("tickvals").is_none());
}

#[test]
fn ranks_have_ticks_at_whole_numbers_only() {
    let at = |ranks: &[f64]| {
        let x = Points::Numbers(vec![0.0; ranks.len()]);
        let series = vec![Series { name: "long".to_owned(), mark: Mark::Line, x, y: ranks.to_vec() }];
        figure(&Figure { y: Axis { whole: true, ..Axis::default() }, series, ..Figure::default() })["layout"]["yaxis"]
            ["dtick"]
            .clone()
    };
    assert_eq!([at(&[0.0, 3.0]), at(&[5.0]), at(&[]), at(&[f64::NAN, 1.0])], [1; 4].map(Value::from));
    assert_eq!(at(&[0.0, 63.0]), Value::Null, "plotly.js thins them out");
    let mut counts = bars(&["aten::mm"]);
    counts.y = Axis { whole: true, ..Axis::default() };
    assert_eq!(figure(&counts)["layout"]["yaxis"]["dtick"], Value::Null, "a bar of 1,234 begins at zero");
}

#[test]
fn long_legend_is_beside_the_plot() {
    let mut many = bars(&["aten::mm"]);
    let above = figure(&many);
    assert_eq!(above["layout"]["legend"]["orientation"], "h");
    let series = many.series[0].clone();
    many.series = (0..20).map(|n| Series { name: format!("rank 0 · stream {n}"), ..series.clone() }).collect();
    let beside = figure(&many);
    assert_eq!(beside["layout"]["legend"]["orientation"], "v");
    let colours: std::collections::BTreeSet<String> =
        beside["layout"]["colorway"].as_array().into_iter().flatten().map(Value::to_string).collect();
    assert_eq!(colours.len(), 24);
}

#[test]
fn choice_shows_only_its_series_and_names() {
    let mut two = bars(&["gemm"]);
    two.series[1].x = Points::Names(vec!["nccl".to_owned()]);
    two.series[2].x = Points::Names(vec!["nccl".to_owned()]);
    let choice = |name: &str, series: &[usize]| Choice { name: name.to_owned(), series: series.to_vec() };
    two.choices = vec![choice("<computation>", &[0]), choice("communication", &[1, 2])];
    let json = figure(&two);
    assert_eq!([0, 1, 2].map(|n| json["data"][n]["visible"] == true), [true, false, false]);
    assert_eq!(json["data"][1]["marker"]["color"], SERIES[0], "the first of its choice");
    assert_eq!(json["layout"]["xaxis"]["tickvals"], json!(["gemm"]));
    let buttons = &json["layout"]["updatemenus"][0]["buttons"];
    assert_eq!(buttons[0]["label"], "&lt;computation&gt;");
    assert_eq!(buttons[1]["args"][0]["visible"], json!([false, true, true]));
    assert_eq!(buttons[1]["args"][1]["xaxis.tickvals"], json!(["nccl"]));
    let still = two.still();
    assert_eq!((still.series.len(), still.subtitle.as_str()), (1, "<computation>, 1 of 2"));
}

#[test]
fn empty_figure_has_text() {
    let json = figure(&Figure::default());
    assert_eq!(json["data"], json!([]));
    assert_eq!(json["layout"]["annotations"][0]["text"], "nothing to draw");
}

#[test]
fn a_waterfall_leads_from_total_to_total() {
    let names = Points::Names(["step of a", "aten::mm", "idle", "step of b"].map(str::to_owned).to_vec());
    let series =
        Series { name: "change".to_owned(), mark: Mark::Waterfall, x: names, y: vec![100.0, 5.0, -2.0, 103.0] };
    let json = figure(&Figure { series: vec![series], ..Figure::default() });
    assert_eq!(json["data"][0]["type"], "waterfall");
    assert_eq!(json["data"][0]["measure"], json!(["absolute", "relative", "relative", "total"]));
    assert_eq!(json["data"][0]["y"], json!([100.0, 5.0, -2.0, 103.0]));
    assert_eq!(json["data"][0]["text"], json!(["100", "+5", "−2", "103"]));
    // `%{y}` of plotly.js would be the sum up to the bar.
    let hover = json["data"][0]["hovertemplate"].as_str().unwrap_or_default();
    assert!(hover.contains("%{text}") && !hover.contains("%{y"), "{hover}");
    // Changes of 5 % are seen: the axis does not begin at zero.
    assert!(json["layout"]["yaxis"]["range"][0].as_f64() > Some(90.0), "{}", json["layout"]["yaxis"]);
    // The cut is drawn over both totals.
    let cuts =
        json["layout"]["shapes"].as_array().map(|cuts| cuts.iter().map(|cut| cut["x0"].as_f64()).collect::<Vec<_>>());
    assert_eq!(cuts, Some(vec![Some(-0.45), Some(-0.45), Some(2.55), Some(2.55)]));
}

#[test]
fn a_waterfall_from_zero_has_no_cut() {
    let names = Points::Names(["step of a", "idle", "step of b"].map(str::to_owned).to_vec());
    let series = Series { name: "change".to_owned(), mark: Mark::Waterfall, x: names, y: vec![100.0, 150.0, 250.0] };
    let json = figure(&Figure { series: vec![series], ..Figure::default() });
    assert_eq!((&json["layout"]["yaxis"]["range"][0], &json["layout"]["shapes"]), (&json!(0.0), &json!(null)));
}

#[test]
fn intervals_of_a_waterfall_are_error_bars_where_bars_end() {
    let names = Points::Names(["step of a", "aten::mm", "idle", "step of b"].map(str::to_owned).to_vec());
    let series =
        Series { name: "change".to_owned(), mark: Mark::Waterfall, x: names, y: vec![100.0, 5.0, -2.0, 103.0] };
    let intervals = vec![None, Some([3.0, 6.0]), None, Some([101.0, 110.0])];
    let json = figure(&Figure { series: vec![series], intervals, ..Figure::default() });
    let bars = &json["data"][1];
    assert_eq!((&bars["type"], &bars["y"]), (&json!("scatter"), &json!([100.0, 105.0, 103.0, 103.0])));
    assert_eq!(bars["error_y"]["array"], json!([null, 1.0, null, 7.0]));
    assert_eq!(bars["error_y"]["arrayminus"], json!([null, 2.0, null, 2.0]));
    assert_eq!(json["data"][0]["customdata"], json!(["", "<br>95 %: +3 … +6", "", "<br>95 %: 101 … 110"]));
    let labels = &json["data"][2];
    assert_eq!(
        (&labels["mode"], &labels["y"]),
        (&json!("markers+text"), &json!([100.0, 106.0, 103.0, 110.0])),
        "beyond the intervals"
    );
    assert_eq!(labels["textposition"], json!(["top center", "top center", "bottom center", "top center"]));
    assert_eq!(labels["text"], json!(["100", "+5", "−2", "103"]));
    assert!(json["layout"]["yaxis"]["range"][1].as_f64() > Some(110.0), "{}", json["layout"]["yaxis"]);
}

#[test]
fn figure_of_a_million_points_has_small_json() {
    let long = |shift: i32| {
        let x: Vec<f64> = (0..125_000).map(|at| f64::from(at * 8 + shift) * 1.000_001).collect();
        let y = x.iter().map(|x| (x * 0.001).sin() * 1e3).collect();
        Series { name: "queue".to_owned(), mark: Mark::Step, x: Points::Numbers(x), y }
    };
    let mut many = Figure { series: (0..8).map(long).collect(), ..Figure::default() };
    many.thin_out(30_000);
    let json = figure(&many).to_string().len();
    assert!((100_000..2_000_000).contains(&json), "{json}");
}

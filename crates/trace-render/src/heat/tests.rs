#![allow(clippy::unwrap_used)]

use super::*;
use crate::png::Fill;
use crate::{bundle, heat_map};
use serde_json::{Value, json};
use trace_view::palette::{DIVERGING, SEQUENTIAL};
use trace_view::{Axis, Colours, HeatMap, Labelled, PLOTLY, PNG, Part, Points, Unit};

fn map(values: Vec<Vec<f64>>) -> HeatMap {
    HeatMap {
        title: "heat <&>".to_owned(),
        x: Axis { title: "rank".to_owned(), ..Axis::default() },
        columns: Points::Names(Vec::new()),
        rows: Points::Names(vec!["<script>".to_owned()]),
        values,
        meaning: "dur".to_owned(),
        unit: Unit::Millis,
        ..HeatMap::default()
    }
}

/// Returns fill, left edge and top edge of each rectangle.
fn rectangles(map: &HeatMap) -> Vec<(Fill, f64, f64)> {
    let drawn = picture(map).unwrap();
    drawn.below.iter().map(|cell| (cell.fill, cell.left, cell.top)).collect()
}

fn fill(colour: &str) -> Fill {
    let channel = |from: usize| u8::from_str_radix(&colour[from..from + 2], 16).unwrap();
    Fill::Plain([channel(1), channel(3), channel(5)])
}

#[test]
fn larger_values_are_lighter_and_gaps_empty() {
    let drawn = rectangles(&map(vec![vec![1.0, 2.0, f64::NAN], vec![3.0, 3.0, 5.0]]));
    let fills: Vec<Fill> = drawn.iter().map(|rectangle| rectangle.0).collect();
    assert_eq!(fills.len(), 5, "equal neighbours are one: {drawn:?}");
    assert_eq!((fills[0], fills[2], fills[4]), (fill(SEQUENTIAL[0]), Fill::Hatched, fill(SEQUENTIAL[4])));
    assert!(drawn[3].2 < drawn[0].2, "the first row is at the bottom");
    let picture = picture(&map(vec![vec![1.0, f64::NAN]])).unwrap();
    assert!(picture.svg.contains("hatched: no value") && picture.svg.contains("dur [ms]"));
}

#[test]
fn values_around_zero_have_diverging_colours() {
    let drawn = rectangles(&map(vec![vec![-4.0, 0.0, 2.0]]));
    assert_eq!(drawn[0].0, fill(DIVERGING[0]));
    assert_ne!(drawn[2].0, fill(DIVERGING[2]), "2 is half as far from zero as -4");
}

#[test]
fn many_values_are_averaged_and_subtitle_says_so() {
    let large = map(vec![vec![1.0; 1_000]; 400]);
    let started = std::time::Instant::now();
    let svg = picture(&large).unwrap().svg;
    assert!(svg.contains("each value is the mean of 3 × 5 values"), "{}", &svg[..600]);
    assert!(heat_map(&large).data.contains_key(PNG));
    let busy = map((0..400).map(|row| (0..1_000).map(|column| f64::from(row * column % 97)).collect()).collect());
    assert!(heat_map(&busy).data.contains_key(PNG));
    assert!(started.elapsed().as_secs_f64() < 5.0, "{:?}", started.elapsed());
}

#[test]
fn extreme_values_are_drawn_and_empty_maps_have_text() {
    for values in [vec![vec![f64::MIN, f64::MAX]], vec![vec![7.0]], vec![vec![f64::INFINITY, 1.0], vec![]]] {
        assert!(heat_map(&map(values)).data.contains_key(PNG));
    }
    for values in [vec![], vec![vec![]], vec![vec![f64::NAN]]] {
        let bundle = heat_map(&map(values));
        assert!(!bundle.data.contains_key(PNG) && bundle.plain().contains("nothing to draw"));
    }
}

#[test]
fn names_are_escaped_in_heat_map() {
    let svg = picture(&map(vec![vec![1.0]])).unwrap().svg;
    assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
}

/// A heat map of deviations: 512 ranks, of which 37 and 38 have a long idle time and 300 is missing.
fn ranks() -> HeatMap {
    let value = |row: usize, rank: usize| match (row, rank) {
        (_, 300) => f64::NAN,
        (0, 37 | 38) => 35.25,
        _ => ((rank * 7919 + row) % 21) as f64 / 10.0 - 1.0,
    };
    let values: Vec<Vec<f64>> = (0..3).map(|row| (0..512).map(|rank| value(row, rank)).collect()).collect();
    HeatMap {
        title: "Deviation by rank".to_owned(),
        x: Axis { title: "rank".to_owned(), whole: true, ..Axis::default() },
        columns: Points::Numbers((0..512).map(f64::from).collect()),
        rows: Points::Names(["idle_time", "compute_time", "void <kernel>"].map(str::to_owned).to_vec()),
        details: values.iter().map(|row| row.iter().map(|value| format!("{:.1} ms", value + 2.0)).collect()).collect(),
        values,
        meaning: "robust z".to_owned(),
        colours: Colours::Differences,
        range: Some((-6.0, 6.0)),
        labelled: Labelled { columns: vec![37, 38, 300], rows: vec![2] },
        from_top: true,
        ..HeatMap::default()
    }
}

#[test]
fn every_rank_of_many_is_drawn_and_outliers_are_labelled() {
    let drawn = picture(&ranks()).unwrap();
    assert!(!drawn.svg.contains("each value is"), "512 ranks are not combined");
    for text in [">37, 38<", ">300<", ">idle_time<", ">100<", ">500<", "hatched: no value", ">robust z<"] {
        assert!(drawn.svg.contains(text), "{text}");
    }
    assert!(drawn.below.iter().any(|cell| cell.fill == fill(DIVERGING[2])), "35 has the colour of 6");
    assert!(drawn.height < 400.0, "{}", drawn.height);
}

#[test]
fn text_names_outliers_with_their_largest_value() {
    let lines = text(&ranks());
    assert!(lines.contains("heat map of 3 × 512: robust z −1 to 35.25"), "{lines}");
    assert!(lines.contains("rank 37: idle_time 37.2 ms, robust z 35.25"), "{lines}");
    assert!(!lines.contains("rank 300"), "a column of gaps has nothing to say: {lines}");
}

#[test]
fn plotly_gets_numbers_details_and_labels() {
    let bundle = bundle(&Part::HeatMap(ranks()), None);
    assert!(bundle.data.contains_key(PNG));
    let json = &bundle.data[PLOTLY];
    let trace = &json["data"][0];
    assert_eq!(
        (&trace["type"], &trace["z"][0][37], &trace["z"][0][300]),
        (&json!("heatmap"), &json!(35.25), &Value::Null)
    );
    assert_eq!((&trace["zmin"], &trace["zmax"]), (&json!(-6.0), &json!(6.0)));
    assert_eq!(trace["text"][0][37], "37.2 ms");
    assert_eq!(trace["y"][2], "void &lt;kernel&gt;");
    assert_eq!(trace["hovertemplate"], "<b>rank %{x}</b><br>%{y}: %{text}<br>robust z: %{z:,}<extra></extra>");
    let labels: Vec<(&Value, &Value)> =
        json["layout"]["annotations"].as_array().unwrap().iter().map(|label| (&label["text"], &label["x"])).collect();
    assert_eq!(labels[0], (&json!("37, 38"), &json!(37.5)));
    assert_eq!(json["layout"]["annotations"][2]["y"], "void &lt;kernel&gt;");
    assert_eq!(json["layout"]["yaxis"]["autorange"], "reversed");
    assert!(json["layout"]["xaxis"].get("tickvals").is_none(), "plotly.js chooses the ticks of numbers");
    assert!(serde_json::to_vec(json).unwrap().len() < 64_000);
}

#[test]
fn unevenly_spaced_ranks_are_names() {
    let map = HeatMap {
        columns: Points::Numbers(vec![0.0, 8.0, 9.0]),
        labelled: Labelled { columns: vec![1], rows: Vec::new() },
        ..map(vec![vec![1.0, 2.0, 3.0]])
    };
    let json = &bundle(&Part::HeatMap(map), None).data[PLOTLY];
    assert_eq!(
        (&json["data"][0]["x"], &json["layout"]["xaxis"]["type"]),
        (&json!(["0", "8", "9"]), &json!("category"))
    );
    assert_eq!(json["layout"]["annotations"][0]["x"], "8");
}

#[test]
fn more_ranks_than_pixels_keep_their_extremes() {
    for (colours, meaning) in [(Colours::Differences, "farthest from zero"), (Colours::Amounts, "largest")] {
        let mut values = vec![0.1; 4096];
        values[1234] = 9.0;
        let map = HeatMap { colours, ..map(vec![values]) };
        let drawn = picture(&map).unwrap();
        assert!(drawn.svg.contains(&format!("each value is the {meaning} of 1 × 7 values")), "{}", drawn.svg);
        let brightest = if colours == Colours::Amounts { SEQUENTIAL[4] } else { DIVERGING[2] };
        assert!(drawn.below.iter().any(|cell| cell.fill == fill(brightest)));
    }
}

//! The only file that names plotly.
//!
//! Plotly reads a few tags and entities in every text it draws (`<b>`, `<a href>`, `&lt;`), so texts that come from a
//! trace are escaped. Colours of text, grid and background are left to whoever draws the figure, so that it suits a light
//! and a dark page.

use plotly::common::{
    Anchor, AxisSide, ExponentFormat, Label, Line, LineShape, Mode, Orientation, Pad, Reference, TickMode, Title,
};
use plotly::configuration::ModeBarButtonName;
use plotly::layout::{Annotation, Axis as PlotlyAxis, AxisType, BarMode as PlotlyBarMode, HoverMode, Legend, Margin};
use plotly::{Bar, Configuration, Layout, Plot, Scatter};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::menu;
use super::names::{elide_apart, one_line, places, unique};
use super::palette::{self, SERIES};
use crate::format::number;
use crate::{Axis, BarMode, Figure, Mark, Points, Series, tidied};

/// How many characters of a name stand at the axis.
const TICK_CHARS: usize = 34;
/// Up to so many characters lie flat.
const TICKS_CHARS: usize = 110;
/// Up to so many names lie aslant.
const FEW_NAMES: usize = 24;
/// How many names stand at the axis; of more, every second, third, … is written.
const MOST_TICKS: usize = 60;
/// Where the names in the hover text break.
const HOVER_CHARS: usize = 80;
/// Where the line below the title breaks.
const SUBTITLE_CHARS: usize = 110;
/// With more points than this a line has no markers.
const MOST_MARKERS: usize = 100;
/// With more characters than this a legend no longer fits into one line above the plot.
const LEGEND_CHARS: usize = 110;
/// About how many characters the mark of a series takes in the legend.
const LEGEND_MARK: usize = 7;
/// An axis of whole numbers that reaches no further has a tick at each.
const MOST_WHOLE: f64 = 16.0;
const HEIGHT: u32 = 480;
/// About how wide a character at the axis is, in pixels.
const CHAR: f64 = 6.0;
const TRANSPARENT: &str = "rgba(0,0,0,0)";

/// The plotly.js that the `plotly` crate carries, as one script text of 4.7 MB.
pub fn offline_plotly_js() -> String {
    // Two script elements: plotly.js, then MathJax, which we do not need.
    let mut js = Plot::offline_js_sources();
    js.truncate(js.find("</script>").unwrap_or(js.len()));
    let start = js.find('>').map_or(0, |end_of_tag| end_of_tag + 1);
    js.split_off(start)
}

/// The content of `application/vnd.plotly.v1+json`: `data`, `layout` and `config`.
pub(super) fn figure(figure: &Figure) -> Value {
    let mut data: Vec<Value> = figure.series.iter().map(|series| trace(series, figure)).collect();
    let alone = figure.series.len() == 1;
    for (place, (trace, series)) in data.iter_mut().zip(&figure.series).enumerate() {
        paint(trace, series, place, alone);
    }
    let mut layout = to_json(&layout(figure));
    let shown = figure.choices.first().map_or_else(|| figure.clone(), |first| figure.only(first));
    // The crate has numbers only for what follows; in `tickvals` plotly.js would take a number for a name (a rank "3").
    let x =
        || figure.series.iter().filter_map(|series| if let Points::Numbers(x) = &series.x { Some(x) } else { None });
    // Bars stand on zero.
    let zero = figure.series.iter().any(|series| series.mark == Mark::Bar).then_some(&0.0);
    let (x, y) = (span(x().flatten()), span(figure.series.iter().flat_map(|series| &series.y).chain(zero)));
    for (axis, more) in
        [("xaxis", name_ticks(&shown)), ("xaxis", number_ticks(&figure.x, x)), ("yaxis", number_ticks(&figure.y, y))]
    {
        if let Some(axis) = layout.get_mut(axis).and_then(Value::as_object_mut) {
            axis.extend(more);
        }
    }
    if let Some(second) = &figure.second {
        layout["yaxis2"] = to_json(&axis(&second.axis).overlaying("y").side(AxisSide::Right).show_grid(false));
        for &place in second.series.iter().filter(|place| **place < figure.series.len()) {
            data[place]["yaxis"] = "y2".into();
        }
    }
    menu::add(figure, &mut data, &mut layout, escape, name_ticks);
    // Without `typeset_math` a name between two dollar signs would be read as TeX.
    let config = Configuration::new().responsive(true).display_logo(false).typeset_math(false).show_tips(false);
    // Selections do nothing in our figures.
    let config = config.mode_bar_buttons_to_remove(vec![ModeBarButtonName::Select2d, ModeBarButtonName::Lasso2d]);
    json!({ "data": data, "layout": layout, "config": to_json(&config) })
}

/// Gives a trace the colour of its series, or its bars theirs if the series is shown `alone`.
pub(super) fn paint(trace: &mut Value, series: &Series, place: usize, alone: bool) {
    let colour = palette::of_series(&series.name, place);
    trace["marker"]["color"] = palette::of_bars(series, place, alone).map_or(colour.into(), |bars| bars.into());
    if trace["line"].is_object() {
        trace["line"]["color"] = colour.into();
    }
}

fn layout(figure: &Figure) -> Layout {
    let mut title = escape(&figure.title);
    let below = wrap(&figure.subtitle, SUBTITLE_CHARS);
    for line in below.iter().filter(|line| !line.is_empty()) {
        title.push_str(&format!("<br><sub>{line}</sub>"));
    }
    // Title, subtitle and legend stand below each other, down to the plot.
    let top = 74 + 18 * below.len();
    let title = Title::with_text(title)
        .x(0.02)
        .x_ref(Reference::Container)
        .x_anchor(Anchor::Left)
        .y(1.0)
        .y_ref(Reference::Container)
        .y_anchor(Anchor::Top)
        .pad(Pad::new(18, 0, 0));
    let names: usize = figure.series.iter().map(|series| series.name.chars().count() + LEGEND_MARK).sum();
    let legend = if names <= LEGEND_CHARS {
        let above = Legend::new().orientation(Orientation::Horizontal).x(1.0).x_anchor(Anchor::Right);
        above.y(1.02).y_anchor(Anchor::Bottom)
    } else {
        // Beside the plot, where it can be scrolled.
        Legend::new().orientation(Orientation::Vertical).x(1.02).x_anchor(Anchor::Left).y(1.0).y_anchor(Anchor::Top)
    };
    let empty = figure.series.iter().all(|series| series.x.is_empty());
    Layout::new()
        .annotations(if empty { vec![nothing()] } else { Vec::new() })
        .title(title)
        .auto_size(true)
        .height(figure.height.unwrap_or_else(|| height(figure)) as usize)
        .margin(Margin::new().left(72).right(24).top(top).bottom(48))
        .paper_background_color(TRANSPARENT)
        .plot_background_color(TRANSPARENT)
        .colorway(SERIES.to_vec())
        .show_legend(figure.series.len() > 1)
        .legend(legend)
        .hover_mode(HoverMode::Closest)
        .hover_label(Label::new().align("left").name_length(-1))
        .bar_mode(match figure.bars {
            BarMode::Group => PlotlyBarMode::Group,
            // Unlike `stack`, values below zero go down.
            BarMode::Stack => PlotlyBarMode::Relative,
        })
        .x_axis(
            if stands_at_names(figure) { axis(&figure.x).type_(AxisType::Category) } else { axis(&figure.x) }
                .visible(!empty),
        )
        .y_axis(axis(&figure.y).visible(!empty))
}

/// What an empty figure says.
fn nothing() -> Annotation {
    Annotation::new().text("nothing to draw").show_arrow(false).x_ref("paper").y_ref("paper").x(0.5).y(0.5)
}

fn axis(axis: &Axis) -> PlotlyAxis {
    let drawn = PlotlyAxis::new()
        .title(Title::with_text(escape(&super::axis_title(axis))))
        .auto_margin(true)
        .separate_thousands(true)
        .exponent_format(ExponentFormat::None);
    if axis.log { drawn.type_(AxisType::Log) } else { drawn }
}

/// On a logarithmic axis 1, 2 and 5 of every decade, where plotly.js would write all nine digits; on one of few whole numbers
/// each of them and nothing between. Of many, plotly.js writes every second, fifth, …, until the reader looks nearer.
fn number_ticks(axis: &Axis, span: f64) -> Map<String, Value> {
    match axis {
        Axis { log: true, .. } => Map::from_iter([("dtick".to_owned(), "D2".into())]),
        Axis { whole: true, .. } if span <= MOST_WHOLE => {
            Map::from_iter([("tick0".to_owned(), 0.into()), ("dtick".to_owned(), 1.into())])
        }
        _ => Map::new(),
    }
}

/// From the least value to the largest.
fn span<'v>(values: impl Iterator<Item = &'v f64>) -> f64 {
    let ends = |(low, high): (f64, f64), value: &f64| (low.min(*value), high.max(*value));
    let (low, high) = values.filter(|value| value.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    if high > low { (high - low).min(f64::MAX) } else { 0.0 }
}

/// Elided names at the axis, by place rather than by text: names that look alike keep their own bars.
fn name_ticks(figure: &Figure) -> Map<String, Value> {
    let names = places(figure);
    if names.is_empty() {
        return Map::new();
    }
    // Many names stand upright, and leave less room to the bars.
    let most = if names.len() > FEW_NAMES { TICK_CHARS / 2 } else { TICK_CHARS };
    let texts = elide_apart(&tidied(&names), most);
    let angle = angle(&texts);
    let every = names.len().div_ceil(MOST_TICKS);
    let pick =
        |texts: &[String]| texts.iter().step_by(every).map(|text| Value::String(escape(text))).collect::<Value>();
    Map::from_iter([
        ("tickangle".to_owned(), angle.map_or_else(|| "auto".into(), Value::from)),
        ("tickmode".to_owned(), to_json(&TickMode::Array)),
        ("tickvals".to_owned(), pick(&names)),
        ("ticktext".to_owned(), pick(&texts)),
    ])
}

/// How texts stand at the axis, in degrees; `None` lays them flat, where the page is wide enough.
fn angle(texts: &[String]) -> Option<i32> {
    match longest(texts) * texts.len() {
        fits if fits <= TICKS_CHARS => None,
        _ if texts.len() > FEW_NAMES => Some(-90),
        // To the left, where the second axis has its room.
        _ => Some(-35),
    }
}

fn longest(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0)
}

/// The height of a figure that does not say it: texts that do not lie flat take no room from the bars.
fn height(figure: &Figure) -> u32 {
    let names = places(figure);
    let most = if names.len() > FEW_NAMES { TICK_CHARS / 2 } else { TICK_CHARS };
    let texts = elide_apart(&tidied(&names), most);
    match angle(&texts) {
        Some(angle) => HEIGHT + (longest(&texts) as f64 * CHAR * f64::from(-angle).to_radians().sin()) as u32,
        None => HEIGHT,
    }
}

fn trace(series: &Series, figure: &Figure) -> Value {
    match &series.x {
        Points::Names(at) => {
            let names = unique(at);
            let hover: Vec<String> = tidied(&names).iter().map(|name| wrap(name, HOVER_CHARS).join("<br>")).collect();
            let x = names.iter().map(|name| escape(name)).collect();
            drawn(x, hover, series, &format!("<b>%{{hovertext}}</b><br>{}", hover_value(series, figure)))
        }
        Points::Numbers(x) => {
            let decimals = number::decimals(x.iter().copied());
            let at = format!("%{{x:,.{decimals}f}}{}<br>", unit(&figure.x));
            drawn(x.clone(), Vec::new(), series, &format!("{at}{}", hover_value(series, figure)))
        }
    }
}

fn drawn<X: Serialize + Clone + 'static>(x: Vec<X>, hover: Vec<String>, series: &Series, template: &str) -> Value {
    let y = series.y.iter().map(|value| value.is_finite().then_some(*value)).collect();
    let name = escape(&series.name);
    let template = format!("{template}<extra></extra>");
    if series.mark == Mark::Bar {
        let bar = Bar::new(x, y).name(name).hover_template(template);
        return if hover.is_empty() { to_json(&bar) } else { to_json(&bar.hover_text_array(hover)) };
    }
    let few = series.x.len() <= MOST_MARKERS && series.mark == Mark::Line;
    let shape = if series.mark == Mark::Step { LineShape::Hv } else { LineShape::Linear };
    let line = Scatter::new(x, y)
        .name(name)
        .mode(if few { Mode::LinesMarkers } else { Mode::Lines })
        .line(Line::new().shape(shape).width(2.0))
        .hover_template(template);
    if hover.is_empty() { to_json(&line) } else { to_json(&line.hover_text_array(hover)) }
}

/// `control: 1,234.5 µs`, as a template that plotly.js fills in.
fn hover_value(series: &Series, figure: &Figure) -> String {
    let decimals = number::decimals(series.y.iter().copied());
    format!("%{{fullData.name}}: %{{y:,.{decimals}f}}{}", unit(&figure.y))
}

fn unit(axis: &Axis) -> String {
    let symbol = axis.unit.symbol();
    if symbol.is_empty() { String::new() } else { format!(" {symbol}") }
}

fn stands_at_names(figure: &Figure) -> bool {
    figure.series.iter().any(|series| matches!(series.x, Points::Names(_)))
}

/// Text escaped and broken into lines, at blanks and brackets where there are any.
fn wrap(text: &str, most: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut lines, mut rest) = (Vec::new(), chars.as_slice());
    while rest.len() > most {
        let may_end = |c: &char| matches!(c, ' ' | ',' | ':' | '<' | '(' | ';');
        let end = rest[..most].iter().rposition(may_end).filter(|end| *end >= most / 2);
        let (line, next) = rest.split_at(end.map_or(most, |end| end + 1));
        lines.push(line);
        rest = next;
    }
    lines.push(rest);
    lines.into_iter().map(|line| escape(&line.iter().collect::<String>())).collect()
}

/// Text that plotly.js draws as it is written.
fn escape(text: &str) -> String {
    one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Plotly's types always have a JSON form: text keys and plain values.
fn to_json(typed: &impl Serialize) -> Value {
    serde_json::to_value(typed).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choice, Unit};

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
    fn the_script_is_plotly_js_alone() {
        let js = offline_plotly_js();
        assert!(js.starts_with("/**\n* plotly.js v3"), "{:?}", js.get(..40));
        assert!(js.len() > 4_000_000 && !js.contains("</script") && !js.contains("MathJax-script"));
    }

    #[test]
    fn short_names_lose_empty_namespaces_in_texts_only() {
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
    fn three_series_of_vertical_bars_stand_at_the_names() {
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
    fn names_that_look_alike_keep_their_own_bars() {
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
    fn long_names_break_where_words_end() {
        let name = format!("{} {}", "a".repeat(60), "b".repeat(60));
        assert_eq!(wrap(&name, 80), [format!("{} ", "a".repeat(60)), "b".repeat(60)]);
        assert_eq!(wrap(&"<".repeat(81), 80), ["&lt;".repeat(80), "&lt;".to_owned()]);
        assert_eq!(wrap("", 80), [""]);
    }

    #[test]
    fn no_text_of_a_trace_is_read_as_markup() {
        let evil = "<a href=\"javascript:alert(1)\">x</a>&lt;b&gt;";
        let mut figure = bars(&[evil]);
        (figure.title, figure.subtitle) = (evil.to_owned(), evil.to_owned());
        figure.y.title = evil.to_owned();
        figure.series[0].name = evil.to_owned();
        let json = super::figure(&figure).to_string();
        assert!(!json.contains("<a ") && !json.contains("&lt;b&gt;"), "{json}");
        assert!(json.contains("&amp;lt;b&amp;gt;"));
    }

    #[test]
    fn what_is_not_finite_is_a_gap_and_many_names_are_thinned_out() {
        let names: Vec<String> = (0..500).map(|n| format!("op{n}")).collect();
        let mut figure = bars(&names.iter().map(String::as_str).collect::<Vec<_>>());
        figure.series[0].y[0] = f64::NAN;
        let json = super::figure(&figure);
        assert_eq!(json["data"][0]["y"][0], Value::Null);
        assert_eq!(json["data"][0]["x"].as_array().map(Vec::len), Some(500));
        assert!(json["layout"]["xaxis"]["tickvals"].as_array().is_some_and(|ticks| ticks.len() <= MOST_TICKS));
    }

    #[test]
    fn lines_and_steps_stand_at_numbers() {
        let line =
            |mark| Series { name: "queue".to_owned(), mark, x: Points::Numbers(vec![0.0, 1.5]), y: vec![1.0, 2.0] };
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
    fn a_long_legend_stands_beside_the_plot_in_colours_of_its_own() {
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
    fn a_choice_shows_its_series_and_names_alone() {
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
    fn an_empty_figure_says_so() {
        let json = figure(&Figure::default());
        assert_eq!(json["data"], json!([]));
        assert_eq!(json["layout"]["annotations"][0]["text"], "nothing to draw");
    }
}

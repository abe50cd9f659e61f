//! The layout of a figure: title, legend, axes, height.
//!
//! Colours of text, grid and background are left to the front end, so that a figure suits a light and a dark page.

use super::style::{escape, wrap};
use super::ticks::names_height;
use crate::axis_title;
use plotly::Layout;
use plotly::common::{Anchor, ExponentFormat, Label, Orientation, Pad, Reference, Title};
use plotly::layout::{Annotation, Axis as PlotlyAxis, AxisType, BarMode as PlotlyBarMode, HoverMode, Legend, Margin};
use trace_view::palette::SERIES;
use trace_view::{Axis, BarMode, Figure, Points};

/// Characters of a line below the title.
const SUBTITLE_CHARS: usize = 110;
/// With more characters than this a legend does not fit into one line above the plot.
const LEGEND_CHARS: usize = 110;
/// The mark of a series in the legend, in characters, about.
const LEGEND_MARK: usize = 7;
/// The height of an entry of a legend beside the plot, and what is below the plot, in pixels.
const ENTRY: u32 = 19;
const BELOW: u32 = 60;
/// The entries up to which a figure is as high as its legend.
const MOST_ENTRIES: usize = 64;
/// The height of a figure with horizontal names, in pixels.
const HEIGHT: u32 = 480;
const TRANSPARENT: &str = "rgba(0,0,0,0)";

/// Returns the layout of a figure, without the ticks.
pub(super) fn layout(figure: &Figure) -> Layout {
    let mut title = escape(&figure.title);
    let subtitle = wrap(&figure.subtitle, SUBTITLE_CHARS);
    for line in subtitle.iter().filter(|line| !line.is_empty()) {
        title.push_str(&format!("<br><sub>{line}</sub>"));
    }
    // Room for title, subtitle and legend above the plot.
    let top = 74 + 18 * subtitle.len();
    let title = Title::with_text(title)
        .x(0.02)
        .x_ref(Reference::Container)
        .x_anchor(Anchor::Left)
        .y(1.0)
        .y_ref(Reference::Container)
        .y_anchor(Anchor::Top)
        .pad(Pad::new(18, 0, 0));
    let legend = if legend_chars(figure) <= LEGEND_CHARS {
        let above = Legend::new().orientation(Orientation::Horizontal).x(1.0).x_anchor(Anchor::Right);
        above.y(1.02).y_anchor(Anchor::Bottom)
    } else {
        // Beside the plot, which is as high as the legend.
        Legend::new().orientation(Orientation::Vertical).x(1.02).x_anchor(Anchor::Left).y(1.0).y_anchor(Anchor::Top)
    };
    let empty = figure.series.iter().all(|series| series.x.is_empty());
    Layout::new()
        .annotations(if empty { vec![nothing()] } else { Vec::new() })
        .title(title)
        .auto_size(true)
        .height(figure.height.unwrap_or_else(|| HEIGHT + names_height(figure)).max(legend_height(figure, top)) as usize)
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
            // Unlike with `stack`, bars of negative values grow downwards.
            BarMode::Stack => PlotlyBarMode::Relative,
        })
        .x_axis(
            if has_names(figure) { axis(&figure.x).type_(AxisType::Category) } else { axis(&figure.x) }.visible(!empty),
        )
        .y_axis(axis(&figure.y).visible(!empty))
}

/// Returns the height that a figure needs for its legend beside the plot; of a legend above it or of more entries than fit a page, where
/// plotly.js scrolls it, 0.
fn legend_height(figure: &Figure, top: usize) -> u32 {
    let shown = |choice: &trace_view::Choice| choice.series.len();
    let entries = figure.choices.iter().map(shown).max().unwrap_or(figure.series.len());
    let is_beside = !figure.choices.is_empty() || legend_chars(figure) > LEGEND_CHARS;
    if is_beside && entries <= MOST_ENTRIES { top as u32 + ENTRY * entries as u32 + BELOW } else { 0 }
}

/// The characters of a legend in one line.
fn legend_chars(figure: &Figure) -> usize {
    figure.series.iter().map(|series| series.name.chars().count() + LEGEND_MARK).sum()
}

/// Returns the text of an empty figure.
fn nothing() -> Annotation {
    Annotation::new().text("nothing to draw").show_arrow(false).x_ref("paper").y_ref("paper").x(0.5).y(0.5)
}

/// Returns an axis with its title.
pub(super) fn axis(axis: &Axis) -> PlotlyAxis {
    let drawn = PlotlyAxis::new()
        .title(Title::with_text(escape(&axis_title(axis))))
        .auto_margin(true)
        .separate_thousands(true)
        .exponent_format(ExponentFormat::None);
    if axis.log { drawn.type_(AxisType::Log) } else { drawn }
}

/// Tells whether the first axis is one of names.
fn has_names(figure: &Figure) -> bool {
    figure.series.iter().any(|series| matches!(series.x, Points::Names(_)))
}

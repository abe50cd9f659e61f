//! The colours of all figures. A name that means the same in every figure (a type of kernel, an idle category, a kind of change)
//! has the same colour in all of them; other series are coloured by their index.
//!
//! All colours contrast with white and with black and are distinguishable with every colour vision deficiency. Blue and
//! vermillion are those of Okabe and Ito's palette ("Color Universal Design", 2008). Its bluish green and reddish purple are
//! more saturated here: with deuteranopia the purple looks like the grey of idle time. The tests check all pairs with the model
//! of Machado, Oliveira and Fernandes (2009).

use crate::{Mark, Points, Series};

const BLUE: &str = "#0072b2";
const VERMILLION: &str = "#d55e00";
const GREEN: &str = "#0faa59";
const PURPLE: &str = "#c050d0";
/// The colour of mixtures.
const SLATE: &str = "#645f7e";
/// The colour of absence: idle, unchanged.
const PALE: &str = "#a8a8b0";

/// Names with a fixed colour, grouped by the figures in which they occur together.
const NAMED: &[&[(&str, &str)]] = &[
    &[
        ("COMPUTATION", BLUE),
        ("COMMUNICATION", VERMILLION),
        ("MEMORY", GREEN),
        ("OTHER", PURPLE),
        ("overlap", SLATE),
        ("idle", PALE),
    ],
    &[("compute_time", BLUE), ("non_compute_time", SLATE), ("idle_time", PALE)],
    &[("host_wait", "#b07d00"), ("kernel_wait", "#3d94c9"), ("other", PALE)],
    &[
        ("cpu_bound", "#7f5a1c"),
        ("data_loading", "#737e6a"),
        ("python", PURPLE),
        ("cuda_runtime", "#8a3fe0"),
        ("gpu_kernel_launch_overhead", "#6630ff"),
        ("gpu_compute_bound", BLUE),
        ("gpu_communication_bound", VERMILLION),
        ("gpu_memory_bound", GREEN),
        ("gpu_kernel_kernel_overhead", "#8891c4"),
        ("synchronization", "#9b4772"),
        ("waiting_for_rank", "#3792ff"),
        ("not_recorded", "#9682a0"),
        ("unexplained", "#ff3847"),
        ("critical path", "#7b588e"),
        ("not on the path", PALE),
    ],
    &[("increased", VERMILLION), ("decreased", BLUE), ("added", PURPLE), ("deleted", GREEN), ("unchanged", PALE)],
    &[("+", VERMILLION), ("-", BLUE), ("=", PALE)],
    &[("is_straggler: Yes", VERMILLION), ("is_straggler: No", BLUE)],
    &[
        ("Memcpy HtoD", BLUE),
        ("Memcpy DtoH", VERMILLION),
        ("Memcpy DtoD", GREEN),
        ("Memcpy PtoP", PURPLE),
        ("Memset", SLATE),
        ("Memcpy Unknown", PALE),
    ],
];

/// Colours by the index of the series: blue and orange for the sides of a comparison, grey for their difference. The first eight
/// are distinguishable with every colour vision deficiency; then they come again, lighter and darker.
#[rustfmt::skip]
pub const SERIES: [&str; 24] = [
    "#3b7dd8", "#ef8a2b", "#8c8fa3", "#0cae77", "#9e2aa6", "#a63044", "#73731f", "#2b45e8",
    "#9dbeec", "#f7c495", "#c6c7d1", "#86d6bb", "#ce94d2", "#d298a2", "#b9b98f", "#95a2f4",
    "#204577", "#834c18", "#4d4f5a", "#076041", "#57175b", "#5b1a25", "#3f3f11", "#182680",
];

/// The colours of more, less and totals in a waterfall.
pub const WATERFALL: [&str; 3] = [VERMILLION, BLUE, PALE];
/// The colour scale from small to large, perceptually uniform: cividis (Nuñez, Anderton and Renslow, 2018).
pub const SEQUENTIAL: [&str; 5] = ["#00224e", "#434e6c", "#7d7c78", "#bcaf6f", "#fee838"];
/// The colour scale from negative to positive values.
pub const DIVERGING: [&str; 3] = [BLUE, "#f2f2f2", VERMILLION];

/// The same scale for a page of any colour: near zero its own shows through.
pub const CLEAR_DIVERGING: [&str; 3] = ["rgb(0,114,178)", "rgba(128,128,128,0.25)", "rgb(213,94,0)"];
/// The colour of the labels of outliers.
pub const OUTLIER: &str = VERMILLION;

/// Returns the colour at a share between 0 and 1 of a scale.
pub fn between(stops: &[&str], share: f64) -> String {
    let at = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let low = (at.floor() as usize).min(stops.len().saturating_sub(2));
    let channel = |colour: &str, from: usize| f64::from(u8::from_str_radix(&colour[from..from + 2], 16).unwrap_or(0));
    let mix = |from: usize| {
        let (one, other) = (channel(stops[low], from), channel(stops[low + 1], from));
        (one + (other - one) * (at - low as f64)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(1), mix(3), mix(5))
}

/// Returns the colour of a name that means the same in every figure (`COMPUTATION`, `host_wait`, `added`, …), for two types of
/// kernels at once (`COMPUTATION overlapping MEMORY`) the colour of mixtures; `None` for other names.
pub fn named_colour(name: &str) -> Option<&'static str> {
    let known = NAMED.iter().flat_map(|group| group.iter()).find(|(known, _)| *known == name);
    known.map(|(_, colour)| *colour).or_else(|| name.contains(" overlapping ").then_some(SLATE))
}

/// Returns the colour of a series.
pub fn of_series(name: &str, index: usize) -> &'static str {
    named_colour(name).unwrap_or(SERIES[index % SERIES.len()])
}

/// Returns a colour per bar of a series, if the names below the bars have fixed colours and the series is `alone`; with several
/// series the colour identifies the series, as in the legend.
pub fn of_bars(series: &Series, index: usize, alone: bool) -> Option<Vec<&'static str>> {
    let Points::Names(names) = &series.x else { return None };
    let by_name = alone && series.mark == Mark::Bar && named_colour(&series.name).is_none();
    let any = names.iter().any(|name| named_colour(name).is_some());
    (by_name && any).then(|| names.iter().map(|name| of_series(name, index)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap_or(0)) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// WCAG's contrast ratio.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |colour| {
            let [r, g, b] = linear(colour);
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let (one, other) = (luminance(one), luminance(other));
        one.max(other) / one.min(other)
    }

    type Matrix = [[f64; 3]; 3];

    /// Normal vision, protanopia, deuteranopia, tritanopia: Machado, Oliveira and Fernandes (2009), severity 1.
    const EYES: [Matrix; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ];

    fn times(matrix: &Matrix, vector: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
    }

    /// The CIELAB value of a colour as an eye sees it.
    fn lab(colour: &str, eye: &Matrix) -> [f64; 3] {
        let seen = times(eye, linear(colour)).map(|value: f64| value.clamp(0.0, 1.0));
        let xyz = times(&[[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], seen);
        let bent = |value: f64| if value > 0.008_856 { value.cbrt() } else { 7.787 * value + 16.0 / 116.0 };
        let [x, y, z] = [bent(xyz[0] / 0.950_47), bent(xyz[1]), bent(xyz[2] / 1.088_83)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn named_colours_contrast_with_light_and_dark() {
        for (name, colour) in NAMED.iter().flat_map(|group| group.iter()) {
            // The colour of absence may be pale.
            let least = if *colour == PALE { 2.0 } else { 3.0 };
            for page in ["#ffffff", "#111111"] {
                let found = contrast(colour, page);
                assert!(found >= least, "{name} {colour} on {page}: {found:.2}");
            }
        }
    }

    #[test]
    fn colours_of_one_figure_differ_for_every_eye() {
        for group in NAMED {
            assert_distinct(group, 12.0);
        }
    }

    #[test]
    fn first_eight_series_contrast_and_differ_for_every_eye() {
        let first = ["1", "2", "3", "4", "5", "6", "7", "8"].into_iter().zip(SERIES).collect::<Vec<_>>();
        assert_distinct(&first, 17.0);
        for (number, colour) in first {
            for page in ["#ffffff", "#111111"] {
                let found = contrast(colour, page);
                assert!(found >= 2.5, "series {number} {colour} on {page}: {found:.2}");
            }
        }
    }

    /// Checks that every two colours have at least the distance `least` in CIELAB, for every eye.
    fn assert_distinct(colours: &[(&str, &str)], least: f64) {
        for (index, (one, colour)) in colours.iter().enumerate() {
            for (other, second) in &colours[..index] {
                for (eye, matrix) in EYES.iter().enumerate() {
                    let (a, b) = (lab(colour, matrix), lab(second, matrix));
                    let far = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                    assert!(far >= least, "{one} and {other}, eye {eye}: {far:.1}");
                }
            }
        }
    }

    #[test]
    fn sequential_scale_grows_lighter_for_every_eye() {
        for (eye, matrix) in EYES.iter().enumerate() {
            let light: Vec<f64> =
                (0..=16).map(|step| lab(&between(&SEQUENTIAL, f64::from(step) / 16.0), matrix)[0]).collect();
            assert!(light.windows(2).all(|pair| pair[1] - pair[0] > 1.5), "eye {eye}: {light:?}");
        }
        assert_eq!([between(&SEQUENTIAL, 0.0), between(&SEQUENTIAL, 1.0)], [SEQUENTIAL[0], SEQUENTIAL[4]]);
        assert_eq!(between(&["#000000", "#ffffff"], 0.5), "#808080");
    }

    #[test]
    fn ends_of_diverging_scale_differ_for_every_eye() {
        assert_distinct(&[("below", DIVERGING[0]), ("zero", DIVERGING[1]), ("above", DIVERGING[2])], 17.0);
    }

    #[test]
    fn bars_of_single_series_have_colours_of_names() {
        let series = Series {
            name: "median".to_owned(),
            mark: Mark::Bar,
            x: Points::Names(vec!["Memcpy HtoD".to_owned(), "Memset".to_owned()]),
            y: vec![1.0, 2.0],
        };
        assert_eq!(of_bars(&series, 0, true), Some(vec![BLUE, SLATE]));
        assert_eq!(of_bars(&series, 0, false), None);
    }

    #[test]
    fn names_have_one_colour_and_mixtures_their_own() {
        let mut names: Vec<&str> = NAMED.iter().flat_map(|group| group.iter()).map(|(name, _)| *name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(named_colour("COMMUNICATION overlapping MEMORY"), Some(SLATE));
        assert_eq!(named_colour("rank 0"), None);
        assert_eq!(of_series("rank 0", 25), SERIES[1]);
    }
}

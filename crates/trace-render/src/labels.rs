//! The names on the first axis of a picture.

use super::canvas::{CHAR, SMALL, text, width};
use trace_view::names::elide_apart;
use trace_view::tidied;

const TICK_CHARS: usize = 28;

/// Elided names, and how they are written.
pub(super) struct Labels {
    pub(super) texts: Vec<String>,
    /// Every `every`-th name is written.
    pub(super) every: usize,
    /// The angle in degrees, counter-clockwise.
    pub(super) angle: f64,
}

impl Labels {
    /// Chooses angle and length for names with `band` pixels each.
    pub(super) fn of(names: &[String], band: f64) -> Self {
        let names = &tidied(names);
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(TICK_CHARS);
        if (longest as f64 + 1.0) * CHAR * SMALL <= band {
            return Self { texts: elide_apart(names, TICK_CHARS), every: 1, angle: 0.0 };
        }
        let angle = if band >= 22.0 { 40.0 } else { 90.0 };
        let every = (14.0 / band).ceil().max(1.0) as usize;
        // Vertical texts leave less room for the bars.
        let most = if angle == 90.0 { TICK_CHARS * 2 / 3 } else { TICK_CHARS };
        Self { texts: elide_apart(names, most), every, angle }
    }

    /// Returns how far the longest text extends to the left and downwards, in pixels.
    pub(super) fn size(&self) -> (f64, f64) {
        let longest = self.texts.iter().map(|text| width(text, SMALL)).fold(0.0, f64::max);
        if self.angle == 0.0 {
            return (longest / 2.0, 14.0);
        }
        let (sin, cos) = self.angle.to_radians().sin_cos();
        (longest * cos, longest * sin + 10.0)
    }

    /// Writes the names below `bottom`, each at its centre.
    pub(super) fn draw(&self, svg: &mut String, bottom: f64, centre: impl Fn(usize) -> f64) {
        for (index, label) in self.texts.iter().enumerate().step_by(self.every) {
            let (at, below) = (centre(index), bottom + 14.0);
            if self.angle == 0.0 {
                text(svg, at, below + 2.0, "text-anchor=\"middle\"", label);
            } else {
                let rotated =
                    format!("text-anchor=\"end\" transform=\"rotate(-{} {:.1} {below:.1})\"", self.angle, at + 4.0);
                text(svg, at + 4.0, below, &rotated, label);
            }
        }
    }
}

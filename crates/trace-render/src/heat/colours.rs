//! The mapping of the values of a heat map to colours.

use trace_view::palette::{DIVERGING, SEQUENTIAL, between};
use trace_view::{Colours, HeatMap};

/// The number of colours.
pub(crate) const COLOURS: usize = 64;

/// The colours between two values: from dark to light, or diverging from zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColourScale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) diverging: bool,
}

impl ColourScale {
    /// Returns the scale of a heat map; `None` if it has no value.
    pub(crate) fn of(map: &HeatMap) -> Option<Self> {
        let (low, high) = map.range.filter(|(low, high)| low < high).or_else(|| map.extremes())?;
        let diverging = match map.colours {
            Colours::BySign => low < 0.0 && high > 0.0,
            Colours::Amounts => false,
            Colours::Differences => true,
        };
        if diverging {
            let far = high.abs().max(low.abs());
            let far = if far > 0.0 { far } else { 1.0 };
            return Some(Self { low: -far, high: far, diverging });
        }
        Some(Self { low, high, diverging })
    }

    /// Returns the colours at equal distances, from the lowest value to the highest.
    pub(crate) fn stops(&self) -> &'static [&'static str] {
        if self.diverging { &DIVERGING } else { &SEQUENTIAL }
    }

    /// Returns the index of the colour of a value; `None` for a gap.
    pub(super) fn step(&self, value: f64) -> Option<usize> {
        // Halves, since the difference of two large values may be infinite.
        let share = if self.high > self.low {
            (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
        } else {
            0.5
        };
        value.is_finite().then(|| (share.clamp(0.0, 1.0) * (COLOURS - 1) as f64).round() as usize)
    }

    /// Returns a colour as red, green, blue, and as text.
    pub(super) fn colour(&self, step: usize) -> ([u8; 3], String) {
        let text = between(self.stops(), step as f64 / (COLOURS - 1) as f64);
        let channel = |from: usize| u8::from_str_radix(&text[from..from + 2], 16).unwrap_or(0);
        ([channel(1), channel(3), channel(5)], text)
    }
}

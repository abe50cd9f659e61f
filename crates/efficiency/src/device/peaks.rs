//! Peaks of devices, from the data file of the crate, each number with its source.

use crate::operand::data_type::PeakClass;
use serde_json::Value;
use std::sync::OnceLock;

const FILE: &str = include_str!("../peaks.json");

/// A number with its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The number: TFLOP/s of a peak, GB/s of a bandwidth.
    pub value: f64,
    /// The source of the number, as a sentence without its end.
    pub source: String,
    /// Whether the source cites the data sheet of the device.
    pub is_checked: bool,
}

/// The peaks of one variant of a device. A number that is not known is `None`, never that of another variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Peaks {
    /// The name for flags and documents: `h100-sxm`.
    pub id: String,
    /// The name for tables.
    pub label: String,
    /// Bandwidth of memory in GB/s.
    pub bandwidth: Option<Figure>,
    /// Bandwidth of the links to other devices in GB/s, one way.
    pub link: Option<Figure>,
    classes: Vec<(PeakClass, Figure)>,
    reachable: Vec<(PeakClass, Figure)>,
}

impl Peaks {
    /// Returns the peak of dense products or operations of a class in TFLOP/s.
    pub fn peak(&self, class: PeakClass) -> Option<&Figure> {
        self.classes.iter().find(|(known, _)| *known == class).map(|(_, figure)| figure)
    }

    /// Returns what a class is known to reach in measurements, in TFLOP/s.
    pub fn reachable(&self, class: PeakClass) -> Option<&Figure> {
        self.reachable.iter().find(|(known, _)| *known == class).map(|(_, figure)| figure)
    }

    /// Returns all peaks that are known, in the order of [`PeakClass::ALL`].
    pub fn classes(&self) -> impl Iterator<Item = (PeakClass, &Figure)> {
        self.classes.iter().map(|(class, figure)| (*class, figure))
    }

    /// Makes peaks of a device that is not in the file, to be filled by overrides.
    pub fn unknown(label: &str) -> Self {
        let (id, label) = ("unknown".to_owned(), label.to_owned());
        Self { id, label, bandwidth: None, link: None, classes: Vec::new(), reachable: Vec::new() }
    }

    /// Sets a peak, in place of one from the file.
    pub(crate) fn set(&mut self, class: PeakClass, figure: Figure) {
        self.classes.retain(|(known, _)| *known != class);
        self.classes.push((class, figure));
        self.classes.sort_by_key(|(class, _)| *class);
        // What another peak was measured to reach says nothing of this one.
        self.reachable.retain(|(known, _)| *known != class);
    }
}

/// A device of the file, and how it is recognised.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) peaks: Peaks,
    /// Names as torch writes them.
    pub(crate) names: Vec<String>,
    /// The word that all variants share.
    pub(crate) family: String,
    /// Memory as in the name of the product, whose GB are binary.
    pub(crate) memory_gb: f64,
}

/// All devices of the file.
pub(crate) fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let file: Value = serde_json::from_str(FILE).unwrap_or_default();
        let devices = file.get("devices").and_then(Value::as_array);
        devices.into_iter().flatten().filter_map(|device| row(device, file.get("sources")?)).collect()
    })
}

/// Returns the peaks of all devices that are known.
pub fn known_devices() -> impl Iterator<Item = &'static Peaks> {
    rows().iter().map(|row| &row.peaks)
}

fn row(device: &Value, sources: &Value) -> Option<Row> {
    let text = |key: &str| device.get(key).and_then(Value::as_str).map(str::to_owned);
    let figure = |value: &Value| {
        let source = sources.get(value.get(1)?.as_str()?)?;
        let (text, is_checked) = (source.get("text")?.as_str()?, source.get("is_checked")?.as_bool()?);
        Some(Figure { value: value.get(0)?.as_f64()?, source: text.to_owned(), is_checked })
    };
    let figures = |key: &str| {
        let found = PeakClass::ALL.into_iter().filter_map(|class| {
            let value = device.get(key)?.get(class.word())?;
            Some((class, figure(value)?))
        });
        found.collect::<Vec<_>>()
    };
    let names = device.get("names")?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let peaks = Peaks {
        id: text("id")?,
        label: text("label")?,
        bandwidth: device.get("bandwidth").and_then(figure),
        link: device.get("link").and_then(figure),
        classes: figures("peaks"),
        reachable: figures("reachable"),
    };
    Some(Row { peaks, names, family: text("family")?, memory_gb: device.get("memory_gb")?.as_f64()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_file_is_read_and_has_a_source() {
        let file: Value = serde_json::from_str(FILE).unwrap();
        let devices = file["devices"].as_array().unwrap();
        assert_eq!(rows().len(), devices.len());
        for (row, device) in rows().iter().zip(devices) {
            let numbers = |key: &str| device[key].as_object().map_or(0, |map| map.len());
            assert_eq!(row.peaks.classes.len(), numbers("peaks"), "{}", row.peaks.id);
            assert_eq!(row.peaks.reachable.len(), numbers("reachable"), "{}", row.peaks.id);
            assert_eq!(row.peaks.link.is_some(), device.get("link").is_some());
            let bandwidth = row.peaks.bandwidth.as_ref().unwrap();
            let figures = row.peaks.classes.iter().chain(&row.peaks.reachable).map(|(_, figure)| figure);
            for figure in figures.chain([bandwidth]).chain(&row.peaks.link) {
                assert!(figure.value > 0.0 && figure.is_checked != figure.source.contains("not checked"), "{figure:?}");
            }
        }
    }

    #[test]
    fn reachable_is_below_the_peak() {
        for row in rows() {
            for (class, figure) in &row.peaks.reachable {
                assert!(figure.value <= row.peaks.peak(*class).unwrap().value, "{}", row.peaks.id);
            }
        }
    }
}

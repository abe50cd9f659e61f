//! The page of models agrees with the table.

use efficiency::{MODELS, Note, PeakClass, known_devices};

const PAGE: &str = include_str!("../../../../docs/efficiency-models.md");

#[test]
fn every_model_is_a_row_of_the_page() {
    let rows: Vec<&str> = PAGE.lines().collect();
    let missing: Vec<String> =
        MODELS.iter().map(|model| model.row()).filter(|row| !rows.contains(&row.as_str())).collect();
    assert!(missing.is_empty(), "cargo run --release -p efficiency --example models; missing:\n{}", missing.join("\n"));
    let rows = rows.iter().filter(|row| row.starts_with("| `") && row.matches('|').count() == 6).count();
    assert_eq!(rows, MODELS.len(), "the page has rows of models that are not there");
}

#[test]
fn every_derivation_is_a_section_of_the_page() {
    let sections: Vec<String> =
        PAGE.lines().filter_map(|line| line.strip_prefix("### ")).map(str::to_lowercase).collect();
    for model in MODELS {
        assert!(sections.iter().any(|section| section == model.derivation), "### {}", model.derivation);
    }
}

#[test]
fn peaks_and_remarks_have_words() {
    for class in PeakClass::ALL {
        assert_eq!(PeakClass::named(class.word()), Some(class));
    }
    assert!(Note::LengthsUnknown.sentence().starts_with("upper bound"));
    assert!(known_devices().count() > 20);
}

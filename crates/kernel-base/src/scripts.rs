//! The scripts of the JupyterLab extension, which pages outside of Jupyter use, too.

/// The scripts in `labextension/static`.
pub const SCRIPTS: &[(&str, &str)] = &[
    ("remoteEntry.js", include_str!("../../../labextension/static/remoteEntry.js")),
    ("figure.js", include_str!("../../../labextension/static/figure.js")),
    ("fit.js", include_str!("../../../labextension/static/fit.js")),
    ("picture.js", include_str!("../../../labextension/static/picture.js")),
    ("table.js", include_str!("../../../labextension/static/table.js")),
    ("view.js", include_str!("../../../labextension/static/view.js")),
    ("heads.js", include_str!("../../../labextension/static/heads.js")),
    ("body.js", include_str!("../../../labextension/static/body.js")),
    ("status.js", include_str!("../../../labextension/static/status.js")),
    ("columns.js", include_str!("../../../labextension/static/columns.js")),
    ("rows.js", include_str!("../../../labextension/static/rows.js")),
    ("state.js", include_str!("../../../labextension/static/state.js")),
    ("paged-rows.js", include_str!("../../../labextension/static/paged-rows.js")),
    ("tree.js", include_str!("../../../labextension/static/tree.js")),
    ("tree-rows.js", include_str!("../../../labextension/static/tree-rows.js")),
    ("tree-width.js", include_str!("../../../labextension/static/tree-width.js")),
    ("treegrid.js", include_str!("../../../labextension/static/treegrid.js")),
    ("toolbar.js", include_str!("../../../labextension/static/toolbar.js")),
    ("copy.js", include_str!("../../../labextension/static/copy.js")),
    ("names.js", include_str!("../../../labextension/static/names.js")),
    ("width.js", include_str!("../../../labextension/static/width.js")),
    ("events.js", include_str!("../../../labextension/static/events.js")),
    ("insert.js", include_str!("../../../labextension/static/insert.js")),
    ("keys.js", include_str!("../../../labextension/static/keys.js")),
    ("element.js", include_str!("../../../labextension/static/element.js")),
    ("style.js", include_str!("../../../labextension/static/style.js")),
    ("theme.js", include_str!("../../../labextension/static/theme.js")),
    ("plugins.js", include_str!("../../../labextension/static/plugins.js")),
    ("comm.js", include_str!("../../../labextension/static/comm.js")),
    ("notebooks.js", include_str!("../../../labextension/static/notebooks.js")),
    ("hyphens.js", include_str!("../../../labextension/static/hyphens.js")),
    ("early-runs.js", include_str!("../../../labextension/static/early-runs.js")),
    ("durations.js", include_str!("../../../labextension/static/durations.js")),
    ("highlight.js", include_str!("../../../labextension/static/highlight.js")),
    ("magic.js", include_str!("../../../labextension/static/magic.js")),
    ("flame-read.js", include_str!("../../../labextension/static/flame-read.js")),
    ("flame.js", include_str!("../../../labextension/static/flame.js")),
    ("timeline-colour.js", include_str!("../../../labextension/static/timeline-colour.js")),
    ("timeline-cursor.js", include_str!("../../../labextension/static/timeline-cursor.js")),
    ("timeline-frame.js", include_str!("../../../labextension/static/timeline-frame.js")),
    ("timeline-gl.js", include_str!("../../../labextension/static/timeline-gl.js")),
    ("timeline-keys.js", include_str!("../../../labextension/static/timeline-keys.js")),
    ("timeline-lane-list.js", include_str!("../../../labextension/static/timeline-lane-list.js")),
    ("timeline-lanes.js", include_str!("../../../labextension/static/timeline-lanes.js")),
    ("timeline-layout.js", include_str!("../../../labextension/static/timeline-layout.js")),
    ("timeline-overlay.js", include_str!("../../../labextension/static/timeline-overlay.js")),
    ("timeline-panel.js", include_str!("../../../labextension/static/timeline-panel.js")),
    ("timeline-pointer.js", include_str!("../../../labextension/static/timeline-pointer.js")),
    ("timeline-raster.js", include_str!("../../../labextension/static/timeline-raster.js")),
    ("timeline-renderer.js", include_str!("../../../labextension/static/timeline-renderer.js")),
    ("timeline-ruler.js", include_str!("../../../labextension/static/timeline-ruler.js")),
    ("timeline-scale.js", include_str!("../../../labextension/static/timeline-scale.js")),
    ("timeline-slices.js", include_str!("../../../labextension/static/timeline-slices.js")),
    ("timeline-source.js", include_str!("../../../labextension/static/timeline-source.js")),
    ("timeline-style.js", include_str!("../../../labextension/static/timeline-style.js")),
    ("timeline-text.js", include_str!("../../../labextension/static/timeline-text.js")),
    ("timeline-tiles.js", include_str!("../../../labextension/static/timeline-tiles.js")),
    ("timeline-tip.js", include_str!("../../../labextension/static/timeline-tip.js")),
    ("timeline-view.js", include_str!("../../../labextension/static/timeline-view.js")),
    ("timeline-wire.js", include_str!("../../../labextension/static/timeline-wire.js")),
    ("timeline.js", include_str!("../../../labextension/static/timeline.js")),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::path::Path;

    #[test]
    fn every_script_is_embedded_and_they_stay_small() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labextension/static");
        let mut in_folder: Vec<String> =
            folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let mut embedded: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
        in_folder.sort();
        embedded.sort_unstable();
        assert_eq!(in_folder, embedded);
        let bytes: usize = SCRIPTS.iter().map(|(_, content)| content.len()).sum();
        assert!(bytes < 400_000, "{bytes}");
    }
}

//! The only file that names plotly.

/// The plotly.js that the `plotly` crate carries, as one script text.
pub fn offline_plotly_js() -> String {
    let tags = ::plotly::Plot::offline_js_sources();
    let script = tags.split_once('>').map_or("", |(_, rest)| rest);
    script.split_once("</script>").map_or(script, |(js, _)| js).to_owned()
}

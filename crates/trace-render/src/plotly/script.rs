//! The script of plotly.js.

use plotly::Plot;

/// Returns the plotly.js that the `plotly` crate carries, as one script text of 4.7 MB.
pub fn offline_plotly_js() -> String {
    // The crate returns two script elements: plotly.js and MathJax, which we do not need.
    let mut js = Plot::offline_js_sources();
    js.truncate(js.find("</script>").unwrap_or(js.len()));
    let start = js.find('>').map_or(0, |end_of_tag| end_of_tag + 1);
    js.split_off(start)
}
